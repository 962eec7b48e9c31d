package bundle

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// definition is a package.yaml without anything to say about it.
const definition = "apiVersion: v1\ntype: Application\nname: web\n"

func filesOf(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, content := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(content), Mode: 0o644}
	}
	return fsys
}

func TestRead(t *testing.T) {
	b, findings, err := Read(filesOf(map[string]string{
		"package.yaml":          definition,
		"images_digests.json":   `{"frontEnd": "sha256:` + strings.Repeat("0", 64) + `"}`,
		"openapi/settings.yaml": "type: object", "openapi/values.yaml": "x-extend: {schema: settings.yaml}",
		"templates/a.yaml": "a: 1", "changelog.yaml": "features: [one]\nfixes: [two]",
	}))
	require.NoError(t, err)
	assert.Empty(t, findings)
	assert.Equal(t, "web", b.Definition.Name)
	assert.Equal(t, map[string]string{"frontEnd": "sha256:" + strings.Repeat("0", 64)}, b.Digests)
	assert.Equal(t, &File{Name: "openapi/settings.yaml", Data: []byte("type: object")}, b.SettingsSchema)
	assert.Equal(t, "openapi/values.yaml", b.ValuesSchema.Name)
	assert.Equal(t, Changelog{Features: []string{"one"}, Fixes: []string{"two"}}, b.Changelog)
	assert.True(t, b.Renders)
}

// TestReadTellsWhatIsIgnored has what the platform takes in silence.
func TestReadTellsWhatIsIgnored(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"the least": {
			map[string]string{},
			[]string{"templates: warning: is not there, and no Chart.yaml either: the package renders nothing"},
		},
		"a chart without templates": {map[string]string{"Chart.yaml": "name: x"}, nil},
		"CustomResourceDefinitions": {
			map[string]string{"crds/a.yaml": "a: 1", "templates/a.yaml": ""},
			[]string{"crds: warning: is ignored: CustomResourceDefinitions of applications are not installed"},
		},
		"two schemas of settings": {
			map[string]string{"openapi/config-values.yaml": "a: 1", "openapi/settings.yaml": "a: 2", "templates/a.yaml": ""},
			[]string{"openapi/config-values.yaml: warning: is ignored, because there is openapi/settings.yaml"},
		},
		"the older name": {
			map[string]string{"openapi/config-values.yaml": "a: 1", "templates/a.yaml": ""},
			[]string{"openapi/config-values.yaml: warning: is the older name; call it openapi/settings.yaml"},
		},
		"digests": {
			map[string]string{"images_digests.json": "{\n\"front-end\": \"latest\",\n\"a\": 1}", "templates/a.yaml": ""},
			[]string{
				`images_digests.json:2: error: front-end: wanted sha256: and 64 digits from 0 to f, found "latest"`,
				"images_digests.json:2: warning: front-end: is no name in camelCase, so templates can't say .Images.NAME",
				"images_digests.json:3: error: a: wanted text, found a number",
			},
		},
		"digests of another shape": {
			map[string]string{"images_digests.json": "[]", "templates/a.yaml": ""},
			[]string{"images_digests.json:1: error: wanted a mapping, found a list"},
		},
		"digests that are YAML": {
			map[string]string{"images_digests.json": "a: b", "templates/a.yaml": ""},
			[]string{"images_digests.json:1: error: not JSON: invalid character 'a' looking for beginning of value"},
		},
		"a digest twice": {
			map[string]string{"images_digests.json": `{"a":"","a":""}`, "templates/a.yaml": ""},
			[]string{`images_digests.json:1: error: key "a" is there twice`},
		},
		"changelog": {
			map[string]string{"changelog.yaml": "feature: x\nnews: [a]\nfixes: 1", "templates/a.yaml": ""},
			[]string{
				"changelog.yaml:1: warning: feature: unknown key; did you mean features?",
				"changelog.yaml:2: warning: news: unknown key, which the platform ignores",
				"changelog.yaml:3: warning: fixes: wanted a list, found a number",
			},
		},
		"an empty changelog": {
			map[string]string{"changelog.yaml": "# later", "templates/a.yaml": ""},
			[]string{"changelog.yaml: warning: is empty"},
		},
		"slips of names": {
			map[string]string{
				"hook/run": "", "template/a.yaml": "", "templates/a.yaml": "", "Chart.yml": "", "openapi/setting.yaml": "",
				"openapi/doc-ru-settings.yaml": "", "openapi/conversions/v2.yaml": "", ".docs": "", "readme.txt": "", "image_digests.json": "",
			},
			[]string{
				"Chart.yml: warning: is used by nothing; did you mean Chart.yaml?",
				"hook: warning: is used by nothing; did you mean hooks?",
				"image_digests.json: warning: is used by nothing; did you mean images_digests.json?",
				"openapi/setting.yaml: warning: is used by nothing; did you mean openapi/settings.yaml?",
				"template: warning: is used by nothing; did you mean templates?",
			},
		},
		"a file for templates": {
			map[string]string{"templates": "x"},
			[]string{"templates: error: wanted a directory, found a file"},
		},
		"a file that is too large": {
			map[string]string{"changelog.yaml": "#" + strings.Repeat(" ", maxFile), "templates/a.yaml": ""},
			[]string{"changelog.yaml: error: is larger than 4194304 bytes"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tt.files["package.yaml"] = definition
			_, findings, err := Read(filesOf(tt.files))
			require.NoError(t, err)
			assert.Equal(t, tt.want, texts(findings))
		})
	}
}

