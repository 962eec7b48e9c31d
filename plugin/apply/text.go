package apply

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// longestCause bounds one line of a server's refusal: some quote whole templates.
const longestCause = 300

// becauseOf words a report.
func (r *run) becauseOf(n *node, rep report) because {
	if rep.reason != "" {
		return because{reason: r.clean(n.planned, rep.reason), err: rep.err}
	}
	return r.because(n, "", rep.err)
}

func (r *run) because(n *node, prefix string, err error) because {
	return because{reason: prefix + r.text(n.planned, err), err: err}
}

// text words an error about an object, without the object's name and without
// values that nobody may see.
func (r *run) text(o *plan.Object, err error) string {
	return r.clean(o, errorText(err)) + plan.Oversized(err, o.Send)
}

// clean hides the secret values of an object in a text.
func (r *run) clean(o *plan.Object, text string) string {
	return r.masker().Scrub(text, o.Desired.Body, o.Send, o.Live)
}

// cleanForeign does so for words of somebody who may know all Secrets of the run:
// events, the log of a program.
func (r *run) cleanForeign(o *plan.Object, text string) string {
	masker := r.masker()
	bodies := []map[string]any{o.Desired.Body, o.Send, o.Live}
	for _, other := range r.plan.Objects {
		for _, body := range []map[string]any{other.Desired.Body, other.Live} {
			if body != nil && masker.Masked(body) {
				bodies = append(bodies, body)
			}
		}
	}
	return masker.Scrub(text, bodies...)
}

func (r *run) masker() object.Masker {
	if r.exec.Masker != nil {
		return *r.exec.Masker
	}
	return object.DefaultMasker()
}

// errorText gives one line a cause, since the server's own message joins them
// and quotes whole values.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	if isFieldConflict(err) {
		return conflictText(statusOf(err))
	}
	if status := statusOf(err); apierrors.IsInvalid(err) && status.Details != nil && len(status.Details.Causes) > 0 {
		return invalidText(status.Details.Causes)
	}
	var request *cluster.Error
	if errors.As(err, &request) {
		return request.Err.Error()
	}
	return err.Error()
}

// conflictText names each field with the manager that owns it.
func conflictText(status metav1.Status) string {
	var lines []string
	for _, c := range status.Details.Causes {
		if c.Type == metav1.CauseTypeFieldManagerConflict {
			lines = append(lines, fmt.Sprintf("%s is owned by %s", strings.TrimPrefix(c.Field, "."), managerOf(c.Message)))
		}
	}
	return "conflict: " + strings.Join(lines, "\n")
}

// managerOf cuts the manager out of `conflict with "name" using v1`.
func managerOf(message string) string {
	return strings.TrimPrefix(message, "conflict with ")
}

func invalidText(causes []metav1.StatusCause) string {
	var lines []string
	for _, c := range causes {
		line := withoutValue(c.Message)
		if !plan.WholeObject(c.Field) {
			line = c.Field + ": " + line
		}
		lines = append(lines, shorten(line))
	}
	return strings.Join(lines, "\n")
}

// withoutValue drops the quoted value of "Invalid value: {...}: what is wrong".
func withoutValue(message string) string {
	rest, ok := strings.CutPrefix(message, "Invalid value: ")
	if !ok {
		return message
	}
	if at := strings.LastIndex(rest, ": "); at >= 0 {
		return rest[at+2:]
	}
	return "invalid value"
}

func shorten(line string) string {
	if runes := []rune(line); len(runes) > longestCause {
		return string(runes[:longestCause]) + "..."
	}
	return line
}
