package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Sizes in pixels. Text is placed by columns and stretched to them, so that it
// stands in line whatever monospaced font there is.
const (
	column, row = 8.4, 19.0
	fontSize    = 14.0
	margin      = 18.0
	titleBar    = 34.0
)

// theme are the colours of the drawn terminal.
type theme struct {
	background, bar, edge, text string
	// colors are the 16 of a terminal.
	colors [16]string
}

func darkTheme() theme {
	return theme{
		background: "#0d1117", bar: "#161b22", edge: "#30363d", text: "#d0d7de",
		colors: [16]string{
			"#484f58", "#ff8f87", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#76d9e6", "#d0d7de",
			"#6e7681", "#ffb3ad", "#7ee787", "#f2cc60", "#a5d6ff", "#e2c5ff", "#a5f0f7", "#ffffff",
		},
	}
}

func (t theme) color(n int) string {
	if n == 0 {
		return t.text
	}
	return t.colors[n-1]
}

// draw writes the lines as a terminal window.
func draw(out io.Writer, lines [][]span, title string) error {
	t := darkTheme()
	width := 2*margin + column*float64(max(widest(lines), utf8.RuneCountInString(title)+8))
	height := titleBar + 2*margin + row*float64(len(lines)) - (row - fontSize)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s">`+"\n",
		width, height, width, height, escape(title))
	b.WriteString(`<style>text{font-family:ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;font-size:` +
		fmt.Sprintf("%.0fpx;white-space:pre}.b{font-weight:bold}</style>\n", fontSize))
	t.window(&b, width, height, title)
	for i, line := range lines {
		t.line(&b, titleBar+margin+fontSize+row*float64(i)-3, line)
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(out, b.String())
	return err
}

// window draws the frame with its bar, in which the command stands.
func (t theme) window(b *strings.Builder, width, height float64, title string) {
	fmt.Fprintf(b, `<rect x="0.5" y="0.5" width="%.0f" height="%.0f" rx="9" fill="%s" stroke="%s"/>`+"\n", width-1, height-1, t.background, t.edge)
	fmt.Fprintf(b, `<path d="M0.5 %.0f V9.5 a9 9 0 0 1 9 -9 H%.1f a9 9 0 0 1 9 9 V%.0f Z" fill="%s" stroke="%s"/>`+"\n", titleBar, width-9.5, titleBar, t.bar, t.edge)
	for i, fill := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(b, `<circle cx="%.0f" cy="%.0f" r="5.5" fill="%s"/>`+"\n", margin+4+18*float64(i), titleBar/2, fill)
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle" fill="%s">%s</text>`+"\n", width/2, titleBar/2+5, t.text, escape(title))
}

// line draws the spans of one line whose text stands on y.
func (t theme) line(b *strings.Builder, y float64, spans []span) {
	at := 0
	for _, s := range spans {
		columns := utf8.RuneCountInString(s.text)
		x, length := margin+column*float64(at), column*float64(columns)
		at += columns
		fill := t.color(s.style.color)
		if s.style.reverse {
			fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="2" fill="%s"/>`+"\n", x, y-fontSize+1, length, row-1, fill)
			fill = t.background
		}
		if strings.TrimSpace(s.text) == "" {
			continue
		}
		class := ""
		if s.style.bold {
			class = ` class="b"`
		}
		fmt.Fprintf(b, `<text xml:space="preserve" x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>`+"\n",
			x, y, length, fill, class, escape(s.text))
	}
}

func widest(lines [][]span) int {
	out := 0
	for _, line := range lines {
		n := 0
		for _, s := range line {
			n += utf8.RuneCountInString(s.text)
		}
		out = max(out, n)
	}
	return out
}

func escape(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		panic(err) // a strings.Builder takes everything
	}
	return b.String()
}
