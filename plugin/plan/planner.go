package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// Reader is what planning asks of a cluster. Apply, Create, Update and Patch are only
// called as dry-run.
type Reader interface {
	Mapping(ctx context.Context, gk schema.GroupKind, version string) (cluster.Mapping, error)
	List(ctx context.Context, m cluster.Mapping, o cluster.ListOptions) ([]*unstructured.Unstructured, error)
	Get(ctx context.Context, m cluster.Mapping, namespace, name string) (*unstructured.Unstructured, error)
	Schema(ctx context.Context, gvk schema.GroupVersionKind) (*cluster.Schema, error)
	SchemaVersion(ctx context.Context, gv schema.GroupVersion) (string, error)
	Apply(ctx context.Context, m cluster.Mapping, body map[string]any, o cluster.ApplyOptions) (*unstructured.Unstructured, error)
	Patch(ctx context.Context, m cluster.Mapping, namespace, name string, kind types.PatchType, data []byte, o cluster.WriteOptions) (*unstructured.Unstructured, error)
	Create(ctx context.Context, m cluster.Mapping, body map[string]any, o cluster.WriteOptions) (*unstructured.Unstructured, error)
	Update(ctx context.Context, m cluster.Mapping, body map[string]any, o cluster.WriteOptions) (*unstructured.Unstructured, error)
	Rehearses(ctx context.Context, gvk schema.GroupVersionKind) (bool, error)
	Context() cluster.ContextInfo
}

// Input is one built manifest with its record. Record is nil where there is
// none to compare with: then nothing is called removed.
type Input struct {
	Manifest         string
	Objects          []object.Object
	Record           *state.Record
	DefaultNamespace string
	// Unselected manifests are not part of the run. They are here so that an
	// object that moved to them is not taken for removed.
	Unselected bool
	// Project names the file; empty for none.
	Project string
	// Authoritative says that the source of the objects decides on every run, as
	// that of generated Secrets does: other managers' values are taken over, and
	// what the server refuses to change is replaced.
	Authoritative bool
	// Marks are annotations, other than those of the record itself, by which objects
	// show that an earlier apply of the manifest made them: of a release its name. nil
	// for none.
	Marks map[string]string
	// Refused are objects that are not to be written, and why: another manifest has them.
	Refused map[object.Ref]string
	// Versions is filled in by Planner.WithVersions.
	Versions Versions
}

// Planner makes plans. It never writes.
type Planner struct {
	Cluster Reader
	Policy  Policy
	Hasher  object.Hasher
	// Concurrency bounds the requests in flight; 0 means 16.
	Concurrency int
	// ToolVersion is part of what a verdict depends on.
	ToolVersion string
	// Circumstances are those of the cluster, see the function; empty where they
	// are not known: then every object is looked at, and nothing is proven.
	Circumstances string
	// Memo remembers verdicts between runs; nil remembers nothing.
	Memo Memo
	// Claims tells which other record lists an object; nil asks nobody.
	Claims Claims
	// Refresh believes neither records nor memo and looks at every object.
	Refresh bool
	// KeepEvidence keeps with each object what Plan.Explain and Plan.WriteUnchanged look
	// at. It is the greater part of a large plan's memory.
	KeepEvidence bool
	// DryRunCreates also asks the server about objects that don't exist yet.
	DryRunCreates bool
}

// Plan compares the inputs with their records and the cluster.
func (p Planner) Plan(ctx context.Context, inputs []Input) (*Plan, error) {
	out := &Plan{Context: p.Cluster.Context(), rules: p.Policy.Rules}
	items, err := p.collect(ctx, inputs)
	if err != nil {
		return nil, err
	}
	if err := p.hashAll(items.wanted); err != nil {
		return nil, err
	}
	found, err := p.readLive(ctx, items)
	if err != nil {
		return nil, err
	}
	if err := p.each(ctx, len(items.wanted), func(i int) error {
		return p.decideObject(ctx, items.wanted[i], found)
	}); err != nil {
		return nil, err
	}
	for _, w := range items.wanted {
		out.Objects = append(out.Objects, w.out)
	}
	p.conclude(ctx, out, inputs, items, found)
	p.noteLosses(ctx, out)
	out.Warnings = append(out.Warnings, items.warnings...)
	out.checkOrder()
	return out, nil
}

