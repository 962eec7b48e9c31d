package output

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// MetricAction is what is done to a metric.
type MetricAction string

// The actions.
const (
	// MetricAdd raises a counter.
	MetricAdd MetricAction = "add"
	// MetricSet sets a gauge.
	MetricSet MetricAction = "set"
	// MetricObserve counts a value in a histogram.
	MetricObserve MetricAction = "observe"
	// MetricExpire ends all series of a group.
	MetricExpire MetricAction = "expire"
)

// Metric is one operation on a metric.
type Metric struct {
	// Name is "" for MetricExpire.
	Name string
	// Group ties series together: those of a run replace those of earlier runs.
	Group  string
	Action MetricAction
	Value  float64
	// Buckets are the upper bounds of a histogram, ascending.
	Buckets []float64
	Labels  map[string]string
}

// ParseMetrics reads metrics: JSON objects one after another, usually one a line.
// The action stands in "action" with its "value", or is a key itself with the
// value: {"name":"n","add":1}.
func ParseMetrics(data []byte) ([]Metric, error) {
	documents, err := document.JSONStream(data)
	if err != nil {
		return nil, unreadable(MetricsFile, err)
	}
	f := &faults{file: MetricsFile}
	var metrics []Metric
	for _, d := range documents {
		metrics = append(metrics, f.metric(d.Value, fmt.Sprintf("metric %d", d.Number)))
	}
	if len(f.Findings) == 0 {
		f.oneActionEach(metrics)
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return metrics, nil
}

func (f *faults) metric(value any, at string) Metric {
	m := Metric{Labels: map[string]string{}}
	hasValue, actions := false, 0
	short := func(action MetricAction) document.Field {
		return document.Field{Key: string(action), Read: func(v any, at string) {
			actions++
			hasValue = true
			m.Action, m.Value = action, f.number(v, at)
		}}
	}
	before := len(f.Findings)
	ok := f.Mapping(value, at, []document.Field{
		{Key: "name", Read: func(v any, at string) { m.Name = f.Text(v, at) }},
		{Key: "group", Read: func(v any, at string) { m.Group = f.Text(v, at) }},
		{Key: "action", Read: func(v any, at string) {
			actions++
			m.Action = MetricAction(f.Word(v, at, string(MetricAdd), string(MetricSet), string(MetricObserve), string(MetricExpire)))
		}},
		{Key: "value", Read: func(v any, at string) { hasValue = true; m.Value = f.number(v, at) }},
		{Key: "buckets", Read: func(v any, at string) {
			f.List(v, at, func(v any, at string) { m.Buckets = append(m.Buckets, f.number(v, at)) })
		}},
		{Key: "labels", Read: func(v any, at string) { m.Labels = f.metricLabels(v, at) }},
		short(MetricAdd), short(MetricSet),
	})
	if ok && len(f.Findings) == before {
		f.checkMetric(m, at, hasValue, actions)
	}
	return m
}

// number reads a finite number.
func (f *faults) number(value any, at string) float64 {
	switch v := value.(type) {
	case int64:
		return float64(v)
	case json.Number:
		if number, err := v.Float64(); err == nil {
			return number
		}
	default:
		f.Found(at, "wanted a number, found %s", document.KindOf(value))
		return 0
	}
	f.Found(at, "the number is too large")
	return 0
}

var (
	metricName = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*$`)
	labelName  = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
)

func (f *faults) metricLabels(value any, at string) map[string]string {
	mapping, ok := value.(map[string]any)
	if !ok {
		f.Found(at, "wanted a mapping, found %s", document.KindOf(value))
		return nil
	}
	out := make(map[string]string, len(mapping))
	for _, key := range slices.Sorted(maps.Keys(mapping)) {
		if !labelName.MatchString(key) || strings.HasPrefix(key, "__") {
			f.Found(at, "%q is no name of a label", key)
		}
		out[key] = f.Text(mapping[key], document.Join(at, key))
	}
	return out
}

// checkMetric checks what belongs together.
func (f *faults) checkMetric(m Metric, at string, hasValue bool, actions int) {
	switch {
	case actions == 0:
		f.Found(at, "wanted one of action, add, set; found none")
		return
	case actions > 1:
		f.Found(at, "action, add and set exclude each other")
		return
	}
	if m.Action == MetricExpire {
		if m.Group == "" {
			f.Found(document.Join(at, "group"), "is missing: expire ends a group")
		}
		return
	}
	if !metricName.MatchString(m.Name) {
		f.Found(document.Join(at, "name"), "wanted the name of a metric, found %q", m.Name)
	}
	if !hasValue {
		f.Found(document.Join(at, "value"), "is missing: %s needs it", m.Action)
	}
	if m.Action == MetricAdd && m.Value < 0 {
		f.Found(document.Join(at, "value"), "a counter can't be lowered")
	}
	f.checkBuckets(m, at)
}

func (f *faults) checkBuckets(m Metric, at string) {
	at = document.Join(at, "buckets")
	switch {
	case m.Action != MetricObserve && m.Buckets != nil:
		f.Found(at, "belongs to observe")
	case m.Action != MetricObserve:
	case m.Group != "":
		f.Found(document.Join(strings.TrimSuffix(at, ".buckets"), "group"),
			"a histogram can't be of a group: its counts would begin anew with each run")
	case len(m.Buckets) == 0:
		f.Found(at, "is missing: observe needs it")
	}
	last := math.Inf(-1)
	for i, bound := range m.Buckets {
		if bound <= last {
			f.Found(fmt.Sprintf("%s[%d]", at, i), "has to be above the one before")
			return
		}
		last = bound
	}
}

// oneActionEach refuses a name that is used as two kinds of metrics.
func (f *faults) oneActionEach(metrics []Metric) {
	first := map[string]int{}
	for i, m := range metrics {
		j, twice := first[m.Name]
		switch {
		case m.Action == MetricExpire:
		case !twice:
			first[m.Name] = i
		case metrics[j].Action != m.Action:
			f.Found(fmt.Sprintf("metric %d", i+1), "%q is used with %s here and with %s in metric %d",
				m.Name, m.Action, metrics[j].Action, j+1)
		}
	}
}
