package cluster

import (
	"bytes"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// mediaMetadataList asks for metadata as protobuf, which costs both sides a
// fraction of JSON, for metadata as JSON from servers that can't, and for whole
// objects from extension servers that know neither.
const mediaMetadataList = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1," +
	"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"

// protobufMark begins every protobuf answer.
var protobufMark = []byte("k8s\x00")

// isProtobuf tells such an answer from JSON.
func isProtobuf(body []byte) bool { return bytes.HasPrefix(body, protobufMark) }

// decodeMetadataPage reads a protobuf list of metadata.
func decodeMetadataPage(body []byte) (*listPage, error) {
	var envelope runtime.Unknown
	if err := envelope.Unmarshal(body[len(protobufMark):]); err != nil {
		return nil, fmt.Errorf("decode the server's answer: %w", err)
	}
	if envelope.Kind != "PartialObjectMetadataList" {
		return nil, fmt.Errorf("decode the server's answer: wanted a PartialObjectMetadataList, found %s %s", envelope.APIVersion, envelope.Kind)
	}
	var list metav1.PartialObjectMetadataList
	if err := list.Unmarshal(envelope.Raw); err != nil {
		return nil, fmt.Errorf("decode the server's answer: %w", err)
	}
	page := &listPage{Items: make([]map[string]any, 0, len(list.Items))}
	page.Metadata.ResourceVersion, page.Metadata.Continue = list.ResourceVersion, list.Continue
	for i := range list.Items {
		for j := range list.Items[i].ManagedFields {
			list.Items[i].ManagedFields[j].FieldsV1 = nil // the bulk of it, see ListOptions.MetadataOnly
		}
		item, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&list.Items[i])
		if err != nil {
			return nil, fmt.Errorf("decode the server's answer: %w", err)
		}
		page.Items = append(page.Items, item)
	}
	return page, nil
}

// onlyMetadata reduces what a server sent to what was asked for.
func onlyMetadata(o *unstructured.Unstructured) {
	for field := range o.Object {
		if field != "apiVersion" && field != "kind" && field != "metadata" {
			delete(o.Object, field)
		}
	}
	meta, _ := o.Object["metadata"].(map[string]any)
	managers, _ := meta["managedFields"].([]any)
	for _, entry := range managers {
		if entry, ok := entry.(map[string]any); ok {
			delete(entry, "fieldsV1")
		}
	}
}
