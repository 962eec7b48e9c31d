package nelm

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

func annotated(kind string, annotations map[string]string) object.Object {
	a := map[string]any{}
	for k, v := range annotations {
		a[k] = v
	}
	version := map[string]string{"Job": "batch/v1", "Deployment": "apps/v1"}[kind]
	if version == "" {
		version = "v1"
	}
	return object.Object{Body: map[string]any{
		"apiVersion": version, "kind": kind, "metadata": map[string]any{"name": "a", "namespace": "x", "annotations": a},
	}}
}

func TestNothingSaid(t *testing.T) {
	r, err := Read(annotated("Deployment", nil))
	require.NoError(t, err)
	assert.Equal(t, Rules{
		On:        []Moment{{Install, Main}, {Upgrade, Main}, {Rollback, Main}},
		Ownership: Release, Propagation: metav1.DeletePropagationForeground, FailMode: FailAtOnce,
	}, r)
	r, err = Read(annotated("Job", nil))
	require.NoError(t, err)
	assert.Equal(t, []DeletePolicy{BeforeCreationIfImmutable}, r.DeletePolicies, "a Job can't be changed")
}

// TestEffects: each annotation with an effect has the one that the catalogue speaks of.
func TestEffects(t *testing.T) {
	for key, test := range map[string]struct {
		value string
		check func(r Rules, s plan.Strategy) bool
	}{
		WeightAnnotation: {"-5", func(r Rules, _ plan.Strategy) bool { return r.Weight == -5 }},
		deployDependencyPrefix + "*": {"state=ready,kind=Deployment,name=db", func(r Rules, _ plan.Strategy) bool {
			return r.DeployAfter[0] == Dependency{ID: "*", Ready: true, Kind: "Deployment", Name: "db"}
		}},
		deleteDependencyPrefix + "*": {"state=absent,group=apps", func(r Rules, _ plan.Strategy) bool { return r.DeleteAfter[0] == Dependency{ID: "*", Group: "apps"} }},
		"*" + externalSuffix + "/resource": {"deployments.v1.apps/db", func(r Rules, _ plan.Strategy) bool {
			return r.External[0] == External{ID: "*", Kind: "deployments", Version: "v1", Group: "apps", Name: "db"}
		}},
		"*" + externalSuffix + "/namespace": {"y", func(r Rules, _ plan.Strategy) bool { return r.External[0].Namespace == "y" }},
		"*" + externalSuffix + "/name":      {"other", func(r Rules, _ plan.Strategy) bool { return r.External[0].Name == "other" }},
		OwnershipAnnotation:                 {"anyone", func(r Rules, _ plan.Strategy) bool { return r.Ownership == Anyone && r.Protected() != "" }},
		DeployOnAnnotation: {"pre-install, upgrade", func(r Rules, _ plan.Strategy) bool {
			return r.At(Install, Before) && r.At(Upgrade, Main) && !r.At(Install, Main) && r.During(Upgrade) && !r.During(Rollback)
		}},
		DeletePolicyAnnotation:       {"succeeded,before-creation-if-immutable", func(r Rules, s plan.Strategy) bool { return r.Passing() && s.Update == plan.UpdateReplace }},
		ResourcePolicyAnnotation:     {"skip-update,skip-delete", func(r Rules, s plan.Strategy) bool { return s.Update == plan.UpdateSkip && r.Protected() != "" }},
		HelmResourcePolicyAnnotation: {"keep", func(r Rules, _ plan.Strategy) bool { return r.Has(Keep) && r.Protected() != "" }},
		PropagationAnnotation:        {"Orphan", func(_ Rules, s plan.Strategy) bool { return s.Propagation == metav1.DeletePropagationOrphan }},
		TerminationModeAnnotation:    {"NonBlocking", func(_ Rules, s plan.Strategy) bool { return s.NoWait }},
		FailModeAnnotation:           {"IgnoreAndContinueDeployProcess", func(_ Rules, s plan.Strategy) bool { return s.FailureIgnored }},
		FailuresAllowedAnnotation:    {"3", func(_ Rules, s plan.Strategy) bool { return *s.FailuresAllowed == 3 }},
		NoActivityAnnotation:         {"90s", func(_ Rules, s plan.Strategy) bool { return s.Idle == 90*time.Second }},
		ReplicasAnnotation:           {"2", func(_ Rules, s plan.Strategy) bool { return *s.ReplicasOnCreation == 2 }},
	} {
		a := map[string]string{key: test.value}
		if strings.HasPrefix(key, "*") && !strings.HasSuffix(key, "/resource") {
			a["*"+externalSuffix+"/resource"] = "secret/db"
		}
		o := annotated("Deployment", a)
		r, err := Read(o)
		require.NoError(t, err, key)
		s, err := r.Strategy(o.Ref())
		require.NoError(t, err, key)
		assert.True(t, test.check(r, s), "%s: %+v", key, r)
		assert.Empty(t, r.Warnings, key)
		delete(unshown, key)
	}
	for _, e := range Catalogue() {
		assert.NotEqual(t, e.Effect == "", e.Without == "", "%s: an effect, or why it has none", e.Name)
		assert.True(t, known(strings.ReplaceAll(e.Name, "*", "x")), e.Name)
	}
	for key, where := range unshown {
		assert.NotEmpty(t, where, "%s: nothing shows its effect", key)
	}
}

