package object

import "strings"

// showWords makes words visible again that server messages are made of: that
// they also occur in a secret (a whole configuration file, say) tells nothing,
// and a message without them could not be read.
func showWords(text string, hidden []bool) {
	words := serverWords()
	for from := 0; from < len(text); {
		if !isLetter(text[from]) {
			from++
			continue
		}
		to := from
		for to < len(text) && (isLetter(text[to]) || '0' <= text[to] && text[to] <= '9') {
			to++ // base64 is a word
		}
		if standsAlone(text, from, to) && words[strings.ToLower(text[from:to])] {
			for i := from; i < to; i++ {
				hidden[i] = false
			}
		}
		from = to
	}
	showGaps(text, hidden)
}

// showGaps makes hidden blanks and punctuation between shown words visible.
func showGaps(text string, hidden []bool) {
	for from := 0; from < len(text); from++ {
		if !hidden[from] {
			continue
		}
		to := from
		for to < len(text) && hidden[to] {
			to++
		}
		if to-from < shortestRun && strings.Trim(text[from:to], " .,:;\n") == "" {
			for i := from; i < to; i++ {
				hidden[i] = false
			}
		}
		from = to
	}
}

// standsAlone keeps letters apart that are a piece of base64 or of a longer name.
func standsAlone(text string, from, to int) bool {
	const joining = "0123456789+/=_-"
	return (from == 0 || strings.IndexByte(joining, text[from-1]) < 0) &&
		(to == len(text) || strings.IndexByte(joining, text[to]) < 0)
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func serverWords() map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(serverVocabulary) {
		words[word] = true
	}
	return words
}

const serverVocabulary = `
	admission already annotation annotations apiversion apply array base base64
	because boolean byte bytes cannot conflict conflicts context convert
	create data decode decoding default denied does error exceeded exists
	expected failed field fields first for forbidden found from handler have
	illegal immutable input into invalid item items json kind label labels
	length limit list long longer managed manager manifest maximum metadata
	missing must name namespace namespaces near none number object objects of
	one only patch permitted quota read request required resource secret
	secrets server set should spec status strict string stringdata struct
	subresource supported type unable unexpected unknown unmarshal
	unsupported update user valid validation value values version webhook
	when while with yaml
`
