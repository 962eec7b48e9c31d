package process

import (
	"bytes"
	"fmt"
	"io"
)

// Captured is what a program wrote to one of its streams: all of it, or the
// beginning and the end.
type Captured struct {
	// Head is the beginning; all of it if Dropped is 0 and Tail empty.
	Head []byte
	// Tail is the end, after what was dropped.
	Tail []byte
	// Dropped counts the bytes between them that were not kept.
	Dropped int64
}

// Complete tells that nothing was dropped.
func (c Captured) Complete() bool { return c.Dropped == 0 }

// Bytes gives what was written; with a line in the place of what was dropped.
func (c Captured) Bytes() []byte {
	if c.Dropped == 0 {
		return bytes.Join([][]byte{c.Head, c.Tail}, nil)
	}
	gap := fmt.Sprintf("\n[... %d bytes left out ...]\n", c.Dropped)
	return bytes.Join([][]byte{c.Head, []byte(gap), c.Tail}, nil)
}

// Last gives the last lines, at most so many lines and bytes: what an error
// text has room for.
func (c Captured) Last(lines, size int) string {
	text := bytes.TrimSpace(bytes.ToValidUTF8(c.Bytes(), []byte("\uFFFD")))
	start := len(text)
	for range lines {
		i := bytes.LastIndexByte(text[:start], '\n')
		if start = max(i, 0); i < 0 {
			break
		}
	}
	text = bytes.TrimSpace(text[start:])
	if len(text) > size {
		return "..." + string(bytes.ToValidUTF8(text[len(text)-size:], nil))
	}
	return string(text)
}

// capture keeps the beginning and the end of what is written to it. Write never
// fails and never blocks.
type capture struct {
	head    []byte
	ring    []byte // of full length from the first byte that does not fit head
	at      int    // where the next byte goes in ring
	written int64  // bytes that went to ring
	limit   int
}

func newCapture(limit int) *capture { return &capture{limit: limit} }

func (c *capture) Write(p []byte) (int, error) {
	size := len(p)
	room := c.limit - c.limit/2 - len(c.head)
	taken := min(max(room, 0), len(p))
	c.head = append(c.head, p[:taken]...)
	p = p[taken:]
	c.written += int64(len(p))
	if half := c.limit / 2; half > 0 && len(p) > 0 {
		if c.ring == nil {
			c.ring = make([]byte, half)
		}
		if skip := len(p) - half; skip > 0 {
			p = p[skip:] // only the last bytes of a large piece can stay
		}
		for len(p) > 0 {
			n := copy(c.ring[c.at:], p)
			p = p[n:]
			c.at = (c.at + n) % half
		}
	}
	return size, nil
}

// captured gives what was kept.
func (c *capture) captured() Captured {
	out := Captured{Head: c.head, Dropped: max(c.written-int64(len(c.ring)), 0)}
	switch {
	case c.written == 0 || len(c.ring) == 0:
	case c.written < int64(len(c.ring)):
		out.Tail = c.ring[:c.written]
	default:
		out.Tail = append(append([]byte(nil), c.ring[c.at:]...), c.ring[:c.at]...)
	}
	return out
}

var _ io.Writer = (*capture)(nil)
