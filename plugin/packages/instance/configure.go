package instance

import (
	"context"
	"errors"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/values"
)

// RefusedError is a program of the package that doesn't agree with settings.
type RefusedError struct{ File, Message string }

// Error names the program and what it says.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("settings: %s: refused: %s", e.File, e.Message)
}

// MaxSettings is how many bytes settings may have as JSON, their defaults included. They
// are written into the status of their Application beside those of its spec, and the
// server takes objects of 1.5 MiB at most, in which each field is named once more.
const MaxSettings = 512 << 10

// LargeError is that settings have more than MaxSettings.
type LargeError struct {
	Instance string
	Bytes    int
}

// Error tells whose they are, and both sizes.
func (e *LargeError) Error() string {
	return fmt.Sprintf("settings of %s: wanted at most %d KiB as JSON with their defaults, found %d KiB", e.Instance, MaxSettings>>10, (e.Bytes+1<<10-1)>>10)
}

// effective are the settings that follow from what the user gave.
func (i *Instance) effective(ctx context.Context, given map[string]any, change values.Change) (map[string]any, error) {
	effective, err := i.sources.Settings(ctx, given, change)
	if err != nil {
		return nil, err
	}
	data, err := object.EncodeJSON(effective)
	if err != nil {
		return nil, err
	}
	if len(data) > MaxSettings {
		return nil, &LargeError{Instance: i.id.String(), Bytes: len(data)}
	}
	return effective, nil
}

// Configure makes settings and values of what the user gave. The programs that judge
// settings are asked unless they have agreed to equal ones. After an error settings and
// values are those of before. Warnings are remarks of programs that agree.
func (i *Instance) Configure(ctx context.Context, given map[string]any, change values.Change) (warnings []string, err error) {
	unlock, err := i.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	effective, err := i.effective(ctx, given, change)
	if err != nil {
		return nil, err
	}
	digest, err := values.Digest(effective)
	if err != nil {
		return nil, err
	}
	if digest != i.agreed() {
		if warnings, err = i.check(ctx, effective); err != nil {
			return nil, err
		}
	}
	computed, err := i.sources.Values(effective, i.accepted())
	if err != nil {
		return nil, err
	}
	if err := i.sources.Check(ctx, computed.Values, schema.Check{Old: i.Values()}); err != nil {
		return nil, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.settings, i.values, i.checked, i.configured = effective, computed.Values, digest, true
	return warnings, nil
}

// Assume takes settings as they are, without any judgement, for who has to run the hooks
// of a removal although the settings are refused now.
func (i *Instance) Assume(ctx context.Context, effective map[string]any) error {
	unlock, err := i.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	computed, err := i.sources.Values(effective, i.accepted())
	if err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.settings, i.values = effective, computed.Values
	return nil
}

// Judge tells what would be said of settings, and changes nothing.
func (i *Instance) Judge(ctx context.Context, given map[string]any, change values.Change) (warnings []string, err error) {
	effective, err := i.effective(ctx, given, change)
	if err != nil {
		return nil, err
	}
	return i.check(ctx, effective)
}

// check asks every program that judges settings. What a program says is scrubbed of the
// secrets of these settings, which aren't the instance's yet.
func (i *Instance) check(ctx context.Context, settings map[string]any) (warnings []string, err error) {
	secrets := i.shared.Schemas.Secrets(settings)
	for _, c := range i.set.Checks {
		verdict, err := i.runner.CheckSettings(ctx, c, settings)
		if err != nil {
			if text := scrub(err.Error(), secrets); text != err.Error() {
				return nil, errors.New(text)
			}
			return nil, err
		}
		if !verdict.Valid {
			return nil, &RefusedError{File: c.File, Message: scrub(verdict.Message, secrets)}
		}
		for _, w := range verdict.Warnings {
			warnings = append(warnings, fmt.Sprintf("settings: %s: %s", c.File, scrub(w, secrets)))
		}
	}
	return warnings, nil
}

func (i *Instance) agreed() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.checked
}

func (i *Instance) accepted() output.ValuesPatch {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.patches
}

func joined(first, second error) error {
	if second == nil {
		return first // as it is, so that it can be looked at
	}
	return errors.Join(first, second)
}
