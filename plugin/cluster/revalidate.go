package cluster

import (
	"net/http"
	"strings"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// revalidated marks answers that don't say how long they hold, discovery's, as to be
// asked for again with their ETag. The cache of kubectl's discovery client, which lies
// above, takes one whose Date is in its future for fresh: to a user whose clock is
// behind the server's, new kinds would be unknown until it has caught up.
type revalidated struct{ next http.RoundTripper }

var _ utilnet.RoundTripperWrapper = revalidated{}

// RoundTrip implements http.RoundTripper.
func (r revalidated) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := r.next.RoundTrip(req)
	if err != nil {
		return resp, err
	}
	if resp.Header.Get("Expires") == "" && !strings.Contains(resp.Header.Get("Cache-Control"), "max-age") {
		resp.Header.Set("Cache-Control", "no-cache")
	}
	return resp, nil
}

// WrappedRoundTripper returns the transport below.
func (r revalidated) WrappedRoundTripper() http.RoundTripper { return r.next }
