package quiet

import "log/slog"

func init() { //nolint:gochecknoinits // of the whole process, like what it silences
	// Also takes over package log, which prints to standard error otherwise.
	slog.SetDefault(slog.New(slog.DiscardHandler))
}
