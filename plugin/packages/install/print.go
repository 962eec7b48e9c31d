package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// YAML prints objects as documents, with what they and the rules of roles are for as
// comments.
func YAML(objects []Object) ([]byte, error) {
	var out bytes.Buffer
	for i, o := range objects {
		if i > 0 {
			out.WriteString("---\n")
		}
		writeComment(&out, o.Why)
		if len(o.Rules) == 0 {
			data, err := yaml.Marshal(o.Body)
			if err != nil {
				return nil, err
			}
			out.Write(data)
			continue
		}
		if err := writeRole(&out, o); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// writeRole writes a role with its rules at the end, each below its reason.
func writeRole(out *bytes.Buffer, o Object) error {
	rules, _ := o.Body["rules"].([]any)
	if len(rules) != len(o.Rules) {
		return errors.New("a role with rules that have no reason")
	}
	head := map[string]any{}
	for key, value := range o.Body {
		if key != "rules" {
			head[key] = value
		}
	}
	data, err := yaml.Marshal(head)
	if err != nil {
		return err
	}
	out.Write(data)
	out.WriteString("rules:\n")
	for i, why := range o.Rules {
		writeComment(out, why)
		data, err := yaml.Marshal([]any{rules[i]})
		if err != nil {
			return err
		}
		out.Write(data)
	}
	return nil
}

func writeComment(out *bytes.Buffer, text string) {
	if text == "" {
		return
	}
	for line := range strings.Lines(text) {
		fmt.Fprintf(out, "# %s\n", strings.TrimSuffix(line, "\n"))
	}
}

// JSON prints objects as a List.
func JSON(objects []Object) ([]byte, error) {
	items := make([]any, 0, len(objects))
	for _, o := range objects {
		items = append(items, o.Body)
	}
	data, err := json.MarshalIndent(map[string]any{"apiVersion": "v1", "kind": "List", "items": items}, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}
