package remote

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
)

// topic is what a question is about.
type topic string

const (
	dumps     topic = "packages/dump"
	snapshots topic = "packages/snapshots"
	renders   topic = "packages/render"
	queues    topic = "queues/dump"
	nodes     topic = "scheduler/dump"
)

// question is one that a Transport is asked.
type question struct {
	topic topic
	// name is that of the application; "" is all.
	name string
	show bool
}

// parseQuestion reads a path and query of debug's Client; ok is false for what Deckhouse
// isn't asked.
func parseQuestion(path string, query url.Values) (q question, ok bool) {
	path, ok = strings.CutPrefix(path, debug.Prefix)
	if !ok {
		return q, false
	}
	q = question{topic: topic(path), name: query.Get("name"), show: query.Get("secrets") == "show"}
	switch q.topic {
	case dumps, queues, nodes:
		return q, true
	}
	for _, t := range []topic{snapshots, renders} {
		if name, found := strings.CutPrefix(path, string(t)+"/"); found {
			plain, err := url.PathUnescape(name)
			q.topic, q.name = t, plain
			return q, err == nil && plain != ""
		}
	}
	return q, false
}

// spelling is a command of Deckhouse for a question.
type spelling struct {
	words []string
	// all tells that it answers for all: the one has to be looked for in the answer.
	all bool
}

// spellings are the commands for a question, those of newer versions first. Snapshots
// and render have always been spelled in one way.
func (q question) spellings() []spelling {
	both := func(newer, older []string) []spelling {
		if q.name == "" {
			return distinct(spelling{words: newer, all: true}, spelling{words: older, all: true})
		}
		named := append(append([]string{}, newer...), "--name", q.name)
		return []spelling{{words: named}, {words: older, all: true}}
	}
	switch q.topic {
	case queues:
		return both([]string{"queue", "dump"}, []string{"queue", "list"})
	case nodes:
		return both([]string{"scheduler", "dump"}, []string{"scheduler", "dump"})
	case snapshots:
		return []spelling{{words: []string{"snapshots", q.name}}}
	case renders:
		return []spelling{{words: []string{"render", q.name}}}
	}
	return both([]string{"dump"}, []string{"dump"})
}

func distinct(newer, older spelling) []spelling {
	if strings.Join(newer.words, " ") == strings.Join(older.words, " ") {
		return []spelling{newer}
	}
	return []spelling{newer, older}
}

// unknownWords are what the libraries of command lines that Deckhouse used say of a
// command or flag that they don't know.
var unknownWords = regexp.MustCompile(`(?i)\bunknown (?:(?:long|short|shorthand) )?(?:flag|command)\b|\bexpected command but got\b|\bunexpected argument\b`)

// isUnknown tells that a command was not understood, rather than that it failed.
func isUnknown(o Output) bool { return o.Code != 0 && unknownWords.Match(o.Stderr) }
