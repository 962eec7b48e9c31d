package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// fakeCluster keeps objects in memory and answers as scripted. It knows
// preconditions, finalizers and watches; what an API server decides beyond that
// is tested against a real one.
type fakeCluster struct {
	mu      sync.Mutex
	objects map[string]*unstructured.Unstructured
	version int
	watches []*fakeWatch
	calls   []string
	// refuse, if set, may fail a call: verb and object in, error out.
	refuse func(call string) error
	// touch, if set, changes an object when it is applied, as controllers and
	// admission would, before it is answered.
	touch func(u *unstructured.Unstructured)
	// delay is how long every write takes.
	delay       time.Duration
	inFlight    int
	mostAtOnce  int
	invalidated int
	bodies      []map[string]any
	options     []cluster.ApplyOptions
	deletes     []cluster.DeleteOptions
	// outspoken: answers to deletions say that an object is gone.
	outspoken bool
}

type fakeWatch struct {
	*watch.FakeWatcher
	cluster   *fakeCluster
	mapping   cluster.Mapping
	namespace string
	options   cluster.ListOptions
	stopped   bool
}

func newFakeCluster() *fakeCluster {
	return &fakeCluster{objects: map[string]*unstructured.Unstructured{}}
}

func keyOf(m cluster.Mapping, namespace, name string) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s/%s", m.GVK.Kind, namespace, name))
}

// called notes a call and gives the scripted refusal.
func (f *fakeCluster) called(call string) error {
	f.calls = append(f.calls, call)
	if f.refuse == nil {
		return nil
	}
	return f.refuse(call)
}

// enter counts a write in flight and lets it take its time.
func (f *fakeCluster) enter(ctx context.Context) error {
	f.mu.Lock()
	f.inFlight++
	f.mostAtOnce = max(f.mostAtOnce, f.inFlight)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.inFlight--
		f.mu.Unlock()
	}()
	if f.delay == 0 {
		return nil
	}
	if context.Cause(ctx) != nil {
		return context.Cause(ctx)
	}
	answer := time.After(f.delay)
	select {
	case <-answer:
		return nil
	case <-ctx.Done():
	}
	// As the real client, which lets a write on its way have its answer.
	select {
	case <-answer:
		return nil
	case <-time.After(fakeGrace):
		return &cluster.ErrOutcomeUnknown{Err: context.Cause(ctx)}
	}
}

const fakeGrace = 5 * time.Second

func (f *fakeCluster) Mapping(_ context.Context, gk schema.GroupKind, version string) (cluster.Mapping, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called("map " + gk.Kind); err != nil {
		return cluster.Mapping{}, err
	}
	return mappingOf(gk.WithVersion(version)), nil
}

func (f *fakeCluster) InvalidateDiscovery() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.invalidated++
}

func (f *fakeCluster) Get(_ context.Context, m cluster.Mapping, namespace, name string) (*unstructured.Unstructured, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called("get " + keyOf(m, namespace, name)); err != nil {
		return nil, err
	}
	u, ok := f.objects[keyOf(m, namespace, name)]
	if !ok {
		return nil, notFound(m, name)
	}
	return u.DeepCopy(), nil
}

func notFound(m cluster.Mapping, name string) error {
	return apierrors.NewNotFound(m.GVR.GroupResource(), name)
}

func (f *fakeCluster) List(_ context.Context, m cluster.Mapping, o cluster.ListOptions) ([]*unstructured.Unstructured, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called("list " + m.GVK.Kind + " " + o.Namespace + " " + o.LabelSelector + o.FieldSelector); err != nil {
		return nil, err
	}
	var out []*unstructured.Unstructured
	for _, key := range slices.Sorted(maps.Keys(f.objects)) {
		u := f.objects[key]
		uid := strings.TrimPrefix(o.FieldSelector, "involvedObject.uid=")
		involved, _, _ := unstructured.NestedString(u.Object, "involvedObject", "uid")
		if u.GetKind() == m.GVK.Kind && u.GetNamespace() == o.Namespace && (o.FieldSelector == "" || uid == involved) {
			out = append(out, u.DeepCopy())
		}
	}
	return out, nil
}

func (f *fakeCluster) Watch(ctx context.Context, m cluster.Mapping, namespace string, o cluster.ListOptions) (watch.Interface, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called(strings.TrimSpace("watch " + m.GVK.Kind + " " + namespace + " " + o.LabelSelector)); err != nil {
		return nil, err
	}
	w := &fakeWatch{FakeWatcher: watch.NewFakeWithChanSize(1000, false), cluster: f, mapping: m, namespace: namespace, options: o}
	f.watches = append(f.watches, w)
	for _, u := range f.objects {
		w.offer(watch.Added, u)
	}
	context.AfterFunc(ctx, w.Stop)
	return w, nil
}

