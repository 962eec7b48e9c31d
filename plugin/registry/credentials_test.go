package registry

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// helperFile puts a credential helper into the path, and gives a file that names
// it for every host.
func helperFile(t *testing.T, script string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the helper is a shell script")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "docker-credential-test"), []byte("#!/bin/sh\n"+script), 0o700))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	file := filepath.Join(dir, "config.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"credsStore":"test"}`), 0o600))
	return file
}

func TestCredentialHelpers(t *testing.T) {
	s, ca := secureServer(t)
	ref := reference(t, s.host+"/app:v1")
	file := helperFile(t, `read host
echo "{\"ServerURL\":\"$host\",\"Username\":\"`+user+`\",\"Secret\":\"`+password+`\"}"`)
	c := newClient(t, Options{CAFile: ca, CredentialFiles: []string{file}})
	_, err := c.Push(t.Context(), ref, sample(t), PushOptions{})
	require.NoError(t, err)
	checkSample(t, c, ref, mustDigest(t, sample(t)))
}

func TestABrokenHelperIsAnError(t *testing.T) {
	s, ca := secureServer(t)
	file := helperFile(t, "echo no keyring; exit 1")
	_, err := newClient(t, Options{CAFile: ca, CredentialFiles: []string{file}}).Pull(t.Context(), reference(t, s.host+"/app:v1"))
	require.Error(t, err)
	assert.ErrorContains(t, err, "credentials for "+s.host+" from "+file)
	assert.ErrorContains(t, err, "no keyring")
}

// TestTheFirstFileWins: of several files the first that knows the host counts.
func TestTheFirstFileWins(t *testing.T) {
	s, ca := secureServer(t)
	files := []string{
		credentialsFile(t, "other.example", "somebody", "else-entirely"),
		credentialsFile(t, s.host, user, password),
		credentialsFile(t, s.host, "late", "too-late-for-it"),
	}
	c := newClient(t, Options{CAFile: ca, CredentialFiles: files})
	_, err := c.Push(t.Context(), reference(t, s.host+"/app:v1"), sample(t), PushOptions{})
	require.NoError(t, err)
}

// TestLatest: a reference without tag and digest is the tag latest, also offline.
func TestLatest(t *testing.T) {
	c := newCached(t)
	digest := mustDigest(t, sample(t))
	_, err := c.client(t, nil).Push(t.Context(), c.ref.WithTag("latest"), sample(t), PushOptions{})
	require.NoError(t, err)
	bare := c.ref.WithTag("")
	require.True(t, bare.IsRepository())
	checkSample(t, c.client(t, nil), bare, digest)
	checkSample(t, c.client(t, offline), bare, digest)
	checkSample(t, c.client(t, offline), c.ref.WithTag("latest"), digest)
}

// TestRepetitionEndsWithItsContext: nobody waits for a pause that is no use.
func TestRepetitionEndsWithItsContext(t *testing.T) {
	c := newClient(t, Options{Retry: Retry{Attempts: 5, MinWait: time.Hour, MaxWait: time.Hour}})
	ctx, cancel := context.WithCancel(t.Context())
	tries := 0
	err := c.repeat(ctx, func(context.Context) error {
		tries++
		time.AfterFunc(time.Millisecond, cancel)
		return errStalled
	})
	require.ErrorIs(t, err, errStalled)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, tries)
	disk := &os.PathError{Op: "write", Path: "x", Err: os.ErrPermission}
	tries = 0
	err = c.repeat(t.Context(), func(context.Context) error { tries++; return disk })
	require.ErrorIs(t, err, os.ErrPermission)
	assert.Equal(t, 1, tries, "a full disk is full the next time too")
}

// TestGivenConfiguration: what a cluster says of a registry needs no file, and runs no
// program.
func TestGivenConfiguration(t *testing.T) {
	s, ca := secureServer(t)
	pem, err := os.ReadFile(ca)
	require.NoError(t, err)
	config, err := os.ReadFile(credentialsFile(t, s.host, user, password))
	require.NoError(t, err)
	ref := reference(t, s.host+"/given:v1")
	_, err = newClient(t, Options{CA: pem, DockerConfig: config}).Push(t.Context(), ref, sample(t), PushOptions{})
	require.NoError(t, err)
	ran := filepath.Join(t.TempDir(), "ran")
	helperFile(t, "touch "+ran+"; exit 1")
	_, err = newClient(t, Options{CA: pem, DockerConfig: []byte(`{"credsStore":"test"}`)}).Pull(t.Context(), ref)
	require.Error(t, err)
	assert.NoFileExists(t, ran)
	_, err = newClient(t, Options{CA: pem, DockerConfig: []byte(password)}).Pull(t.Context(), ref)
	require.ErrorContains(t, err, "docker configuration that was given")
	assert.NotContains(t, err.Error(), password)
	_, err = New(Options{CA: []byte("none")})
	assert.ErrorContains(t, err, "wanted certificates in PEM, found none")
}
