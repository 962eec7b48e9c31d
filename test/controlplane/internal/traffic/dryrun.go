package traffic

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// bodyPeek bounds the options of a deletion; real ones are far smaller.
const bodyPeek = 64 << 10

// protobufPrefix starts every protobuf body of the API.
const protobufPrefix = "k8s\x00"

// dryRun tells whether the request asks for a dry run. Deletions may say so in
// their body only, which is put back for the server after a look.
func dryRun(r *http.Request) bool {
	if slices.Contains(r.URL.Query()["dryRun"], metav1.DryRunAll) {
		return true
	}
	if r.Method != http.MethodDelete || r.Body == nil || r.ContentLength == 0 {
		return false
	}
	head, err := io.ReadAll(io.LimitReader(r.Body, bodyPeek))
	r.Body = &rejoined{Reader: io.MultiReader(bytes.NewReader(head), r.Body), Closer: r.Body}
	if err != nil {
		return false
	}
	return slices.Contains(deleteOptions(head).DryRun, metav1.DryRunAll)
}

// deleteOptions reads JSON or protobuf; what is neither gives no options, as
// the server will refuse it.
func deleteOptions(raw []byte) metav1.DeleteOptions {
	var options metav1.DeleteOptions
	if !bytes.HasPrefix(raw, []byte(protobufPrefix)) {
		if err := json.Unmarshal(raw, &options); err != nil {
			return metav1.DeleteOptions{}
		}
		return options
	}
	var envelope runtime.Unknown
	if err := envelope.Unmarshal(raw[len(protobufPrefix):]); err != nil {
		return options
	}
	if err := options.Unmarshal(envelope.Raw); err != nil {
		return metav1.DeleteOptions{}
	}
	return options
}

// rejoined is a body whose beginning was read ahead.
type rejoined struct {
	io.Reader
	io.Closer
}
