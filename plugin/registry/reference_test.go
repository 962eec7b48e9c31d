package registry

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const someDigest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func TestParseReference(t *testing.T) {
	for text, want := range map[string]Reference{
		"ghcr.io/org/app":                          {Host: "ghcr.io", Repository: "org/app"},
		"ghcr.io/org/app:v1":                       {Host: "ghcr.io", Repository: "org/app", Tag: "v1"},
		"ghcr.io/org/app@" + someDigest:            {Host: "ghcr.io", Repository: "org/app", Digest: someDigest},
		"ghcr.io/org/app:v1@" + someDigest:         {Host: "ghcr.io", Repository: "org/app", Tag: "v1", Digest: someDigest},
		"localhost/app":                            {Host: "localhost", Repository: "app"},
		"localhost:5000/app:v1":                    {Host: "localhost:5000", Repository: "app", Tag: "v1"},
		"[::1]:5000/app":                           {Host: "[::1]:5000", Repository: "app"},
		"oci://ghcr.io/charts/app:1.0":             {Host: "ghcr.io", Repository: "charts/app", Tag: "1.0"},
		"oci:dir":                                  {Layout: "dir"},
		"oci:./a/b:v1":                             {Layout: "./a/b", Tag: "v1"},
		"oci:/a/b:v1@" + someDigest:                {Layout: "/a/b", Tag: "v1", Digest: someDigest},
		"oci:a:b/c":                                {Layout: "a:b/c"},
		"oci:../dir@" + someDigest:                 {Layout: "../dir", Digest: someDigest},
		"registry.example:443/a/b/c-d_e.f:1.2.3-4": {Host: "registry.example:443", Repository: "a/b/c-d_e.f", Tag: "1.2.3-4"},
	} {
		t.Run(text, func(t *testing.T) {
			got, err := ParseReference(text)
			require.NoError(t, err)
			assert.Equal(t, want, got)
			assert.Equal(t, strings.Replace(text, "oci://", "", 1), got.String())
		})
	}
}

func TestParseReferenceFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                          `"" is no host`,
		"app":                       `"app" is no host (it has no dot, no port and is not localhost)`,
		"org/app:v1":                `"org" is no host`,
		"https://ghcr.io/app":       `found the scheme "https"`,
		"ghcr.io/app:":              "the tag after the colon is empty",
		"ghcr.io/app@sha256:12":     "wanted a digest such as sha256:… after the @",
		"ghcr.io/App":               `invalid repository "App"`,
		"ghcr.io/app:a b":           `invalid tag "a b"`,
		"ghcr.io/":                  `invalid repository ""`,
		"user:secret@ghcr.io/app":   "wanted a digest",
		"oci:":                      "wanted the directory of a layout",
		"oci:dir:":                  "the tag after the colon is empty",
		"oci:dir@sha512:0":          "wanted a digest",
		"ghcr.io/../../evil/app:v1": "invalid repository",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := ParseReference(text)
			assert.ErrorContains(t, err, want)
		})
	}
	_, err := ParseReference("user:hunter22@ghcr.io/app")
	assert.NotContains(t, err.Error(), "hunter22", "credentials in an address are no reference, and not repeated")
}

func TestReferences(t *testing.T) {
	r := reference(t, "ghcr.io/org/app:v1")
	assert.False(t, r.IsRepository())
	assert.Equal(t, "ghcr.io/org/app/version:v2", r.Below("version").WithTag("v2").String())
	assert.Equal(t, "ghcr.io/org/app@"+someDigest, r.WithDigest(someDigest).String())
	l := reference(t, "oci:dir:v1")
	assert.True(t, l.IsLayout())
	assert.Equal(t, "oci:dir:v2", l.Below("version").WithTag("v2").String())
	assert.True(t, l.Below("x").IsRepository())
}

// FuzzReference looks for a text whose reference, written and read, is another one.
func FuzzReference(f *testing.F) {
	for _, seed := range []string{"ghcr.io/org/app:v1", "oci:dir:v1@" + someDigest, "oci://h.io/a@" + someDigest, "localhost/a", "a@b@c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseReference(text)
		if err != nil {
			return
		}
		again, err := ParseReference(r.String())
		require.NoError(t, err, r.String())
		require.Equal(t, r, again)
		require.Equal(t, r.IsLayout(), r.Host == "")
	})
}
