package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// platformProgram is what a container of Deckhouse is asked by.
const platformProgram = "deckhouse-controller"

// Platform asks Deckhouse by its own commands.
type Platform struct {
	Runner    Runner
	Container Container
}

var _ debug.Transport = Platform{}

// answer is one of Deckhouse in our shape, with the status that our server would give.
type answer struct {
	status int
	body   []byte
}

func refused(status int, text string) answer { return answer{status, []byte(text)} }

// Get asks and answers as our own server does. What isn't asked of Deckhouse is 404.
func (p Platform) Get(ctx context.Context, path string, query url.Values) (int, []byte, error) {
	q, ok := parseQuestion(path, query)
	if !ok {
		return http.StatusNotFound, []byte("Deckhouse has no command that answers " + strings.TrimPrefix(path, debug.Prefix)), nil
	}
	a, err := p.get(ctx, q)
	var notRun *notRunError
	switch {
	case errors.As(err, &notRun):
		return 0, nil, notRun.error
	case err != nil:
		return 0, nil, fmt.Errorf("%s: %w", p.Container, err)
	}
	return a.status, a.body, nil
}

// notRunError is that of a Runner, which names the container itself.
type notRunError struct{ error }

func (p Platform) get(ctx context.Context, q question) (answer, error) {
	out, all, err := p.run(ctx, q)
	if err != nil {
		return answer{}, err
	}
	if out.Code != 0 {
		return p.failed(ctx, q, out)
	}
	var value any
	switch q.topic {
	case renders:
		return p.rendered(ctx, q, out.Stdout)
	case snapshots:
		value, err = p.snapshots(ctx, q, out.Stdout)
	case queues:
		value, err = p.queues(ctx, q, out.Stdout)
	case nodes:
		value, err = nodesOf(out.Stdout, q.name, all)
	default:
		value, err = p.dump(q, out.Stdout, all)
	}
	switch {
	case err != nil:
		return answer{}, err
	case value == nil:
		return p.unknown(ctx, q)
	}
	body, err := json.Marshal(value)
	return answer{http.StatusOK, body}, err
}

// run runs the command for a question, in the newest spelling that is known there.
func (p Platform) run(ctx context.Context, q question) (out Output, all bool, err error) {
	spellings := q.spellings()
	for _, s := range spellings {
		out, err = p.Runner.Run(ctx, p.Container, append([]string{platformProgram, "packages"}, s.words...), nil)
		if err != nil {
			return out, s.all, &notRunError{err}
		}
		if !isUnknown(out) {
			return out, s.all, nil
		}
	}
	words := append([]string{platformProgram, "packages"}, spellings[0].words...)
	return out, false, fmt.Errorf("this version of Deckhouse has no command %q", strings.Join(words, " "))
}

// statusWords are how its client tells the status of an answer.
var statusWords = regexp.MustCompile(`unexpected status (\d{3}): ?(.*)`)

// Words of Deckhouse for what is no fault of it.
var (
	notHeldWords = regexp.MustCompile(`(?i)package not found|no package found`)
	noChartWords = regexp.MustCompile(`(?i)has no helm chart|is not a helm chart`)
)

// failed says what a failure of its command means.
func (p Platform) failed(ctx context.Context, q question, out Output) (answer, error) {
	secrets, hidden := p.secrets(ctx, q)
	masker := object.DefaultMasker()
	masker.Show = q.show
	text := out.words(masker, secrets...)
	switch {
	case notHeldWords.MatchString(text):
		return p.unknown(ctx, q)
	case noChartWords.MatchString(text):
		return refused(http.StatusBadRequest, "package has no Helm chart"), nil
	case hidden:
		return answer{}, fmt.Errorf("the command failed with exit code %d; %s", out.Code, withheld)
	}
	if found := statusWords.FindStringSubmatch(text); found != nil {
		status, err := strconv.Atoi(found[1])
		if err == nil && status >= http.StatusBadRequest {
			return refused(status, found[2]), nil
		}
	}
	return answer{}, fmt.Errorf("%s: %s", platformProgram, text)
}

// unknown answers that there is no such application, with others that may be meant.
func (p Platform) unknown(ctx context.Context, q question) (answer, error) {
	all, err := p.all(ctx)
	if err != nil {
		return answer{}, err
	}
	return refused(http.StatusNotFound, debug.Unknown(q.name, slices.Collect(maps.Keys(all.Apps)))), nil
}

// all are the applications of Deckhouse, with their secrets.
func (p Platform) all(ctx context.Context) (*report.Instances, error) {
	out, _, err := p.run(ctx, question{topic: dumps})
	if err != nil {
		return nil, err
	}
	if out.Code != 0 {
		return nil, fmt.Errorf("list the applications: exit code %d", out.Code) // its words may show secrets
	}
	return instancesOf(out.Stdout)
}

func (p Platform) dump(q question, data []byte, all bool) (any, error) {
	if q.name != "" && !all {
		one, err := instanceOf(data)
		if one == nil || err != nil {
			return nil, err
		}
		return guardOf(q.show, *one).Instance(*one), nil
	}
	found, err := instancesOf(data)
	if err != nil {
		return nil, err
	}
	for name, one := range found.Apps {
		found.Apps[name] = guardOf(q.show, one).Instance(one)
	}
	if q.name == "" {
		return found, nil
	}
	if one, ok := found.Apps[q.name]; ok {
		return one, nil
	}
	return nil, nil //nolint:nilnil // there is none
}

// queues keeps those of one application: Deckhouse answers with all of them when it has
// none of the name.
func (p Platform) queues(ctx context.Context, q question, data []byte) (any, error) {
	found, err := queuesOf(data)
	if err != nil {
		return nil, err
	}
	for name := range found.Queues {
		if q.name != "" && name != q.name && !strings.HasPrefix(name, q.name+"/") {
			delete(found.Queues, name)
		}
	}
	if q.name != "" && len(found.Queues) == 0 {
		return nil, nil //nolint:nilnil // there is none
	}
	guard, err := p.guard(ctx, q)
	if err != nil {
		return nil, err
	}
	return guard.Queues(*found), nil
}

func (p Platform) snapshots(ctx context.Context, q question, data []byte) (any, error) {
	found, err := snapshotsOf(data)
	if found == nil || err != nil {
		return nil, err
	}
	guard, err := p.guard(ctx, q)
	if err != nil {
		return nil, err
	}
	return guard.Snapshots(*found), nil
}

func (p Platform) rendered(ctx context.Context, q question, data []byte) (answer, error) {
	guard, err := p.guard(ctx, q)
	if err != nil {
		return answer{}, err
	}
	text, err := guard.Render(string(bytes.TrimLeft(data, "\n")))
	return answer{http.StatusOK, []byte(text)}, err
}

// nodesOf reads the graph; of one node, where one is wanted.
func nodesOf(data []byte, name string, all bool) (any, error) {
	if name != "" && !all {
		one, err := nodeOf(data)
		if one == nil || err != nil {
			return nil, err
		}
		return one, nil
	}
	found, err := schedulerOf(data)
	switch {
	case err != nil:
		return nil, err
	case name == "":
		return found, nil
	}
	if one, ok := found.Nodes[name]; ok {
		return one, nil
	}
	return nil, nil //nolint:nilnil // there is none
}
