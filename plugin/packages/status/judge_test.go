package status

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

var (
	before = time.Date(2030, 1, 2, 3, 0, 0, 0, time.UTC)
	now    = before.Add(time.Hour)
)

// allGood is an instance without any trouble, with some conditions put over.
func allGood(over ...Condition) Internal {
	in := Internal{Version: "v1.0.0"}
	for _, t := range installPipeline() {
		in.set(True(t))
	}
	in.set(True(Scaled))
	for _, c := range over {
		in.set(c)
	}
	return in
}

// fresh is an instance of which only this is known.
func fresh(known ...Condition) Internal {
	var in Internal
	for _, c := range known {
		in.set(c)
	}
	return in
}

func toldFirst() Told {
	return Told{WantedVersion: "v1.0.0", Generation: 3, Now: now}
}

// toldReady is what a healthy application says.
func toldReady(types ...string) Told {
	told := toldFirst()
	told.CurrentVersion = "v1.0.0"
	if len(types) == 0 {
		types = []string{ExternalInstalled, ExternalConfigurationApplied, ExternalScaled, ExternalManaged, ExternalReady}
	}
	for _, external := range types {
		told.Conditions = append(told.Conditions, metav1.Condition{
			Type: external, Status: metav1.ConditionTrue, Reason: external, LastTransitionTime: metav1.NewTime(before), ObservedGeneration: 2,
		})
	}
	return told
}

func toldUpdating() Told {
	told := toldReady()
	told.WantedVersion = "v2.0.0"
	return told
}

// show writes conditions as TYPE=STATUS(REASON).
func show(v Verdict) string {
	var all []string
	for _, c := range v.Conditions {
		all = append(all, c.Type+"="+string(c.Status)+"("+c.Reason+")")
	}
	return strings.Join(all, " ")
}

const ready = "Installed=True(Installed) ConfigurationApplied=True(ConfigurationApplied) Scaled=True(Scaled) Managed=True(Managed) Ready=True(Ready)"

