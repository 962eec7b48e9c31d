package cluster

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
)

// The log of requests shows each with its duration, and at no level what is in a
// Secret: neither what is sent or answered, nor what a webhook's warning quotes.
func TestLogOfRequests(t *testing.T) {
	const value = "correct-horse-battery"
	server := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Warning", `299 - "odd value `+value+`"`)
		w.Header().Add("Warning", `299 - broken `+value)
		w.Header().Add("X-Other", "seen")
		answer(200, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","namespace":"default"},"stringData":{"p":"`+value+`"}}`)(w, r)
	}
	logRequests(t)
	wanted := map[int][]string{
		5: nil,
		6: {"PATCH", "/secrets/a", "milliseconds="},
		7: {"PATCH", "/secrets/a", "milliseconds=", "Content-Type"},
		8: {"PATCH", "/secrets/a", "milliseconds=", "Content-Type", "X-Other", "Warning", "odd value"},
		9: {"curl -v -XPATCH", "/secrets/a", "milliseconds=", "X-Other"},
	}
	for level, texts := range wanted {
		t.Run(fmt.Sprint(level), func(t *testing.T) {
			var log bytes.Buffer
			logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Verbosity(level), textlogger.Output(&log)))
			c := connectTo(t, play(server))
			_, err := c.Patch(klog.NewContext(t.Context(), logger), secrets, "default", "a", types.MergePatchType, []byte(`{"stringData":{"p":"`+value+`"}}`), WriteOptions{})
			require.NoError(t, err)
			for _, text := range texts {
				assert.Contains(t, log.String(), text)
			}
			if texts == nil {
				assert.Empty(t, log.String())
			}
			assert.NotContains(t, log.String(), "horse")
		})
	}
}

// logRequests makes client-go look at the level of each request's own logger, which it
// does only where the level of the process is high.
func logRequests(t *testing.T) {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	require.NoError(t, flags.Set("v", "9"))
	t.Cleanup(func() { require.NoError(t, flags.Set("v", "0")) })
}
