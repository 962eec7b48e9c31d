package cluster

import (
	"context"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// maxLogBytes bounds what is read of a log: its end is wanted, and a line can be of
// any length.
const maxLogBytes = 64 << 10

// Logs reads the last lines of a container's log, of its run before the present one
// if previous. They are the program's own words: nothing in them is masked.
func (c *Client) Logs(ctx context.Context, namespace, pod, container string, previous bool, lines int64) ([]string, error) {
	r := c.newRequest(verbGet, podMapping(), namespace, pod, "log")
	if err := validTarget(podMapping(), namespace, pod); err != nil {
		return nil, r.fail(err)
	}
	r.accept = "text/plain, */*"
	r.query.Set("container", container)
	r.query.Set("tailLines", strconv.FormatInt(lines, 10))
	r.query.Set("limitBytes", strconv.Itoa(maxLogBytes))
	if previous {
		r.query.Set("previous", "true")
	}
	body, err := c.do(ctx, r, nil)
	if err != nil {
		return nil, err
	}
	text := strings.TrimRight(string(body), "\n")
	if text == "" {
		return nil, nil
	}
	return strings.Split(text, "\n"), nil
}

func podMapping() Mapping {
	return Mapping{
		GVR: schema.GroupVersionResource{Version: "v1", Resource: "pods"},
		GVK: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, Namespaced: true,
	}
}
