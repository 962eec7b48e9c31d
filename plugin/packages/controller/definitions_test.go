package controller

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A definition that was just made has null for conditions, which is no fault.
func TestIsEstablished(t *testing.T) {
	condition := func(kind, status string) any { return map[string]any{"type": kind, "status": status} }
	tests := map[string]struct {
		status any
		want   bool
	}{
		"no status":  {nil, false},
		"null":       {map[string]any{"conditions": nil}, false},
		"none":       {map[string]any{"conditions": []any{}}, false},
		"names only": {map[string]any{"conditions": []any{condition("NamesAccepted", "True")}}, false},
		"not yet":    {map[string]any{"conditions": []any{condition("Established", "False")}}, false},
		"served":     {map[string]any{"conditions": []any{condition("NamesAccepted", "True"), condition("Established", "True")}}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, isEstablished(map[string]any{"status": tt.status}))
		})
	}
}
