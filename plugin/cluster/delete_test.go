package cluster

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

// Only an answer that leaves no doubt spares the look whether an object is gone.
func TestRemoveTellsWhatIsGone(t *testing.T) {
	const status = `{"kind":"Status","apiVersion":"v1","status":"Success","details":{"name":"a","kind":"configmaps","uid":"u"}}`
	const object = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"default","uid":"u"},"status":{"a":"b"}}`
	const marked = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"default","uid":"u","deletionTimestamp":"2026-01-01T00:00:00Z"}}`
	tests := map[string]struct {
		answer string
		kind   Mapping
		uid    string
		dryRun bool
		want   bool
	}{
		"a status":                       {answer: status, uid: "u", want: true},
		"a status of another":            {answer: status, uid: "v"},
		"a status without a uid":         {answer: `{"kind":"Status","apiVersion":"v1","status":"Success"}`, uid: "u"},
		"no uid was asked for":           {answer: status},
		"nothing is done in a dry run":   {answer: status, uid: "u", dryRun: true},
		"the object as it was":           {answer: object, uid: "u", want: true},
		"another object":                 {answer: object, uid: "v"},
		"an object that is still held":   {answer: marked, uid: "u"},
		"what other servers answer with": {answer: `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"a","uid":"u"}}`, kind: widgets, uid: "u"},
		"nothing":                        {answer: `{}`, uid: "u"},
		"no JSON":                        {answer: `gone`, uid: "u"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := configMaps
			if tt.kind.GVK.Kind != "" {
				m = tt.kind
			}
			c := connectTo(t, answer(200, tt.answer))
			gone, err := c.Remove(t.Context(), m, "default", "a", DeleteOptions{UID: types.UID(tt.uid), DryRun: tt.dryRun})
			require.NoError(t, err)
			assert.Equal(t, tt.want, gone)
		})
	}
}
