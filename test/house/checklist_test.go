package house

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// statement is a line of what the description of application packages says of their
// controller, with the tests that show it.
type statement struct {
	line, what string
	shown      []string // as those of complaints
}

// statements are the lines about the controller, by their names in the checklist of the
// project.
func statements() []statement {
	const life = "plugin/packages/runtime.TestLifeOfAnApplication/"
	return []statement{
		{"P1", "Load reads package.yaml, schemas, images_digests.json and finds hooks", []string{"plugin/packages/instance.TestP1LoadAndShare", life + "P1 "}},
		{"P2", "scheduling waits for the cluster, versions and modules, and the summary says so", []string{"plugin/packages/schedule.TestP2Bootstrap", "plugin/packages/schedule.TestP2Requirements", "script packages-controller-suspended", "script packages-golden"}},
		{"P3", "hooks are initialised; onStartup the first time only", []string{"plugin/packages/instance.TestP3HooksChangeValues", life + "E1 "}},
		{"P4", "beforeHelm, apply, afterHelm; changed values are applied once more", []string{"plugin/packages/runtime.TestP4ValuesOfAfterHelm", life + "P1 P2 P3 P4"}},
		{"P5", "Configure, Enable and Run are a reconciliation run", []string{life + "P1 P2 P3 P4 P5", life + "E1 "}},
		{"P6", "a release is upgraded only if there is a reason", []string{"plugin/packages/release.TestP6Decide", "plugin/packages/release.TestP6UpgradeOnlyIfNeeded"}},
		{"E1", "settings or maintenance changed: another run", []string{life + "E1 ", "script packages-controller", "plugin/packages/runtime.TestComplaint15Maintenance"}},
		{"E2", "a hook changed values: another run", []string{life + "E2 "}},
		{"E3", "another version is an upgrade of the same release", []string{life + "E3 ", "script packages-controller"}},
		{"E4", "a restart loads again, onStartup included", []string{life + "E4 ", "script packages-controller"}},
		{"E5", "an object that was deleted is restored", []string{life + "E5 ", "script case-a01-restoration"}},
		{"E6", "requirements that stop holding suspend", []string{life + "E6 ", "script packages-controller-suspended"}},
		{"E7", "a deleted Application is removed with all that it had", []string{life + "E7 ", "script packages-controller"}},
		{"O1", "kinds of orphans come from the values of the current version", []string{"plugin/packages/orphans.TestO1ExactGroup", "script case-a03-orphans"}},
		{"O2", "a version without a group means every group", []string{"plugin/packages/orphans.TestO2AnyGroupServingTheVersion", "script case-a03-orphans"}},
		{"O3", "namespace and label decide", []string{"plugin/packages/orphans.TestO3OnlyWhatIsLabelled"}},
		{"O4", "only helm.sh/resource-policy: keep protects", []string{"plugin/packages/orphans.TestO4OnlyHelmsPolicyProtects", "script case-a03-orphans"}},
		{"O5", "kinds of the cluster, and kinds that aren't served, are skipped", []string{"plugin/packages/orphans.TestO5SkippedKinds", "script case-a03-orphans"}},
		{"O6", "in the background, and finalizers aren't waited for", []string{"plugin/packages/orphans.TestO6NothingWaitsForFinalizers", "script case-a03-orphans"}},
		{"O7", "after the release and the hooks", []string{"plugin/packages/runtime.TestO7OrphansGoLast"}},
		{"O8", "only with the Application", []string{life + "E3 ", life + "E6 ", "script packages-controller-suspended"}},
		{"O9", "without the package only the release goes", []string{"plugin/packages/runtime.TestO9PackageThatCannotBeDownloaded"}},
		{"O10", "a failure goes on with the rest, and is repeated", []string{"plugin/packages/orphans.TestO10FailureGoesOnWithTheRest"}},
		{"O11", "a list that is none is told, and the Application goes", []string{"plugin/packages/orphans.TestO11MalformedValue"}},
		{"O12", "all of it is logged with the word orphan; the queue shows Purge with the error", []string{"plugin/packages/orphans.TestO12Logged", "script case-a03-orphans", "script packages-golden"}},
		{"Suspension", "hooks, release, hooks; the Application and its orphans stay, and it comes back", []string{life + "E6 Suspension", "script packages-controller-suspended", "script case-a05-suspended"}},
		{"Deletion", "hooks, release until it is gone, hooks, orphans, Application; repeated until it succeeds", []string{life + "E7 Deletion", "plugin/packages/runtime.TestDeletionGoesOnAfterAFailingHook", "script case-a07-deletion"}},
		{"Restoration", "existence is looked at every 4 to 5 minutes; paused for hooks, off in maintenance", []string{"plugin/packages/drift.TestRestorationMonitor", "plugin/packages/drift.TestPeriod", "script case-a01-restoration"}},
		{"Tracking", "waits, tells operations with states and dependencies, ends after 30 minutes with what it waits for", []string{life + "P1 ", "plugin/packages/release.TestStagesAndHooks", "plugin/packages/release.TestDefaults", "plugin/packages/release.TestComplaint7TimeoutNamesWhatItWaitsFor", "plugin/packages/health.TestMonitorOnACluster", "script packages-golden"}},
		{"Maintenance", "one apply for the label, then none; hooks run; the label goes with the mode", []string{"plugin/packages/release.TestMaintenance", "plugin/packages/runtime.TestComplaint15Maintenance", "plugin/packages/controller.TestMaintenanceMetric", "script packages-controller"}},
		{"Debug commands", "render, dump, snapshots, queue dump, scheduler dump", []string{"script packages-golden", "script packages-ask"}},
	}
}

// TestStatements holds the table to the tests that there are.
func TestStatements(t *testing.T) {
	files := textFiles(t)
	for _, s := range statements() {
		assert.NotEmpty(t, s.shown, "%s: %s", s.line, s.what)
		for _, shown := range s.shown {
			assert.True(t, isThere(files, shown), "%s (%s): there is no %s", s.line, s.what, shown)
		}
	}
}
