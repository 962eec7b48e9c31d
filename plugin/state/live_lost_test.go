package state

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// losing performs every request and loses the answer of the n-th write.
type losing struct {
	next http.RoundTripper
	n    int

	mu     sync.Mutex
	writes int
}

func (l *losing) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := l.next.RoundTrip(r)
	if err != nil || r.Method == http.MethodGet {
		return answer, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.writes++; l.writes == l.n {
		answer.Body.Close()
		return nil, errors.New("read: connection reset by peer")
	}
	return answer, nil
}

// Whichever answer gets lost, the run goes on: what the server has done already is
// told from somebody else's work, by the client or by us.
func TestLiveLostAnswers(t *testing.T) {
	t.Parallel()
	for n := range 10 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			manifest := freshManifest(t, "lost")
			network := &losing{n: n}
			store := liveStore(t)
			store.Client = liveThrough(t, network)
			s := begin(t, store, manifest)
			a, b := mustKey(t, manifest+"//v1/Namespace/a"), mustKey(t, manifest+"//v1/Namespace/b")
			require.NoError(t, s.WriteAhead(t.Context(), []Key{a, b}))
			s.Applied(entry(t, a.String(), hashA))
			require.NoError(t, s.Save(t.Context(), false, Metadata{}))
			s.Applied(entry(t, b.String(), hashB))
			require.NoError(t, s.Save(t.Context(), true, Metadata{}))
			require.NoError(t, s.End(t.Context()))
			assert.Empty(t, s.Notes())

			rec, err := store.Read(t.Context(), manifest)
			require.NoError(t, err)
			assert.Equal(t, []Entry{entry(t, a.String(), hashA), entry(t, b.String(), hashB)}, rec.Entries)
			_, locked, err := store.Holder(t.Context(), manifest)
			require.NoError(t, err)
			assert.False(t, locked)
		})
	}
}

// liveThrough connects through a round tripper of ours.
func liveThrough(t *testing.T, network *losing) *cluster.Client {
	t.Helper()
	return liveWith(t, func(cfg *rest.Config) *rest.Config {
		cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
			network.next = next
			return network
		})
		return cfg
	})
}
