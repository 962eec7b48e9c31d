// Package standin plays the nodes of a cluster: their kubelets and what runs on
// them, without any container.
//
// Flow: Run registers Node objects and renews their Leases, watches Pods bound
// to them and, for each, asks Next what its status should be at this moment and
// when to look again. A TLS server plays the kubelet's own endpoint for logs,
// exec, attach and port-forward. Claims of the storage class "standin" are
// given a volume.
//
// Annotations under standin.tazuna.dev/ choose another fate for a Pod than
// "ready at once"; see Wish.
//
// Invariants:
//   - Next is a pure function of a Pod and two instants. Everything that waits,
//     writes or runs is outside of it.
//   - A Pod's object is removed only with its UID as a precondition.
//   - Local processes are started only where an annotation asks for it, each in
//     a group of its own which ends with the Pod or with this process.
package standin
