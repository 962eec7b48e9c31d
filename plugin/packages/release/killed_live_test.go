package release

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// mortal is the cluster as a process sees it that is killed at its nth write: before the
// write gets there, or behind it, when nobody hears the answer any more.
type mortal struct {
	Cluster
	writes atomic.Int64
	at     int64
	behind bool
	die    func()
}

var errKilled = errors.New("killed")

func (m *mortal) write(do func() error) error {
	n := m.writes.Add(1)
	if n > m.at || n == m.at && !m.behind {
		m.die()
		return errKilled
	}
	err := do()
	if n == m.at {
		m.die()
		return errKilled
	}
	return err
}

func (m *mortal) object(do func() (*unstructured.Unstructured, error)) (u *unstructured.Unstructured, err error) {
	err = m.write(func() error { u, err = do(); return err })
	return u, err
}

func (m *mortal) Apply(ctx context.Context, k cluster.Mapping, body map[string]any, o cluster.ApplyOptions) (*unstructured.Unstructured, error) {
	if o.DryRun {
		return m.Cluster.Apply(ctx, k, body, o)
	}
	return m.object(func() (*unstructured.Unstructured, error) { return m.Cluster.Apply(ctx, k, body, o) })
}

func (m *mortal) Create(ctx context.Context, k cluster.Mapping, body map[string]any, o cluster.WriteOptions) (*unstructured.Unstructured, error) {
	if o.DryRun {
		return m.Cluster.Create(ctx, k, body, o)
	}
	return m.object(func() (*unstructured.Unstructured, error) { return m.Cluster.Create(ctx, k, body, o) })
}

func (m *mortal) Update(ctx context.Context, k cluster.Mapping, body map[string]any, o cluster.WriteOptions) (*unstructured.Unstructured, error) {
	if o.DryRun {
		return m.Cluster.Update(ctx, k, body, o)
	}
	return m.object(func() (*unstructured.Unstructured, error) { return m.Cluster.Update(ctx, k, body, o) })
}

func (m *mortal) Patch(ctx context.Context, k cluster.Mapping, namespace, name string, kind types.PatchType, data []byte, o cluster.WriteOptions) (*unstructured.Unstructured, error) {
	if o.DryRun {
		return m.Cluster.Patch(ctx, k, namespace, name, kind, data, o)
	}
	return m.object(func() (*unstructured.Unstructured, error) {
		return m.Cluster.Patch(ctx, k, namespace, name, kind, data, o)
	})
}

func (m *mortal) Delete(ctx context.Context, k cluster.Mapping, namespace, name string, o cluster.DeleteOptions) error {
	return m.write(func() error { return m.Cluster.Delete(ctx, k, namespace, name, o) })
}

func (m *mortal) Remove(ctx context.Context, k cluster.Mapping, namespace, name string, o cluster.DeleteOptions) (gone bool, err error) {
	err = m.write(func() error { gone, err = m.Cluster.Remove(ctx, k, namespace, name, o); return err })
	return gone, err
}

// kill runs work by a service that is killed at a write; it reports false when the work
// ended before that.
func (w *world) kill(at int64, behind bool, work func(ctx context.Context, s *Service) error) bool {
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	m := &mortal{Cluster: w.client, at: at, behind: behind, die: cancel}
	err := work(ctx, &Service{Cluster: m, Limit: time.Minute})
	if m.writes.Load() < at {
		require.NoError(w.t, err)
		return false
	}
	return true
}

// TestKilledAtAnyWrite of an installation, an upgrade or an uninstallation: the next
// call converges, and what any of them made is gone with the release.
func TestKilledAtAnyWrite(t *testing.T) {
	w := newWorld(t)
	first := configMap("d8a-shop-a", "") + configMap("d8a-shop-b", "")
	second := configMap("d8a-shop-b", "x: word") + configMap("d8a-shop-c", "")
	third := configMap("d8a-shop-d", "")
	upgradeTo := func(text string) func(context.Context, *Service) error {
		return func(ctx context.Context, s *Service) error {
			_, err := s.Upgrade(ctx, w.request(text))
			return err
		}
	}
	steps := map[string]struct {
		before string
		work   func(context.Context, *Service) error
	}{
		"install":   {"", upgradeTo(first)},
		"upgrade":   {first, upgradeTo(second)},
		"uninstall": {first, func(ctx context.Context, s *Service) error { return s.Uninstall(ctx, w.ns, "shop", nil) }},
	}
	for _, name := range []string{"install", "upgrade", "uninstall"} {
		killed := 0
		for at := int64(1); ; at++ {
			behind := at%2 == 0
			if steps[name].before != "" {
				w.upgrade(steps[name].before)
			}
			more := w.kill(at, behind, steps[name].work)
			if name != "uninstall" || at%3 == 0 {
				w.upgrade(third)
				assert.Equal(t, "d8a-shop-d", w.configMaps(), "%s, killed at write %d", name, at)
				assert.True(t, latest(w.history()).Deployed())
			}
			w.uninstall()
			assert.Empty(t, w.configMaps(), "%s, killed at write %d", name, at)
			assert.Empty(t, w.history())
			if !more {
				break
			}
			killed++
		}
		assert.Greater(t, killed, 2, name)
	}
}

// configMaps names those of the application.
func (w *world) configMaps() string {
	list, err := w.client.List(w.t.Context(), w.mapping("v1", "ConfigMap"), cluster.ListOptions{Namespace: w.ns})
	require.NoError(w.t, err)
	out := ""
	for _, u := range list {
		if u.GetName() != "kube-root-ca.crt" {
			out += fmt.Sprint(u.GetName())
		}
	}
	return out
}
