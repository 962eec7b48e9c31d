package chart

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// pipes is a disk on which whatever is no file waits for ever when it is opened.
type pipes struct {
	fstest.MapFS
	t *testing.T
}

func (p pipes) Open(name string) (fs.File, error) {
	if f := p.MapFS[name]; f != nil && f.Mode.Type() != 0 {
		p.t.Errorf("%s was opened", name)
	}
	return p.MapFS.Open(name)
}

func (p pipes) ReadFile(name string) ([]byte, error) {
	if _, err := p.Open(name); err != nil {
		return nil, err
	}
	return p.MapFS.ReadFile(name)
}

func TestPipesAreNotOpened(t *testing.T) {
	for _, name := range []string{".helmignore", "Chart.yaml", "templates/a.yaml"} {
		_, err := ReadFiles(pipes{fstest.MapFS{name: {Mode: fs.ModeNamedPipe}}, t}, nil)
		require.EqualError(t, err, "read chart: "+name+": wanted a file or a directory, found p---------")
	}
}
