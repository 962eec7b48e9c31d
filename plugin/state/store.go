package state

import (
	"crypto/rand"
	"fmt"
	"io"
	"time"

	"k8s.io/utils/clock"
)

// Store reads and writes the records of one cluster.
type Store struct {
	Client Client
	// Identity says who we are; it stands in the Lease and in the record.
	Identity Identity
	// Clock is the real one if nil. Its Now must carry the monotonic reading.
	Clock clock.WithTicker
	// Rand is the source of the hash key and of session names; crypto/rand if nil.
	Rand io.Reader
	// Wait is how long Begin waits for other runs that are alive. Zero: it fails
	// as soon as it has seen one of them renew its Lease. A dead holder is waited
	// out in any case, and so is a run that ends before its first renewal.
	Wait time.Duration
	// LazyBodies leaves Entry.Body nil on reading, for Entry.LastApplied to decode
	// when asked. Most runs need hardly a body, and decoded ones take four times
	// the memory.
	LazyBodies bool
	// OnWait, if set, is called once when Begin finds the Lease held.
	OnWait func(Lock)

	// ahead are the Leases that the run is going to take too, see Expect.
	ahead ahead
}

// Identity names the person and the process behind a run.
type Identity struct {
	User, Host string
	PID        int
	// ToolVersion is the version of this program.
	ToolVersion string
}

// holder is the text in the Lease: who, where, which process, doing what.
func (i Identity) holder(operation string) string {
	return fmt.Sprintf("%s@%s pid %d %s", i.User, i.Host, i.PID, operation)
}

func (s *Store) clock() clock.WithTicker {
	if s.Clock == nil {
		return clock.RealClock{}
	}
	return s.Clock
}

func (s *Store) rand() io.Reader {
	if s.Rand == nil {
		return rand.Reader
	}
	return s.Rand
}
