package journal

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"unicode/utf8"
)

// Attributes by which a record names its application.
const (
	applicationKey = "application"
	queueKey       = "queue"
)

// longestValue bounds one value of a kept line, in bytes: an error that quotes a whole
// manifest would leave no room for what was before it.
const longestValue = 8 << 10

// Handler keeps the records that name an application, and hands all to next that it
// takes.
func (j *Journal) Handler(next slog.Handler) slog.Handler { return &handler{journal: j, next: next} }

// handler is one handler with the attributes and groups so far.
type handler struct {
	journal *Journal
	next    slog.Handler
	prefix  string // the open groups, each with a dot behind it
	fields  []Field
}

// Enabled tells whether a level is kept or written.
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || h.next.Enabled(ctx, level)
}

// Handle keeps a record and hands it on.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	line := Line{Time: r.Time, Level: r.Level, Message: bounded(r.Message), Fields: slices.Clone(h.fields)}
	r.Attrs(func(a slog.Attr) bool {
		line.Fields = appendAttr(line.Fields, h.prefix, a)
		return true
	})
	if name := nameIn(line.Fields); name != "" {
		line.Fields = slices.DeleteFunc(line.Fields, func(f Field) bool { return f.Key == applicationKey })
		h.journal.add(name, line)
	}
	if !h.next.Enabled(ctx, r.Level) {
		return nil
	}
	return h.next.Handle(ctx, r)
}

// WithAttrs adds attributes.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := &handler{journal: h.journal, next: h.next.WithAttrs(attrs), prefix: h.prefix, fields: slices.Clone(h.fields)}
	for _, a := range attrs {
		with.fields = appendAttr(with.fields, h.prefix, a)
	}
	return with
}

// WithGroup opens a group.
func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return &handler{journal: h.journal, next: h.next.WithGroup(name), prefix: h.prefix + name + ".", fields: h.fields}
}

// appendAttr flattens an attribute.
func appendAttr(fields []Field, prefix string, a slog.Attr) []Field {
	value := a.Value.Resolve()
	if value.Kind() != slog.KindGroup {
		if a.Equal(slog.Attr{}) {
			return fields
		}
		return append(fields, Field{prefix + a.Key, bounded(value.String())})
	}
	if a.Key != "" {
		prefix += a.Key + "."
	}
	for _, inner := range value.Group() {
		fields = appendAttr(fields, prefix, inner)
	}
	return fields
}

func bounded(text string) string {
	if len(text) <= longestValue {
		return text
	}
	cut := longestValue
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// nameIn is the application that a line is about; "" is none.
func nameIn(fields []Field) string {
	for _, key := range []string{applicationKey, queueKey} {
		for _, f := range fields {
			if f.Key == key && f.Value != "" {
				name, _, _ := strings.Cut(f.Value, "/")
				return name
			}
		}
	}
	return ""
}
