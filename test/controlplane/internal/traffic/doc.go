// Package traffic watches and disturbs the requests to an API server.
//
// Flow: Gate.Listen tracks the connections, Gate.Wrap goes around the server's
// handler chain. For each request the gate tells who sent it, parses it into a
// Request, records it, waits the latency that applies and asks the rules
// whether one fires; then it performs, answers by itself, or cuts.
//
// Invariants:
//   - Requests of the control plane's own components are recorded but never
//     delayed or disturbed, unless a rule names their user agent: a test that
//     breaks "every patch" must not break the cluster.
//   - The recorder holds a bounded number of requests and says how many it let go.
//   - With no rule and no latency the cost of a request is one parse and one
//     short critical section.
package traffic
