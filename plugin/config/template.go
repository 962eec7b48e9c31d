package config

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
)

// variables are what a template in a tazuna.yaml can use.
type variables struct {
	// Environment is the value of -e.
	Environment string
}

// lineMark stands around the number of a line in a template's text while it is
// executed. No YAML may hold it.
const lineMark = "\x00"

// expand executes the text as a Go template with the data. lines gives the line of
// the text for each line of the result; nil where it has no template. base has
// the functions and options. The error names a line of the text.
func expand(text string, base *template.Template, data any) (expanded string, lines []int, err error) {
	if !strings.Contains(text, "{{") {
		return text, nil, nil
	}
	if strings.Contains(text, lineMark) {
		return "", nil, errors.New("the file holds a NUL byte")
	}
	t, err := base.New("file").Parse(text)
	if err != nil {
		return "", nil, err
	}
	for _, each := range t.Templates() {
		if each.Tree != nil {
			markLines(each.Root, text)
		}
	}
	var out strings.Builder
	if err := t.Execute(&out, data); err != nil {
		return "", nil, err
	}
	expanded, lines = takeMarks(out.String())
	return expanded, lines, nil
}

// plainTemplate has no functions but Go's own, and no unknown names.
func plainTemplate() *template.Template { return template.New("").Option("missingkey=error") }

// markLines puts the line's number before each line of the template's text.
func markLines(n parse.Node, text string) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return
		}
		for _, child := range n.Nodes {
			markLines(child, text)
		}
	case *parse.TextNode:
		n.Text = []byte(markText(string(n.Text), 1+strings.Count(text[:n.Pos], "\n")))
	case *parse.IfNode:
		markBranch(&n.BranchNode, text)
	case *parse.RangeNode:
		markBranch(&n.BranchNode, text)
	case *parse.WithNode:
		markBranch(&n.BranchNode, text)
	}
}

func markBranch(b *parse.BranchNode, text string) {
	markLines(b.List, text)
	if b.ElseList != nil {
		markLines(b.ElseList, text)
	}
}

func markText(text string, line int) string {
	var b strings.Builder
	for part := range strings.SplitAfterSeq(text, "\n") {
		b.WriteString(lineMark + strconv.Itoa(line) + lineMark + part)
		line++
	}
	return b.String()
}

// takeMarks takes the marks out again. The first mark of a line gives its number;
// a line without one, from a variable alone, has that of the line before.
func takeMarks(marked string) (text string, lines []int) {
	var b strings.Builder
	last := 1
	for line := range strings.SplitSeq(marked, "\n") {
		if len(lines) > 0 {
			b.WriteByte('\n')
		}
		parts := strings.Split(line, lineMark)
		if len(parts) > 1 {
			last, _ = strconv.Atoi(parts[1]) // written by markText
		}
		for i := 0; i < len(parts); i += 2 {
			b.WriteString(parts[i])
		}
		lines = append(lines, last)
	}
	return b.String(), lines
}

// templateError splits the error of text/template into the line and the rest.
func templateError(err error) (line int, text string) {
	text = err.Error()
	m := regexp.MustCompile(`^template: file:(\d+)(?::\d+)?: (?:executing "file" at )?`).FindStringSubmatch(text)
	if m == nil {
		return 0, "template: " + text
	}
	line, _ = strconv.Atoi(m[1])
	return line, "template: " + text[len(m[0]):]
}
