package packages

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/controller"
)

// TestTimesOfTheController: those of the platform, of kubectl's kind of leader election,
// and what can't be meant.
func TestTimesOfTheController(t *testing.T) {
	env, _ := testEnv("", "")
	flags := newController(env).Flags()
	for name, want := range map[string]string{
		"drift-interval": "4m0s", "apply-timeout": "30m0s",
		"leader-elect-lease-duration": "15s", "leader-elect-renew-deadline": "10s", "leader-elect-retry-period": "2s",
	} {
		assert.Equal(t, want, flags.Lookup(name).DefValue, name)
	}
	for want, change := range map[string]func(*controllerOptions){
		"--drift-interval: wanted at least 1s, found 0s":                                        func(o *controllerOptions) { o.drift = 0 },
		"--leader-elect-retry-period: wanted at least 100ms, found 0s":                          func(o *controllerOptions) { o.election.RetryLease = 0 },
		"--leader-elect-renew-deadline: wanted at least twice the retry period of 2s, found 3s": func(o *controllerOptions) { o.election.Renew = 3 * time.Second },
		"--leader-elect-lease-duration: wanted more than the renew deadline of 10s, found 10s":  func(o *controllerOptions) { o.election.Lease = 10 * time.Second },
		"--leader-elect-lease-duration: wanted whole seconds, as a Lease has them, found 15.5s": func(o *controllerOptions) { o.election.Lease = 15500 * time.Millisecond },
		"--apply-timeout: wanted more than 0, found -1s":                                        func(o *controllerOptions) { o.applyTimeout = -time.Second },
		`--platform-version: wanted a version such as v1.70.0, found "1.70"`:                    func(o *controllerOptions) { o.platformVersion = "1.70" },
	} {
		o := &controllerOptions{
			systemNamespace: controller.DefaultSystemNamespace, applyTimeout: time.Minute, drift: time.Minute, election: controller.DefaultTiming(),
		}
		require.NoError(t, o.check())
		change(o)
		require.EqualError(t, o.check(), want)
	}
}
