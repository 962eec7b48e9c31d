package expression

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func database() map[string]any {
	return map[string]any{
		"metadata": map[string]any{"generation": int64(3), "name": "db"},
		"spec":     map[string]any{"replicas": int64(3)},
		"status": map[string]any{
			"phase": "Running", "ready": int64(3), "load": 0.5, "observedGeneration": int64(3),
			"conditions": []any{
				map[string]any{"type": "Synced", "status": "True"},
				map[string]any{"type": "Healthy", "status": "False", "reason": "Lagging"},
			},
		},
	}
}

func TestHolds(t *testing.T) {
	tests := map[string]struct {
		text    string
		want    bool
		failure string
	}{
		"a field":            {text: "self.status.phase == 'Running'", want: true},
		"another value":      {text: "self.status.phase == 'Done'"},
		"numbers":            {text: "self.status.ready >= self.spec.replicas", want: true},
		"numbers of types":   {text: "self.status.load < 1", want: true},
		"generation":         {text: "self.status.observedGeneration == self.metadata.generation", want: true},
		"conditions":         {text: "self.status.conditions.exists(c, c.type == 'Synced' && c.status == 'True')", want: true},
		"a condition of two": {text: "self.status.conditions.filter(c, c.type == 'Healthy')[0].status == 'True'"},
		"is it there":        {text: "has(self.status.url)"},
		"optional":           {text: "self.?status.?url.orValue('none') == 'none'", want: true},
		"strings":            {text: "self.metadata.name.startsWith('d') && self.status.phase.lowerAscii() == 'running'", want: true},
		"absent":             {text: "self.status.url == 'x'", failure: "no such key: url"},
		"no boolean":         {text: "self.status.phase", failure: "wanted true or false, found string"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c, err := Compile(test.text)
			require.NoError(t, err)
			assert.Equal(t, test.text, c.String())
			got, err := c.Holds(database())
			if test.failure != "" {
				require.ErrorContains(t, err, test.failure)
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, test.want, got)
		})
	}
}

func TestCompileRefuses(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"nothing":        {" ", "empty"},
		"too much":       {"'" + strings.Repeat("x", maxLength) + "' == ''", "at most 4096"},
		"no CEL":         {"self.status.phase = 'x'", "not a CEL expression"},
		"another word":   {"object.status.phase == 'x'", "undeclared reference to 'object'"},
		"no truth":       {"1 + 1", "wanted an expression that is true or false, found one of type int"},
		"the time":       {"now() > timestamp(self.status.since)", "undeclared reference to 'now'"},
		"the wrong kind": {"'a' == 1", "no matching overload"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Compile(test.text)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestHoldsIsBounded(t *testing.T) {
	many := make([]any, 2000)
	for i := range many {
		many[i] = int64(i)
	}
	c, err := Compile("self.list.all(x, self.list.all(y, x + y >= 0))")
	require.NoError(t, err)
	_, err = c.Holds(map[string]any{"list": many})
	require.ErrorContains(t, err, "cost")
}

func TestHoldsTakesAnyObject(t *testing.T) {
	c, err := Compile("self.status.phase == 'x'")
	require.NoError(t, err)
	for _, body := range []map[string]any{nil, {}, {"status": nil}, {"status": []any{int64(1)}}, {"status": map[string]any{"phase": nil}}} {
		holds, _ := c.Holds(body)
		assert.False(t, holds)
	}
}
