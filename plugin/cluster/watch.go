package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/watch"
)

// Watch follows the objects that match, from o.ResourceVersion on (Collect gives
// one; empty starts with what is there now). Events carry *unstructured.Unstructured
// with the mapping's kind, or *metav1.Status for errors; bookmarks carry only a
// resourceVersion. The channel closes when the server or the network ends the
// watch: list and watch again. The request timeout bounds only the
// start.
func (c *Client) Watch(ctx context.Context, m Mapping, namespace string, o ListOptions) (watch.Interface, error) {
	o.Namespace = namespace
	r := c.listRequest(verbWatch, m, o)
	if err := validSegment(namespace); err != nil {
		return nil, r.fail(err)
	}
	r.query.Set("watch", "true")
	r.query.Set("allowWatchBookmarks", "true")
	if o.ResourceVersion != "" {
		r.query.Set("resourceVersion", o.ResourceVersion)
	}
	var stream *watchStream
	err := c.retry(ctx, verbWatch, func(ctx context.Context) error {
		var err error
		stream, err = c.openWatch(ctx, m, r)
		return err
	})
	if err != nil {
		return nil, r.fail(c.final(ctx, r, err, false))
	}
	stream.metadataOnly = o.MetadataOnly
	return watch.NewStreamWatcher(stream, apierrors.NewClientErrorReporter(http.StatusInternalServerError, "watch", "ClientWatchDecoding")), nil
}

// openWatch waits for the header of the answer, not longer than the request
// timeout.
func (c *Client) openWatch(ctx context.Context, m Mapping, r *request) (*watchStream, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	if c.timeout > 0 {
		timer := time.AfterFunc(c.timeout, func() { cancel(errRequestTimeout) })
		defer timer.Stop()
	}
	resp, err := c.open(ctx, r) //nolint:bodyclose // the watch closes it, see Close
	if err != nil {
		err = ended(ctx, ctx, err)
		cancel(nil)
		return nil, err
	}
	return &watchStream{mapping: m, body: resp.Body, decoder: json.NewDecoder(resp.Body), cancel: func() { cancel(nil) }}, nil
}

// watchStream decodes the events of one answer.
type watchStream struct {
	mapping      Mapping
	metadataOnly bool
	body         io.Closer
	decoder      *json.Decoder
	cancel       func()
}

// Decode reads the next event; io.EOF when the server ended the watch.
func (s *watchStream) Decode() (watch.EventType, runtime.Object, error) {
	var event struct {
		Type   watch.EventType `json:"type"`
		Object json.RawMessage `json:"object"`
	}
	if err := s.decoder.Decode(&event); err != nil {
		return "", nil, err
	}
	if event.Type == watch.Error {
		status := &metav1.Status{}
		if err := json.Unmarshal(event.Object, status); err != nil {
			return "", nil, fmt.Errorf("decode the error of a watch: %w", err)
		}
		return event.Type, status, nil
	}
	var content map[string]any
	if err := utiljson.Unmarshal(event.Object, &content); err != nil {
		return "", nil, fmt.Errorf("decode a watch event: %w", err)
	}
	if content == nil {
		return "", nil, fmt.Errorf("decode a watch event: %s without an object", event.Type)
	}
	o := withKind(content, s.mapping)
	if s.metadataOnly {
		onlyMetadata(o)
	}
	return event.Type, o, nil
}

// Close ends the request.
func (s *watchStream) Close() {
	s.cancel()
	drop(s.body)
}
