package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func TestSplitVersion(t *testing.T) {
	for name, want := range map[string]struct {
		base string
		n    int
	}{
		"q-ver-1":       {"q", 1},
		"q-ver-0":       {"q", 0},
		"q-ver-1234":    {"q", 1234},
		"q-ver-1-ver-2": {"q-ver-1", 2},
		"a.b-ver-7":     {"a.b", 7},
	} {
		base, n, ok := splitVersion(name)
		assert.True(t, ok, name)
		assert.Equal(t, want.base, base)
		assert.Equal(t, want.n, n)
		assert.Equal(t, name, versionName(base, n))
	}
	for _, name := range []string{
		"", "q", "q-ver", "q-ver-", "q-ver-x", "q-ver-1x", "q-ver-01", "q-ver-+1", "q-ver--1", "-ver-1", "q-ver-99999999999999999999", "q-ver-1 ",
	} {
		base, _, ok := splitVersion(name)
		assert.False(t, ok, name)
		assert.Equal(t, name, base)
	}
}

func TestIsVersion(t *testing.T) {
	const annotated = ", annotations: {kapp.k14s.io/versioned: ''}"
	for text, want := range map[string]bool{
		"name: q-ver-1" + annotated: true, "name: q-ver-1": false, "name: q" + annotated: false, "name: q-ver-x" + annotated: false,
	} {
		assert.Equal(t, want, isVersion(parsed(t, "{apiVersion: v1, kind: ConfigMap, metadata: {"+text+"}}")), text)
	}
}

// cluster is what exists, by reference, as far as versions are concerned.
type versions map[object.Ref]map[string]any

// refs are all objects that exist.
func (v versions) refs() []object.Ref {
	var out []object.Ref
	for ref := range v {
		out = append(out, ref)
	}
	slices.SortFunc(out, object.CompareRefs)
	return out
}

func (v versions) same(wanted object.Object, existing object.Ref) (bool, error) {
	if wanted.Ref() != existing {
		return false, fmt.Errorf("compared %s with %s", wanted.Ref(), existing)
	}
	return object.Equal(wanted.Body, v[existing]), nil
}

// run plans the objects and makes it so.
func (v versions) run(t testing.TB, text string) versioning {
	t.Helper()
	out, err := planVersions(loaded(t, text), v.refs(), defaultRules(t).TemplateRules, v.same)
	require.NoError(t, err)
	for _, o := range out.Objects {
		v[o.Ref()] = o.Body
	}
	for _, ref := range out.Surplus {
		delete(v, ref)
	}
	return out
}

func refNames(refs []object.Ref) []string {
	var out []string
	for _, ref := range refs {
		out = append(out, ref.Name)
	}
	return out
}

func objectNames(objects []object.Object) []string {
	var out []string
	for _, o := range objects {
		out = append(out, o.Name())
	}
	return out
}

const versionedAnnotation = "kapp.k14s.io/versioned: ''"

// versionedMap is a ConfigMap with annotations besides the one.
func versionedMap(name, value, annotations string) string {
	if annotations != "" {
		annotations = ", " + annotations
	}
	return "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + ", namespace: ns, annotations: {" + versionedAnnotation + annotations + "}}, data: {a: '" + value + "'}}\n"
}

func TestVersions(t *testing.T) {
	v := versions{}
	out := v.run(t, versionedMap("q", "1", ""))
	assert.Equal(t, []string{"q-ver-1"}, objectNames(out.Objects))
	assert.Empty(t, out.Shown)

	out = v.run(t, versionedMap("q", "1", ""))
	assert.Equal(t, []string{"q-ver-1"}, objectNames(out.Objects), "unchanged: the same version")
	assert.Empty(t, out.Kept)

	out = v.run(t, versionedMap("q", "2", ""))
	assert.Equal(t, []string{"q-ver-2"}, objectNames(out.Objects))
	assert.Equal(t, []string{"q-ver-1"}, refNames(out.Kept))
	ref := object.Ref{Kind: "ConfigMap", Namespace: "ns", Name: "q-ver-2"}
	assert.Equal(t, "q-ver-1", out.Shown[ref].Name, "the diff is against the version before")

	out = v.run(t, versionedMap("q", "1", ""))
	assert.Equal(t, []string{"q-ver-3"}, objectNames(out.Objects), "back to an old content: a new version")

	out = v.run(t, versionedMap("other", "1", "")+versionedMap("q", "1", ""))
	assert.Equal(t, []string{"other-ver-1", "q-ver-3"}, objectNames(out.Objects))
}

