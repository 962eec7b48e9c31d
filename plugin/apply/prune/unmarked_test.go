package prune

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestUnmarked(t *testing.T) {
	f := Unmarked{Manager: "tazuna"}
	bare := candidate(t, `{apiVersion: v1, kind: A, metadata: {name: a, uid: u-1}}`)
	for name, c := range map[string]struct {
		entry Entry
		live  string
		kept  bool
	}{
		"nothing":                         {Entry{}, `{apiVersion: v1, kind: A, metadata: {name: a, uid: u-1}}`, true},
		"a confirmed apply":               {Entry{UID: "u-1", Confirmed: true}, `{apiVersion: v1, kind: A, metadata: {name: a, uid: u-1}}`, false},
		"an apply that was only begun":    {Entry{UID: "u-1"}, `{apiVersion: v1, kind: A, metadata: {name: a, uid: u-1}}`, true},
		"our label":                       {Entry{Label: "l"}, `{apiVersion: v1, kind: A, metadata: {name: a, uid: u-1, labels: {applyset.kubernetes.io/part-of: l}}}`, false},
		"another record's label":          {Entry{Label: "l"}, `{apiVersion: v1, kind: A, metadata: {name: a, uid: u-1, labels: {applyset.kubernetes.io/part-of: m}}}`, true},
		"a record without a label":        {Entry{}, `{apiVersion: v1, kind: A, metadata: {name: a, uid: u-1, labels: {applyset.kubernetes.io/part-of: ""}}}`, true},
		"fields of ours":                  {Entry{}, `{apiVersion: v1, kind: A, metadata: {name: a, uid: u-1, managedFields: [{manager: tazuna, operation: Apply}]}}`, false},
		"fields of somebody else":         {Entry{}, `{apiVersion: v1, kind: A, metadata: {name: a, uid: u-1, managedFields: [{manager: kubectl, operation: Apply}]}}`, true},
		"another uid and our field owner": {Entry{UID: "u-2", Confirmed: true}, `{apiVersion: v1, kind: A, metadata: {name: a, uid: u-1, managedFields: [{manager: tazuna, operation: Apply}]}}`, false},
	} {
		one := candidate(t, c.live)
		one.Entry = c.entry
		got := f.Keep(one)
		assert.Equal(t, c.kept, got != nil, name)
		if got != nil {
			assert.True(t, got.Forget, name)
		}
	}
	assert.Equal(t, "unmarked", First([]Filter{f}, bare).Filter)
}
