package controller

import (
	"context"
	"log/slog"

	"github.com/go-logr/logr"
)

// libraryLog is the log of controller-runtime: what it takes for information is about
// itself, and of use only to who looks for a fault.
func libraryLog(l *slog.Logger) logr.Logger {
	return logr.FromSlogHandler(demoted{l.Handler()})
}

// demoted makes debugging output of information.
type demoted struct{ slog.Handler }

func demote(level slog.Level) slog.Level {
	if level == slog.LevelInfo {
		return slog.LevelDebug
	}
	return level
}

// Enabled tells whether a level is written.
func (d demoted) Enabled(ctx context.Context, level slog.Level) bool {
	return d.Handler.Enabled(ctx, demote(level))
}

// Handle writes a record.
func (d demoted) Handle(ctx context.Context, r slog.Record) error {
	r.Level = demote(r.Level)
	return d.Handler.Handle(ctx, r)
}

// WithAttrs is as of every handler.
func (d demoted) WithAttrs(attrs []slog.Attr) slog.Handler {
	return demoted{d.Handler.WithAttrs(attrs)}
}

// WithGroup is as of every handler.
func (d demoted) WithGroup(name string) slog.Handler { return demoted{d.Handler.WithGroup(name)} }