func TestExternalConditions(t *testing.T) {
	unmet := False(RequirementsMet, ReasonDependencyNotEnabled, "dependency 'ingress' not enabled")
	download := False(ReadyOnFilesystem, ReasonDownloadFailed, "refused")
	load := False(Loaded, ReasonLoadFailed, "no package.yaml")
	settings := False(Configured, ReasonSettingsInvalid, "replicas: wanted a number")
	hook := False(HooksProcessed, ReasonHookFailed, "exit 1")
	start := False(HooksProcessed, ReasonHookInitializationFailed, "no such kind")
	apply := False(ManifestsApplied, ReasonApplyManifestsFailed, "denied")
	degraded := False(Scaled, ReasonDegraded, "Deployment d8a-web: deadline")
	rolling := False(Scaled, ReasonReconciling, "Deployment d8a-web: 1 of 2")
	updated := toldReady(append(order()[:0:0], order()...)...)
	for name, c := range map[string]struct {
		in   Internal
		told Told
		want string
	}{
		"install: nothing known yet":          {fresh(), toldFirst(), "Installed=False(Reconciling)"},
		"install: Pending outranks all":       {allGood(TrueBecause(Pending, ReasonVersionDraft, "x"), load), toldFirst(), "Installed=False(Pending)"},
		"install: requirements":               {fresh(unmet, download), toldFirst(), "Installed=False(RequirementsUnmet)"},
		"install: download":                   {fresh(download), toldFirst(), "Installed=False(DownloadFailed)"},
		"install: load":                       {fresh(load), toldFirst(), "Installed=False(LoadFromFilesystemFailed)"},
		"install: settings":                   {fresh(settings), toldFirst(), "Installed=False(SettingsInvalid)"},
		"install: hooks don't start":          {fresh(start), toldFirst(), "Installed=False(HookInitializationFailed)"},
		"install: hook":                       {fresh(hook), toldFirst(), "Installed=False(HookFailed)"},
		"install: applying is no blocker":     {allGood(Applying()), toldFirst(), "Installed=False(ApplyingManifests)"},
		"install: apply failed":               {allGood(apply), toldFirst(), "Installed=False(ManifestsApplyFailed)"},
		"install: rolling out":                {allGood(rolling), toldFirst(), "Installed=False(Reconciling)"},
		"install: workloads fail":             {allGood(degraded), toldFirst(), "Installed=False(Degraded)"},
		"install: workloads unknown":          {allGood(Unknown(Scaled, "NoWorkloads", "none")), toldFirst(), "Installed=False(Reconciling)"},
		"install: done":                       {allGood(), toldFirst(), ready},
		"install again after a suspension":    {fresh(True(RequirementsMet)), toldReady(ExternalReady), "Installed=False(Reconciling)"},
		"reconcile: good":                     {allGood(), toldReady(), ready},
		"reconcile: good after an update":     {allGood(), updated, strings.Replace(ready, " Conf", " UpdateInstalled=True(UpdateInstalled) Conf", 1)},
		"reconcile: applying":                 {allGood(Applying()), toldReady(), "Installed=True(Installed) ConfigurationApplied=False(ApplyingManifests) Scaled=True(Scaled) Managed=False(ApplyingManifests) Ready=False(ApplyingManifests)"},
		"reconcile: bundle gone":              {allGood(download), toldReady(), "Installed=True(Installed) ConfigurationApplied=Unknown(DownloadFailed) Scaled=True(Scaled) Managed=False(DownloadFailed) Ready=False(DownloadFailed)"},
		"reconcile: load":                     {allGood(load), toldReady(), "Installed=True(Installed) ConfigurationApplied=Unknown(LoadFromFilesystemFailed) Scaled=True(Scaled) Managed=False(LoadFromFilesystemFailed) Ready=False(LoadFromFilesystemFailed)"},
		"reconcile: settings":                 {allGood(settings), toldReady(), "Installed=True(Installed) ConfigurationApplied=False(SettingsInvalid) Scaled=True(Scaled) Managed=True(Managed) Ready=False(SettingsInvalid)"},
		"reconcile: hook":                     {allGood(hook), toldReady(), "Installed=True(Installed) ConfigurationApplied=False(HookFailed) Scaled=True(Scaled) Managed=False(HookFailed) Ready=False(HookFailed)"},
		"reconcile: apply":                    {allGood(apply), toldReady(), "Installed=True(Installed) ConfigurationApplied=False(ManifestsApplyFailed) Scaled=True(Scaled) Managed=False(ManifestsApplyFailed) Ready=False(ManifestsApplyFailed)"},
		"reconcile: workloads":                {allGood(degraded), toldReady(), "Installed=True(Installed) ConfigurationApplied=True(ConfigurationApplied) Scaled=False(Degraded) Managed=False(Degraded) Ready=False(Degraded)"},
		"reconcile: nothing to look at":       {allGood(Unknown(Scaled, "NoWorkloads", "none")), toldReady(), "Installed=True(Installed) ConfigurationApplied=True(ConfigurationApplied) Scaled=Unknown(Reconciling) Managed=False(Reconciling) Ready=False(Reconciling)"},
		"reconcile: the first trouble counts": {allGood(load, hook, degraded), toldReady(), "Installed=True(Installed) ConfigurationApplied=Unknown(LoadFromFilesystemFailed) Scaled=False(Degraded) Managed=False(LoadFromFilesystemFailed) Ready=False(LoadFromFilesystemFailed)"},
		"restart: nothing known, all stays":   {fresh(), toldReady(), ready},
		"restart: a fault is told at once":    {fresh(download), toldReady(), "Installed=True(Installed) ConfigurationApplied=Unknown(DownloadFailed) Scaled=Unknown(Reconciling) Managed=False(DownloadFailed) Ready=False(DownloadFailed)"},
		"update: not begun":                   {allGood(), toldUpdating(), "Installed=True(Installed) UpdateInstalled=False(Reconciling) ConfigurationApplied=False(Reconciling) Scaled=True(Scaled) Managed=True(Managed) Ready=False(Reconciling)"},
		"update: download":                    {fresh(True(RequirementsMet), download, True(Scaled)), toldUpdating(), "Installed=True(Installed) UpdateInstalled=False(DownloadFailed) ConfigurationApplied=Unknown(DownloadFailed) Scaled=True(Scaled) Managed=False(DownloadFailed) Ready=False(DownloadFailed)"},
		"update: applying":                    {allGood(Applying()), toldUpdating(), "Installed=True(Installed) UpdateInstalled=False(ApplyingManifests) ConfigurationApplied=False(ApplyingManifests) Scaled=True(Scaled) Managed=False(ApplyingManifests) Ready=False(ApplyingManifests)"},
		"update: hook":                        {allGood(hook), toldUpdating(), "Installed=True(Installed) UpdateInstalled=False(HookFailed) ConfigurationApplied=False(HookFailed) Scaled=True(Scaled) Managed=False(HookFailed) Ready=False(HookFailed)"},
		"suspended":                           {allGood(unmet), updated, "Installed=False(RequirementsUnmet) ConfigurationApplied=Unknown(RequirementsUnmet) Scaled=Unknown(RequirementsUnmet) Managed=Unknown(RequirementsUnmet) Ready=False(RequirementsUnmet)"},
		"suspended, told again":               {allGood(unmet), afterOnce(allGood(unmet), updated), "Installed=False(RequirementsUnmet) ConfigurationApplied=Unknown(RequirementsUnmet) Scaled=Unknown(RequirementsUnmet) Managed=Unknown(RequirementsUnmet) Ready=False(RequirementsUnmet)"},
		"deleting":                            {allGood(), deletingOf(toldReady()), "Installed=False(Deleting) ConfigurationApplied=False(Deleting) Scaled=False(Deleting) Managed=False(Deleting) Ready=False(Deleting)"},
		"deleting what never was":             {fresh(), deletingOf(toldFirst()), "Installed=False(Deleting) Ready=False(Deleting)"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, show(Judge(c.in, c.told)))
		})
	}
}

