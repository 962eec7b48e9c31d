package cluster

import (
	"encoding/json"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Scrubber takes the secret values of bodies out of a text about them. gvk is
// the kind written; bodies are what was sent, decoded where possible.
type Scrubber func(gvk schema.GroupVersionKind, text string, bodies ...map[string]any) string

// withheld stands for a text that can't be cleaned.
const withheld = "(the server's text is withheld: it may show values of the Secret)"

// scrubFor prepares the cleaning of texts about one request. body may be nil
// when what is sent is not an object; text about a Secret is then withheld.
func (c *Client) scrubFor(m Mapping, body map[string]any) func(string) string {
	secret := m.GVK.Group == "" && m.GVK.Kind == "Secret"
	switch {
	case c.scrub == nil && !secret:
		return nil
	case c.scrub == nil, secret && body == nil:
		return func(string) string { return withheld }
	}
	return func(text string) string { return c.scrub(m.GVK, text, body) }
}

// scrubError cleans the status an error holds.
func scrubError(err error, scrub func(string) string) error {
	var status *apierrors.StatusError
	if scrub != nil && errors.As(err, &status) {
		scrubStatus(&status.ErrStatus, scrub)
	}
	return err
}

// scrubStatus cleans every text of a status, so that no wrapper can show it.
func scrubStatus(s *metav1.Status, scrub func(string) string) {
	if scrub == nil {
		return
	}
	s.Message = scrub(s.Message)
	if s.Details == nil {
		return
	}
	for i := range s.Details.Causes {
		s.Details.Causes[i].Message = scrub(s.Details.Causes[i].Message)
	}
}

// decodePatch shows a patch as a body for scrubbing; nil when it is no object.
func decodePatch(data []byte) map[string]any {
	var body map[string]any
	if json.Unmarshal(data, &body) != nil {
		return nil
	}
	return body
}
