package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// faults parses text and returns the findings, a line each, without the name of
// the file.
func faults(t *testing.T, text string) []string {
	t.Helper()
	_, err := ParseKappConfig([]byte(text), "a.yaml")
	var all *Error
	require.ErrorAs(t, err, &all)
	var out []string
	for _, f := range all.Findings {
		out = append(out, strings.TrimPrefix(f.String(), "a.yaml:"))
	}
	return out
}

func TestKappConfigFaults(t *testing.T) {
	tests := map[string]struct {
		rules string
		want  []string
	}{
		"unknown rule kind":   {"rebaseRulez: []", []string{`3: unknown field "rebaseRulez"; did you mean "rebaseRules"?`}},
		"key in another case": {"RebaseRules: []", []string{`3: unknown field "RebaseRules"; did you mean "rebaseRules"?`}},
		"a key twice":         {"waitRules: []\nwaitRules: []", []string{`4: key "waitRules" is there twice, first on line 3`}},
		"no list":             {"rebaseRules: {}", []string{"3: rebaseRules: wanted a list, found a mapping"}},
		"no mapping":          {"rebaseRules: [x]", []string{"3: rebaseRules[0]: wanted a mapping, found text"}},

		"version with v":  {"minimumRequiredVersion: v0.23.0", []string{`3: minimumRequiredVersion: wanted a version without the letter v, such as 0.23.0, found "v0.23.0"`}},
		"no version":      {"minimumRequiredVersion: new", []string{`3: minimumRequiredVersion: wanted a version such as 0.23.0, found "new"`}},
		"a later version": {"minimumRequiredVersion: 1.0.0", []string{"3: minimumRequiredVersion: these rules are for kapp 1.0.0 or newer; known are the rules up to kapp 0.64.0"}},
		"a number":        {"minimumRequiredVersion: 1.0", []string{"3: minimumRequiredVersion: wanted text, found a number"}},

		"empty rebase rule": {"rebaseRules:\n- {}", []string{
			"4: rebaseRules[0].resourceMatchers: missing", "4: rebaseRules[0].path: missing", "4: rebaseRules[0].type: missing",
		}},
		"unknown rebase type": {rebase("path: [a], type: kopy"), []string{`3: rebaseRules[0].type: wanted copy or remove, found "kopy"; did you mean "copy"?`}},
		"far rebase type":     {rebase("path: [a], type: something"), []string{`3: rebaseRules[0].type: wanted copy or remove, found "something"`}},
		"unknown source":      {rebase("path: [a], type: copy, sources: [nwe]"), []string{`3: rebaseRules[0].sources[0]: wanted new or existing, found "nwe"; did you mean "new"?`}},
		"copy from nowhere":   {rebase("path: [a], type: copy"), []string{"3: rebaseRules[0].sources: missing"}},
		"remove from":         {rebase("path: [a], type: remove, sources: [new]"), []string{"3: rebaseRules[0].sources: sources belong to type: copy; this rule has type: remove"}},
		"path and paths":      {rebase("path: [a], paths: [[b]], type: remove"), []string{"3: rebaseRules[0]: path and paths exclude each other"}},
		"misspelt key":        {rebase("pth: [a], type: remove"), []string{`3: rebaseRules[0]: unknown field "pth"; did you mean "path"?`}},
		"ytt overlay": {rebase(`ytt: {overlayContractV1: {overlay.yml: "#@ x"}}`), []string{
			"3: rebaseRules[0].ytt: ytt overlays are not supported: name the fields with path and type: copy or remove",
		}},

		"path without parts":    {rebase("path: [], type: remove"), []string{"3: rebaseRules[0].path: a path without parts"}},
		"path of text":          {rebase("path: spec.a, type: remove"), []string{"3: rebaseRules[0].path: wanted a list, found text"}},
		"number as part":        {rebase("path: [a, 0, b], type: remove"), []string{"3: rebaseRules[0].path[1]: wanted a key, {allIndexes: true}, {index: N} or {regex: TEXT}, found a number"}},
		"boolean word as part":  {rebase("path: [on], type: remove"), []string{"3: rebaseRules[0].path[0]: wanted text, found the boolean word on: put it in quotes"}},
		"unknown part":          {rebase("path: [{allIndex: true}, a], type: remove"), []string{`3: rebaseRules[0].path[0]: unknown field "allIndex"; did you mean "allIndexes"?`}},
		"empty part":            {rebase("path: [{}, a], type: remove"), []string{"3: rebaseRules[0].path[0]: wanted exactly one of allIndexes, index, regex"}},
		"two parts in one":      {rebase("path: [{index: 1, allIndexes: true}, a], type: remove"), []string{"3: rebaseRules[0].path[0]: wanted exactly one of allIndexes, index, regex"}},
		"not all indexes":       {rebase("path: [{allIndexes: false}, a], type: remove"), []string{"3: rebaseRules[0].path[0].allIndexes: wanted true; for one element write {index: N}"}},
		"negative index":        {rebase("path: [{index: -1}, a], type: remove"), []string{"3: rebaseRules[0].path[0].index: wanted the index of an element, 0 or more, found a number"}},
		"index of text":         {rebase(`path: [{index: "1"}, a], type: remove`), []string{"3: rebaseRules[0].path[0].index: wanted the index of an element, 0 or more, found text"}},
		"no regular expression": {rebase(`path: [a, {regex: "("}], type: remove`), []string{"3: rebaseRules[0].path[1].regex: not a regular expression: error parsing regexp: missing closing ): `(`"}},
		"element at the end":    {rebase("path: [a, {index: 1}], type: remove"), []string{"3: rebaseRules[0].path: the last part of the path must be a key, found {index: 1}"}},
		"list at the end":       {rebase("paths: [[b], [a, {allIndexes: true}]], type: remove"), []string{"3: rebaseRules[0].paths[1]: the last part of the path must be a key, found {allIndexes: true}"}},
		"regex where none is":   {"diffMaskRules: [{path: [{regex: a}], resourceMatchers: [allMatcher: {}]}]", []string{`3: diffMaskRules[0].path[0]: unknown field "regex"; known: allIndexes, index`}},

		"exclusion without path": {"diffAgainstLastAppliedFieldExclusionRules: [{resourceMatchers: [allMatcher: {}]}]", []string{"3: diffAgainstLastAppliedFieldExclusionRules[0].path: missing"}},
		"exclusion of all":       {"diffAgainstExistingFieldExclusionRules: [{path: [a]}]", []string{"3: diffAgainstExistingFieldExclusionRules[0].resourceMatchers: missing"}},
		"isDefault of no word":   {"labelScopingRules: [{path: [a], isDefault: 1, resourceMatchers: [allMatcher: {}]}]", []string{"3: labelScopingRules[0].isDefault: wanted true or false, found a number"}},
		"template of nothing":    {"templateRules: [{resourceMatchers: [allMatcher: {}]}]", []string{"3: templateRules[0].affectedResources.objectReferences: missing"}},
		"template to nowhere":    {"templateRules: [{resourceMatchers: [allMatcher: {}], affectedResources: {objectReferences: [{}]}}]", []string{"3: templateRules[0].affectedResources.objectReferences[0].resourceMatchers: missing", "3: templateRules[0].affectedResources.objectReferences[0].path: missing"}},

		"wait without conditions": {"waitRules: [{resourceMatchers: [allMatcher: {}]}]", []string{"3: waitRules[0].conditionMatchers: missing"}},
		"wait by ytt":             {"waitRules: [{ytt: {funcContractV1: {resource.star: x}}, resourceMatchers: [allMatcher: {}]}]", []string{"3: waitRules[0].ytt: ytt functions are not supported: name conditions with conditionMatchers, or write an expression under cel"}},
		"condition of nothing":    {wait(""), []string{"3: waitRules[0].conditionMatchers[0].type: missing", "3: waitRules[0].conditionMatchers[0].status: missing"}},
		"condition, no meaning":   {wait(`type: A, status: "True"`), []string{"3: waitRules[0].conditionMatchers[0]: the condition has no meaning: wanted failure, success or unblockChanges"}},
		"condition, both":         {wait(`type: A, status: "True", failure: true, success: true`), []string{"3: waitRules[0].conditionMatchers[0]: failure and success exclude each other"}},
		"condition, plain True":   {wait("type: A, status: True, success: true"), []string{`3: waitRules[0].conditionMatchers[0].status: wanted text, found the boolean word True: write "True"`}},
		"timeout of a success":    {wait(`type: A, status: "True", success: true, timeout: 1m`), []string{"3: waitRules[0].conditionMatchers[0].timeout: only a failure has a timeout: the time that it must last"}},
		"timeout without unit":    {wait(`type: A, status: "True", failure: true, timeout: "30"`), []string{`3: waitRules[0].conditionMatchers[0].timeout: wanted a time such as 30s or 5m, found "30"`}},
		"timeout of nothing":      {wait(`type: A, status: "True", failure: true, timeout: 0s`), []string{`3: waitRules[0].conditionMatchers[0].timeout: wanted a time such as 30s or 5m, found "0s"`}},

		"group without a name":   {"changeGroupBindings: [{resourceMatchers: [allMatcher: {}]}]", []string{"3: changeGroupBindings[0].name: missing"}},
		"no name of a group":     {`changeGroupBindings: [{name: "a b", resourceMatchers: [allMatcher: {}]}]`, []string{`3: changeGroupBindings[0].name: "a b" is no name of a group: wanted NAME or PREFIX/NAME of letters, digits, '-', '_' and '.'`}},
		"unknown placeholder":    {`changeGroupBindings: [{name: "a-{knd}", resourceMatchers: [allMatcher: {}]}]`, []string{`3: changeGroupBindings[0].name: unknown placeholder {knd}; did you mean "{kind}"?`}},
		"no change rules":        {"changeRuleBindings: [{resourceMatchers: [allMatcher: {}]}]", []string{"3: changeRuleBindings[0].rules: missing"}},
		"no change rule":         {"changeRuleBindings: [{rules: [upsert after a], resourceMatchers: [allMatcher: {}]}]", []string{`3: changeRuleBindings[0].rules[0]: wanted four words such as "upsert after upserting GROUP", found 3`}},
		"change rule of no text": {"changeRuleBindings: [{rules: [1], resourceMatchers: [allMatcher: {}]}]", []string{"3: changeRuleBindings[0].rules[0]: wanted text, found a number"}},

		"no label":          {"additionalLabels: {a b: c}", []string{`3: additionalLabels: "a b" is no key of a label: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`}},
		"no value":          {"additionalLabels: {a: -}", []string{`3: additionalLabels.a: no value of a label: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`}},
		"label of a number": {"additionalLabels: {a: 1}", []string{"3: additionalLabels.a: wanted text, found a number"}},
		"unknown check":     {"preflightRules: [{name: PermissionValidator}]", []string{`3: preflightRules[0].name: wanted CRDUpgradeSafety or PermissionValidation, found "PermissionValidator"; did you mean "PermissionValidation"?`}},
		"check of no name":  {"preflightRules: [{config: {}}]", []string{"3: preflightRules[0].name: missing"}},
		"odd number":        {"preflightRules: [{name: PermissionValidation, config: {a: .inf}}]", []string{"3: preflightRules[0].config.a: wanted a number as JSON has them"}},

		"several at once, in order": {"waitRules: 1\nrebaseRules: 2\nx: 3", []string{
			"3: waitRules: wanted a list, found a number", "4: rebaseRules: wanted a list, found a number",
			`5: unknown field "x"; known: apiVersion, kind, metadata, minimumRequiredVersion, rebaseRules, diffAgainstLastAppliedFieldExclusionRules, diffAgainstExistingFieldExclusionRules, diffMaskRules, ownershipLabelRules, labelScopingRules, templateRules, waitRules, changeGroupBindings, changeRuleBindings, additionalLabels, preflightRules`,
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, faults(t, kappText(test.rules)+"\n"))
		})
	}
}