// B19 of the list of kapp's faults: six versions stayed after a change, and the
// next run, which changed nothing, deleted one.
func TestB19FiveVersionsAreKept(t *testing.T) {
	v := versions{}
	for i := 1; i <= 7; i++ {
		out := v.run(t, versionedMap("q", fmt.Sprint(i), ""))
		assert.LessOrEqual(t, len(v), 5, "after change %d", i)
		if i > 5 {
			assert.Equal(t, []string{fmt.Sprint("q-ver-", i-5)}, refNames(out.Surplus), "the oldest goes in the same run")
		} else {
			assert.Empty(t, out.Surplus)
		}
	}
	assert.Equal(t, []string{"q-ver-3", "q-ver-4", "q-ver-5", "q-ver-6", "q-ver-7"}, refNames(v.refs()))
	out := v.run(t, versionedMap("q", "7", ""))
	assert.Empty(t, out.Surplus, "nothing changed")
	assert.Equal(t, []string{"q-ver-3", "q-ver-4", "q-ver-5", "q-ver-6"}, refNames(out.Kept))

	out = v.run(t, versionedMap("q", "8", "kapp.k14s.io/num-versions: '2'"))
	assert.Equal(t, []string{"q-ver-3", "q-ver-4", "q-ver-5", "q-ver-6"}, refNames(out.Surplus))
	assert.Equal(t, []string{"q-ver-7", "q-ver-8"}, refNames(v.refs()))
	v.run(t, versionedMap("q", "9", "kapp.k14s.io/num-versions: '1'"))
	assert.Equal(t, []string{"q-ver-9"}, refNames(v.refs()))
}

func TestNumVersionsFaults(t *testing.T) {
	for _, n := range []string{"0", "-1", "many", "", "1.5"} {
		_, err := planVersions(loaded(t, versionedMap("q", "1", "kapp.k14s.io/num-versions: '"+n+"'")), nil, nil, versions{}.same)
		require.EqualError(t, err, fmt.Sprintf(`test.yaml: document 1, line 2: ConfigMap ns/q: annotation kapp.k14s.io/num-versions: wanted a number of at least 1, found %q`, n))
	}
}

// B11 of the list of kapp's faults: a name with another suffix, and a versioned
// object that is to be left alone, made it panic.
func TestB11OddNamesAndNoop(t *testing.T) {
	ref := func(name string) object.Ref { return object.Ref{Kind: "ConfigMap", Namespace: "ns", Name: name} }
	v := versions{ref("q-ver-x"): {}, ref("q-ver-"): {}, ref("q-ver-01"): {}}
	out := v.run(t, versionedMap("q", "1", ""))
	assert.Equal(t, []string{"q-ver-1"}, objectNames(out.Objects))
	assert.Empty(t, out.Kept, "what is no version is none of ours")
	assert.Empty(t, out.Surplus)

	const noop = "kapp.k14s.io/noop: ''"
	out = v.run(t, versionedMap("q", "2", noop)+referring("q"))
	assert.Equal(t, []string{"q-ver-1", "user"}, objectNames(out.Objects), "no new version")
	assert.Equal(t, "q-ver-1", referred(out.Objects[1]))
	for i := range 9 {
		v[ref(fmt.Sprint("q-ver-", i+2))] = map[string]any{}
	}
	out = v.run(t, versionedMap("q", "3", noop))
	assert.Empty(t, out.Surplus, "nor does one go")
	assert.Len(t, out.Kept, 9)

	out = versions{}.run(t, versionedMap("q", "1", noop)+referring("q"))
	assert.Equal(t, []string{"q", "user"}, objectNames(out.Objects), "there is none yet")
	assert.Equal(t, "q", referred(out.Objects[1]))
}

// referring is a Pod that mounts a ConfigMap.
func referring(name string) string {
	return "---\n{apiVersion: v1, kind: Pod, metadata: {name: user, namespace: ns}, spec: {containers: [{name: c, envFrom: [{configMapRef: {name: other}}]}], volumes: [{name: v, configMap: {name: " + name + "}}]}}\n"
}

func referred(o object.Object) string {
	volumes := mapsAt(mapAt(o.Body, "spec"), "volumes")
	return textAt(volumes[0], "configMap", "name")
}

func TestVersionsOfWhatSomebodyElseMakes(t *testing.T) {
	out := versions{}.run(t, versionedMap("q", "1", "kapp.k14s.io/exists: ''"))
	assert.Equal(t, []string{"q"}, objectNames(out.Objects))
}

func TestKeepOriginal(t *testing.T) {
	v := versions{}
	const keep = "kapp.k14s.io/versioned-keep-original: ''"
	out := v.run(t, versionedMap("q", "1", keep)+referring("q"))
	assert.Equal(t, []string{"q-ver-1", "q", "user"}, objectNames(out.Objects))
	assert.Equal(t, "q-ver-1", referred(out.Objects[2]))
	out = v.run(t, versionedMap("q", "2", keep))
	assert.Equal(t, []string{"q-ver-2", "q"}, objectNames(out.Objects))
	assert.Equal(t, "2", textAt(out.Objects[1].Body, "data", "a"))
	assert.Equal(t, "q-ver-1", out.Shown[out.Objects[0].Ref()].Name)
}

// An object that becomes versioned is compared with what it was before.
func TestVersionsFromAPlainObject(t *testing.T) {
	ref := object.Ref{Kind: "ConfigMap", Namespace: "ns", Name: "q"}
	v := versions{ref: {}}
	out := v.run(t, versionedMap("q", "1", ""))
	assert.Equal(t, []string{"q-ver-1"}, objectNames(out.Objects))
	assert.Equal(t, map[object.Ref]object.Ref{{Kind: "ConfigMap", Namespace: "ns", Name: "q-ver-1"}: ref}, out.Shown)
	assert.Empty(t, out.Kept, "what becomes of it is decided like of everything that left the files")
}

