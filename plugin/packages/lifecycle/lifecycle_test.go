package lifecycle

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDecide(t *testing.T) {
	base := func() Desired {
		return Desired{
			Repository: "main", Package: "store", Version: "v1.0.0", Source: "https", Settings: map[string]any{"replicas": int64(2)},
		}
	}
	for name, tt := range map[string]struct {
		change func(d *Desired)
		want   Decision
	}{
		"the same":                            {func(*Desired) {}, Decision{Kind: Nothing}},
		"equal settings":                      {func(d *Desired) { d.Settings = map[string]any{"replicas": int64(2)} }, Decision{Kind: Nothing}},
		"E1 settings":                         {func(d *Desired) { d.Settings["replicas"] = int64(3) }, Decision{Reconfigure, []Trigger{SettingsChanged}}},
		"E1 no settings":                      {func(d *Desired) { d.Settings = nil }, Decision{Reconfigure, []Trigger{SettingsChanged}}},
		"E1 maintenance":                      {func(d *Desired) { d.Maintenance = true }, Decision{Reconfigure, []Trigger{MaintenanceChanged}}},
		"E3 version":                          {func(d *Desired) { d.Version = "v1.1.0" }, Decision{Replace, []Trigger{VersionChanged}}},
		"another package":                     {func(d *Desired) { d.Package = "shop" }, Decision{Replace, []Trigger{VersionChanged}}},
		"another repository":                  {func(d *Desired) { d.Repository = "other" }, Decision{Replace, []Trigger{VersionChanged}}},
		"the repository is reached otherwise": {func(d *Desired) { d.Source = "http" }, Decision{Replace, []Trigger{DesiredChanged}}},
		"version and settings": {
			func(d *Desired) { d.Version = "v1.1.0"; d.Settings = nil; d.Maintenance = true },
			Decision{Replace, []Trigger{VersionChanged, SettingsChanged, MaintenanceChanged}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			before, now := base(), base()
			tt.change(&now)
			assert.Equal(t, tt.want, Decide(&before, now))
		})
	}
	assert.Equal(t, Decision{Replace, []Trigger{DesiredChanged}}, Decide(nil, base()), "a new one")
	assert.Equal(t, Nothing, Decide(&Desired{}, Desired{Settings: map[string]any{}}).Kind)
}

// TestComplaint8CausesAreWorded and are cancellations all the same.
func TestComplaint8CausesAreWorded(t *testing.T) {
	var o Operations
	ended := func(ctx context.Context, cause Cause) {
		t.Helper()
		require.ErrorIs(t, ctx.Err(), context.Canceled)
		require.EqualError(t, context.Cause(ctx), string(cause))
		require.ErrorIs(t, context.Cause(ctx), context.Canceled)
	}
	start := func(f func(context.Context) (context.Context, bool)) context.Context {
		t.Helper()
		ctx, ok := f(t.Context())
		require.True(t, ok)
		require.NoError(t, ctx.Err())
		return ctx
	}
	update, first := start(o.Update), start(o.Reconcile)
	second := start(o.Reconcile)
	ended(first, "reconciliation superseded")
	require.NoError(t, update.Err(), "a reconciliation ends no update")
	third := start(o.Suspend)
	ended(second, "suspension started")
	other := start(o.Update)
	ended(update, "update superseded")
	ended(third, "update started")
	fourth := start(o.Reconcile)
	assert.False(t, o.Removing())
	removal := start(o.Remove)
	ended(other, "removal started")
	ended(fourth, "removal started")
	assert.True(t, o.Removing())
	o.End(Stopped)
	ended(removal, "the controller stops")
}

// TestComplaint1RemovalIsFinal: what comes after it neither begins nor disturbs it.
func TestComplaint1RemovalIsFinal(t *testing.T) {
	var o Operations
	removal, ok := o.Remove(t.Context())
	require.True(t, ok)
	for range 3 {
		again, ok := o.Remove(t.Context())
		assert.False(t, ok)
		assert.Equal(t, removal, again)
		for _, f := range []func(context.Context) (context.Context, bool){o.Update, o.Reconcile, o.Suspend} {
			_, ok = f(t.Context())
			assert.False(t, ok)
		}
	}
	assert.NoError(t, removal.Err())
}