// Stop ends the watch; nothing is offered to it any more.
func (w *fakeWatch) Stop() {
	w.cluster.mu.Lock()
	defer w.cluster.mu.Unlock()
	w.end()
}

func (w *fakeWatch) end() {
	if !w.stopped {
		w.stopped = true
		w.FakeWatcher.Stop()
	}
}

func (w *fakeWatch) offer(t watch.EventType, u *unstructured.Unstructured) {
	if !w.stopped && u.GetKind() == w.mapping.GVK.Kind && (w.namespace == "" || u.GetNamespace() == w.namespace) {
		w.Action(t, u.DeepCopy())
	}
}

func (f *fakeCluster) tell(t watch.EventType, u *unstructured.Unstructured) {
	for _, w := range f.watches {
		w.offer(t, u)
	}
}

// cutWatches ends all watches, as a restarted server does.
func (f *fakeCluster) cutWatches() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range f.watches {
		w.end()
	}
	f.watches = nil
}

func (f *fakeCluster) Apply(ctx context.Context, m cluster.Mapping, body map[string]any, o cluster.ApplyOptions) (*unstructured.Unstructured, error) {
	if err := f.enter(ctx); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	sent := (&unstructured.Unstructured{Object: body}).DeepCopy()
	key := keyOf(m, sent.GetNamespace(), sent.GetName())
	f.bodies, f.options = append(f.bodies, sent.Object), append(f.options, o)
	if err := f.called("apply " + key); err != nil {
		return nil, err
	}
	live := f.objects[key]
	if err := preconditions(m, sent, live); err != nil {
		return nil, err
	}
	if live == nil {
		live = f.fresh()
	}
	return f.store(key, merged(live, sent)).DeepCopy(), nil
}

// preconditions are those of the server: a uid of something that is not there is
// a conflict.
func preconditions(m cluster.Mapping, sent, live *unstructured.Unstructured) error {
	gone := live == nil && sent.GetUID() != ""
	other := live != nil && sent.GetUID() != "" && sent.GetUID() != live.GetUID()
	newer := live != nil && sent.GetResourceVersion() != "" && sent.GetResourceVersion() != live.GetResourceVersion()
	if gone || other || newer {
		return conflict(m, sent.GetName())
	}
	return nil
}

func conflict(m cluster.Mapping, name string) error {
	return apierrors.NewConflict(m.GVR.GroupResource(), name, errors.New("the object has been modified"))
}

func (f *fakeCluster) fresh() *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetUID(types.UID("uid-" + strconv.Itoa(f.version+1)))
	u.SetCreationTimestamp(metav1.Now())
	return u
}

// merged lays a body over an object and counts the generation.
func merged(live, sent *unstructured.Unstructured) *unstructured.Unstructured {
	out := live.DeepCopy()
	meta, _ := out.Object["metadata"].(map[string]any)
	for k, v := range sent.Object {
		if k != "metadata" {
			out.Object[k] = v
		}
	}
	more, _ := sent.Object["metadata"].(map[string]any)
	maps.Copy(meta, more)
	out.Object["metadata"] = meta
	if live.GetUID() != "" {
		out.SetUID(live.GetUID())
	}
	if !object.Equal(live.Object["spec"], out.Object["spec"]) || out.GetGeneration() == 0 {
		out.SetGeneration(out.GetGeneration() + 1)
	}
	return out
}

// store gives an object a new version, lets touch have its way, and tells watches.
func (f *fakeCluster) store(key string, u *unstructured.Unstructured) *unstructured.Unstructured {
	kind := watch.Modified
	if f.objects[key] == nil {
		kind = watch.Added
	}
	if f.touch != nil {
		f.touch(u)
	}
	f.version++
	u.SetResourceVersion(strconv.Itoa(f.version))
	f.objects[key] = u
	f.tell(kind, u)
	return u
}