// rebase is a document with one rebase rule that has matchers.
func rebase(keys string) string {
	return "rebaseRules: [{" + keys + ", resourceMatchers: [allMatcher: {}]}]"
}

// wait is a document with one wait rule that has matchers and one condition.
func wait(condition string) string {
	return "waitRules: [{conditionMatchers: [{" + condition + "}], resourceMatchers: [allMatcher: {}]}]"
}

func TestMatcherFaults(t *testing.T) {
	const at = "3: diffMaskRules[0].resourceMatchers[0]"
	for name, test := range map[string]struct{ matcher, want string }{
		"unknown":               {"apiVersionKindMatchr: {apiVersion: v1, kind: A}", at + `: unknown field "apiVersionKindMatchr"; did you mean "apiVersionKindMatcher"?`},
		"of old versions":       {"allResourceMatcher: {}", at + ".allResourceMatcher: this matcher is called allMatcher now"},
		"none":                  {"", at + `: no matcher; known: allMatcher, anyMatcher, andMatcher, notMatcher, apiGroupKindMatcher, apiVersionKindMatcher, kindNamespaceNameMatcher, hasAnnotationMatcher, hasNamespaceMatcher, customResourceMatcher, emptyFieldMatcher`},
		"null":                  {"allMatcher: null", at + `: no matcher; known: allMatcher, anyMatcher, andMatcher, notMatcher, apiGroupKindMatcher, apiVersionKindMatcher, kindNamespaceNameMatcher, hasAnnotationMatcher, hasNamespaceMatcher, customResourceMatcher, emptyFieldMatcher`},
		"two":                   {"allMatcher: {}, customResourceMatcher: {}", at + ": wanted one matcher, found allMatcher and customResourceMatcher; to have several, put them into an anyMatcher or andMatcher"},
		"something in all":      {"allMatcher: {kind: A}", at + `.allMatcher: unknown field "kind"`},
		"something in custom":   {"customResourceMatcher: {kind: A}", at + `.customResourceMatcher: unknown field "kind"`},
		"all of text":           {"allMatcher: x", at + ".allMatcher: wanted a mapping, found text"},
		"any of none":           {"anyMatcher: {matchers: []}", at + ".anyMatcher.matchers: missing"},
		"any, one level off":    {"anyMatcher: [allMatcher: {}]", at + ".anyMatcher: wanted a mapping, found a list"},
		"and of none":           {"andMatcher: {}", at + ".andMatcher.matchers: missing"},
		"not of none":           {"notMatcher: {}", at + ".notMatcher.matcher: missing"},
		"not of several":        {"notMatcher: {matchers: [allMatcher: {}]}", at + `.notMatcher: unknown field "matchers"; did you mean "matcher"?`},
		"fault inside":          {"notMatcher: {matcher: {allMatchr: {}}}", at + `.notMatcher.matcher: unknown field "allMatchr"; did you mean "allMatcher"?`},
		"group without kind":    {"apiGroupKindMatcher: {apiGroup: apps}", at + ".apiGroupKindMatcher.kind: missing"},
		"version without kind":  {"apiVersionKindMatcher: {apiVersion: v1}", at + ".apiVersionKindMatcher.kind: missing"},
		"kind without version":  {"apiVersionKindMatcher: {kind: A}", at + ".apiVersionKindMatcher.apiVersion: missing"},
		"version is a number":   {"apiVersionKindMatcher: {apiVersion: 1, kind: A}", at + ".apiVersionKindMatcher.apiVersion: wanted text, found a number"},
		"key of another one":    {"apiVersionKindMatcher: {apiGroup: apps, kind: A}", at + `.apiVersionKindMatcher: unknown field "apiGroup"; known: apiVersion, kind`},
		"no name":               {"kindNamespaceNameMatcher: {kind: A, namespace: b}", at + ".kindNamespaceNameMatcher.name: missing"},
		"no kind":               {"kindNamespaceNameMatcher: {name: a}", at + ".kindNamespaceNameMatcher.kind: missing"},
		"no annotations":        {"hasAnnotationMatcher: {}", at + ".hasAnnotationMatcher.keys: missing"},
		"annotations of text":   {"hasAnnotationMatcher: {keys: a}", at + ".hasAnnotationMatcher.keys: wanted a list, found text"},
		"namespaces of mapping": {"hasNamespaceMatcher: {names: {}}", at + ".hasNamespaceMatcher.names: wanted a list, found a mapping"},
		"empty field of none":   {"emptyFieldMatcher: {}", at + ".emptyFieldMatcher.path: missing"},
		"empty field by regex":  {"emptyFieldMatcher: {path: [{regex: a}]}", at + `.emptyFieldMatcher.path[0]: unknown field "regex"; known: allIndexes, index`},
	} {
		t.Run(name, func(t *testing.T) {
			text := kappText("diffMaskRules: [{path: [a], resourceMatchers: [{" + test.matcher + "}]}]\n")
			assert.Equal(t, []string{test.want}, faults(t, text))
		})
	}
}

