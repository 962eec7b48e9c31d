package chaos

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// hashes are content hashes, and those of Secrets' values, which are made under the
// cluster's key.
var hashes = regexp.MustCompile(`\b[0-9a-f]{64}\b`)

// snapshot is what a cluster holds of a world, with ID for its name, by object.
type snapshot struct {
	Objects map[string]string
	Entries map[string]string
}

// kinds are those of the files.
func (w *world) kinds() []schema.GroupVersionResource {
	return []schema.GroupVersionResource{
		{Version: "v1", Resource: "configmaps"},
		{Version: "v1", Resource: "secrets"},
		{Version: "v1", Resource: "services"},
		{Version: "v1", Resource: "serviceaccounts"},
		{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"},
		{Group: w.id + ".example", Version: "v1", Resource: "widgets"},
	}
}

// snapshot looks at everything. It also makes sure that nothing is locked, and that
// the record is whole and says of itself that its last run ended well.
func (w *world) snapshot(t *testing.T) snapshot {
	t.Helper()
	s := snapshot{Objects: map[string]string{}, Entries: map[string]string{}}
	for _, gvr := range w.kinds() {
		list, err := w.client.Resource(gvr).Namespace(w.id).List(t.Context(), metav1.ListOptions{})
		if apierrors.IsNotFound(err) {
			continue // the definition is not there
		}
		require.NoError(t, err)
		for i := range list.Items {
			w.add(t, &s, &list.Items[i])
		}
	}
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	crd, err := w.client.Resource(definitions).Get(t.Context(), "widgets."+w.id+".example", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		require.NoError(t, err)
		unstructured.RemoveNestedField(crd.Object, "status")
		w.add(t, &s, crd)
	}
	w.addRecord(t, &s)
	return s
}

func (w *world) add(t *testing.T, s *snapshot, u *unstructured.Unstructured) {
	t.Helper()
	ref := object.RefOf(u.Object)
	u.SetUID("")
	u.SetResourceVersion("")
	u.SetGeneration(0)
	u.SetCreationTimestamp(metav1.Time{})
	var owners []metav1.ManagedFieldsEntry
	for _, e := range u.GetManagedFields() {
		if e.Manager == "kube-apiserver" || e.Manager == "kube-controller-manager" {
			continue // what they note of a status comes when it comes
		}
		e.Time = nil
		owners = append(owners, e)
	}
	u.SetManagedFields(owners)
	if u.GetKind() == "Service" {
		unstructured.RemoveNestedField(u.Object, "spec", "clusterIP")
		unstructured.RemoveNestedField(u.Object, "spec", "clusterIPs")
	}
	s.Objects[w.anonymous(ref.String())] = w.text(t, u.Object)
}

// addRecord reads the record as our program does.
func (w *world) addRecord(t *testing.T, s *snapshot) {
	t.Helper()
	flags := cluster.Flags()
	flags.KubeConfig = &w.kubeconfig
	client, err := cluster.Connect(cluster.Options{Getter: flags, UserAgent: "chaos", FieldManager: "chaos"})
	require.NoError(t, err)
	store := &state.Store{Client: client}
	_, held, err := store.Holder(t.Context(), w.id)
	require.NoError(t, err)
	assert.False(t, held, "the lock is still there")
	record, err := store.Read(t.Context(), w.id)
	require.NoError(t, err)
	assert.Empty(t, record.Damaged)
	assert.Equal(t, state.ResultDone, record.LastRun.Result)
	assert.False(t, record.LastSyncedAt.IsZero())
	for _, e := range record.Entries {
		assert.NotEmpty(t, e.UID, "%s: which object it is", e.Key)
		s.Entries[w.anonymous(e.Key.String())] = w.text(t, map[string]any{"hash": e.ContentHash, "body": e.LastApplied()})
	}
}

func (w *world) text(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	require.NoError(t, err)
	return w.anonymous(string(data))
}

// anonymous takes the world's name out of a text, and the label made of it.
func (w *world) anonymous(text string) string {
	text = strings.ReplaceAll(text, state.ApplySetID(state.StateName(w.id), state.Namespace), "APPLYSET")
	return strings.ReplaceAll(text, w.id, "ID")
}

// requireEqual names what differs, and nothing else.
func (s snapshot) requireEqual(t *testing.T, want snapshot, when string) {
	t.Helper()
	require.Empty(t, append(differing("object", s.Objects, want.Objects), differing("entry", s.Entries, want.Entries)...), when)
}

func differing(what string, got, want map[string]string) []string {
	var out []string
	for name, text := range want {
		if got[name] != text {
			out = append(out, fmt.Sprintf("%s %s:\n  wanted %s\n  found  %s", what, name, text, got[name]))
		}
	}
	for name, text := range got {
		if _, ok := want[name]; !ok {
			out = append(out, fmt.Sprintf("%s %s was not to be there: %s", what, name, text))
		}
	}
	slices.Sort(out)
	return out
}

// hashless takes out what depends on names: two worlds have different ones.
func (s snapshot) hashless() snapshot {
	out := snapshot{Objects: s.Objects, Entries: map[string]string{}}
	for key, text := range s.Entries {
		out.Entries[key] = hashes.ReplaceAllString(text, "HASH")
	}
	return out
}
