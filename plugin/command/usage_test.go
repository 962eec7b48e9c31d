package command

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"
)

// output runs a command line that asks no cluster.
func output(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	root := NewRoot(&Env{
		Name: "kubectl tazuna", IOStreams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: io.Discard},
		Getenv: func(string) string { return "" }, Clock: clock.RealClock{},
	})
	root.SetArgs(args)
	require.NoError(t, root.ExecuteContext(t.Context()))
	return out.String()
}

func TestHelpLeavesTheFlagsOfEveryCommandToOptions(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"diff", "--help"}, {"help", "apply"}, {"state", "list", "--help"}} {
		got := output(t, args...)
		assert.NotContains(t, got, "--kubeconfig", "%v", args)
		assert.Contains(t, got, `Use "kubectl tazuna options" for the flags of every command`, "%v", args)
	}
	assert.Contains(t, output(t, "diff", "--help"), "--filename")
	all := output(t, "options")
	for _, flag := range []string{"--kubeconfig", "--context", "--namespace", "--as", "--color"} {
		assert.Contains(t, all, flag)
	}
	assert.Contains(t, output(t, "__complete", "diff", "--kube"), "--kubeconfig", "completion still knows them")
}
