package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
)

// files are the files through which a run talks with its hook, in a directory that
// nobody else can read.
type files struct {
	dir   string
	limit int
}

// The variables that tell hooks where their input is. Those of the output are in
// package output.
const (
	contextsFile = "BINDING_CONTEXT_PATH"
	valuesFile   = "VALUES_PATH"
	settingsFile = "CONFIG_VALUES_PATH"
	// checkFile is where "hook check" finds the settings.
	checkFile = "SETTINGS_PATH"
)

// outputs lists the variables of the files that a hook writes.
func outputs() []string {
	return []string{output.ValuesPatchFile, output.SettingsPatchFile, output.OperationsFile, output.MetricsFile}
}

// nameOf gives the file of a variable.
func nameOf(variable string) string {
	return map[string]string{
		contextsFile:             "binding_context.json",
		valuesFile:               "values.json",
		settingsFile:             "config_values.json",
		checkFile:                "settings.json",
		output.ValuesPatchFile:   "values_patch.json",
		output.SettingsPatchFile: "config_values_patch.json",
		output.OperationsFile:    "kubernetes_patch",
		output.MetricsFile:       "metrics.json",
	}[variable]
}

func newFiles(parent string, limit int) (*files, error) {
	dir, err := os.MkdirTemp(parent, "tazuna-hook-") // mode 0700
	if err != nil {
		return nil, fmt.Errorf("make a directory for the hook: %w", err)
	}
	f := &files{dir: dir, limit: limit}
	if err := os.Mkdir(f.scratch(), 0o700); err != nil {
		return nil, errors.Join(fmt.Errorf("make a directory for the hook: %w", err), f.remove())
	}
	return f, nil
}

// scratch is the directory for temporary files of the hook itself.
func (f *files) scratch() string { return filepath.Join(f.dir, "tmp") }

func (f *files) path(variable string) string { return filepath.Join(f.dir, nameOf(variable)) }

// env tells the hook where the files of these variables are.
func (f *files) env(variables ...string) []string {
	env := []string{"TMPDIR=" + f.scratch()}
	for _, variable := range variables {
		env = append(env, variable+"="+f.path(variable))
	}
	return env
}

// create makes the file of a variable with what write writes to it.
func (f *files) create(variable string, write func(*os.File) error) error {
	out, err := os.OpenFile(f.path(variable), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("%s: %w", variable, err)
	}
	if err := errors.Join(write(out), out.Close()); err != nil {
		return fmt.Errorf("%s: %w", variable, err)
	}
	return nil
}

// createJSON makes a file with a JSON object; {} for nil.
func (f *files) createJSON(variable string, value map[string]any) error {
	if value == nil {
		value = map[string]any{}
	}
	return f.create(variable, func(out *os.File) error {
		data, err := object.EncodeJSON(value)
		if err != nil {
			return err
		}
		_, err = out.Write(append(data, '\n'))
		return err
	})
}

// createEmpty makes the files that the hook writes.
func (f *files) createEmpty() error {
	var failures []error
	for _, variable := range outputs() {
		failures = append(failures, f.create(variable, func(*os.File) error { return nil }))
	}
	return errors.Join(failures...)
}

// tooLarge is an error once a file that the hook writes is beyond the limit.
func (f *files) tooLarge() error {
	for _, variable := range outputs() {
		if info, err := os.Lstat(f.path(variable)); err == nil && info.Size() > int64(f.limit) {
			return fmt.Errorf("%s: more than %d bytes", variable, f.limit)
		}
	}
	return nil
}

// read gives what the hook wrote to a file; nothing for one that it removed. Hooks
// may put another file in its place, but nothing that leads elsewhere.
func (f *files) read(variable string) ([]byte, error) {
	path := f.path(variable)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", variable, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is no regular file any more", variable)
	case info.Size() > int64(f.limit):
		return nil, fmt.Errorf("%s: more than %d bytes", variable, f.limit)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable, err)
	}
	return data, nil
}

// remove removes the directory, also what the hook made unreadable in it.
func (f *files) remove() error {
	if os.RemoveAll(f.dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(f.dir, func(path string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // directories need x; RemoveAll tells what stays
		}
		return nil
	})
	if err := os.RemoveAll(f.dir); err != nil {
		return fmt.Errorf("remove the directory of the hook: %w", err)
	}
	return nil
}

// removed removes the directory at the end of a function, and puts what stays to
// its error.
func (f *files) removed(err *error) {
	if failed := f.remove(); failed != nil {
		*err = errors.Join(*err, failed)
	}
}
