package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the top of the working copy, seen from this package.
const root = "../.."

// notOurs are directories that no commit holds.
var notOurs = []string{".git", "bin", "dist", ".cluster"}

// textFiles returns the contents of all files of the working copy by their
// slash-separated path, except what is built and what is no text.
func textFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() {
			if slices.Contains(notOurs, name) {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !strings.ContainsRune(string(content), 0) {
			files[name] = string(content)
		}
		return nil
	})
	require.NoError(t, err)
	return files
}

// namesOf returns the sorted names of files that end with suffix.
func namesOf(files map[string]string, suffix string) []string {
	var out []string
	for name := range files {
		if strings.HasSuffix(name, suffix) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