// afterOnce is what is told after one verdict.
// TestReadiness: what the programs of a package say of it counts for Ready alone, and
// while nobody knows, nothing is said that isn't known.
func TestReadiness(t *testing.T) {
	no := False(IsReady, ReasonReadinessProbeFailed, "hook hooks/h:ready: the store is not up")
	notAsked := Unknown(IsReady, ReasonNotAsked, "its programs have not been asked yet whether it is ready")
	for name, c := range map[string]struct {
		in      Internal
		told    Told
		state   api.State
		message string
		ready   metav1.ConditionStatus
	}{
		"it has no program":              {allGood(), toldReady(), api.StateReady, "", metav1.ConditionTrue},
		"it says yes":                    {allGood(True(IsReady)), toldReady(), api.StateReady, "", metav1.ConditionTrue},
		"it says no":                     {allGood(no), toldReady(), api.StateDegraded, "It says itself that it is not ready: hook hooks/h:ready: the store is not up", metav1.ConditionFalse},
		"it says no after the first run": {allGood(no), toldFirst(), api.StateDegraded, "It says itself that it is not ready: hook hooks/h:ready: the store is not up", metav1.ConditionFalse},
		"not asked after the first run":  {allGood(notAsked), toldFirst(), api.StateUpdating, "Work is in progress: its programs have not been asked yet whether it is ready", metav1.ConditionFalse},
		"not asked after a restart":      {allGood(notAsked), toldReady(), api.StateReady, "", metav1.ConditionTrue},
		"workloads come first":           {allGood(no, False(Scaled, ReasonDegraded, "Deployment web")), toldReady(), api.StateDegraded, "Its workloads are not well: Deployment web", metav1.ConditionFalse},
	} {
		t.Run(name, func(t *testing.T) {
			v := Judge(c.in, c.told)
			assert.Equal(t, c.state, v.Summary.State)
			assert.Equal(t, c.message, v.Summary.Message)
			assert.Equal(t, c.state == api.StateReady, v.Summary.Tip == "")
			for _, told := range v.Conditions {
				switch told.Type {
				case ExternalReady:
					assert.Equal(t, c.ready, told.Status)
				case ExternalInstalled:
					assert.Equal(t, metav1.ConditionTrue, told.Status, "installed it is")
				}
			}
		})
	}
}

// TestUninstalling: what holds an uninstallation is named while it goes on, and is no
// failure.
func TestUninstalling(t *testing.T) {
	going := False(ManifestsApplied, ReasonUninstalling, "it waits for the end of ConfigMap/x (held by a.b/c)")
	v := Judge(allGood(going), deletingOf(toldReady()))
	assert.Equal(t, api.Summary{
		State: api.StateDeleting, Message: "It is being removed: it waits for the end of ConfigMap/x (held by a.b/c)", Tip: v.Summary.Tip,
	}, v.Summary)
	unmet := False(RequirementsMet, ReasonDependencyNotEnabled, "dependency 'ingress' not enabled")
	v = Judge(allGood(unmet, going), toldReady())
	assert.Equal(t, api.StateSuspended, v.Summary.State)
	assert.Contains(t, v.Summary.Message, "dependency 'ingress' not enabled; it waits for the end of ConfigMap/x (held by a.b/c)")
	assert.False(t, allGood(going).Failed(ManifestsApplied))
}

