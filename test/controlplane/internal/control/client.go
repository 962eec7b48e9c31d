package control

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/home"
	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/traffic"
)

const callLimit = time.Minute

// Client calls the endpoint of a running control plane.
type Client struct {
	url   string
	token string
	http  *http.Client
}

// NewClient makes a client of the control plane with the given state.
func NewClient(state home.State) *Client {
	return &Client{url: state.ControlURL(), token: state.Token, http: &http.Client{Timeout: callLimit}}
}

// Status asks how the control plane is doing.
func (c *Client) Status(ctx context.Context) (Status, error) {
	return fetch[Status](ctx, c, http.MethodGet, "/status", nil)
}

// Requests asks for the recorded requests and may forget them.
func (c *Client) Requests(ctx context.Context, filter traffic.Filter, reset bool) (traffic.Snapshot, error) {
	method := http.MethodGet
	if reset {
		method = http.MethodDelete
	}
	return fetch[traffic.Snapshot](ctx, c, method, "/requests?"+filter.Values().Encode(), nil)
}

// AddRule adds a rule.
func (c *Client) AddRule(ctx context.Context, rule traffic.Rule) (traffic.RuleState, error) {
	return fetch[traffic.RuleState](ctx, c, http.MethodPost, "/rules", rule)
}

// Rules lists the rules.
func (c *Client) Rules(ctx context.Context) ([]traffic.RuleState, error) {
	return fetch[[]traffic.RuleState](ctx, c, http.MethodGet, "/rules", nil)
}

// ClearRules takes all rules away.
func (c *Client) ClearRules(ctx context.Context) ([]traffic.RuleState, error) {
	return fetch[[]traffic.RuleState](ctx, c, http.MethodDelete, "/rules", nil)
}

// SetLatency changes a delay and lists what is then in force.
func (c *Client) SetLatency(ctx context.Context, latency traffic.Latency) ([]traffic.Latency, error) {
	return fetch[[]traffic.Latency](ctx, c, http.MethodPost, "/latencies", latency)
}

// Latencies lists the delays.
func (c *Client) Latencies(ctx context.Context) ([]traffic.Latency, error) {
	return fetch[[]traffic.Latency](ctx, c, http.MethodGet, "/latencies", nil)
}

func fetch[T any](ctx context.Context, c *Client, method, path string, body any) (T, error) {
	var answer T
	err := c.call(ctx, method, path, body, &answer)
	return answer, err
}

func (c *Client) call(ctx context.Context, method, path string, body, into any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode call: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("make call: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("call the control plane: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // read only
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("read answer of the control plane: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the control plane refused: %s", strings.TrimSpace(string(answer)))
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("parse answer of the control plane: %w", err)
	}
	return nil
}