func (f *fakeCluster) Patch(_ context.Context, m cluster.Mapping, namespace, name string, kind types.PatchType, data []byte, o cluster.WriteOptions) (*unstructured.Unstructured, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called(strings.TrimSpace(fmt.Sprintf("patch %s %s %s", o.Subresource, keyOf(m, namespace, name), kind))); err != nil {
		return nil, err
	}
	live := f.objects[keyOf(m, namespace, name)]
	if live == nil {
		return nil, notFound(m, name)
	}
	out := live.DeepCopy()
	if kind == types.MergePatchType {
		var patch map[string]any
		if err := json.Unmarshal(data, &patch); err != nil {
			return nil, err
		}
		maps.Copy(out.Object, patch)
	}
	return f.store(keyOf(m, namespace, name), out).DeepCopy(), nil
}

func (f *fakeCluster) Remove(ctx context.Context, m cluster.Mapping, namespace, name string, o cluster.DeleteOptions) (gone bool, err error) {
	if err := f.enter(ctx); err != nil {
		return false, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	key := keyOf(m, namespace, name)
	f.deletes = append(f.deletes, o)
	if err := f.called("delete " + key); err != nil {
		return false, err
	}
	live := f.objects[key]
	switch {
	case live == nil:
		return false, notFound(m, name)
	case o.UID != "" && o.UID != live.GetUID(), o.ResourceVersion != "" && o.ResourceVersion != live.GetResourceVersion():
		return false, conflict(m, name)
	case len(live.GetFinalizers()) > 0:
		now := metav1.Now()
		live.SetDeletionTimestamp(&now)
		f.store(key, live)
	default:
		f.drop(key)
		return f.outspoken, nil
	}
	return false, nil
}

func (f *fakeCluster) drop(key string) {
	u := f.objects[key]
	delete(f.objects, key)
	f.version++
	u.SetResourceVersion(strconv.Itoa(f.version))
	f.tell(watch.Deleted, u)
}

// put makes or replaces an object behind the run's back.
func (f *fakeCluster) put(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{Object: load(t, text).Body}
	f.mu.Lock()
	defer f.mu.Unlock()
	key := keyOf(mappingOf(u.GroupVersionKind()), u.GetNamespace(), u.GetName())
	live := f.objects[key]
	if live == nil {
		live = f.fresh()
	}
	return f.store(key, merged(live, u)).DeepCopy()
}

// change edits an object behind the run's back.
func (f *fakeCluster) change(key string, edit func(*unstructured.Unstructured)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	u := f.objects[key].DeepCopy()
	edit(u)
	f.store(key, u)
}

func (f *fakeCluster) remove(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(key)
}

func (f *fakeCluster) has(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.objects[key] != nil
}

// count tells how many calls begin with a prefix.
func (f *fakeCluster) count(prefix string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	count := 0
	for _, call := range f.calls {
		if strings.HasPrefix(call, prefix) {
			count++
		}
	}
	return count
}

// matching lists calls with one of the prefixes, in order.
func (f *fakeCluster) matching(prefixes ...string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for _, call := range f.calls {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(call, p) }) {
			out = append(out, call)
		}
	}
	return out
}

// mappingOf guesses a resource from a kind, well enough for a fake.
func mappingOf(gvk schema.GroupVersionKind) cluster.Mapping {
	namespaced := !slices.Contains([]string{"Namespace", "CustomResourceDefinition", "ClusterRole", "StorageClass"}, gvk.Kind)
	return cluster.Mapping{GVK: gvk, GVR: gvk.GroupVersion().WithResource(strings.ToLower(gvk.Kind) + "s"), Namespaced: namespaced}
}

func load(t testing.TB, text string) object.Object {
	t.Helper()
	set, err := object.Load(strings.NewReader(text), "test.yaml")
	require.NoError(t, err)
	require.Len(t, set.Objects, 1)
	return set.Objects[0]
}

// creates plans documents as new objects of manifest m.
func creates(t testing.TB, text string) []*plan.Object {
	t.Helper()
	set, err := object.Load(strings.NewReader(text), "test.yaml")
	require.NoError(t, err)
	var out []*plan.Object
	for _, o := range set.Objects {
		gvk, ref := o.GVK(), o.Ref()
		out = append(out, &plan.Object{
			Manifest: "m", Ref: ref, Desired: o, Send: o.Body, Op: plan.OpCreate, ContentHash: strings.Repeat("a", 64),
			Key:     state.Key{Manifest: "m", Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Namespace: ref.Namespace, Name: ref.Name},
			Mapping: mappingOf(gvk), MappingKnown: true,
		})
	}
	return out
}

