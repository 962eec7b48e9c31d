package printers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kubeprinters "k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// Formats lists what -o accepts beside the text that is the default.
func Formats() []string {
	return []string{
		"json", "yaml", "kyaml", "name", "jsonpath=…", "jsonpath-as-json=…", "jsonpath-file=…",
		"go-template=…", "go-template-file=…", "template=…", "templatefile=…",
	}
}

// Named is a result that -o name can print.
type Named interface {
	// Names gives one line an object, kubectl's kind.group/name.
	Names() []string
}

// Structured prints a result (*plan.Report, *StateList, *StateDiff, *StateDrift)
// in one of kubectl's machine formats, never with colour. The order is that of
// the result, map keys are sorted and numbers keep their text. An unknown format
// and a template that can't be read or parsed are errors before anything is
// written.
func Structured(w io.Writer, format string, result any) error {
	switch format {
	case "json", "yaml", "kyaml":
		return printWhole(w, format, result)
	case "name":
		return printNames(w, result)
	}
	printer, err := templatePrinter(format)
	if err != nil {
		return err
	}
	body, err := toObject(result)
	if err != nil {
		return err
	}
	return printer.PrintObj(body, w)
}

func printWhole(w io.Writer, format string, result any) error {
	body, err := toObject(result)
	if err != nil {
		return err
	}
	switch format {
	case "json":
		return encodeJSON(w, body.Object, "    ")
	case "kyaml":
		return (&kubeprinters.KYAMLPrinter{}).PrintObj(body, w)
	}
	// cli-runtime's YAML printer would round numbers beyond float64.
	data, err := object.EncodeYAML(body.Object)
	if err != nil {
		return fmt.Errorf("encode YAML: %w", err)
	}
	_, err = w.Write(data)
	return err
}

func printNames(w io.Writer, result any) error {
	var names []string
	switch r := result.(type) {
	case *plan.Report:
		names = reportNames(r)
	case Named:
		names = r.Names()
	default:
		return fmt.Errorf("-o name can't print a %T", result)
	}
	var b strings.Builder
	for _, name := range names {
		b.WriteString(cleanCell(name) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// reportNames lists the objects that have an operation.
func reportNames(r *plan.Report) []string {
	var names []string
	for _, o := range r.Objects {
		if o.Op != plan.OpNone {
			group, _, found := strings.Cut(o.APIVersion, "/")
			if !found {
				group = ""
			}
			names = append(names, kubectlName(group, o.Kind, o.Name))
		}
	}
	return names
}

// kubectlName is the form of kubectl's -o name: deployment.apps/web.
func kubectlName(group, kind, name string) string {
	out := strings.ToLower(kind)
	if group != "" {
		out += "." + group
	}
	return out + "/" + name
}

// templatePrinter reads formats of the form name=argument.
func templatePrinter(format string) (kubeprinters.ResourcePrinter, error) {
	name, argument, _ := strings.Cut(format, "=")
	text := argument
	switch name {
	case "jsonpath", "jsonpath-as-json", "go-template", "template":
	case "jsonpath-file", "go-template-file", "templatefile":
		data, err := os.ReadFile(argument)
		if err != nil {
			return nil, fmt.Errorf("-o %s: %w", name, err)
		}
		text = string(data)
	default:
		return nil, fmt.Errorf("-o: wanted one of %s, found %q", strings.Join(Formats(), ", "), format)
	}
	if text == "" {
		return nil, fmt.Errorf("-o %s: wanted %s=TEMPLATE, found no template", name, name)
	}
	if strings.HasPrefix(name, "jsonpath") {
		return jsonPathPrinter(name, text)
	}
	printer, err := kubeprinters.NewGoTemplatePrinter([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("-o %s: %w", name, err)
	}
	printer.AllowMissingKeys(true)
	return printer, nil
}

func jsonPathPrinter(name, text string) (kubeprinters.ResourcePrinter, error) {
	printer, err := kubeprinters.NewJSONPathPrinter(text)
	if err != nil {
		return nil, fmt.Errorf("-o %s: %w", name, err)
	}
	printer.AllowMissingKeys(true)
	printer.EnableJSONOutput(name == "jsonpath-as-json")
	return printer, nil
}

// toObject gives a result the shape that kubectl's printers take. Numbers become
// int64 where they fit and keep their text otherwise.
func toObject(result any) (*unstructured.Unstructured, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result); err != nil {
		return nil, fmt.Errorf("encode %T: %w", result, err)
	}
	body, err := object.DecodeJSON(buffer.Bytes())
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", result, err)
	}
	if list, ok := body["objects"]; ok && list == nil {
		body["objects"] = []any{} // a list that may be empty is never null
	}
	return &unstructured.Unstructured{Object: body}, nil
}

var _ runtime.Object = &unstructured.Unstructured{}
