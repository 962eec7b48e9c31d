package cluster

import (
	"context"
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// pageSize costs the server five seats of its flow control.
const pageSize = 500

// ListOptions select objects of one kind.
type ListOptions struct {
	// Namespace empty means all namespaces.
	Namespace     string
	LabelSelector string
	FieldSelector string
	// MetadataOnly leaves out everything but metadata, and of managedFields the
	// fields, at a tenth of the cost.
	MetadataOnly bool
	// Limit is the page size, 0 means 500. All pages are read whatever it is.
	Limit int64
	// ResourceVersion is where a watch starts: Collection.ResourceVersion. Lists
	// ignore it and read the newest.
	ResourceVersion string
}

// Collection is a complete list and the moment it was taken.
type Collection struct {
	Items []*unstructured.Unstructured
	// ResourceVersion starts a watch that misses nothing after this list.
	ResourceVersion string
}

// List reads all objects that match, page by page. No objects is an empty list;
// what could not be read completely is an error.
func (c *Client) List(ctx context.Context, m Mapping, o ListOptions) ([]*unstructured.Unstructured, error) {
	all, err := c.Collect(ctx, m, o)
	return all.Items, err
}

// Collect is List with the resource version to watch from.
func (c *Client) Collect(ctx context.Context, m Mapping, o ListOptions) (Collection, error) {
	if err := validSegment(o.Namespace); err != nil {
		return Collection{}, c.listRequest(verbList, m, o).fail(err)
	}
	if o.Limit == 0 {
		o.Limit = pageSize
	}
	all, err := c.collect(ctx, m, o)
	if apierrors.IsResourceExpired(err) {
		// The server compacted the version that the next page belongs to. One
		// page of everything can't expire.
		o.Limit = 0
		all, err = c.collect(ctx, m, o)
	}
	if err != nil {
		return Collection{}, err
	}
	return all, nil
}

// collect reads pages until there is none left. Limit 0 asks for all at once.
func (c *Client) collect(ctx context.Context, m Mapping, o ListOptions) (Collection, error) {
	var all Collection
	token := ""
	for {
		page, err := c.page(ctx, m, o, token)
		if err != nil {
			return Collection{}, err
		}
		all.add(m, page, o.MetadataOnly)
		token = page.Metadata.Continue
		if token == "" {
			return all, nil
		}
	}
}

// listPage is the answer to a list request.
type listPage struct {
	Metadata struct {
		ResourceVersion string `json:"resourceVersion"`
		Continue        string `json:"continue"`
	} `json:"metadata"`
	Items []map[string]any `json:"items"`
}

func (c *Client) page(ctx context.Context, m Mapping, o ListOptions, token string) (*listPage, error) {
	r := c.listRequest(verbList, m, o)
	if o.Limit > 0 {
		r.query.Set("limit", strconv.FormatInt(o.Limit, 10))
	}
	if token != "" {
		r.query.Set("continue", token)
	}
	body, err := c.do(ctx, r, nil)
	if err != nil {
		return nil, err
	}
	page, err := decodePage(body)
	if err != nil {
		return nil, r.fail(err)
	}
	return page, nil
}

func decodePage(body []byte) (*listPage, error) {
	if isProtobuf(body) {
		return decodeMetadataPage(body)
	}
	page := &listPage{}
	if err := utiljson.Unmarshal(body, page); err != nil {
		return nil, fmt.Errorf("decode the server's answer: %w", err)
	}
	return page, nil
}

// listRequest addresses the objects that the options select.
func (c *Client) listRequest(v verb, m Mapping, o ListOptions) *request {
	r := c.newRequest(v, m, o.Namespace, "", "")
	if o.MetadataOnly && v == verbList {
		r.accept = mediaMetadataList
	}
	if o.MetadataOnly && v == verbWatch {
		r.accept = mediaMetadata
	}
	if o.LabelSelector != "" {
		r.query.Set("labelSelector", o.LabelSelector)
	}
	if o.FieldSelector != "" {
		r.query.Set("fieldSelector", o.FieldSelector)
	}
	return r
}

// add takes a page in. Items of built-in kinds carry no kind of their own, and
// metadata-only ones a stand-in: both get the mapping's.
func (all *Collection) add(m Mapping, page *listPage, metadataOnly bool) {
	all.ResourceVersion = page.Metadata.ResourceVersion
	for _, item := range page.Items {
		if item == nil {
			continue
		}
		o := withKind(item, m)
		if metadataOnly {
			onlyMetadata(o)
		}
		all.Items = append(all.Items, o)
	}
}

func withKind(item map[string]any, m Mapping) *unstructured.Unstructured {
	item["apiVersion"], item["kind"] = m.GVK.GroupVersion().String(), m.GVK.Kind
	return &unstructured.Unstructured{Object: item}
}
