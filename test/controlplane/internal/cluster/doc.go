// Package cluster runs a whole Kubernetes control plane in this process: etcd,
// kube-apiserver, kube-controller-manager, kube-scheduler and stand-in nodes.
//
// Flow: Run locks the home, makes certificates and kubeconfigs, opens the
// control endpoint, starts the parts one after another and then waits until
// its context ends or a part fails. The request gate of package traffic is put
// around the API server's own handler chain, outermost, so that it sees every
// request without a proxy in between.
//
// Invariants:
//   - Everything listens on loopback only.
//   - Parts end in the reverse order of their start, each within a bound, so a
//     stopping control plane cannot hang.
//   - The cobra commands of the components are never used: they install signal
//     handlers, which panics on the second component in one process.
package cluster
