package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

const (
	versionMark = "-ver-"
	// versionsKept is how many versions stay when the object doesn't say.
	versionsKept = 5
)

// versioning is what a run does to versioned objects: those that never change but
// get a successor with another name, so that whoever refers to them changes too.
type versioning struct {
	// Objects are what is wanted, with names and references set, in the order of
	// the input; a copy under the plain name follows the object that asks for it.
	Objects []object.Object
	// Shown tells for each new version what its text diff is against.
	Shown map[object.Ref]object.Ref
	// Kept are earlier versions that stay as they are: members of the set, though
	// no file names them.
	Kept []object.Ref
	// Surplus are the oldest versions beyond the number to keep, the new one
	// counted: to delete once everything else has succeeded.
	Surplus []object.Ref
}

// sameAs reports whether an object is what exists under a reference; the object
// bears that name already. It is asked about the newest version only.
type sameAs func(wanted object.Object, existing object.Ref) (bool, error)

// versionName names one version of an object.
func versionName(base string, n int) string { return base + versionMark + strconv.Itoa(n) }

// splitVersion takes a name apart. A name whose last part is no number, as
// versionName writes them, is not that of a version.
func splitVersion(name string) (base string, n int, ok bool) {
	at := strings.LastIndex(name, versionMark)
	if at <= 0 {
		return name, 0, false
	}
	n, err := strconv.Atoi(name[at+len(versionMark):])
	if err != nil || n < 0 || versionName(name[:at], n) != name {
		return name, 0, false
	}
	return name[:at], n, true
}

// isVersion reports whether a live object is a version of something: it says so,
// and its name does.
func isVersion(body map[string]any) bool {
	_, _, ok := splitVersion(object.RefOf(body).Name)
	return ok && get(mapAt(body, "metadata", "annotations"), config.KappVersioned).ok
}

// planVersions plans the versioned objects of one manifest. existing are the objects
// that are ours and may be versions: the entries of the record, or what isVersion
// says of live objects; others may be among them.
//
// A version is taken to be unchanged until it differs from the newest existing
// one, which a changed reference to another version also makes it do, and so on.
func planVersions(objects []object.Object, existing []object.Ref, rules []config.TemplateRule, same sameAs) (versioning, error) {
	v := newVersioner(objects, existing)
	if err := v.firstNames(); err != nil {
		return versioning{}, err
	}
	for grown := true; grown; {
		var err error
		if v.out.Objects, err = v.named(rules); err != nil {
			return versioning{}, err
		}
		if grown, err = v.grow(same); err != nil {
			return versioning{}, err
		}
	}
	v.old()
	return v.out, nil
}

// versionedObject is one object of the input that gets versions.
type versionedObject struct {
	// at is the index in the input.
	at int
	// base is the reference with the plain name.
	base object.Ref
	// earlier are the numbers of existing versions, ascending.
	earlier []int
	// keep is the number of versions to keep.
	keep int
	// frozen objects get no new version.
	frozen bool
	// chosen is the number of the version that is wanted; isNew says that it
	// doesn't exist. A frozen object without versions has none.
	chosen int
	isNew  bool
}

func (o *versionedObject) ref(n int) object.Ref {
	ref := o.base
	ref.Name = versionName(ref.Name, n)
	return ref
}

// newest is the number of the newest existing version.
func (o *versionedObject) newest() (n int, ok bool) {
	if len(o.earlier) == 0 {
		return 0, false
	}
	return o.earlier[len(o.earlier)-1], true
}

// next chooses the version after all that exist.
func (o *versionedObject) next() {
	n, _ := o.newest()
	o.chosen, o.isNew = n+1, true
}

type versioner struct {
	objects   []object.Object
	existing  map[object.Ref]bool
	versioned []*versionedObject
	out       versioning
}

func newVersioner(objects []object.Object, existing []object.Ref) *versioner {
	v := &versioner{objects: objects, existing: map[object.Ref]bool{}}
	byBase := map[object.Ref][]int{}
	for _, ref := range existing {
		if v.existing[ref] {
			continue
		}
		v.existing[ref] = true
		if base, n, ok := splitVersion(ref.Name); ok {
			ref.Name = base
			byBase[ref] = append(byBase[ref], n)
		}
	}
	for i, o := range objects {
		if !isVersioned(o) {
			continue
		}
		base := o.Ref()
		base.Name, _, _ = splitVersion(base.Name)
		earlier := byBase[base]
		slices.Sort(earlier)
		v.versioned = append(v.versioned, &versionedObject{at: i, base: base, earlier: earlier})
	}
	return v
}

