package house

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// trusted is what makes an apply one that can be trusted, with the tests that show it:
// order, waiting, conflicts, deletions, the record and its lock, what is told, and all of
// it under faults. The section is the part of the engine.
var trusted = []behaviour{
	{"order", "change groups and rules of kapp, in annotations and bindings", []string{"plugin/plan.TestChangeOrder", "plugin/plan.TestDefaultChangeRules", "script kapp-order"}},
	{"order", "placeholders; unknown ones are faults", []string{"plugin/plan.TestChangeOrder", "plugin/plan.TestChangeOrderFaults"}},
	{"order", "optional rules give way and close no circle", []string{"plugin/plan.TestOptionalRulesNeverCloseCircles"}},
	{"order", "a circle is shown with each of its steps, and nothing is written", []string{"plugin/plan.TestOrderCycle", "plugin/plan.TestChangeOrderTellsOfCircles", "script order-change-rules"}},
	{"order", "the cost is linear", []string{"plugin/plan.TestOrderIsLinear", "plugin/plan.TestChangeOrderIsLinear"}},
	{"order", "a rule that matches nothing is told of", []string{"plugin/plan.TestChangeOrderWarnings", "script kapp-order"}},
	{"order", "the worst order of files works", []string{"script case-o01-worst-order", "plugin/apply.TestLiveWorstOrder"}},
	{"order", "deletions come last and the other way round, farewells included", []string{"plugin/plan.TestOrderOfDeletions", "script case-o07-farewell"}},

	{"wait", "by one watch for each kind, again after a cut, by asking where it is not allowed", []string{"plugin/apply.TestWaitIsOneWatchForAllOfAKind", "plugin/apply.TestLiveWatchCuts", "plugin/apply.TestWaitAsksWhereItMayNotWatch"}},
	{"wait", "kstatus and the exceptions from it, kind by kind", []string{"plugin/readiness.TestOf", "plugin/readiness.TestEnough", "script case-w03-one-replica", "script case-w05-odd-rollouts"}},
	{"wait", "wait rules: conditions, how long a failure has to last, what unblocks, observed generations", []string{"script kapp-wait-rules", "script wait-unblock", "script clock-skew", "plugin/apply.TestARuleThatUnblocksLetsDependantsStartAndNotDeletions"}},
	{"wait", "questions in CEL", []string{"script wait-expressions"}},
	{"wait", "a failure ends it at once, with conditions, events and logs", []string{"script case-w01-failed-job", "script case-w09-taken-names", "script wait-report"}},
	{"wait", "what Pods suffer is told while it is waited for", []string{"script case-w11-pods-that-cannot-start", "plugin/apply.TestWaitTellsWhatPodsSuffer"}},
	{"wait", "a Job that cleans itself up has finished", []string{"script case-w07-brief-job", "plugin/apply.TestAJobThatCleansItselfUpHasFinished"}},
	{"wait", "time limits: of an object, of its wait, of the run", []string{"plugin/apply.TestTimeoutsOfOneObject", "plugin/apply.TestTimeoutOfTheRun", "script wait-report"}},
	{"wait", "a failure from before the change is none of it; what a run ended in is gone on with", []string{"plugin/apply.TestFailingBeforeTheChange", "script wait-goes-on"}},
	{"wait", "silence is broken, lines without a terminal, a table on one", []string{"plugin/apply.TestHeartbeatIsToldInSilence", "printers.TestProgressGolden", "printers.TestLiveGolden", "script progress"}},

	{"conflict", "another manager's value is refused with manager, field and values, unless it is forced", []string{"script conflict", "script case-c05-other-manager", "plugin/apply.TestLiveFieldConflict"}},
	{"conflict", "--adopt", []string{"script adopt-server-side", "script case-c03-from-kubectl"}},
	{"conflict", "what changes between plan and write fails, but for --replan", []string{"script replan", "plugin/apply.TestConflictWithAnotherChangeFails"}},
	{"conflict", "strategies of kapp", []string{"script kapp-strategies", "plugin/apply.TestCreateStrategyUpdatesWhatCameInBetween"}},
	{"conflict", "a replacement names the finalizers that hold it, and ends", []string{"script bug-20-replace-hangs", "plugin/apply.TestDeletionHeldByAFinalizer", "script replace-guard"}},
	{"conflict", "what can't be changed is refused with the field", []string{"script case-m05-refusals", "script case-m03-claims", "script case-m01-job-image", "script case-m07-crd"}},

	{"prune", "a guard each, by name", []string{"plugin/apply/prune.TestFiltersHaveNames", "plugin/apply/prune.TestWanted", "plugin/apply/prune.TestIncomplete", "plugin/apply/prune.TestControlled", "plugin/apply/prune.TestAnnotations", "plugin/apply/prune.TestProtectedKinds", "plugin/apply/prune.TestLimitOver", "plugin/apply/prune.TestNotAsked"}},
	{"prune", "those that rest on the record and on the other files", []string{"plugin/apply/prune.TestUnread", "plugin/apply/prune.TestMovedIsNotForgottenWhileItCannotBeRead", "plugin/apply/prune.TestUnservedKind", "plugin/apply/prune.TestMadeAgain", "plugin/apply/prune.TestUnmarked", "plugin/apply/prune.TestOtherRecord", "plugin/apply/prune.TestOtherOwner", "plugin/apply/prune.TestDamagedRecord"}},
	{"prune", "those that no flag lifts", []string{"plugin/apply/prune.TestUnknownStrategy", "plugin/apply/prune.TestSystemNamespaces"}},
	{"prune", "objects that move between manifests", []string{"plugin/apply/prune.TestMoved", "script case-p01-moved", "plugin/apply.TestRunMovesAnObjectBetweenManifests"}},
	{"prune", "nothing goes of a build that is broken", []string{"script case-p03-broken-build"}},
	{"prune", "what is still used goes when its users have moved on", []string{"script case-p09-generated", "plugin/apply.TestPruneWaitsForTheRollout"}},
	{"prune", "nobody else's object goes, whatever its name, and none with its namespace", []string{"plugin/apply.TestLivePruneOfANamesake", "script case-p07-swapped", "script case-p05-namespace"}},
	{"prune", "an object that two manifests of a file want", []string{"script disputed", "plugin/build.TestFinishLeavesDisputesToThePlan", "plugin/plan.TestOrderKnowsTheTwinThatIsMade"}},
	{"prune", "another file's manifest is not destroyed", []string{"script destroy", "script projects", "script bootstrap"}},
	{"prune", "destroy: from the record, in reverse, waiting, honouring keep; refused for a file without the variable", []string{"script destroy", "plugin/command.TestDestroyOfAFileNeedsTheVariable"}},

	{"record", "the lock: held, renewed, lost, taken over", []string{"plugin/state.TestRenewal", "plugin/state.TestAliveEndsAfterTwoThirdsOfTheTTL", "plugin/state.TestBeginTakesADeadHoldersLease", "plugin/state.TestLiveLock"}},
	{"record", "two runs at once", []string{"script case-x03-two-runs", "plugin/state.TestBeginRace"}},
	{"record", "a clock that is off", []string{"script clock-skew", "plugin/state.TestLeaseTTLOfOthers", "plugin/cluster.TestDiscoveryWithAClockThatIsBehind"}},
	{"record", "announced before it is written", []string{"plugin/apply.TestRunWithoutWriteAheadWritesNothing", "plugin/state.TestSessionKilledAnywhere"}},
	{"record", "saved plans", []string{"script saved-plan", "plugin/plan/saved.TestChanges"}},
	{"record", "a killed run is gone on with, and says so", []string{"script resume", "script killed"}},
	{"record", "too large, lost, with long names", []string{"script case-z03-large-record", "script case-x05-lost-record", "script case-z05-long-names", "script case-z01-large-crd"}},
	{"record", "all or nothing, readiness that there was none of before apart", []string{"script atomic", "plugin/undo.TestWhatWasNotReadyIsNotWaitedFor"}},
	{"record", "half a run", []string{"script case-x01-half"}},
	{"record", "users with few rights", []string{"test/e2e.TestRolesOfTheDocuments", "plugin/state.TestLiveLimitedUsers"}},
	{"record", "Ctrl-C, with and without a server", []string{"script case-t03-interrupted", "script case-k03-bad-server", "plugin/apply.TestARecordThatCannotBeSaved", "plugin/apply.TestInterruptDoesNotWaitForEver"}},
	{"record", "concurrency and patience", []string{"plugin/apply.TestRunKeepsTheBound", "plugin/apply.TestLiveBusyServer", "plugin/cluster.TestRetryable", "plugin/cluster.TestOutageIsShared"}},

	{"told", "events as JSON lines, with a schema", []string{"script events", "printers.TestEventLinesFollowTheirSchema"}},
	{"told", "recipes for CI run as they stand", []string{"test/e2e.TestRecipesOfCI"}},

	{"faults", "killed at every request", []string{"test/chaos.TestKillAtEveryRequest"}},
	{"faults", "conflicts, too many requests, errors, cuts, cut watches, a restart, an expired token, no dry run", []string{"test/chaos.TestStorms"}},
	{"faults", "a quota, a namespace on its way out, a broken API, slow and dead webhooks", []string{"test/chaos.TestObstacles", "script case-o03-webhook", "script case-o05-dying-namespace", "script case-k01-broken-api"}},
	{"faults", "at random", []string{"test/chaos.TestRandomFaults"}},
	{"faults", "objects larger than the server takes", []string{"script too-large", "plugin/plan.TestOverfull", "plugin/plan.TestOversized"}},
	{"faults", "kinds and versions that come and go", []string{"script case-k05-removed-version", "plugin/cluster.TestLiveKindDisappears"}},
	{"faults", "the second run is empty, after every script", []string{"test/e2e.TestScripts", "test/e2e.TestReadAgain", "script case-x07-nothing-changed"}},
}

// TestWhatAnApplyIsTrustedWith holds the table to the tests that there are.
func TestWhatAnApplyIsTrustedWith(t *testing.T) {
	files := textFiles(t)
	for _, b := range trusted {
		assert.NotEmpty(t, b.shown, "%s: %s is not shown", b.section, b.what)
		for _, shown := range b.shown {
			assert.True(t, isThere(files, shown), "%s: %s: there is no %s", b.section, b.what, shown)
		}
	}
}