func afterOnce(in Internal, told Told) Told {
	told.Conditions = Judge(in, told).Conditions
	return told
}

func deletingOf(told Told) Told {
	told.Deleting = true
	return told
}

func TestSummaries(t *testing.T) {
	for _, c := range []struct {
		name string
		in   Internal
		told Told
		want api.State
		has  string
	}{
		{"install: Pending", allGood(TrueBecause(Pending, ReasonVersionNotFound, "no version v1")), toldFirst(), api.StatePending, "no version v1"},
		{"install: RequirementsUnmet", fresh(False(RequirementsMet, ReasonDependencyNotEnabled, "dependency 'ingress' not enabled")), toldFirst(), api.StatePending, "dependency 'ingress' not enabled"},
		{"install: working", fresh(True(Loaded)), toldFirst(), api.StatePending, "RequirementsMet"},
		{"install: applying", allGood(Applying()), toldFirst(), api.StatePending, "being applied"},
		{"install: rollout", allGood(False(Scaled, ReasonReconciling, "1 of 2")), toldFirst(), api.StatePending, "1 of 2"},
		{"install: DownloadFailed", fresh(False(ReadyOnFilesystem, ReasonDownloadFailed, "refused")), toldFirst(), api.StateFailed, "refused"},
		{"install: LoadFailed", fresh(False(Loaded, ReasonDependencyCycle, "a → b → a")), toldFirst(), api.StateFailed, "DependencyCycle: a → b → a"},
		{"install: SettingsInvalid", fresh(False(Configured, ReasonSettingsInvalid, "x")), toldFirst(), api.StateFailed, "x"},
		{"install: HookFailed", fresh(False(HooksProcessed, ReasonSyncHookFailed, "exit 1")), toldFirst(), api.StateFailed, "SyncHookFailed: exit 1"},
		{"install: ManifestsApplyFailed", allGood(False(ManifestsApplied, ReasonApplyManifestsFailed, "denied")), toldFirst(), api.StateFailed, "denied"},
		{"install: Degraded", allGood(False(Scaled, ReasonDegraded, "deadline")), toldFirst(), api.StateFailed, "deadline"},
		{"update: Pending", allGood(TrueBecause(Pending, ReasonVersionNotFound, "no version v2")), toldUpdating(), api.StateUpdating, "version v1.0.0 goes on"},
		{"update: DownloadFailed", allGood(False(ReadyOnFilesystem, ReasonDownloadFailed, "refused")), toldUpdating(), api.StateUpdating, "version v1.0.0 goes on"},
		{"update: LoadFromFilesystemFailed", allGood(False(Loaded, ReasonLoadFailed, "bad")), toldUpdating(), api.StateUpdating, "v2.0.0 is not installed yet"},
		{"update: SettingsInvalid", allGood(False(Configured, ReasonSettingsInvalid, "bad")), toldUpdating(), api.StateUpdating, "bad"},
		{"update: applying", allGood(Applying()), toldUpdating(), api.StateUpdating, "being applied"},
		{"update: HookInitializationFailed", allGood(False(HooksProcessed, ReasonHookInitializationFailed, "bad")), toldUpdating(), api.StateFailed, "bad"},
		{"update: HookFailed", allGood(False(HooksProcessed, ReasonHookFailed, "bad")), toldUpdating(), api.StateFailed, "bad"},
		{"update: ManifestsApplyFailed", allGood(False(ManifestsApplied, ReasonApplyManifestsFailed, "bad")), toldUpdating(), api.StateFailed, "bad"},
		{"reconcile: filesystem first", allGood(False(ReadyOnFilesystem, ReasonDownloadFailed, "first"), False(Loaded, ReasonLoadFailed, "second")), toldReady(), api.StateDegraded, "first"},
		{"reconcile: then load", allGood(False(Loaded, ReasonLoadFailed, "first"), False(HooksProcessed, ReasonHookFailed, "second")), toldReady(), api.StateDegraded, "first"},
		{"reconcile: then hooks", allGood(False(HooksProcessed, ReasonHookFailed, "first"), False(ManifestsApplied, ReasonApplyManifestsFailed, "second")), toldReady(), api.StateDegraded, "first"},
		{"reconcile: then manifests", allGood(False(ManifestsApplied, ReasonApplyManifestsFailed, "first"), False(Configured, ReasonSettingsInvalid, "second")), toldReady(), api.StateDegraded, "first"},
		{"reconcile: then configuration", allGood(False(Configured, ReasonSettingsInvalid, "first"), False(Scaled, ReasonDegraded, "second")), toldReady(), api.StateDegraded, "first"},
		{"reconcile: then workloads", allGood(False(Scaled, ReasonDegraded, "first")), toldReady(), api.StateDegraded, "first"},
		{"suspended", allGood(False(RequirementsMet, ReasonDependencyNotEnabled, "dependency 'ingress' not enabled")), toldReady(), api.StateSuspended, "dependency 'ingress' not enabled"},
		{"deleting", allGood(), deletingOf(toldReady()), api.StateDeleting, "removed"},
		{"an unknown reason", allGood(False(ManifestsApplied, "NeverHeardOf", "")), toldReady(), api.StateDegraded, "NeverHeardOf"},
		{"no reason at all", allGood(False(Scaled, "", "")), toldReady(), api.StateDegraded, "workloads"},
		{"good", allGood(), toldReady(), api.StateReady, ""},
		{"restart", fresh(), toldReady(), api.StateReady, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Judge(c.in, c.told).Summary
			assert.Equal(t, c.want, s.State)
			assert.Contains(t, s.Message, c.has)
			if s.State == api.StateReady {
				assert.Empty(t, s.Message+s.Tip)
				return
			}
			assert.NotEmpty(t, s.Message)
			assert.NotEmpty(t, s.Tip)
		})
	}
}

