package binding

import (
	"bytes"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// Batch is what a batch binary says of itself.
type Batch struct {
	// Hooks are in the order of the binary: the place is the number that
	// "hook run" takes.
	Hooks []BatchHook
	// Readiness is the hook behind "hook ready"; nil if there is none.
	Readiness *BatchHook
	// SettingsCheck tells that "hook check" judges settings.
	SettingsCheck bool
}

// BatchHook is one hook of a batch.
type BatchHook struct {
	// Name and Path are its metadata: a name unique by itself or with the path.
	Name, Path string
	Config     Config
}

// ParseBatch reads what a batch binary printed for "hook config". A line of other
// text before it is a warning.
func ParseBatch(data []byte, o Options) (Batch, []Finding, error) {
	text, skipped := jsonStart(data)
	value, err := document.OneJSON(text)
	if err != nil {
		return Batch{}, nil, syntaxError(err)
	}
	p := &parser{options: o, batch: true}
	p.Unknown = func(key, at string) {
		p.warn(document.Join(at, key), "this version doesn't know the key; it is without effect")
	}
	if skipped > 0 {
		p.warn("", "%d bytes of other text stand before the configuration on standard output", skipped)
	}
	batch := p.envelope(value)
	p.file()
	return batch, p.warnings, p.err()
}

const readinessKey = "readiness"

// jsonStart finds the line on which the JSON begins.
func jsonStart(data []byte) (text []byte, skipped int) {
	for at := 0; at < len(data); {
		line := data[at:]
		if line[0] == '{' || line[0] == '[' {
			return line, at
		}
		next := bytes.IndexByte(line, '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return data, 0
}

// envelope reads the whole, or the bare list of hooks that older binaries print.
func (p *parser) envelope(value any) Batch {
	var batch Batch
	hooks := func(v any, at string) {
		p.List(v, at, func(v any, at string) { batch.Hooks = append(batch.Hooks, p.batchHook(v, at)) })
	}
	if _, bare := value.([]any); bare {
		hooks(value, "hooks")
		return batch
	}
	ok := p.Mapping(value, "", []document.Field{
		{Key: "version", Read: func(v any, at string) { p.Word(v, at, "v1") }},
		{Key: "hooks", Read: hooks},
		{Key: readinessKey, Read: func(v any, at string) {
			hook := p.batchHook(v, at)
			batch.Readiness = &hook
		}},
		{Key: "has_settings_check", Read: func(v any, at string) { batch.SettingsCheck = p.Truth(v, at) }},
	})
	mapping, _ := value.(map[string]any)
	if _, there := mapping["hooks"]; ok && !there && !batch.SettingsCheck && batch.Readiness == nil {
		p.Found("hooks", "is missing")
	}
	return batch
}

// batchHook reads one hook and its metadata.
func (p *parser) batchHook(value any, at string) BatchHook {
	p.file() // what was found in the envelope is not of this hook
	hook := BatchHook{}
	if mapping, ok := value.(map[string]any); ok {
		metadata, _ := mapping["metadata"].(map[string]any)
		hook.Name, _ = metadata["name"].(string)
		hook.Path, _ = metadata["path"].(string)
	}
	hook.Config = p.hook(value, at, orDefault(hook.Name, at))
	p.hookName = ""
	return hook
}

// batchFields are the keys that only the hooks of a batch have.
func (p *parser) batchFields() []document.Field {
	return []document.Field{
		{Key: "metadata", Read: func(v any, at string) {
			p.Mapping(v, at, []document.Field{
				{Key: "name", Read: func(v any, at string) { p.Text(v, at) }},
				{Key: "path", Read: func(v any, at string) { p.Text(v, at) }},
			})
		}},
		{Key: "allowFailure", Read: func(v any, at string) {
			if p.Truth(v, at) {
				p.warn(at, "of a whole hook is without effect in an application package; set it on the binding")
			}
		}},
		{Key: "logLevel", Read: func(v any, at string) { p.Text(v, at) }},
		// Bindings repeat the queue of their hook.
		{Key: "queue", Read: func(v any, at string) { p.Text(v, at) }},
	}
}
