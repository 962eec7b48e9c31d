package plan

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	invalid "k8s.io/apimachinery/pkg/util/validation/field"
)

func TestOverfull(t *testing.T) {
	full := strings.Repeat("a", mostValues)
	encoded := base64.StdEncoding.EncodeToString([]byte(full))
	object := func(kind, version string, parts map[string]any) map[string]any {
		parts["kind"], parts["apiVersion"], parts["metadata"] = kind, version, map[string]any{"name": "a"}
		return parts
	}
	for name, test := range map[string]struct {
		body map[string]any
		want string
	}{
		"a full ConfigMap":   {object("ConfigMap", "v1", map[string]any{"data": map[string]any{"a": full}}), ""},
		"one byte more":      {object("ConfigMap", "v1", map[string]any{"data": map[string]any{"a": full, "b": "x"}}), "too large: its values have 1048577 bytes, and a ConfigMap takes 1048576 at most"},
		"in two parts":       {object("ConfigMap", "v1", map[string]any{"data": map[string]any{"a": "x"}, "binaryData": map[string]any{"b": encoded}}), "too large: its values have 1048577 bytes, and a ConfigMap takes 1048576 at most"},
		"a full Secret":      {object("Secret", "v1", map[string]any{"data": map[string]any{"a": encoded}}), ""},
		"texts written over": {object("Secret", "v1", map[string]any{"data": map[string]any{"a": encoded}, "stringData": map[string]any{"a": "x"}}), ""},
		"a Secret with more": {object("Secret", "v1", map[string]any{"data": map[string]any{"a": encoded}, "stringData": map[string]any{"b": "x"}}), "too large: its values have 1048577 bytes, and a Secret takes 1048576 at most"},
		"another kind":       {object("Secret", "demo.example/v1", map[string]any{"data": map[string]any{"a": full, "b": "x"}}), ""},
		"what is no mapping": {object("Secret", "v1", map[string]any{"data": []any{full, "x"}}), ""},
	} {
		assert.Equal(t, test.want, overfull(test.body), name)
	}
}

func TestOversized(t *testing.T) {
	send := map[string]any{"kind": "A"}
	whole := apierrors.NewInvalid(schema.GroupKind{Kind: "ConfigMap"}, "a", invalid.ErrorList{invalid.TooLong(invalid.NewPath(""), "", 1)})
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"nothing":           {nil, ""},
		"the front door":    {apierrors.NewRequestEntityTooLargeError("limit is 3145728"), "; the object has 12 bytes as it is sent"},
		"the storage":       {errors.New("etcdserver: request is too large"), "; the object has 12 bytes as it is sent"},
		"the validation":    {whole, "; the object has 12 bytes as it is sent"},
		"a field":           {apierrors.NewInvalid(schema.GroupKind{Kind: "A"}, "a", invalid.ErrorList{invalid.TooLong(invalid.NewPath("spec"), "", 1)}), ""},
		"any other refusal": {apierrors.NewForbidden(schema.GroupResource{}, "a", nil), ""},
	} {
		assert.Equal(t, test.want, Oversized(test.err, send), name)
	}
	assert.Equal(t, "[]", whole.Status().Details.Causes[0].Field, "what WholeObject knows")
}
