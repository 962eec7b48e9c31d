// Package chaos shows that a run may end at any moment, and the server do anything,
// without a loss: whatever happened, one undisturbed run later the cluster and the
// record are what they are after a run that nothing happened to.
//
// Each test has a control plane of its own, whose requests it may disturb. A
// [world] is one namespace with one record in it; its two versions of files differ
// by everything a run can do: created, updated and pruned objects, a definition
// with its custom resources, Secrets. What is compared is a [snapshot]: objects
// with their field managers, and entries with their hashes and last-applied bodies,
// without what the server makes anew each time.
//
//	kill_test.go        SIGKILL at the k-th request, before and after the server performed it
//	storm_test.go       one kind of trouble at a time
//	random_test.go      random trouble for a while, with counters
//	controller_test.go  SIGKILL of the packages controller at random moments
//
// The last one has a [fleet]: a world with Applications in it that a controller
// installs, moves between versions and deletes. What is compared is what is wanted of
// each of them; what they leave is also looked for at the moment when one goes.
//
// `make test` takes a sample of the kills, all storms and five rounds with the
// controller; `make chaos` kills at every request, goes on at random for
// TAZUNA_TEST_CHAOS (a duration, 30m by default there), and takes 50 rounds with the
// controller, all from the seed TAZUNA_TEST_SEED, which it prints. TAZUNA_TEST_ROUNDS
// is another number of rounds. Without
// TAZUNA_TEST_BIN and TAZUNA_TEST_KUBECONFIG, which `make test` sets, the tests are
// skipped.
//
// Nothing here depends on how long something takes or on how many requests a run
// makes: a kill that comes too late hits nobody, and such a run must have ended well.
// Only a wait that is in vain ends after minutes.
package chaos
