package plan

import (
	"container/heap"
	"strings"
)

// CycleError says that objects wait for each other in a circle. None of them
// could ever start, so nothing of the run is.
type CycleError struct {
	// Members are the names in waiting order: each one waits for the next and the
	// last for the first. Why has the relation of each to its next.
	Members, Why []string
}

// Error prints the circle with the reason of each step.
func (e *CycleError) Error() string {
	var b strings.Builder
	b.WriteString("these wait for each other in a circle: ")
	for i, m := range e.Members {
		b.WriteString(m)
		if e.Why[i] != "" {
			b.WriteString(" (" + e.Why[i] + ")")
		}
		b.WriteString(" -> ")
	}
	return b.String() + e.Members[0]
}

// sort finds an order of the objects, among free ones that of the input.
func (g *Graph) sort(name func(int) string) ([]int, error) {
	later, open := make([][]int, len(g.Nodes)), make([]int, len(g.Nodes))
	free := &intHeap{}
	for i, n := range g.Nodes {
		open[i] = len(n.After)
		for _, e := range n.After {
			later[e.On] = append(later[e.On], i)
		}
		if open[i] == 0 {
			*free = append(*free, i)
		}
	}
	heap.Init(free)
	sequence, done := make([]int, 0, len(g.Nodes)), 0
	for free.Len() > 0 {
		i, _ := heap.Pop(free).(int)
		done++
		if g.Nodes[i].Object >= 0 {
			sequence = append(sequence, i)
		}
		for _, next := range later[i] {
			if open[next]--; open[next] == 0 {
				heap.Push(free, next)
			}
		}
	}
	if done < len(g.Nodes) {
		return nil, g.cycle(open, name)
	}
	return sequence, nil
}

// cycle walks from a node that never came free along edges that never opened
// until it meets its own track.
func (g *Graph) cycle(open []int, name func(int) string) error {
	at := 0
	for open[at] == 0 {
		at++
	}
	met := map[int]int{}
	var track []Edge // the step taken from each node on the way, with On as the next
	var nodes []int
	for {
		if from, ok := met[at]; ok {
			return g.cycleError(nodes[from:], track[from:], name)
		}
		met[at] = len(nodes)
		nodes = append(nodes, at)
		for _, e := range g.Nodes[at].After {
			if open[e.On] > 0 {
				track = append(track, e)
				at = e.On
				break
			}
		}
	}
}

func (g *Graph) cycleError(nodes []int, track []Edge, name func(int) string) error {
	err := &CycleError{}
	for i, n := range nodes {
		err.Members = append(err.Members, name(n))
		err.Why = append(err.Why, track[i].Why)
	}
	return err
}

// intHeap gives the smallest node first.
type intHeap []int

func (h intHeap) Len() int           { return len(h) }
func (h intHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h intHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push is for container/heap.
func (h *intHeap) Push(x any) {
	i, _ := x.(int)
	*h = append(*h, i)
}

// Pop is for container/heap.
func (h *intHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