// unshown are the annotations of the catalogue with an effect, and where it is shown if
// not above.
var unshown = func() map[string]string {
	elsewhere := map[string]string{
		SensitiveAnnotation: "object.TestMasker", SensitivePathsAnnotation: "object.TestMasker",
		"helm.sh/hook": "TestHooks", "helm.sh/hook-weight": "TestHooks", "helm.sh/hook-delete-policy": "TestHooks",
	}
	out := map[string]string{}
	for _, e := range Catalogue() {
		if e.Effect != "" {
			out[e.Name] = elsewhere[e.Name]
		}
	}
	return out
}()

func TestFaultsNameAnnotationAndValue(t *testing.T) {
	for key, value := range map[string]string{
		WeightAnnotation: "heavy", OwnershipAnnotation: "nobody", DeployOnAnnotation: "pre-everything", DeletePolicyAnnotation: "never",
		ResourcePolicyAnnotation: "skip-all", HelmResourcePolicyAnnotation: "delete", PropagationAnnotation: "Wide", TerminationModeAnnotation: "Never",
		FailModeAnnotation: "Panic", FailuresAllowedAnnotation: "-1", NoActivityAnnotation: "4", ReplicasAnnotation: "many", SensitiveAnnotation: "perhaps",
		probesPrefix + "c": "soon", deployDependencyPrefix + "d": "state=gone,name=x", deleteDependencyPrefix + "d": "state=ready,name=x",
		"d" + externalSuffix + "/resource": "deployments",
	} {
		_, err := Read(annotated("Deployment", map[string]string{key: value}))
		require.Error(t, err, key)
		assert.ErrorContains(t, err, "Deployment.apps x/a: annotation "+key+": ")
		assert.ErrorContains(t, err, "found ", key)
		quoted := value
		if strings.HasPrefix(value, "state=") {
			quoted = value[len("state="):strings.Index(value, ",")]
		}
		assert.ErrorContains(t, err, fmt.Sprintf("%q", strings.TrimSpace(quoted)), key)
	}
	for _, value := range []string{"state=ready", "name=x", "state=ready,colour=red", "", "state=ready,name="} {
		_, err := Read(annotated("Deployment", map[string]string{deployDependencyPrefix + "d": value}))
		assert.Error(t, err, value)
	}
	_, err := Read(annotated("Deployment", map[string]string{WeightAnnotation: "x", ReplicasAnnotation: "y"}))
	assert.ErrorContains(t, err, WeightAnnotation)
	assert.ErrorContains(t, err, ReplicasAnnotation, "all at once")
	_, err = Read(annotated("Deployment", map[string]string{"d" + externalSuffix + "/namespace": "y"}))
	assert.ErrorContains(t, err, "there is no d.external-dependency.werf.io/resource beside it")
}

