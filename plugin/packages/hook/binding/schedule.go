package binding

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

func (p *parser) schedule(value any, at string) Schedule {
	s := Schedule{Name: string(OnSchedule), Queue: MainQueue}
	p.named(value, at)
	given := false
	fields := []document.Field{
		{Key: "name", Read: func(v any, at string) { s.Name = orDefault(p.Text(v, at), s.Name) }},
		{Key: "crontab", Null: true, Read: func(v any, at string) {
			given = true
			s.Crontab, s.Times = p.crontab(v, at)
		}},
		{Key: "allowFailure", Read: func(v any, at string) { s.AllowFailure = p.Truth(v, at) }},
		{Key: "queue", Read: func(v any, at string) { s.Queue = orDefault(p.Text(v, at), s.Queue) }},
		{Key: "group", Read: func(v any, at string) { s.Group = p.Text(v, at) }},
		{Key: "includeSnapshotsFrom", Read: func(v any, at string) { s.IncludeSnapshotsFrom = p.Texts(v, at) }},
	}
	if p.Mapping(value, at, fields) && !given {
		p.Found(document.Join(at, "crontab"), "is missing")
	}
	return s
}

// named remembers the name that a binding gave itself, for what is found in it.
func (p *parser) named(value any, at string) {
	if mapping, ok := value.(map[string]any); ok {
		p.names[at], _ = mapping["name"].(string)
	}
}

func orDefault(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func (p *parser) crontab(value any, at string) (string, cron.Schedule) {
	text := p.Filled(value, at)
	if text == "" {
		return "", nil
	}
	times, err := ParseCrontab(text)
	if err != nil {
		p.Found(at, "%v", err)
	}
	return text, times
}

// ParseCrontab reads a crontab: five fields (minute, hour, day of month, month,
// day of week), six with seconds first, or one of @yearly, @annually, @monthly,
// @weekly, @daily, @midnight, @hourly and "@every DURATION" with at least a
// second. CRON_TZ=ZONE or TZ=ZONE before it chooses the time zone.
func ParseCrontab(text string) (cron.Schedule, error) {
	zone, rest, err := cutZone(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("crontab %q: %w", text, err)
	}
	if every, ok := strings.CutPrefix(rest, "@every"); ok {
		if err := checkEvery(strings.TrimSpace(every)); err != nil {
			return nil, fmt.Errorf("crontab %q: %w", text, err)
		}
	}
	parser := cron.NewParser(cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)
	times, err := parser.Parse(zone + rest)
	if err != nil {
		return nil, fmt.Errorf("crontab %q: %w", text, err)
	}
	// Any day would do: what comes once in four years is found within five.
	if times.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, fmt.Errorf("crontab %q: there is no such day", text)
	}
	return times, nil
}

// cutZone checks the time zone that a crontab begins with. The parser of cron
// panics on a zone that nothing follows.
func cutZone(text string) (zone, rest string, err error) {
	name, ok := strings.CutPrefix(strings.TrimPrefix(text, "CRON_"), "TZ=")
	if !ok {
		return "", text, nil
	}
	name, rest, _ = strings.Cut(name, " ")
	rest = strings.TrimSpace(rest)
	if rest == "" {
		return "", "", errors.New("nothing follows the time zone")
	}
	if name == "" {
		return "", "", errors.New("the time zone is empty")
	}
	if _, err := time.LoadLocation(name); err != nil {
		return "", "", fmt.Errorf("unknown time zone %q", name)
	}
	return "CRON_TZ=" + name + " ", rest, nil
}

func checkEvery(text string) error {
	every, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return fmt.Errorf("wanted a duration such as 30s after @every, found %q", text)
	case every < time.Second:
		return errors.New("wanted at least 1s after @every")
	}
	return nil
}

func (p *parser) settings(value any, at string) Settings {
	s := Settings{Burst: 1}
	fields := []document.Field{
		{Key: "executionMinInterval", Read: func(v any, at string) { s.MinInterval = p.duration(v, at) }},
		{Key: "executionBurst", Read: func(v any, at string) { s.Burst = p.burst(v, at) }},
	}
	if p.batch {
		fields = append(fields, document.Field{Key: "EnableSchedulesOnStartup", Read: func(_ any, at string) {
			p.warn(at, "is without effect in an application package")
		}})
	}
	p.Mapping(value, at, fields)
	return s
}

// burst reads a number of runs. The SDK writes 0 for one that is not set.
func (p *parser) burst(value any, at string) int64 {
	if number, ok := value.(int64); p.batch && ok && number == 0 {
		return 1
	}
	return p.Integer(value, at, 1, 1<<31)
}

// duration reads "30s"; of a batch also the nanoseconds in which Go writes one.
func (p *parser) duration(value any, at string) time.Duration {
	if number, ok := value.(int64); ok && p.batch {
		return time.Duration(p.Integer(number, at, 0, 1<<62))
	}
	text := p.Filled(value, at)
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		p.Found(at, "wanted a duration such as 30s or 5m, found %q", text)
		return 0
	}
	return d
}
