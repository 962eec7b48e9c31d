package output

import (
	"bytes"
	"encoding/json"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// Verdict is what a hook says about settings.
type Verdict struct {
	Valid bool
	// Message says why settings are not valid.
	Message string
	// Warnings are remarks on settings that are valid.
	Warnings []string
}

// maxVerdictTries bounds the search for a verdict among other output.
const maxVerdictTries = 100

// ParseVerdict finds a verdict in what "hook check" wrote to standard error: the
// last JSON object with "valid" in it that begins a line. Other text may stand
// around it; false means that there is none.
func ParseVerdict(stderr []byte) (Verdict, bool) {
	for at, try := len(stderr), 0; at > 0 && try < maxVerdictTries; {
		at = bytes.LastIndexByte(stderr[:at], '{')
		if at < 0 {
			break
		}
		if at > 0 && stderr[at-1] != '\n' {
			continue
		}
		try++
		if v, ok := verdictAt(stderr[at:]); ok {
			return v, true
		}
	}
	return Verdict{}, false
}

func verdictAt(text []byte) (Verdict, bool) {
	var raw json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&raw); err != nil {
		return Verdict{}, false
	}
	value, err := document.OneJSON(raw)
	if err != nil {
		return Verdict{}, false
	}
	mapping, _ := value.(map[string]any)
	if _, is := mapping["valid"]; !is {
		return Verdict{}, false
	}
	var v Verdict
	r := document.Reader{}
	r.Mapping(value, "", []document.Field{
		{Key: "valid", Null: true, Read: func(value any, at string) { v.Valid = r.Truth(value, at) }},
		{Key: "message", Read: func(value any, at string) { v.Message = r.Text(value, at) }},
		{Key: "warnings", Read: func(value any, at string) {
			r.List(value, at, func(value any, at string) { v.Warnings = append(v.Warnings, r.Text(value, at)) })
		}},
	})
	return v, len(r.Findings) == 0
}
