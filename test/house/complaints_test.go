package house

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// complaint is one thing that people reported of the programs that ran application
// packages before this one (Deckhouse D, addon-operator A, shell-operator S,
// module-sdk M, Nelm N), with the tests that show what happens here.
type complaint struct {
	number int
	ref    string
	what   string
	// shown are tests as PACKAGE.TestName, or PACKAGE.TestName/HOW A SUBTEST BEGINS, and
	// scripts of test/e2e as "script NAME".
	shown []string
	// open says what of it can't be shown yet, and why; "" where nothing is left.
	open string
}

// complaints are those about packages and their controller, by their number in the
// collection of the project.
var complaints = []complaint{
	{1, "D#22372", "the finalizer was dropped before the teardown had ended", []string{"plugin/packages/controller.TestComplaint1FinalizerIsHeld", "plugin/packages/lifecycle.TestComplaint1RemovalIsFinal", "script case-a07-deletion", "test/chaos.TestControllerKilledInHooks"}, ""},
	{2, "D#19773", "releases of applications deleted during a crash stayed for ever", []string{"plugin/packages/runtime.TestComplaint2ReleasesWithoutAnApplication", "plugin/packages/release.TestComplaint2ForeignReleaseIsNotInstalledByUs"}, ""},
	{3, "D#20657", "a suspension left objects in the cluster", []string{"script packages-controller-suspended", "plugin/packages/runtime.TestLifeOfAnApplication/E6 Suspension"}, ""},
	{4, "D#21099", "hooks began before the package was loaded", []string{"plugin/packages/runtime.TestComplaint4EnableNeedsALoadedPackage", "plugin/packages/runtime.TestLifeOfAnApplication"}, ""},
	{5, "D#20696", "failures were repeated each minute", []string{"plugin/packages/queue.TestComplaint5RetryDelays", "plugin/packages/controller.TestOptionsAreNeeded"}, ""},
	{6, "D#21604", "an apply could take three minutes only", []string{"plugin/packages/release.TestDefaults"}, ""},
	{7, "D#22549", "a timeout didn't say what was waited for", []string{"plugin/packages/release.TestComplaint7TimeoutNamesWhatItWaitsFor", "plugin/packages/release.TestTimeoutNamesFive", "plugin/packages/release.TestDefaults", "script packages-golden"}, ""},
	{8, "D#22315", "an error said context canceled, and not why", []string{"plugin/packages/release.TestComplaint8BareCancellation", "plugin/packages/release.TestComplaint64InterruptedReleaseIsFailed", "plugin/packages/lifecycle.TestComplaint8CausesAreWorded", "plugin/packages/queue.TestComplaint8DroppedWithItsCause"}, ""},
	{9, "D#20901", "the failure of the apply before was told during the next", []string{"plugin/packages/status.TestComplaint9OldFailureIsGoneWhileApplying"}, ""},
	{10, "D#20355 D#22714", "Ready in the middle of an apply", []string{"plugin/packages/status.TestComplaint10NeverReadyWhileApplying"}, ""},
	{11, "D#22504", "a closed channel of progress was read for ever, and the version stayed empty", []string{"plugin/packages/status.TestCommitRule", "plugin/packages/release.TestComplaint65ListenerThatPanics"}, "progress comes by calls here, so there is no channel to be closed"},
	{12, "D#15576", "the label of maintenance was misspelt", []string{"plugin/packages/admission.TestComplaint12LabelOfMaintenance", "plugin/packages/release.TestMaintenance", "script packages-controller", "script packages-admission"}, ""},
	{13, "D#23107", "a policy kept denying edits in maintenance", []string{"plugin/packages/admission.TestComplaint12LabelOfMaintenance", "script packages-admission"}, ""},
	{14, "D#16796", "one application that waits held up all others", []string{"plugin/packages/runtime.TestComplaint14StuckApplication", "plugin/packages/queue.TestComplaint14OneQueueHoldsUpNoOther", "plugin/packages/schedule.TestComplaint14ApplicationsNeverWaitForEachOther", "plugin/packages/controller.TestComplaint14HungRepositoriesHoldUpNoOther", "script packages-controller-stuck"}, ""},
	{15, "A#596", "the mark of maintenance was lost with a restart", []string{"plugin/packages/release.TestMaintenance", "plugin/packages/runtime.TestComplaint15Maintenance", "plugin/packages/controller.TestMaintenanceMetric"}, ""},
	{16, "A#481 A#495 A#496", "a revision left pending blocked every upgrade", []string{"plugin/packages/release.TestComplaint16PendingAndUninstalling", "plugin/packages/release.TestP6Decide"}, ""},
	{17, "A#264", "monitors of missing objects leaked", []string{"plugin/packages/runtime.TestComplaint17NothingIsLeftOfASuspension"}, ""},
	{18, "A#653", "what was enabled again used old values", []string{"plugin/packages/values.TestComplaint18FreshValues", "plugin/packages/runtime.TestLifeOfAnApplication/E6 Suspension", "script packages-controller-suspended"}, ""},
	{19, "D#23190", "the shape of status.tracking changed under its readers", []string{"plugin/packages/api.TestComplaint19ShapeOfTracking"}, ""},
	{20, "D#19191", "an undeclared setting was accepted in silence", []string{"plugin/packages/schema.TestComplaint20UndeclaredSetting", "plugin/packages/admission.TestJudge", "script packages-render", "script packages-admission"}, ""},
	{21, "D#22933", "an immutable setting could be altered", []string{"plugin/packages/schema.TestComplaint21ImmutableSetting", "plugin/packages/schema.TestFrozen", "plugin/packages/admission.TestJudge", "script packages-admission"}, ""},
	{22, "D#19116 A#750 M#102", "the verdict on settings was lost", []string{"plugin/packages/hook.TestCheckSettings", "plugin/packages/trial.TestCheckSettings", "plugin/packages/admission.TestJudge", "script packages-hooks", "script packages-admission"}, ""},
	{23, "D#19819", "a missing version was admitted", []string{"plugin/packages/admission.TestJudge", "script packages-admission"}, ""},
	{24, "D#20017", "a cycle of requirements made the scheduler loop", []string{"plugin/packages/schedule.TestComplaint24CycleIsRefusedWithItsPath", "script case-a09-graph", "script packages-golden"}, ""},
	{25, "D#19946", "the suffix !optional was read wrongly", []string{"plugin/packages/bundle.TestRow25OptionalModules"}, ""},
	{26, "D#22671", "any tag was taken for a release channel", []string{"plugin/packages/bundle/repository.TestRow26OnlySixChannels"}, ""},
	{27, "D#20337", "a package without a version was processed as a success", []string{"plugin/packages/scan.TestComplaint27NoVersionIsAnError", "plugin/packages/controller.TestOperations"}, ""},
	{28, "D#19516 D#19830", "an incremental scan removed packages", []string{"plugin/packages/scan.TestComplaint28IncrementalScanForgetsNothing"}, ""},
	{29, "D#22558", "HTTP and http were told apart", []string{"plugin/packages/catalog.TestComplaint29SchemeInAnyCase", "plugin/packages/render.TestComplaint29SchemeInAnyCase", "plugin/packages/api.TestDefinitionsOnAServer"}, ""},
	{30, "A#474", "a patch was refused because of an undeclared neighbour", []string{"plugin/packages/values.TestComplaint30UndeclaredNeighbour"}, ""},
	{31, "A#371", "defaults under patternProperties weren't filled in", []string{"plugin/packages/schema.TestComplaint31DefaultsOfPatternProperties"}, ""},
	{32, "A#170", "items of lists could have undeclared fields", []string{"plugin/packages/schema.TestComplaint32UndeclaredInItems"}, ""},
	{33, "A#404", "the default of a list panicked", []string{"plugin/packages/schema.TestComplaint33DefaultOfAList"}, ""},
	{34, "A#183 A#375", "removing what is absent broke stored patches", []string{"plugin/packages/values.TestComplaint34RemoveOfAnAbsentPath", "plugin/packages/hook/output.TestValuesPatchStrictAndLenient", "plugin/packages/hook/output.TestJoinKeepsMeaning", "script case-j03-bad-patches"}, ""},
	{35, "D#17999", "a hook deleted an object of another instance", []string{"plugin/packages/hook/output.TestScope", "plugin/packages/trial.TestStore"}, ""},
	{36, "D#21255 D#1109", "stages had no snapshots", []string{"plugin/packages/hook.TestContexts", "plugin/packages/trial.TestStore", "plugin/packages/hook/live.TestComplaint36", "script packages-golden"}, ""},
	{37, "A#753", "hooks of equal order ran in any order", []string{"plugin/packages/hook.TestOrder", "plugin/packages/hook.TestCaseJ11Order"}, ""},
	{38, "A#633 S#775", "an empty crontab crashed or was accepted", []string{"plugin/packages/hook/binding.TestCaseJ09", "script case-j09-bad-configuration"}, ""},
	{39, "S#379 S#411", "namespaces that were labelled later gave no events", []string{"plugin/packages/hook/offline.TestCaseJ07", "plugin/packages/hook/live.TestComplaint39"}, ""},
	{40, "S#635", "only the first of merged contexts was handled", []string{"plugin/packages/hook.TestContexts", "plugin/packages/hook.TestMergeLosesNothing"}, ""},
	{41, "S#217", "a hook that is not executable was ignored", []string{"plugin/packages/hook.TestLoadFindsAllAndNamesTheRest", "plugin/packages/hook/snapshot.TestTrackerExecutesOnChosenEventsOnly", "script packages-hooks"}, ""},
	{42, "S#82", "a hook that changes what it watches ran for ever", []string{"plugin/packages/hook/snapshot.TestOwnWritesDoNotCallAgain"}, ""},
	{43, "S#771", "snapshots of a hook in a sub-directory weren't found", []string{"plugin/packages/debug.TestEverythingCanBeAskedAndIsMasked"}, ""},
	{44, "S#601", "a kind that is installed later failed the start for ever", []string{"plugin/packages/hook/live.TestComplaint44", "plugin/packages/runtime.TestComplaint44KindThatComesLater"}, ""},
	{45, "S#666", "the schedule of a removed hook kept firing", []string{"plugin/packages/hook.TestTimetableOfRemovedHook", "plugin/packages/hook/live.TestSchedules"}, ""},
	{46, "S#886", "zombies, and a race with reaping", []string{"plugin/packages/hook/process.TestOrphansAreCollectedWhereTheyBecomeOurs", "plugin/packages/hook/process.TestNothingIsLeftBehind", "plugin/packages/hook/process.TestAKilledParentLeavesNothing", "script case-j05-hung"}, ""},
	{47, "S#922", "a panic in one callback ended all events", []string{"plugin/packages/follow.TestComplaint47"}, ""},
	{48, "M#129", "the group of a metric was ignored", []string{"plugin/packages/hook/output.TestGroups"}, ""},
	{49, "S#331", "Create passed over errors", []string{"plugin/packages/hook/output.TestEffect", "script case-j03-bad-patches", "plugin/packages/hook/live.TestComplaint49"}, ""},
	{50, "M#80", "help was mixed into JSON", []string{"plugin/packages/hook/binding.TestParseBatchOlderForms", "plugin/packages/hook/output.TestParseVerdict"}, ""},
	{51, "M#94", "a hook run by hand crashed", []string{"plugin/packages/trial.TestHookByHand"}, ""},
	{52, "module-sdk", "ignoreMissingObjects was refused", []string{"plugin/packages/hook/offline.TestBatchFromObjectsToObjects"}, ""},
	{53, "module-sdk", "a panic was reported as success", []string{"plugin/packages/hook.TestRunFails"}, "a panic that the program itself reports as success can't be seen from outside"},
	{54, "module-sdk", "an entry whose filter gives {} disappeared", []string{"plugin/packages/hook/snapshot.TestSnapshotIsSortedAndKeepsEmptyResults"}, ""},
	{55, "A#536", "a patch of settings was dropped in silence", []string{"plugin/packages/hook/output.TestSettingsPatch"}, ""},
	{56, "D#18404 D#17655", "debugging meant curl over a socket", []string{"script packages-hooks", "script packages-render", "script packages-via-exec", "script packages-deckhouse"}, ""},
	{57, "N#117 N#235 N#503", "a Job was deleted before others were done with it", []string{"plugin/packages/release.TestComplaint57DeletedAfterAllElse"}, ""},
	{58, "N#334", "a hook needed an object that comes later, and hung", []string{"plugin/packages/release.TestComplaint58HookNeedsALaterObject"}, ""},
	{59, "N#517", "a failure that may pass was not told", []string{"plugin/packages/release.TestFailModes"}, ""},
	{60, "N#60", "an uninstallation hung on a finalizer", []string{"plugin/packages/release.TestComplaint60FinalizerHoldsUninstall", "plugin/packages/status.TestUninstalling", "script case-a07-deletion"}, ""},
	{61, "N#659 N#557", "a dependency on a later stage broke the order", []string{"plugin/packages/release.TestComplaint61DependencyAcrossStages", "plugin/packages/release.TestOrder"}, ""},
	{62, "N#580", "fields of other managers were wiped", []string{"plugin/packages/release.TestComplaint62OnlyOwnManagersAreTakenOver", "plugin/plan.TestPackagePolicy"}, ""},
	{63, "N#582", "fields that left the templates stayed", []string{"plugin/packages/release.TestComplaint63FieldsThatLeftTheTemplates", "plugin/packages/release.TestComplaint62OnlyOwnManagersAreTakenOver"}, ""},
	{64, "N#587", "an interrupted release stayed pending", []string{"plugin/packages/release.TestComplaint64InterruptedReleaseIsFailed"}, ""},
	{65, "N#618", "a closed progress channel panicked", []string{"plugin/packages/release.TestComplaint65ListenerThatPanics"}, ""},
	{66, "N#638", "one long line of a log hung the apply", nil, "logs of Pods are not collected"},
	{67, "N#510", "credentials were in printed events", []string{"plugin/packages/release.TestComplaint67NoSecretInProgressAndErrors"}, ""},
	{68, "N", "null fields failed the apply", []string{"plugin/packages/release.TestComplaint68NullFields"}, ""},
	{69, "N", "a revision although nothing had changed", []string{"plugin/packages/release.TestP6UpgradeOnlyIfNeeded"}, ""},
	{70, "N", "failed revisions were kept for ever", []string{"plugin/packages/release.TestComplaint70HistoryCountsAll"}, ""},
	{71, "N", "a pre-delete hook kept the objects from being deleted", []string{"plugin/packages/release.TestStagesAndHooks"}, ""},
	{72, "N", "a hook of several events ran for the first only", []string{"plugin/packages/release.TestStagesAndHooks", "plugin/packages/nelm.TestHooks"}, ""},
	{73, "N", "one invalid label dropped all", []string{"plugin/packages/release.TestComplaint73OneInvalidLabel"}, ""},
	{74, "N", "several external dependencies made a circle", []string{"plugin/packages/release.TestComplaint74OneNodeForEachExternalObject", "plugin/packages/release.TestExternalDependency"}, ""},
	{75, "N", "nothing was waited for where nothing was written", []string{"plugin/packages/release.TestComplaint7TimeoutNamesWhatItWaitsFor"}, ""},
	{76, "werf#6817", "the first crash failed the apply", []string{"plugin/packages/release.TestComplaint76CrashesInTheBeginning", "plugin/apply.TestFailuresOf"}, ""},
	{77, "kapp#446", "a timeout didn't name the object", []string{"plugin/packages/release.TestComplaint7TimeoutNamesWhatItWaitsFor"}, ""},
}

