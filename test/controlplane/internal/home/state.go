package home

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// State is what a home remembers between runs.
type State struct {
	Ports Ports `json:"ports"`
	// Token guards the control endpoint: anyone on this machine can reach its
	// port, and it can be told to kill a process.
	Token string `json:"token"`
}

// Ports are the loopback ports of the servers.
type Ports struct {
	API        int `json:"api"`
	EtcdClient int `json:"etcdClient"`
	EtcdPeer   int `json:"etcdPeer"`
	Kubelet    int `json:"kubelet"`
	Control    int `json:"control"`
}

// APIURL is the address of the API server.
func (s State) APIURL() string { return fmt.Sprintf("https://127.0.0.1:%d", s.Ports.API) }

// ControlURL is the address of the control endpoint.
func (s State) ControlURL() string { return fmt.Sprintf("http://127.0.0.1:%d", s.Ports.Control) }

// LoadState reads the state; it is an error when there is none yet.
func (h Home) LoadState() (State, error) {
	var state State
	raw, err := os.ReadFile(h.stateFile())
	if err != nil {
		return state, fmt.Errorf("read state: %w", err)
	}
	if err := json.Unmarshal(raw, &state); err != nil {
		return state, fmt.Errorf("parse state: %w", err)
	}
	return state, nil
}

// EnsureState reads the state or makes and stores a new one.
func (h Home) EnsureState() (State, error) {
	state, err := h.LoadState()
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return state, err
	}
	state, err = newState()
	if err != nil {
		return state, err
	}
	raw, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return state, fmt.Errorf("encode state: %w", err)
	}
	return state, WriteFile(h.stateFile(), raw)
}

func newState() (State, error) {
	ports, err := freePorts(5)
	if err != nil {
		return State{}, err
	}
	secret := make([]byte, 16)
	if _, err := rand.Read(secret); err != nil {
		return State{}, fmt.Errorf("make control token: %w", err)
	}
	return State{
		Ports: Ports{API: ports[0], EtcdClient: ports[1], EtcdPeer: ports[2], Kubelet: ports[3], Control: ports[4]},
		Token: hex.EncodeToString(secret),
	}, nil
}

// WriteFile stores raw under path so that a reader sees all of it or nothing,
// making the parent directory when it is missing.
func WriteFile(path string, raw []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make parent directory: %w", err)
	}
	next := path + ".next"
	if err := os.WriteFile(next, raw, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	if err := os.Rename(next, path); err != nil {
		return fmt.Errorf("replace %s: %w", filepath.Base(path), err)
	}
	return nil
}
