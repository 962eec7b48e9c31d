package trace

import (
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers of fields in OpenTelemetry's messages (opentelemetry/proto, v1).
const (
	requestResourceSpans = 1 // ExportTraceServiceRequest

	resourceSpansResource = 1
	resourceSpansScopes   = 2
	resourceAttributes    = 1
	scopeSpansScope       = 1
	scopeSpansSpans       = 2
	scopeName             = 1
	scopeVersion          = 2

	spanTraceID    = 1
	spanID         = 2
	spanParentID   = 4
	spanName       = 5
	spanKind       = 6
	spanStart      = 7
	spanEnd        = 8
	spanAttributes = 9
	spanEvents     = 11
	spanStatus     = 15

	eventTime       = 1
	eventName       = 2
	eventAttributes = 3

	statusMessage = 2
	statusCode    = 3

	pairKey     = 1
	pairValue   = 2
	valueString = 1
	valueBool   = 2
	valueInt    = 3
)

// Values of enumerations there.
const (
	kindInternal = 1
	statusError  = 2
)

// Names that every span is sent under: the original tool's.
const (
	serviceName = "tazuna"
	scopeOfRuns = "tazuna/runner"
)

// encode makes the message of a request. version is this program's.
func (r *Recorder) encode(version string) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	resource := attributes(nil, resourceAttributes, []Attribute{{"service.name", serviceName}, {"service.version", version}})
	if r.dropped > 0 {
		resource = attributes(resource, resourceAttributes, []Attribute{{"tazuna.spans.dropped", r.dropped}})
	}
	scope := text(text(nil, scopeName, scopeOfRuns), scopeVersion, version)
	scoped := bytes(nil, scopeSpansScope, scope)
	for _, s := range r.spans {
		scoped = bytes(scoped, scopeSpansSpans, s.encode(r.trace))
	}
	group := bytes(bytes(nil, resourceSpansResource, resource), resourceSpansScopes, scoped)
	return bytes(nil, requestResourceSpans, group)
}

func (s *Span) encode(trace [16]byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := bytes(nil, spanTraceID, trace[:])
	out = bytes(out, spanID, s.id[:])
	if s.parent != ([8]byte{}) {
		out = bytes(out, spanParentID, s.parent[:])
	}
	out = text(out, spanName, s.name)
	out = number(out, spanKind, kindInternal)
	out = moment(moment(out, spanStart, s.start), spanEnd, s.end)
	out = attributes(out, spanAttributes, s.attributes)
	if s.failure == "" {
		return out
	}
	event := text(moment(nil, eventTime, s.end), eventName, "exception")
	event = attributes(event, eventAttributes, []Attribute{{"exception.message", s.failure}})
	out = bytes(out, spanEvents, event)
	return bytes(out, spanStatus, number(text(nil, statusMessage, s.failure), statusCode, statusError))
}

func attributes(out []byte, field protowire.Number, all []Attribute) []byte {
	for _, a := range all {
		var value []byte
		switch v := a.Value.(type) {
		case string:
			value = text(nil, valueString, v)
		case bool:
			value = number(nil, valueBool, protowire.EncodeBool(v))
		case int:
			value = number(nil, valueInt, uint64(v)) //nolint:gosec // two's complement is how the format has negative ones
		}
		out = bytes(out, field, bytes(text(nil, pairKey, a.Key), pairValue, value))
	}
	return out
}

func bytes(out []byte, field protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(out, field, protowire.BytesType), value)
}

func text(out []byte, field protowire.Number, value string) []byte {
	return protowire.AppendString(protowire.AppendTag(out, field, protowire.BytesType), value)
}

func number(out []byte, field protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(out, field, protowire.VarintType), value)
}

func moment(out []byte, field protowire.Number, at time.Time) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(out, field, protowire.Fixed64Type), uint64(at.UnixNano())) //nolint:gosec // after 1970
}
