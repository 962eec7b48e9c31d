package home

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
)

func openTemp(t *testing.T) Home {
	t.Helper()
	h, err := Open(t.TempDir() + "/new/home")
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestStateStays(t *testing.T) {
	h := openTemp(t)
	if _, err := h.LoadState(); err == nil {
		t.Error("a new home has a state")
	}
	first, err := h.EnsureState()
	if err != nil {
		t.Fatal(err)
	}
	second, err := h.EnsureState()
	if err != nil || first != second {
		t.Errorf("got %+v then %+v, %v", first, second, err)
	}
	ports := map[int]bool{}
	for i := range reflect.ValueOf(first.Ports).NumField() {
		ports[int(reflect.ValueOf(first.Ports).Field(i).Int())] = true
	}
	if len(ports) != 5 || ports[0] || len(first.Token) != 32 {
		t.Errorf("got %+v", first)
	}
}

func TestBrokenStateIsNotReplaced(t *testing.T) {
	h := openTemp(t)
	if err := os.WriteFile(h.stateFile(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := h.EnsureState(); err == nil {
		t.Error("a broken state was taken")
	}
}

func TestLock(t *testing.T) {
	h := openTemp(t)
	running := func() int {
		t.Helper()
		pid, err := h.Running()
		if err != nil {
			t.Fatal(err)
		}
		return pid
	}
	if got := running(); got != 0 {
		t.Errorf("before: process %d", got)
	}
	lock, err := h.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if got := running(); got != os.Getpid() {
		t.Errorf("locked: process %d", got)
	}
	if _, err := h.Lock(); !errors.Is(err, ErrLocked) {
		t.Errorf("second lock: %v", err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if got := running(); got != 0 {
		t.Errorf("released: process %d", got)
	}
}

func TestLockWithoutProcessID(t *testing.T) {
	h := openTemp(t)
	lock, err := h.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Release() }()
	for _, text := range []string{"", "x", "1", "-7"} {
		if err := os.WriteFile(h.lockFile(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if pid, err := readPID(h.lockFile()); err == nil || pid != 0 {
			t.Errorf("%q: got %d, %v", text, pid, err)
		}
	}
}

func TestWriteFile(t *testing.T) {
	h := openTemp(t)
	path := h.UserKubeconfig("alice")
	for _, text := range []string{"one", "two"} {
		if err := WriteFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if raw, err := os.ReadFile(path); err != nil || string(raw) != text {
			t.Errorf("got %q, %v", raw, err)
		}
	}
	if _, err := os.Stat(path + ".next"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a temporary file is left: %v", err)
	}
	if !strings.HasPrefix(path, h.Root()) {
		t.Errorf("got %s", path)
	}
}
