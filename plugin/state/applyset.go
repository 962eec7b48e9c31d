package state

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// The labels and annotations of an ApplySet (KEP-3659), by which other tools
// find the objects of a record. The first ConfigMap of the record is the parent.
const (
	// PartOfLabel is put on every object of the record; its value is the parent's
	// ID. It narrows lists and never decides what is ours.
	PartOfLabel = "applyset.kubernetes.io/part-of"
	// ParentIDLabel is on the parent.
	ParentIDLabel = "applyset.kubernetes.io/id"
	// ToolingAnnotation is <tool>/<semantic version>. A tool refuses to write to a
	// parent of another tool.
	ToolingAnnotation = "applyset.kubernetes.io/tooling"
	// GroupKindsAnnotation lists the kinds of the members as <kind>.<group>.
	GroupKindsAnnotation = "applyset.kubernetes.io/contains-group-kinds"
	// NamespacesAnnotation lists the members' namespaces but the parent's own.
	NamespacesAnnotation = "applyset.kubernetes.io/additional-namespaces"
)

const (
	toolName = "kubectl-tazuna"
	// maxNamespacesText keeps the annotations below the API server's 256 KiB.
	maxNamespacesText = 128 << 10
)

// ApplySetID returns the ID of the ApplySet whose parent is a ConfigMap:
// applyset-<base64 url of the SHA-256 of name.namespace.kind.group>-v1. It is a
// valid label value.
func ApplySetID(configMap, namespace string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{configMap, namespace, "ConfigMap", ""}, ".")))
	return "applyset-" + base64.RawURLEncoding.EncodeToString(sum[:]) + "-v1"
}

// ApplySetID returns the value of PartOfLabel for the objects of this record; empty
// for a record that is kept somewhere else, see RecordOf.
func (r *Record) ApplySetID() string {
	if r.configMap == "" {
		return ""
	}
	return ApplySetID(r.configMap, Namespace)
}

// parentMetadata returns label and annotations for the parent of these objects.
// Nil: they have more namespaces than an annotation holds, and a parent that
// lists only some would hide objects from other tools.
func parentMetadata(configMap, toolVersion string, members iter.Seq[Key]) (labels, annotations map[string]string) {
	kinds, spaces := map[string]bool{}, map[string]bool{}
	for k := range members {
		kinds[k.Ref().GroupKind().String()] = true
		if ns := k.Namespace; ns != "" && ns != Namespace {
			spaces[ns] = true
		}
	}
	inSpaces := strings.Join(slices.Sorted(maps.Keys(spaces)), ",")
	if len(inSpaces) > maxNamespacesText {
		return nil, nil
	}
	labels = map[string]string{ParentIDLabel: ApplySetID(configMap, Namespace)}
	annotations = map[string]string{
		ToolingAnnotation:    toolName + "/" + toolingVersion(toolVersion),
		GroupKindsAnnotation: strings.Join(slices.Sorted(maps.Keys(kinds)), ","),
	}
	if inSpaces != "" { // the KEP reserves the empty value
		annotations[NamespacesAnnotation] = inSpaces
	}
	return labels, annotations
}

// toolingVersion makes a semantic version of what the build says; "dev" and the
// like become v0.0.0.
func toolingVersion(v string) string {
	v = strings.TrimPrefix(v, "v")
	major, _, _ := strings.Cut(v, ".")
	if major == "" || strings.Trim(major, "0123456789") != "" {
		return "v0.0.0"
	}
	return "v" + v
}

// checkTooling refuses a parent that another tool manages.
func checkTooling(configMap, tooling string) error {
	i := strings.LastIndex(tooling, "/")
	if tooling == "" || i >= 0 && tooling[:i] == toolName {
		return nil
	}
	return fmt.Errorf("ConfigMap %s/%s is the parent of an ApplySet that %s manages (annotation %s); "+
		"let that tool release it first", Namespace, configMap, tooling, ToolingAnnotation)
}
