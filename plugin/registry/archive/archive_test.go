package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUnpack(t *testing.T) {
	for name, tt := range map[string]struct {
		layers [][]item
		want   map[string]string
	}{
		"nothing": {layers: [][]item{{}}, want: map[string]string{}},
		"files, programs and directories": {
			layers: [][]item{{
				{name: "./", kind: tar.TypeDir},
				{name: "./a.txt", content: "a"},
				{name: "hooks/run", content: "#!", mode: 0o4755},
				{name: "empty/", kind: tar.TypeDir, mode: 0o700},
			}},
			want: map[string]string{"a.txt": "a", "hooks/": "", "hooks/run*": "#!", "empty/": ""},
		},
		"a comment for the whole archive": {
			layers: [][]item{{{kind: tar.TypeXGlobalHeader, content: "made by git"}, {name: "a", content: "1"}}},
			want:   map[string]string{"a": "1"},
		},
		"links that stay inside": {
			layers: [][]item{{
				{name: "lib/a", content: "1"},
				{name: "b", kind: tar.TypeSymlink, link: "lib/a"},
				{name: "lib/up", kind: tar.TypeSymlink, link: "../b"},
				{name: "c", kind: tar.TypeLink, link: "lib/a"},
			}},
			want: map[string]string{"lib/": "", "lib/a": "1", "b": "-> lib/a", "lib/up": "-> ../b", "c": "1"},
		},
		"a link before what it leads to": {
			layers: [][]item{{{name: "b", kind: tar.TypeSymlink, link: "a"}, {name: "a", content: "1"}}},
			want:   map[string]string{"a": "1", "b": "-> a"},
		},
		"the later layer wins": {
			layers: [][]item{
				{{name: "a", content: "1"}, {name: "d/x", content: "1"}, {name: "f", content: "1"}, {name: "h", content: "1"}, {name: "i", kind: tar.TypeLink, link: "h"}},
				{{name: "a", content: "2"}, {name: "d", content: "file"}, {name: "f/y", content: "2"}, {name: "h", content: "2"}},
			},
			want: map[string]string{"a": "2", "d": "file", "f/": "", "f/y": "2", "h": "2", "i": "1"},
		},
		"whiteouts": {
			layers: [][]item{
				{{name: "a", content: "1"}, {name: "d/x", content: "1"}, {name: "d/y", content: "1"}, {name: "e/z", content: "1"}},
				{{name: ".wh.a"}, {name: "d/.wh.x"}, {name: ".wh.e"}, {name: ".wh.not-there"}},
			},
			want: map[string]string{"d/": "", "d/y": "1"},
		},
		"a whiteout spares its own layer": {
			layers: [][]item{
				{{name: "d/old", content: "1"}, {name: "d/sub/old", content: "1"}},
				{{name: "d/new", content: "2"}, {name: "d/sub/new", content: "2"}, {name: "d/.wh..wh..opq"}, {name: "d/.wh.new"}},
			},
			want: map[string]string{"d/": "", "d/new": "2", "d/sub/": "", "d/sub/new": "2"},
		},
		"a link is replaced, not followed": {
			layers: [][]item{
				{{name: "a", content: "1"}, {name: "b", kind: tar.TypeSymlink, link: "a"}},
				{{name: "b", content: "2"}},
			},
			want: map[string]string{"a": "1", "b": "2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var layers [][]byte
			for _, l := range tt.layers {
				layers = append(layers, tarOf(t, l...))
			}
			dir, err := unpack(t, DefaultLimits(), layers...)
			require.NoError(t, err)
			assert.Equal(t, tt.want, tree(t, dir))
		})
	}
}

