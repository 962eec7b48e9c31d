package hook

// Pending is a run of a hook that waits in a queue.
type Pending struct {
	// Hook is nil for anything else that the queue holds: runs are not merged
	// over it.
	Hook     *Hook
	Triggers []Trigger
}

// Merge takes the run at the head of a queue and puts to it what waits for the same
// hook further back, so that any number of events is one run with all of them, in
// their order. rest is the queue without it, in its order. Runs of other hooks are
// not touched, and runs behind something that is no run of a hook wait for that.
//
// Of triggers of one group that follow one another only the last stays, as the
// hook would be told the same by each. Nothing else is dropped.
//
// The queue must not be empty. It is not changed.
func Merge(queue []Pending) (next Pending, rest []Pending) {
	next = queue[0]
	if next.Hook == nil {
		return next, queue[1:]
	}
	triggers := append([]Trigger(nil), next.Triggers...)
	for i, p := range queue[1:] {
		if p.Hook == nil {
			rest = append(rest, queue[i+1:]...)
			break
		}
		if p.Hook == next.Hook {
			triggers = append(triggers, p.Triggers...)
			continue
		}
		rest = append(rest, p)
	}
	next.Triggers = next.Hook.compact(triggers)
	return next, rest
}