// Replan reads one object again and decides anew: for a write that met a newer
// version of the object.
func (p Planner) Replan(ctx context.Context, old *Object) (*Object, error) {
	if !old.MappingKnown {
		return nil, fmt.Errorf("plan %s again: its kind is not served yet", old.Ref)
	}
	live, err := p.getOne(ctx, old.Mapping, old.Ref)
	if err != nil {
		return nil, fmt.Errorf("plan %s again: %w", old.Ref, err)
	}
	w := old.again
	if w == nil {
		return nil, fmt.Errorf("plan %s again: it was not planned from files", old.Ref)
	}
	fresh := *w
	fresh.proven = false
	fresh.out = &Object{
		Manifest: old.Manifest, Ref: old.Ref, Key: old.Key, Mapping: old.Mapping, MappingKnown: true,
		Desired: old.Desired, ContentHash: old.ContentHash, Strategy: old.Strategy, again: w, hidden: old.hidden, Awaited: old.Awaited,
	}
	found := liveSet{}
	if live != nil {
		found[old.Ref] = live
	}
	if err := p.decideObject(ctx, &fresh, found); err != nil {
		return nil, err
	}
	return fresh.out, nil
}

// wanted is one built object on its way to a decision.
type wanted struct {
	out      *Object
	entry    state.Entry
	recorded bool
	label    string
	// tracked: there is a record, in which the object is or will be.
	tracked bool
	schema  *cluster.Schema
	// proven: metadata alone showed that the object is as wanted.
	proven bool
	// run are the ApplySet labels of all manifests of the run.
	run map[string]bool
	// releases are the Helm releases that objects of the run belong to.
	releases *helmReleases
	// scaled: an autoscaler of the input sizes the object.
	scaled bool
	// newNamespace: its namespace is in the input.
	newNamespace bool
	// local: the CustomResourceDefinition of its kind is in the input.
	local bool
	// schemaVersion names the schema of a custom resource, by which the server
	// reads what it stored; schemaUnknown where it can't be asked for.
	schemaVersion string
	schemaUnknown bool
	// shown is the version before, where this one is new; shownEntry is its record.
	shown      object.Ref
	shownEntry state.Entry
}

// recordedOnly is an entry of a record that no file names any more.
type recordedOnly struct {
	manifest     string
	entry        state.Entry
	ref          object.Ref
	mapping      cluster.Mapping
	mappingKnown bool
	label        string // of the record's ApplySet
	marks        map[string]string
	unread       error  // the live object may not be read
	movedTo      string // the manifest that now wants the object
	waits        bool   // that manifest is not part of the run
	damaged      bool   // the record has entries that can't be read
	surplus      bool   // a version beyond the number to keep
	unserved     error
}

type items struct {
	wanted   []*wanted
	left     []*recordedOnly
	warnings []string
}

// collect maps every object and entry to the resource that serves it.
func (p Planner) collect(ctx context.Context, inputs []Input) (items, error) {
	var out items
	local, sized, namespaces := localKinds(inputs), scaled(inputs), localNamespaces(inputs)
	claimed := map[object.Ref][]Input{}
	run, releases := map[string]bool{}, &helmReleases{}
	for _, in := range inputs {
		label := partOf(in)
		run[label] = true
		for _, o := range in.Objects {
			claimed[o.Ref()] = append(claimed[o.Ref()], in)
			if in.Unselected {
				continue
			}
			w := p.newWanted(ctx, in, o, local)
			w.label, w.scaled, w.run, w.releases = label, sized[o.Ref()], run, releases
			w.newNamespace = namespaces[o.Namespace()]
			w.shown = in.Versions.shown[o.Ref()]
			w.shownEntry = shownEntry(in, w.shown)
			w.out.hidden = slices.Concat(w.entry.Hidden, w.shownEntry.Hidden)
			out.wanted = append(out.wanted, w)
		}
	}
	for _, in := range inputs {
		if in.Record == nil || in.Unselected {
			continue
		}
		for _, e := range lastFirst(in.Record.Entries) {
			ref := e.Key.Ref()
			if in.Versions.Keeps(ref) || slices.ContainsFunc(claimed[ref], func(by Input) bool { return by.Manifest == in.Manifest }) {
				continue
			}
			out.left = append(out.left, p.newLeft(ctx, in, e, claimed))
		}
	}
	return out, ctx.Err()
}

// partOf is the ApplySet label's value; plain diffs without a record have none.
func partOf(in Input) string {
	if in.Record == nil {
		return ""
	}
	return in.Record.ApplySetID()
}

