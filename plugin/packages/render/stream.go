package render

import (
	"fmt"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Stream is objects as a stream of YAML documents, each below a comment with its
// template. Nothing is masked here.
func Stream(objects []object.Object) (string, error) {
	var b strings.Builder
	for _, o := range objects {
		text, err := object.EncodeYAML(o.Body)
		if err != nil {
			return "", fmt.Errorf("print %s: %w", o.Ref(), err)
		}
		_, file, _ := strings.Cut(o.Origin.File, "/") // without the name of the chart
		b.WriteString("---\n# Source: " + file + "\n")
		b.Write(text)
	}
	return b.String(), nil
}