func TestDocumentFaults(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"empty":         {"# nothing\n", []string{" no kapp configuration: wanted a document with apiVersion: kapp.k14s.io/v1alpha1 and kind: Config"}},
		"other version": {"apiVersion: kapp.k14s.io/v1\nkind: Config\n", []string{`1: apiVersion: wanted kapp.k14s.io/v1alpha1, found "kapp.k14s.io/v1"`}},
		"other kind":    {"apiVersion: kapp.k14s.io/v1alpha1\nkind: Confg\n", []string{`2: kind: wanted Config, found "Confg"`}},
		"no kind":       {"apiVersion: kapp.k14s.io/v1alpha1\n", []string{"1: kind: missing"}},
		"no mapping":    {"- a\n", []string{"1: wanted a mapping, found a list"}},
		"no YAML":       {kappText("a: [\n"), []string{"3: not YAML: did not find expected node content"}},
		"in the second": {kappText("") + "---\n" + kappText("a: b\n"), []string{`6: unknown field "a"; known: apiVersion, kind, metadata, minimumRequiredVersion, rebaseRules, diffAgainstLastAppliedFieldExclusionRules, diffAgainstExistingFieldExclusionRules, diffMaskRules, ownershipLabelRules, labelScopingRules, templateRules, waitRules, changeGroupBindings, changeRuleBindings, additionalLabels, preflightRules`}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, faults(t, test.text))
		})
	}
}