func texts(findings []Finding) []string {
	var all []string
	for _, f := range findings {
		all = append(all, f.String())
	}
	return all
}

func TestReadWithoutDefinition(t *testing.T) {
	_, findings, err := Read(filesOf(map[string]string{"templates/a.yaml": ""}))
	require.NoError(t, err)
	assert.Equal(t, []string{"package.yaml: error: is missing: it is what makes a directory a package"}, texts(findings))
	_, findings, err = Read(filesOf(map[string]string{"package.yaml/a": "", "templates/a.yaml": ""}))
	require.NoError(t, err)
	assert.Equal(t, []string{"package.yaml: error: wanted a file, found something else"}, texts(findings))
	assert.False(t, IsBundle(filesOf(map[string]string{"package.yaml/a": ""})))
	assert.True(t, IsBundle(filesOf(map[string]string{"package.yaml": ""})))
}

// pipes is a disk on which whatever is no file waits for ever when it is opened.
type pipes struct {
	fstest.MapFS
	t *testing.T
}

func (p pipes) Open(name string) (fs.File, error) {
	if f := p.MapFS[name]; f != nil && f.Mode.Type() != 0 {
		p.t.Errorf("%s was opened", name)
	}
	return p.MapFS.Open(name)
}

func TestPipesAreNotOpened(t *testing.T) {
	for _, name := range []string{DefinitionFile, DigestsFile, SettingsSchemaFile, legacySettingsFile, ValuesSchemaFile, ChangelogFile, chartFile} {
		files := filesOf(map[string]string{DefinitionFile: "apiVersion: v1\ntype: Application\nname: shop\n", "templates/a.yaml": ""})
		files[name] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
		_, findings, err := Read(pipes{files, t})
		require.NoError(t, err, name)
		assert.Contains(t, texts(findings), name+": error: wanted a file, found something else")
	}
}

// failing is a disk that breaks.
type failing struct{ fstest.MapFS }

var errDisk = errors.New("the disk broke")

func (f failing) Open(name string) (fs.File, error) {
	if name == DigestsFile {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errDisk}
	}
	return f.MapFS.Open(name)
}

func (f failing) Stat(name string) (fs.FileInfo, error) {
	if name == DigestsFile {
		return f.MapFS.Stat(DefinitionFile)
	}
	return f.MapFS.Stat(name)
}

