package genesis

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

const item = `{"id": "x", "fields": [
	{"id": "username", "label": "user name", "value": "admin"},
	{"id": "r4nd0m", "label": "token", "value": "t0psecret"},
	{"id": "r4nd1m", "label": "token", "value": "0ther"},
	{"id": "empty", "label": "empty"}
]}`

func secret(t *testing.T, text string) *Secret {
	t.Helper()
	s, _, err := Parse([]byte(text), "s.yaml", false)
	require.NoError(t, err)
	return s
}

func TestOnePassword(t *testing.T) {
	var calls [][]string
	run := func(_ context.Context, name string, args ...string) ([]byte, error) {
		calls = append(calls, append([]string{name}, args...))
		return []byte(item), nil
	}
	p := NewProviders([]config.Provider{{Name: "team", Type: config.ProviderOnePassword}}, run)
	s := secret(t, `spec:
  provider: team
  static: {kind: db}
  secrets:
  - uri: op://h/Infra Vault/db
    items: {username: {mapTo: USER}, r4nd0m: {mapTo: TOKEN}, empty: {mapTo: EMPTY}}
  - {uri: op://h/Infra Vault/db, preferLabel: true, items: {user name: {mapTo: NAME}}}
  outputs: [{stdout: {}}]
`)
	values, err := p.Resolve(t.Context(), s)
	require.NoError(t, err)
	assert.Equal(t, Values{"kind": "db", "USER": "admin", "TOKEN": "t0psecret", "EMPTY": "", "NAME": "admin"}, values)
	assert.Equal(t, [][]string{{"op", "--format", "json", "item", "get", "--vault", "Infra Vault", "db"}}, calls,
		"each item is asked for once, and the arguments are a list")

	_, err = NewProviders(nil, run).Resolve(t.Context(), secret(t, "spec:\n  secrets: [{uri: op://h/v/i}]\n  outputs: [{stdout: {}}]\n"))
	require.NoError(t, err, "the default provider is always there")
}

func TestOnePasswordRefuses(t *testing.T) {
	run := func(context.Context, string, ...string) ([]byte, error) { return []byte(item), nil }
	for name, test := range map[string]struct{ source, want string }{
		"no such field":   {"{uri: op://h/v/i, items: {none: {mapTo: A}}}", `s.yaml:2: provider default-op: op://h/v/i has no field "none"`},
		"two such labels": {"{uri: op://h/v/i, preferLabel: true, items: {token: {mapTo: A}}}", `op://h/v/i has several fields named "token": name it by its id`},
		"no uri":          {"{items: {a: {mapTo: A}}}", "s.yaml:2: uri: missing: wanted op://HOST/VAULT/ITEM"},
		"op's own form":   {"{uri: op://v/i}", `uri: other parts: wanted op://HOST/VAULT/ITEM, found "op://v/i"`},
		"no host":         {"{uri: 'op:///v/i'}", "uri: no host"},
		"other scheme":    {"{uri: 'https://h/v/i'}", "uri: another scheme"},
		"too many parts":  {"{uri: op://h/v/i/f}", "uri: other parts"},
		"empty part":      {"{uri: op://h//i}", "uri: an empty name"},
		"an option":       {"{uri: op://h/v/--help}", "uri: a name that begins with '-'"},
		"odd letters":     {"{uri: op://h/v/a;b}", "the character ';' in a name"},
		"static key":      {"{uri: op://h/v/i, items: {username: {mapTo: S}}}", `key "S" is in static too`},
	} {
		t.Run(name, func(t *testing.T) {
			s := secret(t, "spec:\n  secrets: ["+test.source+"]\n  static: {S: x}\n  outputs: [{stdout: {}}]\n")
			_, err := NewProviders(nil, run).Resolve(t.Context(), s)
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "t0psecret")
		})
	}
	_, err := NewProviders(nil, run).Resolve(t.Context(), secret(t, "spec:\n  provider: tean\n  outputs: [{stdout: {}}]\n"))
	require.EqualError(t, err, `s.yaml: no provider named "tean"; known: default-op`)
}

// What op says of a failure is what people need; what it answers is secret.
func TestFailuresOfOp(t *testing.T) {
	s := secret(t, "spec:\n  secrets: [{uri: op://h/v/i}]\n  outputs: [{stdout: {}}]\n")
	answers := []func() ([]byte, error){
		func() ([]byte, error) { return nil, errors.New("op item get: exit status 1: you are not signed in") },
		func() ([]byte, error) { return []byte(`t0psecret{`), nil },
		func() ([]byte, error) { return []byte(item), nil },
	}
	calls := 0
	p := NewProviders(nil, func(context.Context, string, ...string) ([]byte, error) {
		calls++
		return answers[calls-1]()
	})
	_, err := p.Resolve(t.Context(), s)
	require.EqualError(t, err, `s.yaml:2: provider default-op: item "i" of vault "v": op item get: exit status 1: you are not signed in`)
	_, err = p.Resolve(t.Context(), s)
	require.EqualError(t, err, `s.yaml:2: provider default-op: item "i" of vault "v": the answer of op is no JSON object of an item`)
	_, err = p.Resolve(t.Context(), s)
	require.NoError(t, err, "a failure is not kept")
}

