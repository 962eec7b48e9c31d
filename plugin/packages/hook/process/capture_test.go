package process

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCapture(t *testing.T) {
	for name, tt := range map[string]struct {
		limit  int
		pieces []string
		want   Captured
	}{
		"nothing":                    {8, nil, Captured{}},
		"fits the beginning":         {8, []string{"abc"}, Captured{Head: []byte("abc")}},
		"fits both":                  {8, []string{"abcd", "efg"}, Captured{Head: []byte("abcd"), Tail: []byte("efg")}},
		"fills both":                 {8, []string{"abcdefgh"}, Captured{Head: []byte("abcd"), Tail: []byte("efgh")}},
		"the middle is dropped":      {8, []string{"abcdef", "ghij"}, Captured{Head: []byte("abcd"), Tail: []byte("ghij"), Dropped: 2}},
		"byte by byte":               {4, strings.Split("abcdefg", ""), Captured{Head: []byte("ab"), Tail: []byte("fg"), Dropped: 3}},
		"a piece larger than all":    {4, []string{"a", "bcdefghijk"}, Captured{Head: []byte("ab"), Tail: []byte("jk"), Dropped: 7}},
		"an odd limit":               {3, []string{"abcdef"}, Captured{Head: []byte("ab"), Tail: []byte("f"), Dropped: 3}},
		"one byte":                   {1, []string{"abc"}, Captured{Head: []byte("a"), Dropped: 2}},
		"nothing may be kept":        {0, []string{"abc"}, Captured{Dropped: 3}},
		"the ring turns many times":  {4, []string{"ab", "cd", "ef", "ghi"}, Captured{Head: []byte("ab"), Tail: []byte("hi"), Dropped: 5}},
		"empty pieces make no sense": {4, []string{"", "a", ""}, Captured{Head: []byte("a")}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCapture(tt.limit)
			for _, piece := range tt.pieces {
				n, err := c.Write([]byte(piece))
				require.NoError(t, err)
				assert.Equal(t, len(piece), n)
			}
			got := c.captured()
			assert.Equal(t, string(tt.want.Head), string(got.Head), "head")
			assert.Equal(t, string(tt.want.Tail), string(got.Tail), "tail")
			assert.Equal(t, tt.want.Dropped, got.Dropped, "dropped")
			assert.Equal(t, tt.want.Dropped == 0, got.Complete())
		})
	}
}

func TestCaptureKeepsBeginningAndEndOfAnyPieces(t *testing.T) {
	all := []byte(strings.Repeat("0123456789", 50))
	for size := 1; size < 40; size += 3 {
		for limit := 2; limit < 60; limit += 7 {
			c := newCapture(limit)
			for piece := all; len(piece) > 0; {
				n := min(size, len(piece))
				_, _ = c.Write(piece[:n])
				piece = piece[n:]
			}
			got := c.captured()
			where := fmt.Sprintf("pieces of %d, limit %d", size, limit)
			assert.True(t, bytes.HasPrefix(all, got.Head), where)
			assert.True(t, bytes.HasSuffix(all, got.Tail), where)
			assert.Len(t, all, len(got.Head)+len(got.Tail)+int(got.Dropped), where)
			assert.Equal(t, limit, len(got.Head)+len(got.Tail), where)
		}
	}
}

func TestCapturedTexts(t *testing.T) {
	whole := Captured{Head: []byte("one\ntwo\n"), Tail: []byte("three\n\n")}
	assert.Equal(t, "one\ntwo\nthree\n\n", string(whole.Bytes()))
	assert.Equal(t, "two\nthree", whole.Last(2, 100))
	assert.Equal(t, "one\ntwo\nthree", whole.Last(9, 100))
	assert.Equal(t, "...three", whole.Last(9, 5))
	assert.Empty(t, Captured{}.Last(3, 10))
	gap := Captured{Head: []byte("a"), Tail: []byte("z"), Dropped: 7}
	assert.Equal(t, "a\n[... 7 bytes left out ...]\nz", string(gap.Bytes()))
	assert.Equal(t, "\uFFFD", Captured{Head: []byte{0xff}}.Last(1, 10), "not UTF-8")
}