// TestComplaints holds the table to the tests that there are.
func TestComplaints(t *testing.T) {
	files := textFiles(t)
	for _, c := range complaints {
		assert.False(t, len(c.shown) == 0 && c.open == "", "%d (%s): neither shown nor explained", c.number, c.what)
		for _, shown := range c.shown {
			assert.True(t, isThere(files, shown), "%d (%s): there is no %s", c.number, c.what, shown)
		}
	}
	byNumber := func(a, b complaint) int { return a.number - b.number }
	assert.True(t, slices.IsSortedFunc(complaints, byNumber))
}

// isThere finds a script, or a test function in a package, maybe with a subtest.
func isThere(files map[string]string, shown string) bool {
	if script, ok := strings.CutPrefix(shown, "script "); ok {
		_, there := files["test/e2e/testdata/script/"+script+".txtar"]
		return there
	}
	dot := strings.LastIndexByte(shown, '.') // no name of a subtest has one
	dir := shown[:dot]
	test, sub, _ := strings.Cut(shown[dot+1:], "/")
	for name, content := range files {
		if strings.HasSuffix(name, "_test.go") && path.Dir(name) == dir && strings.Contains(content, "func "+test+"(") && strings.Contains(content, `"`+sub) {
			return true
		}
	}
	return false
}
