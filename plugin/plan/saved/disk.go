package saved

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// maxFile bounds what is read, in bytes.
const maxFile = 256 << 20

// Write puts a plan into a file that only its owner may read. The file is there
// whole or not at all; one that exists is replaced, and a link is not followed.
func Write(path string, f *File) (err error) {
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return fmt.Errorf("save the plan: %w", err)
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() && info.Mode()&os.ModeSymlink == 0 {
		return fmt.Errorf("save the plan: %s is no ordinary file", path)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tazuna-plan-*") // made with 0600
	if err != nil {
		return fmt.Errorf("save the plan: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	if _, err = tmp.Write(append(data, '\n')); err != nil {
		tmp.Close()
		return fmt.Errorf("save the plan: %w", err)
	}
	if err = tmp.Close(); err != nil {
		return fmt.Errorf("save the plan: %w", err)
	}
	if err = os.Rename(tmp.Name(), path); err != nil {
		return fmt.Errorf("save the plan: %w", err)
	}
	return nil
}

// Read reads a saved plan. A file of another kind or version, with fields that are
// not known or with more after it, is an error.
func Read(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the saved plan: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the saved plan %s: %w", path, err)
	case len(data) > maxFile:
		return nil, fmt.Errorf("read the saved plan %s: wanted at most %d bytes", path, maxFile)
	}
	f, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s is no saved plan of this version: %w", path, err)
	}
	return f, nil
}

func parse(data []byte) (*File, error) {
	var kind struct{ APIVersion, Kind string }
	if err := json.Unmarshal(data, &kind); err != nil {
		return nil, err
	}
	if kind.APIVersion != plan.APIVersion || kind.Kind != Kind {
		return nil, fmt.Errorf("wanted %s %s, found %q %q", plan.APIVersion, Kind, kind.APIVersion, kind.Kind)
	}
	var f File
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the plan")
	}
	switch f.KeyedBy {
	case KeyNone, KeyCluster, KeyEnvironment:
		return &f, nil
	default:
		return nil, fmt.Errorf("keyedBy: wanted cluster, environment or nothing, found %q", f.KeyedBy)
	}
}
