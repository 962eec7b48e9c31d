package traffic

import (
	"fmt"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Latency delays requests of clients whose user agent has a prefix; an empty
// prefix means every client.
type Latency struct {
	UserAgent string          `json:"userAgent"`
	Add       metav1.Duration `json:"add"`
}

// latencies holds at most one delay for each prefix.
type latencies struct {
	mu   sync.RWMutex
	list []Latency
}

// set replaces the delay of a prefix; zero takes it away, and zero with an
// empty prefix takes all away.
func (l *latencies) set(latency Latency) error {
	if outOfBounds(latency.Add.Duration) {
		return fmt.Errorf("latency %s: want 0 to %s", latency.Add.Duration, maxDelay)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if latency == (Latency{}) {
		l.list = nil
		return nil
	}
	kept := make([]Latency, 0, len(l.list)+1)
	for _, old := range l.list {
		if old.UserAgent != latency.UserAgent {
			kept = append(kept, old)
		}
	}
	if latency.Add.Duration > 0 {
		kept = append(kept, latency)
	}
	l.list = kept
	return nil
}

func (l *latencies) all() []Latency {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return append([]Latency{}, l.list...)
}

// of returns the delay with the longest matching prefix.
func (l *latencies) of(request *Request) time.Duration {
	l.mu.RLock()
	defer l.mu.RUnlock()
	longest, delay := -1, time.Duration(0)
	for _, latency := range l.list {
		if request.Own && latency.UserAgent == "" || !strings.HasPrefix(request.UserAgent, latency.UserAgent) {
			continue
		}
		if len(latency.UserAgent) > longest {
			longest, delay = len(latency.UserAgent), latency.Add.Duration
		}
	}
	return delay
}