// A summary is never Ready in the middle of something.
func TestComplaint10NeverReadyWhileApplying(t *testing.T) {
	for _, told := range []Told{toldFirst(), toldReady(), toldUpdating()} {
		for _, in := range []Internal{
			allGood(Applying()), allGood(False(Scaled, ReasonReconciling, "1 of 2")), allGood(Unknown(Scaled, "NoWorkloads", "none")),
		} {
			v := Judge(in, told)
			assert.NotEqual(t, api.StateReady, v.Summary.State, "%s: %s", v.Phase, show(v))
			assert.False(t, Told{Conditions: v.Conditions}.is(ExternalReady), show(v))
		}
	}
	v := Judge(allGood(), toldUpdating())
	assert.Equal(t, api.StateUpdating, v.Summary.State, "what is good is the old version")
}

func TestComplaint9OldFailureIsGoneWhileApplying(t *testing.T) {
	in := allGood(False(ManifestsApplied, ReasonApplyManifestsFailed, "denied by a policy"))
	in.set(Applying())
	v := Judge(in, toldReady())
	assert.Equal(t, api.StateUpdating, v.Summary.State)
	assert.NotContains(t, v.Summary.Message, "denied")
	assert.NotContains(t, show(v), ExternalManifestsApplyFailed)
}

func TestTimesChangeWithTheStatus(t *testing.T) {
	v := Judge(allGood(False(Scaled, ReasonDegraded, "deadline")), toldReady())
	for _, c := range v.Conditions {
		want := before
		if slices.Contains([]string{ExternalScaled, ExternalManaged, ExternalReady}, c.Type) {
			want = now
		}
		assert.Equal(t, want, c.LastTransitionTime.Time, c.Type)
		assert.Equal(t, int64(3), c.ObservedGeneration)
	}
	for _, c := range Judge(fresh(), toldReady()).Conditions[1:] {
		assert.Equal(t, int64(2), c.ObservedGeneration, "%s was held, not observed", c.Type)
	}
}

func TestJudgeIsStable(t *testing.T) {
	told := toldFirst()
	for _, in := range []Internal{fresh(), allGood(Applying()), allGood(), allGood(Applying()), allGood()} {
		first := Judge(in, told)
		if told.is(ExternalInstalled) || in.Is(Scaled) && in.Is(ManifestsApplied) {
			told.CurrentVersion = told.WantedVersion
		}
		told.Conditions = first.Conditions
		told.Now = told.Now.Add(time.Minute)
		second := Judge(in, told)
		assert.Equal(t, show(first), show(second))
		for i := range first.Conditions {
			assert.Equal(t, first.Conditions[i].LastTransitionTime, second.Conditions[i].LastTransitionTime)
		}
	}
}

func TestLongMessagesAreCut(t *testing.T) {
	v := Judge(allGood(False(Scaled, ReasonDegraded, strings.Repeat("ä", maxMessage))), toldReady())
	require.NotEmpty(t, v.Conditions)
	for _, c := range v.Conditions {
		assert.LessOrEqual(t, len(c.Message), maxMessage+8)
		assert.Equal(t, strings.ToValidUTF8(c.Message, "?"), c.Message)
	}
}
