package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// item is one entry of an archive that a test makes.
type item struct {
	name, content, link string
	kind                byte // a file unless set
	mode                int64
}

func tarOf(t testing.TB, items ...item) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, i := range items {
		h := &tar.Header{Name: i.name, Linkname: i.link, Typeflag: i.kind, Mode: i.mode, Size: int64(len(i.content))}
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if h.Mode == 0 {
			h.Mode = 0o644
		}
		if h.Typeflag == tar.TypeXGlobalHeader {
			h = &tar.Header{Typeflag: h.Typeflag, Name: i.name, PAXRecords: map[string]string{"comment": i.content}}
			i.content = ""
		}
		require.NoError(t, w.WriteHeader(h))
		_, err := w.Write([]byte(i.content))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func gzipOf(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

func zstdOf(t testing.TB, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	out := w.EncodeAll(data, nil)
	require.NoError(t, w.Close())
	return out
}

// unpack unpacks archives one over the other, and gives the directory.
func unpack(t testing.TB, limits Limits, archives ...[]byte) (string, error) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "in")
	require.NoError(t, os.Mkdir(dir, 0o755))
	x, err := New(dir, limits)
	require.NoError(t, err)
	for _, a := range archives {
		if err := x.Tar(t.Context(), bytes.NewReader(a)); err != nil {
			require.NoError(t, x.Abandon())
			return dir, err
		}
	}
	return dir, x.Close()
}

// tree lists what is in a directory: files with content, programs with a star,
// links with where they lead, directories with a slash.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		name, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		info, err := os.Lstat(path)
		require.NoError(t, err)
		switch {
		case name == ".":
		case info.IsDir():
			found[filepath.ToSlash(name)+"/"] = ""
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			require.NoError(t, err)
			found[filepath.ToSlash(name)] = "-> " + target
		default:
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			if info.Mode()&0o111 != 0 {
				name += "*"
			}
			found[filepath.ToSlash(name)] = string(data)
		}
		return nil
	})
	require.NoError(t, err)
	return found
}
