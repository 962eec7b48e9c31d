package config

import (
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Fixed is a file with names for the manifests that had none.
type Fixed struct {
	// Path is the file, Text its new content.
	Path string
	Text []byte
	// Names are the new names in the order of the file.
	Names []string
}

// insertion is a name to be written into a file.
type insertion struct {
	line, column int // of the first key of the entry, or of its brace
	key          string
	flow         bool
	name         string
}

// Fix gives the manifests of a file, and of what it includes, the names that a
// lenient Load takes for them. Nothing else of the text changes: comments, order
// and templates stay. Files that need nothing are left out. An entry whose place a
// template hides is an error that names it.
func Fix(path string, o LoadOptions) ([]Fixed, error) {
	o = o.withDefaults()
	o.Lenient = true
	texts := map[string]string{}
	read := o.ReadFile
	o.ReadFile = func(path string) ([]byte, error) {
		data, err := read(path)
		texts[path] = string(data)
		return data, err
	}
	data, err := o.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read tazuna file: %w", err)
	}
	l, err := load(data, path, o)
	if err != nil {
		return nil, err
	}
	return l.fix(texts)
}

// fix writes the names of nameless manifests into the texts of their files.
func (l *loader) fix(texts map[string]string) ([]Fixed, error) {
	var all []Fixed
	byFile := map[string][]insertion{}
	var order []string
	for _, m := range l.manifests {
		if !m.nameless {
			continue
		}
		if len(byFile[m.File]) == 0 {
			order = append(order, m.File)
		}
		byFile[m.File] = append(byFile[m.File], m.insertion())
	}
	for _, file := range order {
		text, err := inserted(texts[file], byFile[file])
		if err != nil {
			return nil, fmt.Errorf("%s:%w", file, err)
		}
		f := Fixed{Path: file, Text: []byte(text)}
		for _, i := range byFile[file] {
			f.Names = append(f.Names, i.name)
		}
		all = append(all, f)
	}
	return all, nil
}

// insertion finds out where the name of an entry goes.
func (m *entry) insertion() insertion {
	i := insertion{name: m.Name, line: m.from.Line(m.node), column: m.node.Column}
	if m.node.Style&yaml.FlowStyle != 0 {
		i.flow, i.key = true, "{"
		return i
	}
	first := m.node.Content[0]
	i.line, i.column, i.key = m.from.Line(first), first.Column, first.Value
	return i
}

// inserted puts the names into the text, from the last to the first so that places
// stay true.
func inserted(text string, all []insertion) (string, error) {
	lines := strings.SplitAfter(text, "\n")
	for n := len(all) - 1; n >= 0; n-- {
		i := all[n]
		if i.line < 1 || i.line > len(lines) {
			return "", fmt.Errorf("%d: a template hides the place: write name: %s by hand", i.line, i.name)
		}
		line := lines[i.line-1]
		at := i.column - 1
		if at < 0 || at > len(line) || strings.Contains(line[:at], "{{") || strings.HasPrefix(line[at:], "{{") ||
			!strings.HasPrefix(strings.TrimLeft(line[at:], `"'`), i.key) {
			return "", fmt.Errorf("%d: a template hides the place: write name: %s by hand", i.line, i.name)
		}
		switch {
		case i.flow && strings.TrimSpace(line[at+1:]) != "" && strings.TrimSpace(line[at+1:])[0] == '}':
			line = line[:at+1] + "name: " + i.name + line[at+1:]
		case i.flow:
			line = line[:at+1] + "name: " + i.name + ", " + line[at+1:]
		default:
			line = line[:at] + "name: " + i.name + ending(line) + strings.Repeat(" ", at) + line[at:]
		}
		lines[i.line-1] = line
	}
	return strings.Join(lines, ""), nil
}

// ending is the line end that the file uses.
func ending(line string) string {
	if strings.HasSuffix(line, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// WriteFixed writes a fixed file over the old one, whole or not at all, with its
// mode.
func WriteFixed(f Fixed) error {
	info, err := os.Stat(f.Path)
	if err != nil {
		return err
	}
	temp := f.Path + ".tmp"
	if err := os.WriteFile(temp, f.Text, info.Mode().Perm()); err != nil {
		return err
	}
	return os.Rename(temp, f.Path)
}