func TestVersionsAreOfOneObject(t *testing.T) {
	ref := func(group, kind, namespace string) object.Ref {
		return object.Ref{Group: group, Kind: kind, Namespace: namespace, Name: "q-ver-4"}
	}
	v := versions{ref("", "Secret", "ns"): {}, ref("", "ConfigMap", "other"): {}, ref("example.org", "ConfigMap", "ns"): {}}
	out := v.run(t, versionedMap("q", "1", ""))
	assert.Equal(t, []string{"q-ver-1"}, objectNames(out.Objects))
	assert.Empty(t, out.Kept)

	out = versions{ref("", "ConfigMap", "ns"): {}}.run(t, versionedMap("q", "1", ""))
	assert.Equal(t, []string{"q-ver-5"}, objectNames(out.Objects), "the number after the newest")

	_, err := planVersions(loaded(t, versionedMap("q", "1", "")+versionedMap("q-ver-2", "1", "")), nil, nil, versions{}.same)
	require.ErrorContains(t, err, "versions of the same object come from test.yaml: document 1, line 2 too")
}

func TestVersionsErrors(t *testing.T) {
	ref := object.Ref{Kind: "ConfigMap", Namespace: "ns", Name: "q-ver-1"}
	_, err := planVersions(loaded(t, versionedMap("q", "1", "")), []object.Ref{ref, ref}, nil,
		func(object.Object, object.Ref) (bool, error) { return false, errors.New("no access") })
	require.EqualError(t, err, "compare with the newest version ConfigMap ns/q-ver-1: no access")
}

func TestPlanVersionsLeavesTheInput(t *testing.T) {
	text := versionedMap("q", "1", "kapp.k14s.io/versioned-keep-original: ''") + referring("q")
	objects := loaded(t, text)
	_, err := planVersions(objects, nil, defaultRules(t).TemplateRules, versions{}.same)
	require.NoError(t, err)
	assert.Equal(t, loaded(t, text), objects)

	plain := loaded(t, referring("q"))
	out, err := planVersions(plain, nil, defaultRules(t).TemplateRules, nil)
	require.NoError(t, err)
	assert.Equal(t, plain, out.Objects, "nothing versioned: nothing done")
}

// A change travels along references, whatever the order in the files: c names b,
// b names a.
func TestChangesTravelAlongReferences(t *testing.T) {
	ref := func(to string) string {
		return "kapp.k14s.io/versioned-explicit-ref: 'apiVersion: v1\n\n  kind: ConfigMap\n\n  name: " + to + "\n\n  '"
	}
	docs := func(value string) []string {
		return []string{versionedMap("a", value, ""), versionedMap("b", "x", ref("a")), versionedMap("c", "x", ref("b")), versionedMap("d", "x", "")}
	}
	for _, order := range [][]int{{0, 1, 2, 3}, {2, 1, 0, 3}, {1, 2, 3, 0}, {3, 2, 0, 1}} {
		text := func(value string) string {
			var b strings.Builder
			for _, i := range order {
				b.WriteString(docs(value)[i])
			}
			return b.String()
		}
		v := versions{}
		v.run(t, text("1"))
		assert.ElementsMatch(t, []string{"a-ver-1", "b-ver-1", "c-ver-1", "d-ver-1"}, refNames(v.refs()), "%v", order)
		out := v.run(t, text("1"))
		assert.ElementsMatch(t, []string{"a-ver-1", "b-ver-1", "c-ver-1", "d-ver-1"}, objectNames(out.Objects), "%v", order)
		out = v.run(t, text("2"))
		assert.ElementsMatch(t, []string{"a-ver-2", "b-ver-2", "c-ver-2", "d-ver-1"}, objectNames(out.Objects), "%v", order)
		for _, o := range out.Objects {
			if o.Name() == "c-ver-2" {
				assert.Contains(t, o.Annotation("kapp.k14s.io/versioned-explicit-ref"), "name: b-ver-2")
			}
		}
	}
}

// Two versioned objects that name each other settle too.
func TestVersionsInACircle(t *testing.T) {
	ref := func(to string) string {
		return "kapp.k14s.io/versioned-explicit-ref.x: '{apiVersion: v1, kind: ConfigMap, name: " + to + "}'"
	}
	v := versions{}
	text := func(value string) string {
		return versionedMap("a", value, ref("b")) + versionedMap("b", "x", ref("a"))
	}
	v.run(t, text("1"))
	out := v.run(t, text("1"))
	assert.Equal(t, []string{"a-ver-1", "b-ver-1"}, objectNames(out.Objects))
	out = v.run(t, text("2"))
	assert.Equal(t, []string{"a-ver-2", "b-ver-2"}, objectNames(out.Objects))
	assert.Len(t, v, 4)
}