func (p Planner) newWanted(ctx context.Context, in Input, o object.Object, local map[schema.GroupKind]bool) *wanted {
	gvk, ref := o.GVK(), o.Ref()
	w := &wanted{out: &Object{
		Manifest: in.Manifest, Ref: ref, Desired: o,
		Key: state.KeyOf(in.Manifest, o),
	}}
	w.out.again, w.local = w, local[gvk.GroupKind()]
	var unknown error
	w.tracked = in.Record != nil
	w.out.Strategy, unknown = p.Policy.strategyOf(o.Body)
	w.out.Strategy.Authoritative = in.Authoritative
	if in.Record != nil {
		w.entry, w.recorded = in.Record.Find(ref)
		w.out.Awaited = w.entry.Awaited
	}
	m, err := p.Cluster.Mapping(ctx, gvk.GroupKind(), gvk.Version)
	switch {
	case unknown != nil:
		w.out.Op, w.out.Err = OpError, fmt.Errorf("%s: %w", o.Origin, unknown)
	case err == nil && len(m.Verbs) > 0 && !m.Can("get"):
		w.out.Op, w.out.Err = OpError, fmt.Errorf("%s: the server keeps nothing of kind %s, it only answers one: it can't be applied", o.Origin, gvk.Kind)
	case err == nil:
		w.out.Mapping, w.out.MappingKnown = m, true
		p.noteSchema(ctx, w, in)
	case w.local:
		w.notServedYet()
	default:
		w.out.Op, w.out.Err = OpError, fmt.Errorf("%s: %w", o.Origin, err)
	}
	if much := overfull(o.Body); much != "" && w.out.Op != OpError {
		w.out.Op, w.out.Err = OpError, fmt.Errorf("%s: %s", o.Origin, much)
	}
	if reason, refused := in.Refused[ref]; refused && w.out.Op != OpError {
		w.out.Op, w.out.Reason, w.out.disputed = OpRefuse, reason, true
	}
	return w
}

func (p Planner) newLeft(ctx context.Context, in Input, e state.Entry, claimed map[object.Ref][]Input) *recordedOnly {
	left := &recordedOnly{manifest: in.Manifest, entry: e, ref: e.Key.Ref(), label: partOf(in), damaged: len(in.Record.Damaged) > 0}
	left.marks = in.Marks
	left.surplus = slices.Contains(in.Versions.surplus, left.ref)
	if to := claimed[left.ref]; len(to) > 0 {
		left.movedTo, left.waits = to[0].Manifest, to[0].Unselected
	}
	m, err := p.Cluster.Mapping(ctx, left.ref.GroupKind(), e.Key.Version)
	var none *cluster.ErrNoKind
	if errors.As(err, &none) && len(none.Served) > 0 {
		m, err = p.Cluster.Mapping(ctx, left.ref.GroupKind(), none.Served[0])
	}
	left.mapping, left.mappingKnown, left.unserved = m, err == nil, err
	if left.mappingKnown && !m.Namespaced {
		left.ref.Namespace = "" // the original tool gives cluster-scoped objects one
	}
	return left
}

// localKinds are the kinds whose CustomResourceDefinition is in the input.
func localKinds(inputs []Input) map[schema.GroupKind]bool {
	out := map[schema.GroupKind]bool{}
	for _, in := range inputs {
		for _, o := range in.Objects {
			if o.Ref().GroupKind() != crdKind {
				continue
			}
			group, _, _ := unstructured.NestedString(o.Body, "spec", "group")
			kind, _, _ := unstructured.NestedString(o.Body, "spec", "names", "kind")
			out[schema.GroupKind{Group: group, Kind: kind}] = true
		}
	}
	return out
}

// localNamespaces are those that the input has a Namespace for.
func localNamespaces(inputs []Input) map[string]bool {
	out := map[string]bool{}
	for _, in := range inputs {
		for _, o := range in.Objects {
			if o.Ref().GroupKind() == (schema.GroupKind{Kind: "Namespace"}) {
				out[o.Name()] = true
			}
		}
	}
	return out
}

// decideObject fills in the plan of one object.
func (p Planner) decideObject(ctx context.Context, w *wanted, found liveSet) error {
	o := w.out
	if o.Op == OpError || o.Op == OpRefuse {
		return nil
	}
	live := found[o.Ref]
	if w.proven {
		setLive(o, live)
		return nil
	}
	if o.Strategy.LeftAlone() {
		o.decideLeftAlone(live)
		return nil
	}
	if live == nil && p.hasFinished(w) {
		o.decideFinished()
		return nil
	}
	p.readSchema(ctx, w, live != nil)
	if live == nil {
		ready := p.makeReady(w, o.Notes)
		err := p.decideCreate(ctx, o, ready)
		p.showVersion(ctx, w, found, ready)
		return err
	}
	return p.decideExisting(ctx, w, live)
}

