package cluster

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestOverrideFlags(t *testing.T) {
	tests := map[string]struct {
		overrides []string
		want      string
	}{
		"none":       {want: "--a=1 --disable-admission-plugins=X"},
		"new":        {overrides: []string{"b=2"}, want: "--a=1 --disable-admission-plugins=X --b=2"},
		"replaced":   {overrides: []string{"a=2"}, want: "--disable-admission-plugins=X --a=2"},
		"with dash":  {overrides: []string{"--a=2"}, want: "--disable-admission-plugins=X --a=2"},
		"repeated":   {overrides: []string{"a=2", "a=3"}, want: "--disable-admission-plugins=X --a=2 --a=3"},
		"added list": {overrides: []string{"disable-admission-plugins=Y"}, want: "--a=1 --disable-admission-plugins=X --disable-admission-plugins=Y"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := overrideFlags([]string{"--a=1", "--disable-admission-plugins=X"}, test.overrides)
			if strings.Join(got, " ") != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestNodes(t *testing.T) {
	for want, opts := range map[int]Options{
		2: DefaultOptions(),
		0: {Nodes: autoNodes, WithoutControllers: true},
		5: {Nodes: 5, WithoutControllers: true},
	} {
		if got := opts.nodes(); got != want {
			t.Errorf("%+v: got %d, want %d", opts, got, want)
		}
	}
}

func TestPartsEndInReverseOrder(t *testing.T) {
	p := newParts()
	var ended []string
	for _, name := range []string{"first", "second", "third"} {
		p.start(t.Context(), name, func(ctx context.Context) error {
			<-ctx.Done()
			ended = append(ended, name)
			return nil
		})
	}
	p.stop(time.Second)
	if want := []string{"third", "second", "first"}; !slices.Equal(ended, want) {
		t.Errorf("got %v, want %v", ended, want)
	}
	if len(p.failed) != 0 {
		t.Errorf("an asked end is a failure: %v", <-p.failed)
	}
}

func TestPartsReportTheFirstFailure(t *testing.T) {
	cause := errors.New("cause")
	p := newParts()
	p.start(t.Context(), "bad", func(context.Context) error { return cause })
	if err := <-p.failed; !errors.Is(err, cause) || !strings.Contains(err.Error(), "bad") {
		t.Errorf("got %v", err)
	}
	p.start(t.Context(), "gone", func(context.Context) error { return nil })
	if err := <-p.failed; err == nil {
		t.Error("an unexpected end is no failure")
	}
}
