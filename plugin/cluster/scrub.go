package cluster

import (
	"encoding/json"
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// withheld stands for a text that can't be cleaned.
const withheld = "(the server's text is withheld: it may show values of the Secret)"

// scrubFor prepares the cleaning of the server's texts about one write. body is
// what is sent, as an object; without one a text about a Secret is withheld.
func (c *Client) scrubFor(m Mapping, body map[string]any) func(string) string {
	if body == nil {
		if m.GVK.Group == "" && m.GVK.Kind == "Secret" {
			return func(string) string { return withheld }
		}
		return nil
	}
	// The kind decides what is secret, and a patch need not name it.
	named := map[string]any{}
	for k, v := range body {
		named[k] = v
	}
	named["apiVersion"], named["kind"] = m.GVK.GroupVersion().String(), m.GVK.Kind
	return func(text string) string { return c.scrub(text, named) }
}

// scrubError cleans the status that an error holds.
func scrubError(err error, scrub func(string) string) error {
	var status *apierrors.StatusError
	if scrub != nil && errors.As(err, &status) {
		scrubStatus(&status.ErrStatus, scrub)
	}
	return err
}

// scrubStatus cleans every text of a status, so that no wrapper can show it.
func scrubStatus(s *metav1.Status, scrub func(string) string) {
	s.Message = scrub(s.Message)
	if s.Details == nil {
		return
	}
	for i := range s.Details.Causes {
		s.Details.Causes[i].Message = scrub(s.Details.Causes[i].Message)
	}
}

// patchBody shows a patch as the object it makes, for scrubbing; nil when it
// can't be read.
func patchBody(kind types.PatchType, data []byte) map[string]any {
	if kind != types.JSONPatchType {
		var body map[string]any
		if json.Unmarshal(data, &body) != nil {
			return nil
		}
		return body
	}
	var ops []struct {
		Path  string `json:"path"`
		Value any    `json:"value"`
	}
	if json.Unmarshal(data, &ops) != nil {
		return nil
	}
	body := map[string]any{}
	for _, op := range ops {
		put(body, pointer(op.Path), op.Value)
	}
	return body
}

// pointer splits a JSON pointer.
func pointer(path string) []string {
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	var parts []string
	for _, part := range strings.Split(path, "/")[1:] {
		parts = append(parts, unescape.Replace(part))
	}
	return parts
}

// put places a value in nested maps. What is in its way is kept beside it: all
// of it may be secret.
func put(into map[string]any, at []string, value any) {
	if len(at) == 0 {
		if whole, ok := value.(map[string]any); ok {
			for k, v := range whole {
				put(into, []string{k}, v)
			}
		}
		return
	}
	key := at[0]
	if len(at) == 1 {
		for _, taken := into[key]; taken; _, taken = into[key] {
			key += "'"
		}
		into[key] = value
		return
	}
	inner, ok := into[key].(map[string]any)
	if !ok {
		inner = map[string]any{}
		if old, taken := into[key]; taken {
			inner[""] = old
		}
		into[key] = inner
	}
	put(inner, at[1:], value)
}
