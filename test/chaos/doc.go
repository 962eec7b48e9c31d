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
//	kill_test.go    SIGKILL at the k-th request, before and after the server performed it
//	storm_test.go   one kind of trouble at a time
//	random_test.go  random trouble for a while, with counters
//
// `make test` takes a sample of the kills and all storms; `make chaos` kills at
// every request and goes on at random for TAZUNA_TEST_CHAOS (a duration, 30m by
// default there) from the seed TAZUNA_TEST_SEED, which it prints. Without
// TAZUNA_TEST_BIN and TAZUNA_TEST_KUBECONFIG, which `make test` sets, the tests are
// skipped.
//
// Nothing here depends on how long something takes or on how many requests a run
// makes: a kill that comes too late hits nobody, and such a run must have ended well.
package chaos