// isVersioned reports whether the files want versions of an object. One that
// somebody else makes has the name it has.
func isVersioned(o object.Object) bool {
	annotations := mapAt(o.Body, "metadata", "annotations")
	return get(annotations, config.KappVersioned).ok && !get(annotations, config.KappExists).ok
}

// firstNames takes every object for unchanged, and reads what it says of itself.
func (v *versioner) firstNames() error {
	bases := map[object.Ref]int{}
	for _, o := range v.versioned {
		from := v.objects[o.at]
		if other, twice := bases[o.base]; twice {
			return fmt.Errorf("%s: %s: versions of the same object come from %s too",
				from.Origin, from.Ref(), v.objects[other].Origin)
		}
		bases[o.base] = o.at
		var err error
		if o.keep, err = versionsToKeep(from); err != nil {
			return fmt.Errorf("%s: %s: %w", from.Origin, from.Ref(), err)
		}
		o.frozen = get(mapAt(from.Body, "metadata", "annotations"), config.KappNoop).ok
		var exists bool
		if o.chosen, exists = o.newest(); !exists && !o.frozen {
			o.next()
		}
	}
	return nil
}

func versionsToKeep(o object.Object) (int, error) {
	v := get(mapAt(o.Body, "metadata", "annotations"), config.KappNumVersions)
	if !v.ok {
		return versionsKept, nil
	}
	text, _ := v.v.(string)
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("annotation %s: wanted a number of at least 1, found %q", config.KappNumVersions, brief(text))
	}
	return n, nil
}

// named gives the objects of the input the names chosen so far, and sets the
// references of all of them.
func (v *versioner) named(rules []config.TemplateRule) ([]object.Object, error) {
	at := map[int]*versionedObject{}
	for _, o := range v.versioned {
		at[o.at] = o
	}
	r := newReferrer(v.versioned, v.objects, rules)
	var out []object.Object
	for i, from := range v.objects {
		set, err := r.set(from)
		if err != nil {
			return nil, err
		}
		o, versioned := at[i]
		if !versioned || !o.hasVersion() {
			out = append(out, set)
			continue
		}
		out = append(out, rename(set, o.ref(o.chosen).Name))
		if get(mapAt(from.Body, "metadata", "annotations"), config.KappKeepOriginal).ok {
			out = append(out, rename(set, o.base.Name))
		}
	}
	return out, nil
}

// hasVersion is false for a frozen object that has no version yet.
func (o *versionedObject) hasVersion() bool { return o.isNew || len(o.earlier) > 0 }

// rename returns the object under another name; the input stays untouched.
func rename(o object.Object, name string) object.Object {
	body := copyMap(o.Body)
	meta := copyMap(mapAt(body, "metadata"))
	meta["name"] = name
	body["metadata"] = meta
	return object.Object{Body: body, Origin: o.Origin}
}

// grow gives a new version to every object that differs from its newest one and
// reports whether there was any.
func (v *versioner) grow(same sameAs) (grown bool, err error) {
	byRef := map[object.Ref]object.Object{}
	for _, o := range v.out.Objects {
		byRef[o.Ref()] = o
	}
	for _, o := range v.versioned {
		if o.isNew || o.frozen {
			continue
		}
		ref := o.ref(o.chosen)
		equal, err := same(byRef[ref], ref)
		if err != nil {
			return false, fmt.Errorf("compare with the newest version %s: %w", ref, err)
		}
		if !equal {
			o.next()
			grown = true
		}
	}
	return grown, nil
}

// old decides about the versions before the wanted one.
func (v *versioner) old() {
	v.out.Shown = map[object.Ref]object.Ref{}
	for _, o := range v.versioned {
		if o.isNew {
			v.show(o)
		}
		earlier := slices.DeleteFunc(slices.Clone(o.earlier), func(n int) bool { return n == o.chosen })
		surplus := max(0, len(earlier)+1-o.keep)
		for i, n := range earlier {
			if i < surplus && !o.frozen {
				v.out.Surplus = append(v.out.Surplus, o.ref(n))
			} else {
				v.out.Kept = append(v.out.Kept, o.ref(n))
			}
		}
	}
}

// show finds what a new version is compared with for people: the newest one, or
// the object under its plain name from before it was versioned.
func (v *versioner) show(o *versionedObject) {
	if n, ok := o.newest(); ok {
		v.out.Shown[o.ref(o.chosen)] = o.ref(n)
	} else if v.existing[o.base] {
		v.out.Shown[o.ref(o.chosen)] = o.base
	}
}