// makeReady prepares a built object and notes what it left out.
func (p Planner) makeReady(w *wanted, notes []string) prepared {
	o := w.out
	ready := prepare(o.Desired, o.Mapping, w.schema, w.label)
	o.Send, o.Notes = ready.send, append(slices.Clip(notes), ready.notes...)
	return ready
}

// rereads is how often an object is read again because somebody, mostly a
// controller, wrote it between our read and the dry-run.
const rereads = 5

// errMoved says that the object is no longer the one that was read.
var errMoved = errors.New("it was changed while it was compared")

func (p Planner) decideExisting(ctx context.Context, w *wanted, live *unstructured.Unstructured) error {
	o, notes := w.out, w.out.Notes
	for tries := 0; ; tries++ {
		setLive(o, live)
		if live.GetDeletionTimestamp() != nil {
			o.Op, o.Reason = OpBlocked, leaving(live)
			return nil
		}
		ready := p.makeReady(w, notes)
		err := p.decideUpdate(ctx, w, ready)
		switch {
		case err == nil:
			p.byStrategy(ctx, o, ready)
			p.remember(w)
			if !p.KeepEvidence {
				o.evidence = nil
			}
			return nil
		case !errors.Is(err, errMoved):
			return err
		case tries == rereads:
			o.Op, o.Err = OpError, fmt.Errorf("%s: %w", o.Desired.Origin, err)
			return nil
		}
		if live, err = p.getOne(ctx, o.Mapping, o.Ref); err != nil {
			return fmt.Errorf("read %s again: %w", o.Ref, err)
		}
		if live == nil {
			o.Live, o.UID, o.ResourceVersion, o.Created = nil, "", "", nil
			return p.decideCreate(ctx, o, p.makeReady(w, notes))
		}
	}
}

// hashAll computes the content hashes; an object of a masked kind has none
// while the key is not known.
func (p Planner) hashAll(list []*wanted) error {
	for _, w := range list {
		hash, err := p.Hasher.Content(w.out.Desired.Body)
		if err != nil && !errors.Is(err, object.ErrNoHashKey) {
			return fmt.Errorf("hash %s: %w", w.out.Ref, err)
		}
		w.out.ContentHash = hash
	}
	return nil
}

// readSchema fetches the schema where the comparison needs it: for objects that
// exist, and for the nulls of custom resources.
func (p Planner) readSchema(ctx context.Context, w *wanted, exists bool) {
	if w.schema != nil || !w.out.MappingKnown || !exists && object.BuiltIn(w.out.Ref.Group) {
		return
	}
	s, err := p.Cluster.Schema(ctx, w.out.Mapping.GVK)
	if err != nil {
		w.out.Notes = append(w.out.Notes, "compared by position: the schema of the kind can't be read: "+err.Error())
	}
	w.schema = s
}

func setLive(o *Object, live *unstructured.Unstructured) {
	o.Live, o.UID, o.ResourceVersion = live.Object, live.GetUID(), live.GetResourceVersion()
	if at := live.GetCreationTimestamp(); !at.IsZero() {
		created := at.Time
		o.Created = &created
	}
}

func (p Planner) decideCreate(ctx context.Context, o *Object, ready prepared) error {
	o.Op, o.Status, o.after = OpCreate, ready.status, ready.desired
	if n := o.Strategy.ReplicasOnCreation; n != nil {
		o.Send, o.after = with(o.Send, replicasPath(), *n), with(o.after, replicasPath(), *n)
	}
	if !p.DryRunCreates || !o.MappingKnown {
		return nil
	}
	result, err := p.rehearseCreate(ctx, o, o.Send)
	if err != nil {
		return p.dryRunFailed(ctx, o, ready, err)
	}
	_, o.after = restrict(nil, comparable(result.Object), ready.desired, nil, nil, false)
	return nil
}

// Unserved reports whether an object failed because its kind or version doesn't
// exist in the cluster.
func Unserved(err error) bool {
	var none *cluster.ErrNoKind
	return errors.As(err, &none)
}

// NeedsHashKey reports whether an object of the plan can't be hashed yet.
func (p *Plan) NeedsHashKey() bool {
	for _, o := range p.Objects {
		if o.Desired.Body != nil && o.ContentHash == "" && o.Err == nil {
			return true
		}
	}
	return false
}

// Rehash computes the content hashes anew, with a key that was just made.
func (p *Plan) Rehash(h object.Hasher) error {
	for _, o := range p.Objects {
		if o.Desired.Body == nil {
			continue
		}
		hash, err := h.Content(o.Desired.Body)
		if err != nil {
			return fmt.Errorf("hash %s: %w", o.Ref, err)
		}
		o.ContentHash = hash
	}
	return nil
}
