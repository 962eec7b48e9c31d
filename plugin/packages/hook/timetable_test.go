package hook

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
)

// timed is a hook with crontabs and periods of resynchronization by name.
func timed(t *testing.T, id string, crontabs map[string]string, periods map[string]time.Duration) *Hook {
	t.Helper()
	h := &Hook{ID: id}
	for _, name := range []string{"a", "b", "schedule"} {
		if crontabs[name] == "" {
			continue
		}
		times, err := binding.ParseCrontab("TZ=UTC " + crontabs[name])
		require.NoError(t, err)
		h.Config.Schedules = append(h.Config.Schedules, binding.Schedule{Name: name, Times: times})
	}
	for name, period := range periods {
		h.Config.Kubernetes = append(h.Config.Kubernetes, binding.Kubernetes{Name: name, Resynchronization: period})
	}
	return h
}

func at(clock string) time.Time {
	t, err := time.Parse("15:04:05", clock)
	if err != nil {
		panic(err)
	}
	return t.AddDate(2026, 0, 0)
}

func called(runs []Pending) []string {
	var all []string
	for _, p := range runs {
		all = append(all, p.Hook.ID+" "+p.Triggers[0].String())
	}
	return all
}

func TestTimetable(t *testing.T) {
	set := &Set{Hooks: []*Hook{
		timed(t, "x", map[string]string{"a": "*/10 * * * *", "b": "5 * * * *"}, nil),
		timed(t, "y", nil, map[string]time.Duration{"pods": 7 * time.Minute, "never": 0}),
		timed(t, "z", map[string]string{"schedule": "@every 30m"}, nil),
	}}
	table := NewTimetable(set, at("08:00:30"))
	for _, step := range []struct {
		now  string
		want []string
	}{
		{now: "08:00:30"},
		{now: "08:04:59"},
		{now: "08:05:00", want: []string{"x b"}},
		{now: "08:05:00"}, // once
		{now: "08:07:30", want: []string{"y pods"}},
		{now: "08:10:05", want: []string{"x a"}},
		// Nobody asked for an hour: each once, by their times.
		{now: "09:10:00", want: []string{"y pods", "x a", "z schedule", "x b"}},
		{now: "09:10:00"},
		{now: "09:17:00", want: []string{"y pods"}},
	} {
		assert.Equal(t, step.want, called(table.Due(at(step.now))), step.now)
	}
	due, ok := table.Next()
	assert.True(t, ok)
	assert.Equal(t, at("09:20:00"), due)
}

// Case of a removed hook whose schedule kept firing (shell-operator 666): times are
// of one set.
func TestTimetableOfRemovedHook(t *testing.T) {
	both := []*Hook{timed(t, "x", map[string]string{"a": "* * * * *"}, nil), timed(t, "y", map[string]string{"a": "* * * * *"}, nil)}
	assert.Equal(t, []string{"x a", "y a"}, called(NewTimetable(&Set{Hooks: both}, at("08:00:00")).Due(at("08:01:00"))))
	assert.Equal(t, []string{"y a"}, called(NewTimetable(&Set{Hooks: both[1:]}, at("08:00:00")).Due(at("08:01:00"))))
	none := NewTimetable(&Set{}, at("08:00:00"))
	assert.Empty(t, none.Due(at("09:00:00")))
	_, ok := none.Next()
	assert.False(t, ok)
}

func TestTimetableClockSetBack(t *testing.T) {
	set := &Set{Hooks: []*Hook{timed(t, "x", map[string]string{"a": "0 * * * *"}, map[string]time.Duration{"pods": time.Hour})}}
	table := NewTimetable(set, at("12:30:00"))
	assert.Empty(t, table.Due(at("08:30:00")))
	assert.Equal(t, []string{"x a"}, called(table.Due(at("09:00:00"))))
	assert.Equal(t, []string{"x pods"}, called(table.Due(at("09:30:00"))))
}

// Two crontabs without a name are one binding: what is due by both is one run.
func TestTimetableSameBindingTwice(t *testing.T) {
	h := timed(t, "x", map[string]string{"a": "0 * * * *"}, nil)
	h.Config.Schedules = append(h.Config.Schedules, h.Config.Schedules[0])
	assert.Equal(t, []string{"x a"}, called(NewTimetable(&Set{Hooks: []*Hook{h}}, at("08:30:00")).Due(at("09:00:00"))))
}
