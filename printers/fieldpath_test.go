package printers

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

const located = `metadata:
  annotations:
    a: "1"
    a.b: "2"
    a.b.c/d: "3"
    a[0]: "4"
  finalizers:
  - one
  - 'two, "quoted"]'
  labels: {}
spec:
  ports:
  - containerPort: 80
    name: web
  - containerPort: 80
    protocol: UDP
  script: |
    first

    ports:
      - last
  zones:
  - - a
    - b
`

func TestLocate(t *testing.T) {
	tests := map[string]span{
		"":                                   {0, 23},
		".metadata":                          {0, 10},
		".metadata.annotations":              {1, 6},
		".metadata.annotations.a":            {2, 3},
		".metadata.annotations.a.b":          {3, 4},
		".metadata.annotations.a.b.c/d":      {4, 5},
		".metadata.annotations.a[0]":         {5, 6},
		`.metadata.finalizers[="one"]`:       {7, 8},
		`.metadata.finalizers[0]`:            {7, 8},
		".metadata.labels":                   {9, 10},
		`.spec.ports[containerPort=80]`:      {12, 14},
		`.spec.ports[containerPort=80].name`: {13, 14},
		`.spec.ports[1].protocol`:            {15, 16},
		".spec.script":                       {16, 21},
		".spec.zones[0][1]":                  {23, 23},
		`.spec.ports[name="web"]`:            {12, 14},
		`.spec.ports[protocol="UDP"]`:        {14, 16},
		`.spec.ports[name="web",protocol="TCP"].containerPort`: {12, 13},
		`.spec.ports[containerPort=80,protocol="UDP"]`:         {14, 16},
		`.metadata.finalizers[="two, \"quoted\"]"]`:            {8, 9},
	}
	lines := strings.Split(strings.TrimSuffix(located, "\n"), "\n")
	tests[".spec.zones[0][1]"] = span{len(lines) - 1, len(lines)}
	tests[""] = span{0, len(lines)}
	l := &locator{body: encoded{text: located, lines: lines}}
	for path, want := range tests {
		t.Run(path, func(t *testing.T) {
			got, ok := l.find(path)
			require.True(t, ok)
			require.Equal(t, want, got, strings.Join(lines[got.from:min(got.to, len(lines))], "\n"))
		})
	}
}

func TestLocateFindsNothing(t *testing.T) {
	l := &locator{body: encoded{text: located, lines: strings.Split(located, "\n")}}
	for _, path := range []string{
		".status", ".metadata.annotations.b", ".metadata.annotations.a.x", ".spec.ports.name", ".spec.ports[7]",
		`.spec.ports[name="none"]`, ".spec.script[0]", ".spec.script.first", ".metadata[0]", "garbage",
		".spec.ports[", ".spec.ports[]", ".spec.ports[name", `.spec.ports[name="web`, `.spec.ports[name="web"`,
		`.spec.ports[name="web";x=1]`, ".spec.ports[name=web", ".spec.ports[99999999999999999999]", ".spec.ports[other=1]",
		`.metadata.finalizers[="none"]`,
	} {
		_, ok := l.find(path)
		require.False(t, ok, path)
	}
}

func TestLocateInTextsThatAreNoYAML(t *testing.T) {
	for _, text := range []string{"", "{", "a: b: c", "\x1b"} {
		_, ok := (&locator{body: encoded{text: text}}).find(".a")
		require.False(t, ok, text)
	}
}

// The format is structured-merge-diff's own: what its Path prints is found.
func TestLocateReadsPrintedPaths(t *testing.T) {
	key := value.FieldList{
		{Name: "containerPort", Value: value.NewValueInterface(int64(80))},
		{Name: "protocol", Value: value.NewValueInterface("UDP")},
	}
	paths := map[string]fieldpath.Path{
		"protocol: UDP":       fieldpath.MakePathOrDie("spec", "ports", &key, "protocol"),
		`- 'two, "quoted"]'`:  fieldpath.MakePathOrDie("metadata", "finalizers", value.NewValueInterface(`two, "quoted"]`)),
		`a.b.c/d: "3"`:        fieldpath.MakePathOrDie("metadata", "annotations", "a.b.c/d"),
		"- containerPort: 80": fieldpath.MakePathOrDie("spec", "ports", 0),
	}
	lines := strings.Split(located, "\n")
	l := &locator{body: encoded{text: located, lines: lines}}
	for want, path := range paths {
		at, ok := l.find(path.String())
		require.True(t, ok, path.String())
		require.Equal(t, want, strings.TrimSpace(lines[at.from]))
	}
}

func FuzzLocate(f *testing.F) {
	f.Add(".spec.ports[name=\"web\",protocol=\"TCP\"].containerPort")
	f.Add("[=\"x\"][0].a")
	lines := strings.Split(located, "\n")
	f.Fuzz(func(t *testing.T, path string) {
		l := &locator{body: encoded{text: located, lines: lines}}
		at, ok := l.find(path)
		if ok && (at.from < 0 || at.to > len(lines) || at.from >= at.to) {
			t.Fatalf("%q: lines %v", path, at)
		}
	})
}
