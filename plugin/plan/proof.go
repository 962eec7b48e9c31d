package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Memo remembers objects that were found to be as wanted; see package memo.
type Memo interface {
	Equal(uid, resourceVersion, inputKey string) bool
	Knows(uid, inputKey string) bool
	Remember(uid, resourceVersion, inputKey string)
}

// InputKey is the fingerprint of everything on our side that a verdict depends
// on: the object's content, the rules and this program. Empty: not known.
func (p Planner) InputKey(o *Object) string {
	if o.ContentHash == "" {
		return ""
	}
	status, err := object.EncodeJSON(o.Desired.Body["status"]) // not part of the content hash
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%s\n%s", o.ContentHash, status, o.Mapping.GVK, p.Policy.digest(), p.ToolVersion))
	return hex.EncodeToString(sum[:16])
}

// digest changes whenever the policy may judge an object differently.
func (p Policy) digest() string {
	rules := ""
	if p.Rules != nil {
		rules = p.Rules.Digest()
	}
	return fmt.Sprintf("%s %t %t %t %v %s", p.FieldManager, p.ForceConflicts, p.AdoptApplied, p.DropKappLabels, p.Excluded, rules)
}

// provable reports whether metadata alone may show that an object is as wanted:
// the record or the memo has seen it as such for this very input. Whether they
// saw the version that is live now is for proven to say.
func (p Planner) provable(w *wanted) bool {
	if p.Refresh || w.out.Op == OpError {
		return false
	}
	key := p.InputKey(w.out)
	if key == "" || !w.recorded || w.entry.UID == "" {
		return false
	}
	if w.entry.InputKey == key && !w.out.Mapping.HasStatus() {
		return true
	}
	return p.Memo != nil && p.Memo.Knows(w.entry.UID, key)
}

// proven reports whether the object is as wanted, from its metadata alone: it
// is the same object at the same version as when that was last seen. Its
// managedFields prove nothing and are not looked at.
func (p Planner) proven(w *wanted, meta *unstructured.Unstructured) bool {
	if meta == nil || meta.GetDeletionTimestamp() != nil || p.Refresh {
		return false
	}
	key, uid, version := p.InputKey(w.out), string(meta.GetUID()), meta.GetResourceVersion()
	if key == "" || !w.recorded || w.entry.UID != uid {
		return false
	}
	if w.entry.InputKey == key && w.entry.ResourceVersion == version {
		return true
	}
	return p.Memo != nil && p.Memo.Equal(uid, version, key)
}

// remember notes an object that was found to be as wanted.
func (p Planner) remember(w *wanted) {
	o := w.out
	if p.Memo == nil || o.Op != OpNone || len(o.Hidden) > 0 || o.UID == "" || o.Unverified != "" || o.Err != nil {
		return
	}
	p.Memo.Remember(string(o.UID), o.ResourceVersion, p.InputKey(o))
}