// TestF1NothingIsWrittenOutside has the ways out of a directory that archives
// are known to try, the chain of two links of row F1 among them.
func TestF1NothingIsWrittenOutside(t *testing.T) {
	for name, items := range map[string][]item{
		"dots":                       {{name: "../evil", content: "x"}},
		"dots within":                {{name: "a/../../evil", content: "x"}},
		"dots that stay inside":      {{name: "a/../b", content: "x"}},
		"absolute":                   {{name: "/evil", content: "x"}},
		"absolute link":              {{name: "a", kind: tar.TypeSymlink, link: "/etc/passwd"}},
		"link out":                   {{name: "a", kind: tar.TypeSymlink, link: "../evil"}},
		"link out by depth":          {{name: "a/b", kind: tar.TypeSymlink, link: "../../evil"}},
		"link to the directory":      {{name: "a", kind: tar.TypeSymlink, link: ".."}},
		"write through a link":       {{name: "a", kind: tar.TypeSymlink, link: ".."}, {name: "a/evil", content: "x"}},
		"write through a link down":  {{name: "d/", kind: tar.TypeDir}, {name: "a", kind: tar.TypeSymlink, link: "d"}, {name: "a/evil", content: "x"}},
		"a link made through a link": {{name: "a", kind: tar.TypeSymlink, link: "."}, {name: "a/b", kind: tar.TypeSymlink, link: "../.."}, {name: "a/b/evil", content: "x"}},
		"a link that ends elsewhere than it reads": {
			{name: "d/e/f/", kind: tar.TypeDir},
			{name: "l", kind: tar.TypeSymlink, link: "d/e/f/g"},
			{name: "d/e/f/g", kind: tar.TypeSymlink, link: "../../.."},
			{name: "k", kind: tar.TypeSymlink, link: "l/../evil"},
		},
		"a link to nothing":             {{name: "a", kind: tar.TypeSymlink, link: "not-there"}},
		"links in a circle":             {{name: "a", kind: tar.TypeSymlink, link: "b"}, {name: "b", kind: tar.TypeSymlink, link: "a"}},
		"hard link out":                 {{name: "a", kind: tar.TypeLink, link: "../evil"}},
		"hard link to the system":       {{name: "a", kind: tar.TypeLink, link: "/etc/passwd"}},
		"hard link to a link":           {{name: "a", kind: tar.TypeSymlink, link: "../secret"}, {name: "b", kind: tar.TypeLink, link: "a"}},
		"hard link by a link":           {{name: "d", kind: tar.TypeSymlink, link: ".."}, {name: "b", kind: tar.TypeLink, link: "d/secret"}},
		"hard link to itself":           {{name: "a", kind: tar.TypeLink, link: "a"}},
		"hard link to nothing":          {{name: "a", kind: tar.TypeLink, link: "b"}},
		"device":                        {{name: "a", kind: tar.TypeChar}},
		"pipe":                          {{name: "a", kind: tar.TypeFifo}},
		"a file twice":                  {{name: "a", content: "1"}, {name: "./a", content: "2"}},
		"a file and a directory":        {{name: "a/b", content: "1"}, {name: "a", content: "2"}},
		"below a file":                  {{name: "a", content: "1"}, {name: "a/b", content: "2"}},
		"the top is a file":             {{name: ".", content: "1"}},
		"a name that is no text":        {{name: "a\xff", content: "1"}},
		"a name that steers a terminal": {{name: "a\x1b[2J", content: "1"}},
		"whiteout out":                  {{name: "../.wh.secret"}},
		"whiteout by a link":            {{name: "d", kind: tar.TypeSymlink, link: ".."}, {name: "d/.wh.secret"}},
		"whiteout of the parent":        {{name: "a/.wh..."}},
		"whiteout of nothing":           {{name: ".wh."}},
	} {
		t.Run(name, func(t *testing.T) {
			outside := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o600))
			dir := filepath.Join(outside, "in")
			require.NoError(t, os.Mkdir(dir, 0o755))
			x, err := New(dir, DefaultLimits())
			require.NoError(t, err)
			err = x.Tar(t.Context(), bytes.NewReader(tarOf(t, items...)))
			err = errors.Join(err, x.Close())
			var entry *Error
			require.ErrorAs(t, err, &entry)
			assert.True(t, errors.Is(err, ErrUnsafe) || errors.Is(err, ErrFormat), "%v", err)
			for name := range tree(t, outside) {
				assert.True(t, name == "secret" || strings.HasPrefix(name, "in/"), "written outside: %s", name)
			}
			secret, err := os.ReadFile(filepath.Join(outside, "secret"))
			require.NoError(t, err)
			assert.Equal(t, "s", string(secret))
		})
	}
}

func TestLimits(t *testing.T) {
	small := Limits{Bytes: 10, File: 6, Entries: 3, Depth: 3}
	for name, items := range map[string][]item{
		"one file":       {{name: "a", content: "1234567"}},
		"all files":      {{name: "a", content: "123456"}, {name: "b", content: "123456"}},
		"entries":        {{name: "a/", kind: tar.TypeDir}, {name: "b/", kind: tar.TypeDir}, {name: "c/", kind: tar.TypeDir}, {name: "d/", kind: tar.TypeDir}},
		"depth":          {{name: "a/b/c/d", content: "1"}},
		"many whiteouts": {{name: ".wh.a"}, {name: ".wh.b"}, {name: ".wh.c"}, {name: ".wh.d"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := unpack(t, small, tarOf(t, items...))
			assert.ErrorIs(t, err, ErrTooLarge)
		})
	}
	_, err := unpack(t, small, tarOf(t, item{name: "a", content: "123456"}), tarOf(t, item{name: "b", content: "123456"}))
	assert.ErrorIs(t, err, ErrTooLarge, "the limit is one over all layers")
}

