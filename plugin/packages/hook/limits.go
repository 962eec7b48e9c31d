package hook

import "time"

// Limits bound what a hook may use. The zero value means DefaultLimits; of others
// each field counts as it is.
type Limits struct {
	// Run is the time limit of a run, Load that of a question (--config, hook
	// list, hook config, hook check). 0 is none.
	Run, Load time.Duration
	// Grace is the time between the request to end and the end.
	Grace time.Duration
	// Output is how many bytes of each of standard output and standard error are
	// kept of a run. What is beyond is counted and dropped.
	Output int
	// Config is how long a configuration may be, File a file that a hook writes.
	// More is an error; a hook whose file grows beyond it is stopped.
	Config, File int
}

func (l Limits) orDefault() Limits {
	if l == (Limits{}) {
		return DefaultLimits()
	}
	return l
}

// DefaultLimits are those that hold unless the user says otherwise.
func DefaultLimits() Limits {
	return Limits{
		Run: 10 * time.Minute, Load: 30 * time.Second, Grace: 5 * time.Second,
		Output: 256 << 10, Config: 1 << 20, File: 32 << 20,
	}
}
