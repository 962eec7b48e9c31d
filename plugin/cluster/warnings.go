package cluster

import (
	"context"
	"net/http"
	"sync"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
)

// Warnings passes the server's Warning headers on, each text once. It is also a
// client-go handler, so that other clients of the same run (discovery) can share
// it through their rest.Config.
type Warnings struct {
	emit func(string)

	mu   sync.Mutex
	seen map[string]bool
}

var _ rest.WarningHandlerWithContext = (*Warnings)(nil)

// NewWarnings makes a handler; a nil emit drops everything.
func NewWarnings(emit func(string)) *Warnings {
	return &Warnings{emit: emit, seen: map[string]bool{}}
}

// warningCode is the only one Kubernetes uses ("miscellaneous persistent warning").
const warningCode = 299

// HandleWarningHeaderWithContext receives one parsed Warning header.
func (w *Warnings) HandleWarningHeaderWithContext(_ context.Context, code int, _, text string) {
	if w.emit == nil || code != warningCode || text == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen[text] {
		return
	}
	w.seen[text] = true
	w.emit(text)
}

// header reads an answer's warnings and scrubs them.
func (w *Warnings) header(ctx context.Context, h http.Header, scrub func(string) string) {
	values := h.Values("Warning")
	if len(values) == 0 || w.emit == nil {
		return
	}
	parsed, _ := utilnet.ParseWarningHeaders(values)
	for _, p := range parsed {
		text := p.Text
		if scrub != nil {
			text = scrub(text)
		}
		w.HandleWarningHeaderWithContext(ctx, p.Code, p.Agent, text)
	}
}
