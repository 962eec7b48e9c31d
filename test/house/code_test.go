package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	// maxFileLines is the length that no file of code reaches, maxTestLines that
	// of a file of tests, whose parts have less to do with each other.
	maxFileLines = 500
	maxTestLines = 700
	// longFunction is more than a screen.
	longFunction = 60
	// maxLongShare of the functions outside tests may be longer than a screen.
	maxLongShare = 0.035
)

// mayInit is the one package that has to act before others initialise.
const mayInit = "plugin/quiet"

// namesWithoutMeaning say nothing about what a package does.
var namesWithoutMeaning = []string{"util", "utils", "common", "helper", "helpers", "misc", "shared"}

func TestFilesAreShort(t *testing.T) {
	files := textFiles(t)
	for _, name := range namesOf(files, ".go") {
		if isGenerated(files[name]) {
			continue
		}
		limit := maxFileLines
		if strings.HasSuffix(name, "_test.go") {
			limit = maxTestLines
		}
		assert.Less(t, strings.Count(files[name], "\n"), limit, "%s: split it", name)
	}
}

// isGenerated knows the line by which Go's tools know files that a program wrote.
func isGenerated(text string) bool {
	head, _, _ := strings.Cut(text, "\npackage ")
	return generatedLine.MatchString(head)
}

var generatedLine = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

func TestFunctionsAreShort(t *testing.T) {
	all, long := 0, []string(nil)
	eachFunction(t, func(file string, set *token.FileSet, f *ast.FuncDecl) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		all++
		lines := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1
		if lines > longFunction {
			long = append(long, file+": "+f.Name.Name)
		}
	})
	require.NotZero(t, all)
	assert.LessOrEqual(t, float64(len(long)), float64(all)*maxLongShare, "functions over %d lines: %s",
		longFunction, strings.Join(long, ", "))
}

func TestNoInit(t *testing.T) {
	eachFunction(t, func(file string, _ *token.FileSet, f *ast.FuncDecl) {
		if f.Recv == nil && f.Name.Name == "init" {
			assert.Equal(t, mayInit, path.Dir(file), "%s has an init function", file)
		}
	})
}

func TestPackageNamesSaySomething(t *testing.T) {
	eachFile(t, func(name string, _ *token.FileSet, f *ast.File) {
		assert.NotContains(t, namesWithoutMeaning, strings.TrimSuffix(f.Name.Name, "_test"), name)
	})
}

func TestPackagesAreDocumented(t *testing.T) {
	documented := map[string]bool{}
	eachFile(t, func(name string, _ *token.FileSet, f *ast.File) {
		dir := path.Dir(name)
		documented[dir] = documented[dir] || f.Doc != nil
	})
	for dir, ok := range documented {
		assert.True(t, ok, "package %s has no comment that says what it is for", dir)
	}
}

// eachFunction calls visit with every function declaration of the repository.
func eachFunction(t *testing.T, visit func(file string, set *token.FileSet, f *ast.FuncDecl)) {
	t.Helper()
	eachFile(t, func(name string, set *token.FileSet, file *ast.File) {
		for _, declaration := range file.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok {
				visit(name, set, f)
			}
		}
	})
}

// eachFile parses every Go file of the repository, its nested module included.
func eachFile(t *testing.T, visit func(name string, set *token.FileSet, file *ast.File)) {
	t.Helper()
	files := textFiles(t)
	names := slices.DeleteFunc(namesOf(files, ".go"), func(name string) bool {
		return strings.Contains(name, "/testdata/")
	})
	require.NotEmpty(t, names)
	for _, name := range names {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, files[name], parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		visit(name, set, file)
	}
}