// An alias that stands in what it names would be read for ever.
func TestAliasesEnd(t *testing.T) {
	for name, matcher := range map[string]string{
		"in itself":     "&a {notMatcher: {matcher: *a}}",
		"many times":    "&a {anyMatcher: {matchers: [*a, *a, *a]}}",
		"by merge keys": "&a {<<: *a}",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseKappConfig([]byte(kappText("diffMaskRules: [{path: [a], resourceMatchers: ["+matcher+"]}]\n")), "a.yaml")
			require.Error(t, err)
		})
	}
}

// B24 of the list of kapp's faults: a misspelt name of a rule or key was ignored
// without a word.
func TestB24MisspeltNamesAreErrors(t *testing.T) {
	assert.Equal(t, []string{
		`3: unknown field "rebaseRulez"; did you mean "rebaseRules"?`,
		`7: waitRules[0]: unknown field "conditionMatcher"; did you mean "conditionMatchers"?`,
		`10: changeRuleBindings[0].rules[0]: wanted upserting or deleting as word 3, found "upsertin"; did you mean "upserting"?`,
	}, faults(t, kappText(`rebaseRulez:
- path: [a]
  type: remove
waitRules:
- conditionMatcher: []
changeRuleBindings:
- rules:
  - upsert after upsertin x
  resourceMatchers:
  - allMatcher: {}
`)))
}
