package house

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// maxShortDescription is what fits into a line of `kubectl krew search`.
const maxShortDescription = 58

// krewManifest is the part of a krew manifest that its index checks.
type krewManifest struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Version          string         `json:"version"`
		Homepage         string         `json:"homepage"`
		ShortDescription string         `json:"shortDescription"`
		Description      string         `json:"description"`
		Platforms        []krewPlatform `json:"platforms"`
	} `json:"spec"`
}

type krewPlatform struct {
	Selector struct {
		MatchLabels map[string]string `json:"matchLabels"`
	} `json:"selector"`
	URI    string `json:"uri"`
	Sha256 string `json:"sha256"`
	Files  []struct {
		From string `json:"from"`
		To   string `json:"to"`
	} `json:"files"`
	Bin string `json:"bin"`
}

// TestKrewManifest holds the rules of krew's index, without its downloads.
func TestKrewManifest(t *testing.T) {
	var m krewManifest
	readStrictly(t, "krew-manifest.yaml", &m)
	assert.Equal(t, "krew.googlecontainertools.github.com/v1alpha2", m.APIVersion)
	assert.Equal(t, "Plugin", m.Kind)
	assert.Equal(t, "tazuna", m.Metadata.Name)
	assert.Regexp(t, `^v\d+\.\d+\.\d+$`, m.Spec.Version)
	assert.Regexp(t, `^https://`, m.Spec.Homepage)
	assert.NotEmpty(t, m.Spec.Description)
	assert.LessOrEqual(t, len(m.Spec.ShortDescription), maxShortDescription)
	assert.NotRegexp(t, `[\n.]$`, m.Spec.ShortDescription)

	seen := map[string]bool{}
	for _, p := range m.Spec.Platforms {
		pair := p.Selector.MatchLabels["os"] + "/" + p.Selector.MatchLabels["arch"]
		assert.False(t, seen[pair], "%s is there twice", pair)
		seen[pair] = true
		assert.Len(t, p.Selector.MatchLabels, 2, pair)
		assert.Regexp(t, `^https://\S+/`+regexp.QuoteMeta(m.Spec.Version)+`/\S+\.(tar\.gz|zip)$`, p.URI)
		assert.Regexp(t, `^[0-9a-f]{64}$`, p.Sha256)
		var from []string
		for _, file := range p.Files {
			from = append(from, file.From)
		}
		assert.Contains(t, from, p.Bin, pair)
		assert.Contains(t, from, "LICENSE", pair)
	}
	assert.Len(t, seen, 6)
}

// goReleaser is the part of goreleaser's configuration that has to agree with
// something else.
type goReleaser struct {
	Version     int    `json:"version"`
	ProjectName string `json:"project_name"`
	Builds      []struct {
		Main   string   `json:"main"`
		Binary string   `json:"binary"`
		GOOS   []string `json:"goos"`
		GOARCH []string `json:"goarch"`
	} `json:"builds"`
	Archives []struct {
		NameTemplate string                 `json:"name_template"`
		BuildsInfo   struct{ MTime string } `json:"builds_info"`
		Files        []struct{ Src string } `json:"files"`
	} `json:"archives"`
	SBOMs []struct{ Artifacts string } `json:"sboms"`
	Kos   []struct {
		Repositories []string `json:"repositories"`
		Platforms    []string `json:"platforms"`
	} `json:"kos"`
	Krews []struct {
		Name             string `json:"name"`
		Homepage         string `json:"homepage"`
		ShortDescription string `json:"short_description"`
		Description      string `json:"description"`
	} `json:"krews"`
}

// TestGoReleaser keeps its configuration and the krew manifest from naming
// different things; goreleaser itself is run by make release-check.
func TestGoReleaser(t *testing.T) {
	var config goReleaser
	content, err := os.ReadFile(filepath.Join(root, ".goreleaser.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(content, &config))
	assert.Equal(t, 2, config.Version)
	assert.Equal(t, "kubectl-tazuna", config.ProjectName)
	require.Len(t, config.Builds, 1)
	build := config.Builds[0]
	assert.Equal(t, "kubectl-tazuna", build.Binary)
	assert.FileExists(t, filepath.Join(root, build.Main, "main.go"))
	assert.Equal(t, []string{"linux", "darwin", "windows"}, build.GOOS)
	assert.Equal(t, []string{"amd64", "arm64"}, build.GOARCH)

	require.Len(t, config.Archives, 1)
	assert.NotEmpty(t, config.Archives[0].BuildsInfo.MTime, "archives are reproducible")
	for _, file := range config.Archives[0].Files {
		assert.FileExists(t, filepath.Join(root, file.Src))
	}
	assert.Len(t, config.SBOMs, 1)
	require.Len(t, config.Kos, 1)
	assert.Equal(t, []string{"linux/amd64", "linux/arm64"}, config.Kos[0].Platforms)
	require.Len(t, config.Kos[0].Repositories, 1)
	installs, err := os.ReadFile(filepath.Join(root, "plugin", "packages", "install", "options.go"))
	require.NoError(t, err)
	assert.Contains(t, string(installs), `const imageRepository = "`+config.Kos[0].Repositories[0]+`"`, "what is installed is what a release pushes")

	var m krewManifest
	readStrictly(t, "krew-manifest.yaml", &m)
	require.Len(t, config.Krews, 1)
	krew := config.Krews[0]
	assert.Equal(t, m.Metadata.Name, krew.Name)
	assert.Equal(t, m.Spec.Homepage, krew.Homepage)
	assert.Equal(t, m.Spec.ShortDescription, krew.ShortDescription)
	assert.Equal(t, m.Spec.Description, krew.Description)
	archive := regexp.MustCompile(`/kubectl-tazuna_(linux|darwin|windows)_(amd64|arm64)\.(tar\.gz|zip)$`)
	assert.Equal(t, "{{ .ProjectName }}_{{ .Os }}_{{ .Arch }}", config.Archives[0].NameTemplate)
	for _, p := range m.Spec.Platforms {
		assert.Regexp(t, archive, p.URI)
	}
}

func readStrictly(t *testing.T, name string, into any) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	require.NoError(t, yaml.UnmarshalStrict(content, into))
}
