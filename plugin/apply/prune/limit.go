package prune

import (
	"fmt"
	"strconv"
	"strings"
)

// Limit bounds how many objects one run may delete. The zero value is no bound.
type Limit struct {
	set     bool
	max     int
	percent bool
}

// ParseLimit reads "10" or "5%". An empty text is no bound. Percent counts the
// objects of the records, rounded down.
func ParseLimit(text string) (Limit, error) {
	if text == "" {
		return Limit{}, nil
	}
	number, percent := strings.CutSuffix(text, "%")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || percent && n > 100 {
		return Limit{}, fmt.Errorf("limit of deletions %q: wanted a number like 10 or a share like 5%%", text)
	}
	return Limit{set: true, max: n, percent: percent}, nil
}

// String is what ParseLimit reads.
func (l Limit) String() string {
	switch {
	case !l.set:
		return ""
	case l.percent:
		return strconv.Itoa(l.max) + "%"
	default:
		return strconv.Itoa(l.max)
	}
}

// Over makes a filter of the limit for a run that would delete n of total
// recorded objects.
func (l Limit) Over(n, total int) OverLimit {
	allowed := l.max
	if l.percent {
		allowed = total * l.max / 100
	}
	if !l.set || n <= allowed {
		return OverLimit{}
	}
	return OverLimit{reason: fmt.Sprintf("%d objects would be deleted and --max-prune %s allows %d", n, l, allowed)}
}

// OverLimit keeps everything when there would be more deletions than allowed: a
// mistake that removes most of the files should not remove most of the cluster.
type OverLimit struct{ reason string }

// Name is "max-prune".
func (OverLimit) Name() string { return "max-prune" }

// Keep keeps all or nothing.
func (f OverLimit) Keep(Candidate) *Kept {
	if f.reason == "" {
		return nil
	}
	return &Kept{Reason: f.reason, Refused: true}
}
