package chaos

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// fleetSize is how many applications there are besides the one that is stuck.
const fleetSize = 20

// TestControllerKilled ends the packages controller with SIGKILL at random moments
// while it installs, upgrades and deletes applications, some of which change their
// mind meanwhile. The last one that is started in a round brings all of them to what
// is wanted, and nothing of deleted ones is left, neither then nor at the moment when
// they went. All the while one application never gets through.
func TestControllerKilled(t *testing.T) {
	rounds := 5
	if os.Getenv("TAZUNA_TEST_CHAOS") != "" {
		rounds = 50
	}
	if text := os.Getenv("TAZUNA_TEST_ROUNDS"); text != "" {
		var err error
		rounds, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	p := startPlane(t)
	seed := seedOf(t)
	r := rand.New(rand.NewPCG(seed, 0))
	f := newFleet(t, p)
	counters := map[string]int{}
	for ; counters["rounds"] < rounds; counters["rounds"]++ {
		for kills := 1 + r.IntN(3); kills > 0; kills-- {
			f.change(t, r, counters)
			time.Sleep(time.Duration(r.Int64N(int64(2 * time.Second))))
			for action, on := range f.onTheWay(t) {
				counters["killed during: "+action] += on
			}
			f.kill(t)
			counters["kills"]++
			f.start(t)
		}
		since := time.Now()
		f.settle(t)
		t.Logf("round %d: settled %s after the last kill", counters["rounds"]+1, time.Since(since).Round(time.Second/10))
	}
	for _, name := range slices.Sorted(maps.Keys(f.want)) {
		f.remove(t, name)
	}
	f.settle(t)
	f.stop(t)
	for _, name := range slices.Sorted(maps.Keys(counters)) {
		t.Logf("%6d  %s", counters[name], name)
	}
	assert.NotZero(t, counters["kills"])
}

// change makes, moves and removes some applications. One that is on its way out is
// left alone until it is gone.
func (f *fleet) change(t *testing.T, r *rand.Rand, counters map[string]int) {
	t.Helper()
	there := f.applications(t)
	gone, _ := f.departed()
	quiet := gone == f.deletions // else one may have gone just now, and be looked for
	for i := range fleetSize {
		name := fmt.Sprintf("app%02d", i)
		version := fleetVersions()[r.IntN(len(fleetVersions()))]
		action := r.IntN(3)
		switch _, exists := there[name]; {
		case !exists && !quiet:
		case !exists:
			f.add(t, name, "notes", version)
			counters["change: install"]++
		case f.want[name] == "" || action == 0:
		case action == 1:
			f.remove(t, name)
			counters["change: delete"]++
		case version != f.want[name]:
			f.move(t, name, version)
			counters["change: upgrade or downgrade"]++
		}
	}
}

// applications are all that there are, by name.
func (f *fleet) applications(t *testing.T) map[string]unstructured.Unstructured {
	t.Helper()
	items, err := f.list(t.Context(), deckhouse("applications"), f.id)
	require.NoError(t, err)
	out := map[string]unstructured.Unstructured{}
	for _, u := range items {
		out[u.GetName()] = u
	}
	return out
}

// onTheWay counts what the controller is at.
func (f *fleet) onTheWay(t *testing.T) map[string]int {
	t.Helper()
	out := map[string]int{}
	for name, u := range f.applications(t) {
		state, version := standing(u)
		switch {
		case name == stuckName:
		case u.GetDeletionTimestamp() != nil:
			out["delete"]++
		case version == "":
			out["install"]++
		case state != "Ready" || version != f.want[name]:
			out["upgrade or downgrade"]++
		default:
			out["nothing, ready"]++
		}
	}
	return out
}

// standing is the state of an application and the version that is installed.
func standing(u unstructured.Unstructured) (state, version string) {
	state, _, _ = unstructured.NestedString(u.Object, "status", "summary", "state")
	version, _, _ = unstructured.NestedString(u.Object, "status", "currentVersion", "version")
	return state, version
}

// settle waits until everything is as wanted, and makes sure that no application went
// before its objects.
func (f *fleet) settle(t *testing.T) {
	t.Helper()
	f.eventually(t, "all applications are as wanted", func() string { return f.unsettled(t) })
	_, early := f.departed()
	require.Empty(t, early, "objects that were left when their application went")
}

// unsettled tells what isn't as wanted yet.
func (f *fleet) unsettled(t *testing.T) string {
	t.Helper()
	there := f.applications(t)
	for name, u := range there {
		state, version := standing(u)
		want, wanted := f.want[name]
		switch {
		case name == stuckName && wanted:
			require.NotEqual(t, "Ready", state, "the stuck application")
			if state != "Pending" {
				return fmt.Sprintf("the stuck application: wanted Pending, found %q", state)
			}
		case !wanted:
			return fmt.Sprintf("%s: wanted gone, found %s", name, u.Object["status"])
		case state != "Ready" || version != want:
			return fmt.Sprintf("%s: wanted Ready %s, found %s", name, want, u.Object["status"])
		}
	}
	if len(there) != len(f.want) {
		return fmt.Sprintf("applications: wanted %d, found %d", len(f.want), len(there))
	}
	if gone, _ := f.departed(); gone != f.deletions {
		return fmt.Sprintf("deletions: wanted %d, seen %d", f.deletions, gone)
	}
	return f.wrongObjects(t)
}

// wrongObjects tells of objects of nobody, and of applications whose objects or newest
// revision are not those of the wanted version.
func (f *fleet) wrongObjects(t *testing.T) string {
	t.Helper()
	found, newest := map[string][]string{}, map[string]string{}
	for _, gvr := range all() {
		items, err := f.list(t.Context(), gvr, f.id)
		require.NoError(t, err)
		for i := range items {
			name := items[i].GetName()
			owner := ownerOf(f.id, name)
			if owner == "" {
				continue
			}
			if _, wanted := f.want[owner]; !wanted {
				return fmt.Sprintf("%s %s is left, and its application gone", gvr.Resource, name)
			}
			switch {
			case items[i].GetLabels()["status"] == "deployed" && gvr.Resource == "secrets":
				newest[owner] += "deployed"
			case gvr.Resource == "configmaps":
				data, _, _ := unstructured.NestedString(items[i].Object, "data", "version")
				found[owner] = append(found[owner], strings.TrimPrefix(name, "d8a-"+owner+"-")+":"+data)
			case gvr.Resource == "services", gvr.Resource == "deployments":
				found[owner] = append(found[owner], gvr.Resource)
			}
		}
	}
	for name, version := range f.want {
		if name == stuckName {
			continue
		}
		want := []string{version + ":", "version:" + version, "services", "deployments"}
		if !slices.Equal(found[name], want) || newest[name] != "deployed" {
			return fmt.Sprintf("%s: wanted %v in one revision that is deployed, found %v, %q", name, want, found[name], newest[name])
		}
	}
	return ""
}

// unknownVersions tells of versions whose metadata has not been loaded.
func (f *fleet) unknownVersions(t *testing.T) func() string {
	return func() string {
		items, err := f.list(t.Context(), deckhouse("applicationpackageversions"), "")
		if err != nil {
			return err.Error()
		}
		loaded := 0
		for i := range items {
			if _, ok, _ := unstructured.NestedMap(items[i].Object, "status", "packageMetadata"); ok {
				loaded++
			}
		}
		if want := len(fleetVersions()) + 1; loaded != want {
			return fmt.Sprintf("wanted metadata of %d versions, found %d", want, loaded)
		}
		return ""
	}
}