// over plans one document over what the fake has.
func (f *fakeCluster) over(t testing.TB, op plan.Op, text string) *plan.Object {
	t.Helper()
	o := creates(t, text)[0]
	f.mu.Lock()
	defer f.mu.Unlock()
	live := f.objects[keyOf(o.Mapping, o.Ref.Namespace, o.Ref.Name)]
	require.NotNil(t, live, "nothing live of %s", o.Ref)
	o.Op, o.Live, o.UID, o.ResourceVersion = op, live.DeepCopy().Object, live.GetUID(), live.GetResourceVersion()
	if op == plan.OpDelete {
		o.Desired, o.Send = object.Object{}, nil
	}
	return o
}

// fakeSession notes what a record is told.
type fakeSession struct {
	mu      sync.Mutex
	dead    error
	ahead   []state.Key
	applied map[string]state.Entry
	removed []string
	saves   []bool
	failing error
	// hangs makes a save wait for the end of its context.
	hangs bool
	// steps, if set, is where sessions note what they are told, in order.
	steps *[]string
}

func newFakeSession() *fakeSession { return &fakeSession{applied: map[string]state.Entry{}} }

func (s *fakeSession) Alive() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dead
}

func (s *fakeSession) WriteAhead(_ context.Context, wanted []state.Key) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ahead = wanted
	s.note("ahead", wanted...)
	return s.failing
}

func (s *fakeSession) Applied(e state.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.applied[e.Key.Ref().String()] = e
}

func (s *fakeSession) Removed(k state.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removed = append(s.removed, k.Ref().String())
	s.note("removed", k)
}

func (s *fakeSession) note(what string, keys ...state.Key) {
	if s.steps != nil {
		for _, k := range keys {
			*s.steps = append(*s.steps, what+" "+k.Manifest+" "+k.Name)
		}
	}
}

func (s *fakeSession) Save(ctx context.Context, final bool, _ state.Metadata) error {
	if s.hangs {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saves = append(s.saves, final)
	return errors.Join(s.failing, ctx.Err())
}

// harness runs one plan against the fakes.
type harness struct {
	t       testing.TB
	cluster *fakeCluster
	session *fakeSession
	exec    *Executor
	events  []Event
}

func newHarness(t testing.TB) *harness {
	h := &harness{t: t, cluster: newFakeCluster(), session: newFakeSession()}
	h.exec = &Executor{
		Client: h.cluster, Sessions: map[string]Session{"m": h.session}, Policy: DefaultPolicy(false),
		Events: func(e Event) { h.events = append(h.events, e) },
	}
	return h
}

func (h *harness) run(objects ...*plan.Object) Result { return h.runIn(h.t.Context(), objects...) }

func (h *harness) runIn(ctx context.Context, objects ...*plan.Object) Result {
	h.t.Helper()
	result, err := h.try(ctx, objects...)
	require.NoError(h.t, err)
	return result
}

func (h *harness) try(ctx context.Context, objects ...*plan.Object) (Result, error) {
	h.t.Helper()
	g, err := plan.Order(objects, nil)
	require.NoError(h.t, err)
	return h.exec.Run(ctx, &plan.Plan{Objects: objects, Manifests: []plan.Manifest{{Name: "m"}}}, g)
}

// told lists the events about one object, without Started.
func (h *harness) told(name string) []string {
	var out []string
	for _, e := range h.events {
		if e.Name == name && e.Type != EventStarted {
			out = append(out, strings.TrimSuffix(fmt.Sprintf("%s: %s", e.Type, e.Reason), ": "))
		}
	}
	return out
}

// outcomes maps names to outcomes.
func outcomes(r Result) map[string]Outcome {
	out := map[string]Outcome{}
	for _, o := range r.Objects {
		out[o.Ref.Name] = o.Outcome
	}
	return out
}

func of(r Result, name string) ObjectResult {
	for _, o := range r.Objects {
		if o.Ref.Name == name {
			return o
		}
	}
	return ObjectResult{}
}

// serverError is an answer with a code and a message.
func serverError(code int32, reason metav1.StatusReason, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: "Failure", Code: code, Reason: reason, Message: message}}
}

func fieldConflict(fields ...string) error {
	status := metav1.Status{Status: "Failure", Code: http.StatusConflict, Reason: metav1.StatusReasonConflict, Message: "Apply failed with conflicts", Details: &metav1.StatusDetails{}}
	for _, field := range fields {
		status.Details.Causes = append(status.Details.Causes, metav1.StatusCause{
			Type: metav1.CauseTypeFieldManagerConflict, Message: `conflict with "operator" using v1`, Field: field,
		})
	}
	return &apierrors.StatusError{ErrStatus: status}
}
