package plan

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// Memo remembers objects that were found to be as wanted; see package memo. Its
// proofs are those of Planner.Proof and begin with the input key.
type Memo interface {
	Equal(uid, resourceVersion, proof string) bool
	Knows(uid, inputKey string) bool
	Remember(uid, resourceVersion, proof string)
}

// Proof is what the record keeps of an object that is live as the files want it, so
// that a later run need not look at it again; empty where it isn't, where only the
// server could tell, or where differences are hidden, which are counted in each run. It stands for our side, see inputKey, and for the metadata
// of the live object.
func (p Planner) Proof(o *Object, live map[string]any) string {
	key := p.inputKey(o)
	if key == "" || o.again == nil || len(o.Hidden) > 0 || !o.again.proven && !asSent(o, live) {
		return ""
	}
	if state, _ := stateOf(o, live, p.Policy.Rules); state != stateOK {
		return "" // that it isn't ready is to be seen in the next run too
	}
	return key + stamp(live)
}

// asSent reports whether a live object has what was sent, nothing that the server
// or a webhook put in its place, and nothing that only a dry-run could judge.
func asSent(o *Object, live map[string]any) bool {
	sent := comparable(o.Send)
	c := compare(sent, sent, comparable(live), o.again.schema, !object.BuiltIn(o.Ref.Group), nil)
	return len(c.findings) == 0 && !c.suspect
}

// stamp is the fingerprint of metadata that changes with every other write: a
// cluster that was restored from a backup gives the same resourceVersions again. It
// holds no annotations, which may be secret.
func stamp(live map[string]any) string {
	u := unstructured.Unstructured{Object: live}
	text := fmt.Appendf(nil, "%d %s\n", u.GetGeneration(), u.GetCreationTimestamp().UTC())
	managers, _, _ := unstructured.NestedFieldNoCopy(live, "metadata", "managedFields")
	list, _ := managers.([]any)
	for _, entry := range list {
		e, _ := entry.(map[string]any)
		text = fmt.Appendf(text, "%q %q %q %q\n", e["manager"], e["operation"], e["subresource"], e["time"])
	}
	sum := sha256.Sum256(text)
	return "-" + hex.EncodeToString(sum[:8])
}

// inputKey is the fingerprint of everything beside the live object that a verdict
// depends on: the object's content, the rules, this program and the circumstances.
// Empty: not known.
func (p Planner) inputKey(o *Object) string {
	if o.ContentHash == "" || p.Circumstances == "" || o.again != nil && o.again.schemaUnknown {
		return ""
	}
	status, err := object.EncodeJSON(o.Desired.Body["status"]) // not part of the content hash
	if err != nil {
		return ""
	}
	text := fmt.Appendf(nil, "%s\n%s\n%s\n%s\n%s\n%s", o.ContentHash, status, o.Mapping.GVK, p.Policy.digest(), p.ToolVersion, p.Circumstances)
	if w := o.again; w != nil {
		text = fmt.Appendf(text, "\n%t\n%s", w.scaled, w.schemaVersion)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// noteSchema notes what the verdict about a recorded custom resource also depends
// on. The schemas of built-in kinds change with the server alone.
func (p Planner) noteSchema(ctx context.Context, w *wanted, in Input) {
	if in.Record == nil || object.BuiltIn(w.out.Ref.Group) {
		return
	}
	version, err := p.Cluster.SchemaVersion(ctx, w.out.Mapping.GVK.GroupVersion())
	w.schemaVersion, w.schemaUnknown = version, err != nil
}

// digest changes whenever the policy may judge an object differently.
func (p Policy) digest() string {
	rules := ""
	if p.Rules != nil {
		rules = p.Rules.Digest()
	}
	return fmt.Sprintf("%s %t %t %t %v %s", p.FieldManager, p.ForceConflicts, p.AdoptApplied, p.DropKappLabels, p.Excluded, rules)
}

// Untouched reports, from the metadata of a live object, that nobody has written it
// since the record saw it as wanted, whatever the rules are by now. It is false where
// the record doesn't know, and of custom resources, which the server reads by the
// schema of today.
func Untouched(e state.Entry, meta *unstructured.Unstructured) bool {
	if meta == nil || meta.GetDeletionTimestamp() != nil || !object.BuiltIn(e.Key.Group) {
		return false
	}
	_, mark, proven := strings.Cut(e.InputKey, "-")
	return proven && e.ContentHash != "" && e.UID == string(meta.GetUID()) && e.ResourceVersion == meta.GetResourceVersion() && "-"+mark == stamp(meta.Object)
}

// provable reports whether metadata alone may show that an object is as wanted:
// the record or the memo has seen it as such for this very input. Whether they
// saw the version that is live now is for proven to say.
func (p Planner) provable(w *wanted) bool {
	if p.Refresh || w.out.Op == OpError {
		return false
	}
	key := p.inputKey(w.out)
	if key == "" || !w.recorded || w.entry.UID == "" || w.entry.ContentHash != w.out.ContentHash || w.entry.Awaited {
		return false
	}
	if strings.HasPrefix(w.entry.InputKey, key) && !w.out.Mapping.HasStatus() {
		return true
	}
	return p.Memo != nil && p.Memo.Knows(w.entry.UID, key)
}

// proven reports whether the object is as wanted, from its metadata alone: it
// is the same object at the same version as when that was last seen, and the same
// files were applied last.
func (p Planner) proven(w *wanted, meta *unstructured.Unstructured) bool {
	if meta == nil || meta.GetDeletionTimestamp() != nil || p.Refresh {
		return false
	}
	key, uid, version := p.inputKey(w.out), string(meta.GetUID()), meta.GetResourceVersion()
	if key == "" || !w.recorded || w.entry.UID != uid || w.entry.ContentHash != w.out.ContentHash || w.entry.Awaited {
		return false
	}
	proof := key + stamp(meta.Object)
	if w.entry.InputKey == proof && w.entry.ResourceVersion == version {
		return true
	}
	return p.Memo != nil && p.Memo.Equal(uid, version, proof)
}

// remember notes an object that was found to be as wanted.
func (p Planner) remember(w *wanted) {
	o := w.out
	if p.Memo == nil || o.Op != OpNone || len(o.Hidden) > 0 || o.UID == "" || o.Unverified != "" || o.Err != nil {
		return
	}
	if state, _ := stateOf(o, o.Live, p.Policy.Rules); state != stateOK {
		return // that it isn't ready is to be seen in the next run too
	}
	if key := p.inputKey(o); key != "" {
		p.Memo.Remember(string(o.UID), o.ResourceVersion, key+stamp(o.Live))
	}
}
