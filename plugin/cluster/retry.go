package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

const (
	defaultRetryFor = 30 * time.Second
	// patience multiplies the bound when the server merely asks to come later.
	patience = 4
	// Back-off when the server names no time: doubled from first to longest.
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
)

// retryable is the policy: may a request with this verb, failed with this error,
// be sent again, and after which time the server asked for (0: no wish). Writes
// are repeated as well, since each verb's outcome can be checked afterwards
// (settle.go); only a patch that is harmful twice must surely not have been
// performed.
func retryable(err error, v verb) (delay time.Duration, again bool) {
	var conn *connectionError
	if errors.As(err, &conn) {
		return 0, isPassing(conn.err) && (v != verbPatchOnce || !conn.sent)
	}
	seconds, _ := apierrors.SuggestsClientDelay(err)
	delay = time.Duration(seconds) * time.Second
	switch {
	case apierrors.IsTooManyRequests(err), apierrors.IsServerTimeout(err):
		return delay, true // refused before anything was done
	case v == verbPatchOnce, calledWebhook(err):
		return 0, false
	}
	switch code(err) {
	case http.StatusServiceUnavailable:
		return delay, !isAggregatorRefusal(err)
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return delay, true
	case http.StatusInternalServerError:
		// Reading again does no harm. A write is repeated only for a known cause;
		// discovery's client hides the server's words.
		return delay, delay > 0 || isEtcdHiccup(err) || v == verbDiscover || v == verbGet || v == verbList
	}
	// Discovery's own client gives the network's errors without our wrapping.
	return delay, code(err) == 0 && isPassing(err)
}

// unexplainedReads is how often a read is tried that the server fails with a 500
// for no known reason: one in passing must not end a run, one that stays will not
// go away by waiting.
const unexplainedReads = 3

// isUnexplained knows a 500 that says nothing of when to come back.
func isUnexplained(err error) bool {
	seconds, _ := apierrors.SuggestsClientDelay(err)
	return code(err) == http.StatusInternalServerError && seconds == 0 && !isEtcdHiccup(err)
}

// doubtful tells whether a failed write may have been performed all the same:
// the answer got lost, or it comes from somebody who did not see the end.
func doubtful(err error) bool {
	var conn *connectionError
	if errors.As(err, &conn) {
		return conn.sent
	}
	switch code(err) {
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return true
	case http.StatusInternalServerError:
		return isEtcdHiccup(err) && !calledWebhook(err)
	}
	return false
}

// code is the HTTP status of an API error, 0 for other errors.
func code(err error) int32 {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return status.Status().Code
	}
	return 0
}

// isEtcdHiccup knows the texts of an etcd that is about to work again.
func isEtcdHiccup(err error) bool {
	text := err.Error()
	for _, hiccup := range []string{
		"etcdserver: leader changed",
		"etcdserver: no leader",
		"etcdserver: request timed out",
		"etcdserver: too many requests",
		"etcdserver: server stopped",
		"rpc error: code = Unavailable",
	} {
		if strings.Contains(text, hiccup) {
			return true
		}
	}
	return false
}

// calledWebhook tells that the failure is a webhook's. Those heal when its Pods
// come up, which may be part of the run, so only the caller knows how long to
// wait.
func calledWebhook(err error) bool {
	text := err.Error()
	return strings.Contains(text, "failed calling webhook") || strings.Contains(text, "conversion webhook")
}

// isAggregatorRefusal knows the plain answer for an APIService whose backend is
// known to be gone.
func isAggregatorRefusal(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || code(err) != http.StatusServiceUnavailable {
		return false
	}
	return unexpectedText(status.Status()) == "service unavailable"
}

// isNotServed tells the 404 of a path nobody serves from that of a missing
// object: only the latter names what is missing.
func isNotServed(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || code(err) != http.StatusNotFound {
		return false
	}
	details := status.Status().Details
	return details == nil || details.Name == ""
}

// unexpectedText is the body of an answer that was no Status.
func unexpectedText(s metav1.Status) string {
	if s.Details == nil {
		return ""
	}
	for _, cause := range s.Details.Causes {
		if cause.Type == metav1.CauseTypeUnexpectedServerResponse {
			return strings.TrimSpace(cause.Message)
		}
	}
	return ""
}

// isConnection tells that no answer came at all.
func isConnection(err error) bool {
	var conn *connectionError
	var network net.Error
	return errors.As(err, &conn) || errors.As(err, &network) || isPassing(err)
}

