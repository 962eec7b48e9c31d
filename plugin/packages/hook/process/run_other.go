//go:build !linux && !darwin

package process

import "context"

// Run gives [ErrUnsupported]: without process groups, what a hook starts can't
// be ended.
func Run(context.Context, Command) (Result, error) { return Result{}, ErrUnsupported }