// TestABombIsNotUnpacked has an archive that is small and unpacks to much more
// than its headers say.
func TestABombIsNotUnpacked(t *testing.T) {
	bomb := gzipOf(t, append(tarOf(t, item{name: "a", content: "1"}), make([]byte, headerRoom+2048)...))
	require.Less(t, len(bomb), 1<<20)
	_, err := unpack(t, Limits{Bytes: 1024, File: 1024, Entries: 10, Depth: 3}, bomb)
	assert.ErrorIs(t, err, ErrTooLarge)
}

func TestCompression(t *testing.T) {
	plain := tarOf(t, item{name: "a", content: "1"})
	for name, data := range map[string][]byte{"plain": plain, "gzip": gzipOf(t, plain), "zstd": zstdOf(t, plain)} {
		t.Run(name, func(t *testing.T) {
			dir, err := unpack(t, DefaultLimits(), data)
			require.NoError(t, err)
			assert.Equal(t, map[string]string{"a": "1"}, tree(t, dir))
			_, err = unpack(t, DefaultLimits(), data[:len(data)*2/3])
			if name != "plain" {
				assert.ErrorIs(t, err, ErrFormat, "cut off")
			}
		})
	}
	_, err := unpack(t, DefaultLimits(), bytes.Repeat([]byte("no archive "), 100))
	assert.ErrorIs(t, err, ErrFormat)
	for _, data := range [][]byte{gzipOf(t, plain), zstdOf(t, plain)} {
		data[len(data)/2] ^= 0xff
		_, err := unpack(t, DefaultLimits(), data)
		assert.ErrorIs(t, err, ErrFormat, "a changed byte")
	}
	_, err = unpack(t, DefaultLimits(), append(gzipOf(t, plain), "trailing"...))
	assert.ErrorIs(t, err, ErrFormat, "what follows an archive is not skipped over")
}

// TestTheWholeInputIsRead: a reader that verifies a digest tells it at its end.
func TestTheWholeInputIsRead(t *testing.T) {
	for name, data := range map[string][]byte{
		"plain": tarOf(t, item{name: "a", content: "1"}), "gzip": gzipOf(t, tarOf(t, item{name: "a", content: "1"})),
	} {
		t.Run(name, func(t *testing.T) {
			bad := errors.New("wrong digest")
			x, err := New(t.TempDir(), DefaultLimits())
			require.NoError(t, err)
			defer func() { assert.NoError(t, x.Abandon()) }()
			err = x.Tar(t.Context(), io.MultiReader(bytes.NewReader(data), iotest.ErrReader(bad)))
			assert.ErrorIs(t, err, bad)
		})
	}
}

func TestTarEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped by the user")
	cancel(stopped)
	x, err := New(t.TempDir(), DefaultLimits())
	require.NoError(t, err)
	defer func() { assert.NoError(t, x.Abandon()) }()
	assert.ErrorIs(t, x.Tar(ctx, bytes.NewReader(tarOf(t, item{name: "a"}))), stopped)
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	x, err := New(dir, Limits{Bytes: 10, File: 5, Entries: 5, Depth: 2})
	require.NoError(t, err)
	require.NoError(t, x.File(t.Context(), "a/b.yaml", 3, strings.NewReader("abc")))
	assert.ErrorIs(t, x.File(t.Context(), "../c", 1, strings.NewReader("c")), ErrUnsafe)
	assert.ErrorIs(t, x.File(t.Context(), ".", 1, strings.NewReader("c")), ErrUnsafe)
	assert.ErrorIs(t, x.File(t.Context(), "c", 6, strings.NewReader("cccccc")), ErrTooLarge)
	assert.EqualError(t, x.File(t.Context(), "d", 3, strings.NewReader("d")),
		`archive entry "d": not a proper archive: it ends after 1 of 3 bytes`)
	require.NoError(t, x.Close())
	assert.Equal(t, "abc", tree(t, dir)["a/b.yaml"])
}

func TestNewWantsAnEmptyDirectory(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), nil, 0o600))
	_, err := New(dir, DefaultLimits())
	assert.ErrorContains(t, err, `wanted an empty directory, found "a"`)
	_, err = New(filepath.Join(dir, "not-there"), DefaultLimits())
	assert.ErrorIs(t, err, os.ErrNotExist)
}
