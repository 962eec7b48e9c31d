package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	// grace is how long a write in flight may go on after the context is
	// cancelled. The server ends its own requests after a minute, most take
	// milliseconds.
	grace = 15 * time.Second
	// maxErrorText bounds what is read of an answer that is no Status, such as a
	// proxy's error page.
	maxErrorText = 2048
)

// errRequestTimeout ends one attempt after --request-timeout.
var errRequestTimeout = errors.New("no answer within the request timeout")

// connectionError is a request that got no complete answer.
type connectionError struct {
	// sent tells that the server may have received the request.
	sent bool
	err  error
}

func (e *connectionError) Error() string { return e.err.Error() }
func (e *connectionError) Unwrap() error { return e.err }

// send performs one attempt and reads the whole answer. The error is an
// apierrors status, a *connectionError, or the context's.
func (c *Client) send(ctx context.Context, r *request) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	attempt, done := c.attemptContext(ctx, r)
	defer done()
	resp, err := c.open(attempt, r)
	if err != nil {
		return nil, ended(ctx, attempt, err)
	}
	defer drop(resp.Body)
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, ended(ctx, attempt, &connectionError{sent: true, err: fmt.Errorf("read the answer: %w", err)})
	}
	return body, nil
}

// open sends the request and returns the answer's header and unread body, if it
// is a good one.
func (c *Client) open(ctx context.Context, r *request) (*http.Response, error) {
	if err := c.throttle.wait(ctx); err != nil {
		return nil, err
	}
	req, err := c.httpRequest(ctx, r)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, &connectionError{sent: !isDial(err), err: err}
	}
	c.observe(ctx, r, resp)
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return resp, nil
	}
	defer drop(resp.Body)
	return nil, statusError(r, resp)
}

// drop closes an answer that was read as far as it will be.
func drop(body io.Closer) { _ = body.Close() }

// observe learns from an answer's header: flow control, patience, warnings.
func (c *Client) observe(ctx context.Context, r *request, resp *http.Response) {
	if resp.StatusCode < http.StatusInternalServerError && resp.StatusCode != http.StatusTooManyRequests {
		c.outage.over()
	}
	c.throttle.observe(resp.Header)
	if resp.StatusCode == http.StatusTooManyRequests || resp.Header.Get("Retry-After") != "" {
		c.limiter.Throttled()
	}
	c.warnings.header(ctx, resp.Header, r.scrub)
}

// attemptContext bounds one attempt by the request timeout. A write in flight
// outlives a cancelled context for a moment, so that Ctrl-C does not leave the
// caller without its outcome; a deadline ends it at once.
func (c *Client) attemptContext(ctx context.Context, r *request) (context.Context, func()) {
	attempt, cancel := ctx, context.CancelFunc(func() {})
	if r.writes() {
		attempt, cancel = outlive(ctx)
	}
	if c.timeout == 0 {
		return attempt, cancel
	}
	bounded, stop := context.WithTimeoutCause(attempt, c.timeout, errRequestTimeout)
	return bounded, func() { stop(); cancel() }
}

// outlive is ctx with a grace period after its cancellation.
func outlive(ctx context.Context) (context.Context, context.CancelFunc) {
	child, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() {
		cause := context.Cause(ctx)
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			cancel(cause)
			return
		}
		time.AfterFunc(grace, func() { cancel(cause) })
	})
	return child, func() { unhook(); cancel(nil) }
}

// ended replaces the transport's wording when it was a context that ended the
// attempt.
func ended(ctx, attempt context.Context, err error) error {
	var conn *connectionError
	if attempt.Err() == nil || !errors.As(err, &conn) {
		return err
	}
	if ctx.Err() != nil {
		return &connectionError{sent: conn.sent, err: context.Cause(ctx)}
	}
	return &connectionError{sent: conn.sent, err: context.Cause(attempt)}
}

// statusError reads a bad answer. A Status keeps the server's own reason;
// anything else, such as a proxy's page, is worded like client-go does. The
// Retry-After header wins over the body's.
func statusError(r *request, resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	wait, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
	var status metav1.Status
	err := json.Unmarshal(body, &status)
	if err != nil || status.Kind != "Status" || status.Status != metav1.StatusFailure {
		text := errorText(resp.Header.Get("Content-Type"), body)
		// Error names the object, so the status need not.
		status = apierrors.NewGenericServerResponse(resp.StatusCode, r.verb.method(), schema.GroupResource{}, "", text, wait, true).ErrStatus
	}
	if status.Code == 0 {
		status.Code = int32(resp.StatusCode)
	}
	if wait > 0 {
		if status.Details == nil {
			status.Details = &metav1.StatusDetails{}
		}
		status.Details.RetryAfterSeconds = int32(wait)
	}
	return apierrors.FromObject(&status)
}

// errorText is what may be shown of an answer that is no Status: only text, as
// anything else might be an object.
func errorText(contentType string, body []byte) string {
	media, _, _ := mime.ParseMediaType(contentType)
	if contentType != "" && !strings.HasPrefix(media, "text/") {
		return "unknown"
	}
	return strings.TrimSpace(string(body[:min(len(body), maxErrorText)]))
}
