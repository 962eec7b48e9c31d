package command

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each kind is a file that Go's tools read: pprof's are compressed, a trace begins with
// its version.
func TestProfile(t *testing.T) {
	for _, kind := range profileKinds[1:] {
		t.Run(kind, func(t *testing.T) {
			p := profile{kind: kind, output: filepath.Join(t.TempDir(), "out")}
			require.NoError(t, p.start())
			require.NoError(t, p.finish())
			data, err := os.ReadFile(p.output)
			require.NoError(t, err)
			if kind == "trace" {
				assert.True(t, bytes.HasPrefix(data, []byte("go 1.")), "%q", data[:min(len(data), 16)])
				return
			}
			uncompressed, err := gzip.NewReader(bytes.NewReader(data))
			require.NoError(t, err)
			content, err := io.ReadAll(uncompressed)
			require.NoError(t, err)
			assert.NotEmpty(t, content)
		})
	}
}

func TestNoProfile(t *testing.T) {
	dir := t.TempDir()
	tests := map[string]struct {
		profile profile
		err     string
	}{
		"none":                  {profile: profile{kind: "none", output: filepath.Join(dir, "none")}},
		"a kind there isn't":    {profile: profile{kind: "memory", output: filepath.Join(dir, "none")}, err: `wanted one of none, cpu, heap, goroutine, threadcreate, block, mutex, trace, found "memory"`},
		"a directory not there": {profile: profile{kind: "cpu", output: filepath.Join(dir, "no", "file")}, err: "--profile-output: open"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := test.profile.start()
			if test.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.err)
			}
			require.NoError(t, test.profile.finish())
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			assert.Empty(t, left, "no file")
		})
	}
}
