package archive

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzTar looks for an archive that writes outside of its directory, or that leaves
// a link or a file there that must not be.
func FuzzTar(f *testing.F) {
	f.Add(tarOf(f, item{name: "a", content: "1"}, item{name: "b", kind: tar.TypeSymlink, link: "a"}))
	f.Add(gzipOf(f, tarOf(f, item{name: "a/b", content: "1"}, item{name: "c", kind: tar.TypeLink, link: "a/b"})))
	f.Add(tarOf(f, item{name: "a", kind: tar.TypeSymlink, link: "."}, item{name: "a/b", kind: tar.TypeSymlink, link: "../.."}))
	f.Add(tarOf(f, item{name: "d/.wh..wh..opq"}, item{name: "d/.wh.a"}))
	f.Add(zstdOf(f, tarOf(f, item{name: "../x", content: "1"})))
	f.Fuzz(func(t *testing.T, data []byte) { tryArchive(t, data) })
}

// FuzzEntries makes proper archives of odd entries: what FuzzTar would need very
// long to find, because headers have checksums.
func FuzzEntries(f *testing.F) {
	f.Add([]byte{0, 1, 1, 0, 2, 0, 9, 1})
	f.Add([]byte{1, 0, 6, 1, 0, 2, 0, 1, 7, 7, 0, 0, 2, 0, 1, 1})
	f.Fuzz(func(t *testing.T, data []byte) { tryArchive(t, tarOf(t, itemsOf(data)...)) })
}

// TestRandomEntries is a short run of FuzzEntries, the same each time.
func TestRandomEntries(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		data := make([]byte, 7*(1+random.IntN(8)))
		for i := range data {
			data[i] = byte(random.IntN(256))
		}
		tryArchive(t, tarOf(t, itemsOf(data)...))
	}
}

// itemsOf reads entries from bytes: kind, three parts of the name, three of the
// target.
func itemsOf(data []byte) []item {
	parts := []string{"", "a", "b", "c", ".", "..", ".wh.a", ".wh..wh..opq", "a/b", "../a"}
	kinds := []byte{tar.TypeReg, tar.TypeDir, tar.TypeSymlink, tar.TypeLink, tar.TypeFifo}
	pick := func(from []byte) string {
		var all []string
		for _, b := range from {
			if part := parts[int(b)%len(parts)]; part != "" {
				all = append(all, part)
			}
		}
		return strings.Join(all, "/")
	}
	var items []item
	for ; len(data) >= 7 && len(items) < 20; data = data[7:] {
		i := item{kind: kinds[int(data[0])%len(kinds)], name: pick(data[1:4]), link: pick(data[4:7])}
		if i.kind == tar.TypeReg {
			i.content = i.link
		}
		items = append(items, i)
	}
	return items
}

// tryArchive unpacks an archive twice, the second time over what the first left.
func tryArchive(t *testing.T, data []byte) {
	t.Helper()
	limits := Limits{Bytes: 1 << 16, File: 1 << 14, Entries: 50, Depth: 8}
	outside := t.TempDir()
	dir := filepath.Join(outside, "in")
	require.NoError(t, os.Mkdir(dir, 0o755))
	x, err := New(dir, limits)
	require.NoError(t, err)
	err = x.Tar(t.Context(), bytes.NewReader(data))
	if err == nil {
		err = x.Tar(t.Context(), bytes.NewReader(data))
	}
	closed := x.Close()
	entries, readErr := os.ReadDir(outside)
	require.NoError(t, readErr)
	require.Len(t, entries, 1, "written outside of the directory")
	if err == nil && closed == nil {
		checkTree(t, dir, limits)
	}
}

// checkTree holds what was unpacked to what is promised.
func checkTree(t *testing.T, dir string, limits Limits) {
	t.Helper()
	root, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	var total int64
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		resolved, err := filepath.EvalSymlinks(path)
		require.NoError(t, err, "a link that leads nowhere")
		inside, err := filepath.Rel(root, resolved)
		require.NoError(t, err)
		require.True(t, filepath.IsLocal(inside), "%s leads to %s", path, resolved)
		info, err := os.Lstat(path)
		require.NoError(t, err)
		switch {
		case info.Mode().IsRegular():
			total += info.Size()
			require.Contains(t, []fs.FileMode{0o644, 0o755}, info.Mode())
		case info.Mode()&fs.ModeSymlink == 0:
			require.True(t, info.IsDir())
		}
		return nil
	})
	require.NoError(t, err)
	require.LessOrEqual(t, total, 51*limits.Bytes, "hard links count once a name")
}