func TestUnknownAnnotationIsAWarning(t *testing.T) {
	r, err := Read(annotated("ConfigMap", map[string]string{"werf.io/wieght": "1", "other/x": "1", "werf.io/skip-logs": "true", "x.external-dependency.werf.io/kind": "a"}))
	require.NoError(t, err)
	assert.Equal(t, []string{
		"annotation werf.io/wieght: it is not known and has no effect",
		"annotation x.external-dependency.werf.io/kind: it is not known and has no effect",
	}, r.Warnings)
}

func TestNotes(t *testing.T) {
	assert.Equal(t, []Note{
		{WeightAnnotation, `wanted a whole number; found "x"`, true},
		{"werf.io/log-regex-for-c", "it has no effect: " + noLogs, false},
		{"werf.io/waight", "it is not known and has no effect", false},
	}, func() []Note {
		got := Notes(annotated("ConfigMap", map[string]string{WeightAnnotation: "x", "werf.io/log-regex-for-c": ".*", "werf.io/waight": "1", OwnershipAnnotation: "anyone"}))
		slices.SortStableFunc(got, func(a, b Note) int { return map[bool]int{true: -1, false: 1}[a.Fault && !b.Fault] })
		return got
	}())
}

// TestCatalogueIsDocumented holds the document to the catalogue.
func TestCatalogueIsDocumented(t *testing.T) {
	data, err := os.ReadFile("../../../docs/packages-objects.md")
	require.NoError(t, err)
	for _, e := range Catalogue() {
		effect := e.Effect
		if e.Without != "" {
			effect = "none: " + e.Without
		}
		row := "| `" + strings.ReplaceAll(e.Name, "*", "ID") + "` | " + strings.ReplaceAll(e.Values, "|", `\|`) + " | " + effect + " |"
		assert.Contains(t, string(data), row)
	}
}

func TestHooks(t *testing.T) {
	h := chart.Hook{
		Object: annotated("Job", nil), Weight: 3, Events: []chart.Event{chart.PreInstall, chart.PostUpgrade, chart.PreDelete, chart.TestEvent},
		DeletePolicies: []chart.DeletePolicy{chart.BeforeCreation, chart.OnSuccess, chart.OnFailure},
	}
	r, err := ReadHook(h)
	require.NoError(t, err)
	assert.Equal(t, []Moment{{Install, Before}, {Upgrade, After}, {Uninstall, Before}}, r.On, "complaint 72: all events count")
	assert.Equal(t, []DeletePolicy{BeforeCreation, Succeeded, Failed}, r.DeletePolicies)
	assert.Equal(t, 3, r.Weight)
	assert.Equal(t, Anyone, r.Ownership)
	assert.Equal(t, "it is a hook", r.Protected())

	h.Object = annotated("Pod", map[string]string{WeightAnnotation: "7", DeletePolicyAnnotation: "failed", DeployOnAnnotation: "install"})
	r, err = ReadHook(h)
	require.NoError(t, err)
	assert.Equal(t, 7, r.Weight)
	assert.Equal(t, []Moment{{Install, Main}}, r.On)
	assert.Equal(t, []DeletePolicy{Failed}, r.DeletePolicies)
	s, err := r.Strategy(h.Object.Ref())
	require.NoError(t, err)
	assert.NotNil(t, s.ReadyWhen, "a Pod that runs for an event is done when it has ended")
}

func TestDependencyMatches(t *testing.T) {
	db := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "StatefulSet"}
	for _, d := range []Dependency{{Kind: "statefulset"}, {Name: "db"}, {Group: "apps", Version: "v1", Namespace: "x"}} {
		assert.True(t, d.Matches(db, "x", "db"), "%+v", d)
	}
	for _, d := range []Dependency{{Kind: "Deployment"}, {Name: "d"}, {Group: "batch"}, {Version: "v2"}, {Namespace: "y"}} {
		assert.False(t, d.Matches(db, "x", "db"), "%+v", d)
	}
	assert.True(t, slices.Contains(Stages(), Main))
}
