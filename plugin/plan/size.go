package plan

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	invalid "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// mostValues is how many bytes of values a ConfigMap or a Secret may hold: the API
// server's own bound, which nobody can move. Keys don't count.
const mostValues = 1 << 20

// overfull says that no server takes a ConfigMap or Secret with so much in it; empty for
// others. A large one is refused before anything is made of it: it would be hashed,
// sent, and searched for in whatever the server says.
func overfull(body map[string]any) string {
	ref := object.RefOf(body)
	if ref.Group != "" || ref.Kind != "ConfigMap" && ref.Kind != "Secret" {
		return ""
	}
	texts, _ := body["stringData"].(map[string]any)
	size := 0
	for _, part := range []string{"data", "stringData", "binaryData"} {
		values, _ := body[part].(map[string]any)
		encoded := part == "binaryData" || part == "data" && ref.Kind == "Secret"
		for key, value := range values {
			text, _ := value.(string)
			switch {
			case part == "data" && texts[key] != nil: // written over
			case encoded:
				text = strings.TrimRight(text, "=\r\n")
				size += base64.RawStdEncoding.DecodedLen(len(text) - strings.Count(text, "\n") - strings.Count(text, "\r"))
			default:
				size += len(text)
			}
		}
	}
	if size <= mostValues {
		return ""
	}
	return fmt.Sprintf("too large: its values have %d bytes, and a %s takes %d at most", size, ref.Kind, mostValues)
}

// Oversized adds to the server's refusal of an object for its size how large it is, as
// it is sent; empty for other refusals.
func Oversized(err error, send map[string]any) string {
	if err == nil || !IsTooLarge(err) {
		return ""
	}
	text, encodeErr := object.EncodeJSON(send)
	if encodeErr != nil {
		return ""
	}
	return fmt.Sprintf("; the object has %d bytes as it is sent", len(text))
}

// IsTooLarge tells that the server refused an object for its size: its front door, its
// validation or its storage. Trying again is of no use.
func IsTooLarge(err error) bool {
	if apierrors.IsRequestEntityTooLargeError(err) || strings.Contains(err.Error(), "etcdserver: request is too large") ||
		strings.Contains(err.Error(), "trying to send message larger than max") {
		return true
	}
	return slices.ContainsFunc(causesOf(err), func(c metav1.StatusCause) bool {
		return string(c.Type) == string(invalid.ErrorTypeTooLong) && WholeObject(c.Field)
	})
}

// WholeObject tells that the field of a server's cause is none: it is about the object.
func WholeObject(name string) bool { return name == "" || name == "[]" || name == "<nil>" }
