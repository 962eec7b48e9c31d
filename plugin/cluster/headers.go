package cluster

import (
	"context"
	"net/http"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// cleanHeaders scrubs the texts in an answer's header before client-go's log of
// requests sees it: warnings of a webhook may quote the values of a Secret, and from
// level 8 on headers are logged as they are.
type cleanHeaders struct{ next http.RoundTripper }

var _ utilnet.RoundTripperWrapper = cleanHeaders{}

// scrubKey is where a request's context holds how its answer is cleaned.
type scrubKey struct{}

// withScrub hands the cleaning of answers down to the transport; nil leaves them.
func withScrub(ctx context.Context, scrub func(string) string) context.Context {
	if scrub == nil {
		return ctx
	}
	return context.WithValue(ctx, scrubKey{}, scrub)
}

// RoundTrip cleans the answer of a request that says how.
func (c cleanHeaders) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(req)
	if err != nil {
		return resp, err
	}
	if scrub, ok := req.Context().Value(scrubKey{}).(func(string) string); ok {
		cleanWarnings(resp.Header, scrub)
	}
	return resp, nil
}

// WrappedRoundTripper lets others of client-go look through.
func (c cleanHeaders) WrappedRoundTripper() http.RoundTripper { return c.next }

// cleanWarnings writes the warnings of a header anew. One that can't be read is
// dropped: what isn't understood can't be cleaned.
func cleanWarnings(h http.Header, scrub func(string) string) {
	values := h.Values("Warning")
	if len(values) == 0 {
		return
	}
	parsed, _ := utilnet.ParseWarningHeaders(values)
	h.Del("Warning")
	for _, p := range parsed {
		if text, err := utilnet.NewWarningHeader(p.Code, p.Agent, scrub(p.Text)); err == nil {
			h.Add("Warning", text)
		}
	}
}
