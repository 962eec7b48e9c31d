package standin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A program is looked for where its container looks, not where the control plane does.
func TestLookPath(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "ask")
	for name, mode := range map[string]os.FileMode{"ask": 0o755, "text": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=/nowhere", "HOME=/", "PATH=/elsewhere:" + dir}
	if got, err := lookPath("ask", env); err != nil || got != program {
		t.Errorf("got %q, %v, want %q", got, err, program)
	}
	if got, err := lookPath("/bin/ask", env); err != nil || got != "/bin/ask" {
		t.Errorf("a path: got %q, %v", got, err)
	}
	for _, missing := range []string{"text", "sh", "nothing"} {
		if got, err := lookPath(missing, env); err == nil || !strings.Contains(err.Error(), "executable file not found in $PATH") {
			t.Errorf("%s: got %q, %v", missing, got, err)
		}
	}
}
