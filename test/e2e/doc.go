// Package e2e runs the built plugin against a real control plane, the way a
// person does: each script in testdata/script is a terminal log with its input
// files (see rogpeppe/go-internal/testscript), and the oracle compares our
// verdicts with `kubectl diff --server-side`.
//
// The tests use the control plane that TAZUNA_TEST_KUBECONFIG and
// TAZUNA_TEST_CONTROLPLANE (its directory) name, and the programs
// kubectl-tazuna, kubectl, controlplane and helm in TAZUNA_TEST_BIN (default: bin of
// the repository). `make test` sets all three; without them the tests are
// skipped. To run one script again and again:
//
//	make build build-helm cluster
//	TAZUNA_TEST_KUBECONFIG=$PWD/.cluster/kubeconfig TAZUNA_TEST_CONTROLPLANE=$PWD/.cluster \
//		go test ./test/e2e -run 'TestScripts/drift$'
//
// The scripts case-* are trouble that was reported of tools that do the same job,
// bug-* are bugs that were reproduced with kapp; each asserts the right result.
//
// Tests with random input (the oracle, TestMasking, TestProofSequences) begin with
// the seed TAZUNA_TEST_SEED and take as much as fits into `make test`;
// TAZUNA_TEST_ORACLE (objects a kind), TAZUNA_TEST_MASKING (a duration) and
// TAZUNA_TEST_SEQUENCES (rounds) ask for more.
//
// Scripts run side by side on one control plane. Each has names of its own,
// $ID (script name and four random letters), with which everything that lives
// outside its namespace $NS must begin. Both words are also replaced in the
// files of the script.
//
// $KUBECONFIG is a copy of the administrator's with $NS as its namespace; $CONTEXT,
// $CLUSTER and $USER are the names in it, $CONTROLPLANE is the directory of the
// control plane, $BIN that of the programs.
//
// After the last successful apply of each script, and after its last destroy, the
// harness runs the same once more: it must make no write request. --always-write and
// input from stdin are exempt; an apply that has to write again says why with
// writes-again.
//
// Commands beside those of testscript:
//
//	[!] tazuna ARG...         run kubectl-tazuna; ! wants a failure
//	[!] kubectl ARG...        run the real kubectl
//	cpctl ARG...              run controlplane with --dir, see its README
//	code N                    the exit code of the last tazuna or kubectl was N
//	[!] writes N              the last tazuna made N write requests, counted by the server
//	apply-twice ARG...        tazuna apply -y ARG..., then again: nothing to do, no write request
//	writes-again REASON       exempt the script's last apply from what follows
//	verdicts ARG...           tazuna diff -o json ARG..., as sorted lines: what would be
//	                          done to which object, at which path, why and by whom
//	[!] json TEMPLATE [WANT]  a kubectl jsonpath on the last standard output gives WANT
//	waitfor [-t 30s] [-m REGEXP] PROGRAM ARG...
//	                          repeat until the program succeeds (and prints a match)
//	own-controlplane          a control plane for this script alone
//	package NAME              copy test/testdata/packages/NAME, with its batch binary built
//	deckhouse                 copy test/testdata/deckhouse, programs that answer as Deckhouse does
//	role NAME USER            write docs/rbac/NAME.yaml for this user to NAME.yaml
//	registry [secure]         an OCI registry for this script, at $REGISTRY: without TLS;
//	                          secure with it (ca.pem), for robot and c0rrect-horse only
//	chart-repository DIR      serve the charts below DIR from a chart repository, at $CHARTS
//	push chart|files DIR REF  put a directory into a registry, as a chart or as a tar
//	expand FILE...            replace $REGISTRY, $CHARTS and $WORK in files
//	skewed-clock FILE DURATION
//	                          write a kubeconfig through which the control plane looks as to one
//	                          whose clock is ahead of it, or behind it with a negative duration
//	transcript FILE           run what the terminal log FILE says was run, each until it prints
//	                          what stands there, times and the like aside; with
//	                          TAZUNA_TEST_UPDATE=1 it is written down instead
//	extension-server GROUP    serve a group whose kinds take no patch through its
//	                          aggregator
package e2e