func TestErrorsOfReadingAreNoFindings(t *testing.T) {
	_, _, err := Read(failing{filesOf(map[string]string{"package.yaml": definition})})
	require.ErrorIs(t, err, errDisk)
	assert.ErrorContains(t, err, "read package: open images_digests.json")
}

// TestALinkOutOfAPackageIsNotFollowed: it is told of, once, and all the rest is read.
func TestALinkOutOfAPackageIsNotFollowed(t *testing.T) {
	for name, c := range map[string]struct {
		link string // to a file or directory outside
		file bool
		want []string
	}{
		"a file":       {"changelog.yaml", true, []string{"changelog.yaml: error: is a link that leads out of the package"}},
		"package.yaml": {"package.yaml", true, []string{"package.yaml: error: is a link that leads out of the package"}},
		"a schema":     {"openapi/settings.yaml", true, []string{"openapi/settings.yaml: error: is a link that leads out of the package"}},
		"a directory":  {"openapi", false, []string{"openapi: error: is a link that leads out of the package"}},
		"templates":    {"templates", false, []string{"templates: error: is a link that leads out of the package"}},
		"Chart.yaml":   {"Chart.yaml", true, []string{"Chart.yaml: error: is a link that leads out of the package"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, outside := t.TempDir(), t.TempDir()
			require.NoError(t, os.WriteFile(outside+"/secret", []byte("a: 1"), 0o600))
			require.NoError(t, os.WriteFile(dir+"/package.yaml", []byte(definition), 0o600))
			if c.link != "openapi" {
				require.NoError(t, os.Mkdir(dir+"/openapi", 0o700))
			}
			if c.link != "templates" && c.link != "Chart.yaml" {
				require.NoError(t, os.Mkdir(dir+"/templates", 0o700))
			}
			target := outside
			if c.file {
				target += "/secret"
			}
			require.NoError(t, os.RemoveAll(dir+"/"+c.link))
			require.NoError(t, os.Symlink(target, dir+"/"+c.link))
			root, err := os.OpenRoot(dir)
			require.NoError(t, err)
			defer func() { assert.NoError(t, root.Close()) }()
			_, findings, err := Read(root.FS())
			require.NoError(t, err)
			var found []string
			for _, f := range findings {
				found = append(found, f.String())
			}
			assert.Equal(t, c.want, found)
		})
	}
}

func TestReadMetadata(t *testing.T) {
	version, err := EncodeVersion("v1.2.3")
	require.NoError(t, err)
	m, findings, err := ReadMetadata(filesOf(map[string]string{
		"package.yaml": definition, "version.json": string(version), "openapi/settings.yaml": "type: object", "docs/README.md": "#",
	}))
	require.NoError(t, err)
	assert.Empty(t, findings)
	assert.Equal(t, "v1.2.3", m.Version)
	assert.Equal(t, "web", m.Definition.Name)
	assert.Equal(t, "type: object", string(m.SettingsSchema.Data))
	for content, want := range map[string]string{
		`{"version":"main"}`: `version.json:1: error: version: wanted vMAJOR.MINOR.PATCH, found "main"`,
		`{}`:                 "version.json:1: error: version is missing",
		`{"version":5}`:      "version.json:1: error: version: wanted text, found a number",
		`{`:                  "version.json:1: error: not JSON: unexpected EOF",
	} {
		_, findings, err := ReadMetadata(filesOf(map[string]string{"package.yaml": definition, "version.json": content}))
		require.NoError(t, err)
		assert.Equal(t, []string{want}, texts(findings))
	}
	_, findings, err = ReadMetadata(filesOf(map[string]string{"package.yaml": definition}))
	require.NoError(t, err)
	assert.Equal(t, []string{"version.json: error: is missing"}, texts(findings))
}

func TestHidden(t *testing.T) {
	for name, want := range map[string]bool{".": false, "a/b": false, ".git": true, "a/.b/c": true, "a.b": false, "./a": false} {
		assert.Equal(t, want, Hidden(name), name)
	}
}