// isDial tells that not even a connection came about, so nothing was sent.
func isDial(err error) bool {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return true
	}
	var dns *net.DNSError
	return errors.As(err, &dns)
}

// isPassing knows the network failures that go away: refused, reset, cut. A
// wrong certificate, an unknown host name or a failing credential plugin stay.
func isPassing(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errRequestTimeout) {
		return false
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return dns.IsTemporary || dns.IsTimeout
	}
	for _, errno := range []syscall.Errno{
		syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE,
		syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.ETIMEDOUT,
	} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return isCut(err) || utilnet.IsTimeout(err)
}

// isCut knows the many ways in which a connection ends before its time.
func isCut(err error) bool {
	if utilnet.IsProbableEOF(err) {
		return true
	}
	text := err.Error()
	for _, cut := range []string{
		"EOF", "server closed idle connection", "stream error: stream ID",
		"http2: server sent GOAWAY", "http2: client conn", "http2: Transport", "http2: no cached connection",
	} {
		if strings.Contains(text, cut) {
			return true
		}
	}
	return false
}

// retry repeats one step until it succeeds, fails for good, or its time is up.
func (c *Client) retry(ctx context.Context, v verb, step func(context.Context) error) error {
	t := c.newTries(v)
	for {
		err := step(ctx)
		if err == nil {
			return nil // which may have come from a cache: no word on the server
		}
		if err := t.pause(ctx, err); err != nil {
			return err
		}
	}
}

// tries keeps the account of one request's attempts.
type tries struct {
	c       *Client
	verb    verb
	count   int
	started time.Time
	renewed bool // credentials were given a second chance
	// clean takes secrets out of an error before it is worded further.
	clean func(error) error
}

func (c *Client) newTries(v verb) *tries {
	return &tries{c: c, verb: v, started: c.clock.Now(), clean: func(err error) error { return err }}
}

// pause waits before the next attempt. Its error is final: the failure itself,
// or the failure with why there is no further attempt.
func (t *tries) pause(ctx context.Context, err error) error {
	t.count++
	if ctx.Err() != nil {
		return interrupted(ctx, t.clean(err))
	}
	if t.renewCredentials(err) {
		return nil
	}
	// The policy reads the server's words, which cleaning may take away.
	asked, again := retryable(err, t.verb)
	if !again || t.count >= unexplainedReads && isUnexplained(err) {
		return t.clean(err)
	}
	wait, left := t.length(asked), t.left(err)
	if err = t.clean(err); wait > left {
		return t.giveUp(err, asked)
	}
	select {
	case <-t.c.clock.After(wait):
		return nil
	case <-ctx.Done():
		return interrupted(ctx, err)
	}
}

// renewCredentials allows one repetition after 401: a credential plugin drops an
// expired token when it sees one.
func (t *tries) renewCredentials(err error) bool {
	if t.renewed || !apierrors.IsUnauthorized(err) {
		return false
	}
	t.renewed = true
	return true
}

// length is the pause before the next attempt: what the server asked for and a
// little more, or a doubling back-off, both spread so that requests which failed
// together don't come back together.
func (t *tries) length(asked time.Duration) time.Duration {
	if asked > 0 {
		return asked + time.Duration(t.c.jitter()*float64(asked)/4)
	}
	pause := min(firstPause<<min(t.count-1, 10), longestPause)
	return pause/2 + time.Duration(t.c.jitter()*float64(pause)/2)
}

// left is how much time this failure may still take.
func (t *tries) left(err error) time.Duration {
	now, bound := t.c.clock.Now(), t.c.retryFor
	if apierrors.IsTooManyRequests(err) {
		bound *= patience
	}
	since, met := t.c.outage.lasting(now, t.c.retryFor)
	if !met && isDial(err) {
		// Nobody there from the start: a wrong address, most likely.
		return 0
	}
	if t.started.Before(since) {
		since = t.started
	}
	return bound - now.Sub(since)
}

// giveUp words the end of patience.
func (t *tries) giveUp(err error, asked time.Duration) error {
	if asked > t.c.retryFor {
		return fmt.Errorf("%w (the server asked to wait %s)", err, asked)
	}
	if t.count == 1 {
		return err
	}
	return fmt.Errorf("%w (gave up after %d attempts in %s)", err, t.count, t.c.clock.Now().Sub(t.started).Round(time.Second))
}

// interrupted says that the context ended the attempts, and keeps the last
// failure in view.
func interrupted(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w, after: %w", cause, err)
}
