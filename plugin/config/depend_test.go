package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func manifests(t *testing.T, entries string) (*File, error) {
	t.Helper()
	return Parse([]byte("spec:\n  manifests:\n"+entries), "tazuna.yaml", withTypes())
}

func TestDependsOn(t *testing.T) {
	f, err := manifests(t, `  - {name: app, type: yaml, path: a, dependsOn: [db, net, db]}
  - {name: db, type: yaml, path: b, dependsOn: [net]}
  - {name: net, type: yaml, path: c}
  - {name: free, type: yaml, path: d}
`)
	require.NoError(t, err)
	assert.Equal(t, map[string][]string{"app": {"db", "net"}, "db": {"net"}, "net": nil, "free": nil}, f.Dependencies())
}

func TestDependsOnRefuses(t *testing.T) {
	for name, test := range map[string]struct{ entries, want string }{
		"unknown": {
			"  - {name: app, type: yaml, path: a, dependsOn: [dbb]}\n  - {name: db, type: yaml, path: b}\n",
			`tazuna.yaml:3: spec.manifests[0].dependsOn[0]: no manifest named "dbb"; did you mean "db"?`,
		},
		"itself": {
			"  - {name: app, type: yaml, path: a, dependsOn: [app]}\n",
			`tazuna.yaml:3: spec.manifests[0].dependsOn[0]: manifest "app" depends on itself`,
		},
		"a circle": {
			"  - {name: z, type: yaml, path: a, dependsOn: [a]}\n  - {name: a, type: yaml, path: a, dependsOn: [b]}\n" +
				"  - {name: b, type: yaml, path: a, dependsOn: [c]}\n  - {name: c, type: yaml, path: a, dependsOn: [a]}\n",
			"tazuna.yaml:4: spec.manifests[1].dependsOn: these manifests wait for each other in a circle: a -> b -> c -> a",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := manifests(t, test.entries)
			require.EqualError(t, err, test.want)
		})
	}
}

// Without dependsOn a file is a sequence, as far as somebody can see it.
func TestDependenciesOfASequence(t *testing.T) {
	test := "tests: [{type: ExistNonExist, existNonExist: {resource: {apiVersion: v1, kind: Pod}, name: x}}]"
	f, err := manifests(t, `  - {name: a, type: yaml, path: a}
  - {name: b, type: yaml, path: a, `+test+`}
  - {name: c, type: yaml, path: a}
  - {name: d, type: yaml, path: a, `+test+`}
  - {name: e, type: yaml, path: a}
`)
	require.NoError(t, err)
	assert.Equal(t, map[string][]string{"a": nil, "b": nil, "c": {"b"}, "d": {"b"}, "e": {"d"}}, f.Dependencies())
}
