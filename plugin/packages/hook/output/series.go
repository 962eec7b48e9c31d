package output

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Sample is one series and its present value.
type Sample struct {
	Name, Group string
	Action      MetricAction
	// Labels hold those of the hook and the label "hook".
	Labels map[string]string
	// Value is that of a counter or gauge, the sum of a histogram.
	Value float64
	// Count and Buckets are of a histogram: how many values, and how many of them
	// are at most each of Bounds.
	Count   uint64
	Bounds  []float64
	Buckets []uint64
}

// Series holds the metrics of hooks in memory. The zero value holds none. It may
// be used by several goroutines.
type Series struct {
	mu      sync.Mutex
	samples map[string]*Sample
}

// Apply takes over the metrics of one run of a hook. Series of the groups that the
// run mentions and that it doesn't set again end; those that it does set go on, a
// counter from its present value. Metrics that don't fit what is there (a name of
// another kind, other buckets) are an error, and nothing is taken over.
func (s *Series) Apply(hook string, metrics []Metric) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	kinds := map[string]*Sample{}
	for _, sample := range s.samples {
		kinds[sample.Name] = sample
	}
	for _, m := range metrics {
		if err := fits(kinds[m.Name], m); err != nil {
			return err
		}
	}
	keep := map[string]bool{}
	groups := map[string]bool{}
	for _, m := range metrics {
		groups[m.Group] = m.Group != "" || groups[m.Group]
		if m.Action != MetricExpire {
			keep[s.take(hook, m)] = true
		} else {
			// Expire ends what the run has set before, too.
			for key, sample := range s.samples {
				keep[key] = keep[key] && sample.Group != m.Group
			}
		}
	}
	for key, sample := range s.samples {
		if groups[sample.Group] && !keep[key] {
			delete(s.samples, key)
		}
	}
	return nil
}

func fits(sample *Sample, m Metric) error {
	switch {
	case sample == nil || m.Action == MetricExpire:
		return nil
	case sample.Action != m.Action:
		return fmt.Errorf("metric %q: is used with %s, and was with %s", m.Name, m.Action, sample.Action)
	case m.Action == MetricObserve && !slices.Equal(sample.Bounds, m.Buckets):
		return fmt.Errorf("metric %q: has other buckets than before", m.Name)
	}
	return nil
}

// take applies one metric and gives the key of its series.
func (s *Series) take(hook string, m Metric) string {
	labels := map[string]string{}
	for key, value := range m.Labels {
		labels[key] = value
	}
	labels["hook"] = hook
	key := seriesKey(m.Name, m.Group, labels)
	sample, ok := s.samples[key]
	if !ok {
		if s.samples == nil {
			s.samples = map[string]*Sample{}
		}
		sample = &Sample{
			Name: m.Name, Group: m.Group, Action: m.Action, Labels: labels,
			Bounds: m.Buckets, Buckets: make([]uint64, len(m.Buckets)),
		}
		s.samples[key] = sample
	}
	switch m.Action {
	case MetricAdd:
		sample.Value += m.Value
	case MetricSet:
		sample.Value = m.Value
	case MetricObserve:
		sample.Value += m.Value
		sample.Count++
		for i, bound := range m.Buckets {
			if m.Value <= bound {
				sample.Buckets[i]++
			}
		}
	}
	return key
}

func seriesKey(name, group string, labels map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %q", name, group)
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		fmt.Fprintf(&b, " %q=%q", key, labels[key])
	}
	return b.String()
}

// Forget ends all series of a hook.
func (s *Series) Forget(hook string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, sample := range s.samples {
		if sample.Labels["hook"] == hook {
			delete(s.samples, key)
		}
	}
}

// Samples lists the present series, sorted by name and labels.
func (s *Series) Samples() []Sample {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Sample, 0, len(s.samples))
	for _, sample := range s.samples {
		one := *sample
		one.Buckets = slices.Clone(sample.Buckets)
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b Sample) int {
		return cmp.Compare(seriesKey(a.Name, a.Group, a.Labels), seriesKey(b.Name, b.Group, b.Labels))
	})
	return all
}