func TestOneCallForManyAtOnce(t *testing.T) {
	var calls atomic.Int32
	release := make(chan struct{})
	p := NewProviders(nil, func(context.Context, string, ...string) ([]byte, error) {
		calls.Add(1)
		<-release
		return []byte(item), nil
	})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			value, err := p.OnePasswordField(t.Context(), "v", "i", "username", false)
			assert.NoError(t, err)
			assert.Equal(t, "admin", value)
		})
	}
	close(release)
	all.Wait()
	assert.Equal(t, int32(1), calls.Load())
}

func TestOnePasswordField(t *testing.T) {
	p := NewProviders(nil, func(context.Context, string, ...string) ([]byte, error) { return []byte(item), nil })
	value, err := p.OnePasswordField(t.Context(), "v", "i", "user name", true)
	require.NoError(t, err)
	assert.Equal(t, "admin", value)
	_, err = p.OnePasswordField(t.Context(), "v", "i", "token", true)
	require.EqualError(t, err, `item "i" of vault "v" has several fields named "token"`)
	_, err = p.OnePasswordField(t.Context(), "v", "i", "nope", false)
	require.EqualError(t, err, `item "i" of vault "v" has no field "nope"`)
	_, err = p.OnePasswordField(t.Context(), "", "i", "nope", false)
	require.EqualError(t, err, `item "i" of vault "": an empty name`)
}

func TestEnvFileProvider(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".env")
	p := NewProviders([]config.Provider{{Name: "env", Type: config.ProviderEnvFile, Path: path}}, nil)
	s := secret(t, "spec:\n  provider: env\n  secrets: [{items: {A: {mapTo: a}}}]\n  outputs: [{stdout: {}}]\n")
	_, err := p.Resolve(t.Context(), s)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorIs(t, p.Check(s), os.ErrNotExist)

	for _, value := range []string{"one", "two"} {
		require.NoError(t, os.WriteFile(path, []byte("A="+value), 0o600))
		values, err := p.Resolve(t.Context(), s)
		require.NoError(t, err)
		assert.Equal(t, Values{"a": value}, values, "the file is read each time")
	}
	require.NoError(t, os.WriteFile(path, []byte("B=2"), 0o600))
	_, err = p.Resolve(t.Context(), s)
	require.EqualError(t, err, `s.yaml:3: provider env: the source has no field "A"`)
}

func TestParseEnvFile(t *testing.T) {
	values, err := ParseEnvFile([]byte("\uFEFF# first\r\nA=1\r\n\n  B = two words \nC='single'\nD=\"double\"\nE=\"odd'\nF=a=b\nG=\nH='\n A=last"), ".env")
	require.NoError(t, err)
	assert.Equal(t, Values{"A": "last", "B": "two words", "C": "single", "D": "double", "E": `"odd'`, "F": "a=b", "G": "", "H": "'"}, values)

	for text, want := range map[string]string{
		"A=1\nhunter2\n":       ".env:2: wanted KEY=VALUE: there is no =",
		"=hunter2":             ".env:1: wanted KEY=VALUE: there is nothing before the =",
		"export A=hunter2":     ".env:1: wanted KEY=VALUE: export is not understood",
		"A hunter2 = B":        ".env:1: wanted KEY=VALUE: the key has blanks or quotes",
		"A=1\n\n'hunter2'=\"b": ".env:3: wanted KEY=VALUE: the key has blanks or quotes",
	} {
		_, err := ParseEnvFile([]byte(text), ".env")
		require.EqualError(t, err, want, "and no part of the line is quoted")
	}
}

func FuzzParseEnvFile(f *testing.F) {
	f.Add("A=1\nB='x'\n#c\n")
	f.Add("\uFEFFexport A=1")
	f.Add("A\x00=\r\n=")
	f.Fuzz(func(t *testing.T, text string) {
		values, err := ParseEnvFile([]byte(text), ".env")
		if err != nil {
			require.Regexp(t, `^\.env:\d+: wanted KEY=VALUE: [a-z =]+$`, err.Error(), "nothing of the line is quoted")
			return
		}
		for key, value := range values {
			require.NotEmpty(t, key)
			require.Equal(t, strings.TrimSpace(key), key)
			require.NotContains(t, value, "\n")
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(complete)
	f.Add("spec: {outputs: [{stdout: {}}]}")
	f.Fuzz(func(t *testing.T, text string) {
		s, _, err := Parse([]byte(text), "s.yaml", false)
		if err != nil {
			return
		}
		require.NotEmpty(t, s.Outputs)
		for _, o := range s.Objects(Values{"a": "b"}) {
			require.NotEmpty(t, o.Name())
		}
	})
}

func TestRunCommand(t *testing.T) {
	out, err := RunCommand(t.Context(), "sh", "-c", "echo answer")
	require.NoError(t, err)
	assert.Equal(t, "answer\n", string(out))

	_, err = RunCommand(t.Context(), "sh", "-c", "echo visible; echo complaint >&2; exit 3")
	require.ErrorContains(t, err, "exit status 3: complaint")
	assert.NotContains(t, err.Error(), "\nvisible", "standard output is not quoted")

	_, err = RunCommand(t.Context(), "no-such-program-anywhere")
	require.EqualError(t, err, "the program no-such-program-anywhere is not installed, or not in the PATH")

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the run was interrupted"))
	_, err = RunCommand(ctx, "sh", "-c", "sleep 60")
	require.ErrorContains(t, err, "sh was stopped: the run was interrupted")

	_, err = RunCommand(t.Context(), "sh", "-c", "head -c 2000 /dev/zero | tr '\\0' x >&2; exit 1")
	require.ErrorContains(t, err, "…")
	assert.Less(t, len(err.Error()), 700)
}
