package readiness

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestEventOf(t *testing.T) {
	at := func(text string) time.Time {
		parsed, err := time.Parse(time.RFC3339, text)
		assert.NoError(t, err)
		return parsed
	}
	for name, c := range map[string]struct {
		body map[string]any
		want Event
	}{
		"of the core API": {
			map[string]any{
				"type": "Warning", "reason": "Failed", "message": " no such image\n", "lastTimestamp": "2026-11-29T12:00:00Z", "eventTime": nil,
				"involvedObject": map[string]any{"kind": "Pod", "name": "web-1"}, "metadata": map[string]any{"creationTimestamp": "2026-11-29T11:00:00Z"},
			},
			Event{Type: "Warning", Kind: "Pod", Name: "web-1", Reason: "Failed", Message: "no such image", Last: at("2026-11-29T12:00:00Z")},
		},
		"of events.k8s.io, seen again": {
			map[string]any{"eventTime": "2026-11-29T12:00:00.5Z", "series": map[string]any{"lastObservedTime": "2026-11-29T12:05:00.25Z"}},
			Event{Last: at("2026-11-29T12:05:00.25Z")},
		},
		"a fraction of a second counts": {
			map[string]any{"lastTimestamp": "2026-11-29T12:00:00Z", "eventTime": "2026-11-29T12:00:00.75Z"},
			Event{Last: at("2026-11-29T12:00:00.75Z")},
		},
		"without a time of its own": {
			map[string]any{"metadata": map[string]any{"creationTimestamp": "2026-11-29T11:00:00Z"}}, Event{Last: at("2026-11-29T11:00:00Z")},
		},
		"a time that can't be read": {map[string]any{"lastTimestamp": "noon"}, Event{}},
		"nothing":                   {map[string]any{}, Event{}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, EventOf(c.body)) })
	}
	assert.Equal(t, "Failed: no such image", Event{Reason: "Failed", Message: "no such image"}.Text())
}
