package release

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	helmchart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/release/common"
	helm "helm.sh/helm/v4/pkg/release/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	yamlutil "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// Labels of the Secrets beside those of Helm.
const (
	checksumLabel    = "packageChecksum"
	maintenanceLabel = "maintenance"
)

// Helm's own.
const (
	secretPrefix = "sh.helm.release.v1."
	secretType   = "helm.sh/release.v1"
	ownerLabel   = "owner"
	ownerHelm    = "helm"
	nameLabel    = "name"
	statusLabel  = "status"
	versionLabel = "version"
)

// maxSecret is what the API server takes of a Secret; maxUnpacked bounds what one is
// unpacked to.
const (
	maxSecret   = 1 << 20
	maxUnpacked = 64 << 20
)

// nameLabelOf is the label by which the Secrets of a release are found. Helm takes no
// names that are too long for a label; one here is shortened, and Helm sees the release
// in its list only.
func nameLabelOf(release string) string {
	const most = 63
	if len(release) <= most {
		return release
	}
	sum := sha256.Sum256([]byte(release))
	return strings.TrimRight(release[:most-17], ".-_") + "-" + hex.EncodeToString(sum[:8])
}

func secretName(release string, number int) string {
	return secretPrefix + release + ".v" + strconv.Itoa(number)
}

// parseSecretName is the reverse of secretName.
func parseSecretName(secret string) (release string, number int, ok bool) {
	rest, ok := strings.CutPrefix(secret, secretPrefix)
	at := strings.LastIndex(rest, ".v")
	if !ok || at < 1 {
		return "", 0, false
	}
	number, err := strconv.Atoi(rest[at+2:])
	return rest[:at], number, err == nil
}

// encode makes the Secret of a revision.
func encode(r *Revision, modified int64) (map[string]any, error) {
	data, err := pack(r)
	if err != nil {
		return nil, fmt.Errorf("record revision %d of release %s: %w", r.Number, r.Name, err)
	}
	labels := map[string]any{
		ownerLabel: ownerHelm, nameLabel: nameLabelOf(r.Name), statusLabel: string(r.Status), versionLabel: strconv.Itoa(r.Number),
		"modifiedAt":  strconv.FormatInt(modified, 10),
		checksumLabel: r.Checksum, maintenanceLabel: strconv.FormatBool(r.Maintenance),
		api.AnnotationManagedBy: api.ManagedByDeckhouse,
	}
	meta := map[string]any{"name": secretName(r.Name, r.Number), "namespace": r.Namespace, "labels": labels}
	return map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": secretType, "metadata": meta,
		"data": map[string]any{"release": base64.StdEncoding.EncodeToString(data)},
	}, nil
}

// pack writes a revision as Helm does: base64 of gzipped JSON.
func pack(r *Revision) ([]byte, error) {
	manifest, err := manifestOf(r.Objects)
	if err != nil {
		return nil, err
	}
	hooks, err := helmHooks(r.Hooks)
	if err != nil {
		return nil, err
	}
	return packed(&helm.Release{
		Name: r.Name, Namespace: r.Namespace, Version: r.Number, Manifest: manifest, Hooks: hooks,
		ApplyMethod: string(helm.ApplyMethodServerSideApply),
		Info:        &helm.Info{FirstDeployed: r.First, LastDeployed: r.Last, Status: r.Status, Description: r.Description},
		Chart:       &helmchart.Chart{Metadata: &helmchart.Metadata{APIVersion: helmchart.APIVersionV2, Name: r.Package, Version: r.Version, AppVersion: r.Version}},
	})
}

// packed writes a release, or what is to be one.
func packed(release any) ([]byte, error) {
	text, err := json.Marshal(release)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err = w.Write(text); err != nil {
		return nil, err
	}
	if err = w.Close(); err != nil {
		return nil, err
	}
	data := []byte(base64.StdEncoding.EncodeToString(out.Bytes()))
	if len(data) > maxSecret {
		return nil, fmt.Errorf("it takes %d bytes packed, and a Secret holds %d", len(data), maxSecret)
	}
	return data, nil
}

// manifestOf writes objects as Helm's manifest.
func manifestOf(objects []object.Object) (string, error) {
	var out strings.Builder
	for _, o := range objects {
		text, err := object.EncodeYAML(o.Body)
		if err != nil {
			return "", fmt.Errorf("write %s: %w", o.Ref(), err)
		}
		out.WriteString("---\n# Source: " + o.Origin.File + "\n")
		out.Write(text)
	}
	return out.String(), nil
}

func helmHooks(hooks []chart.Hook) ([]*helm.Hook, error) {
	out := make([]*helm.Hook, 0, len(hooks))
	for _, h := range hooks {
		text, err := object.EncodeYAML(h.Object.Body)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", h.Object.Ref(), err)
		}
		one := &helm.Hook{
			Name: h.Object.Name(), Kind: h.Object.GVK().Kind, Path: h.Object.Origin.File, Manifest: string(text), Weight: h.Weight,
		}
		for _, e := range h.Events {
			one.Events = append(one.Events, helm.HookEvent(e))
		}
		for _, p := range h.DeletePolicies {
			one.DeletePolicies = append(one.DeletePolicies, helm.HookDeletePolicy(p))
		}
		out = append(out, one)
	}
	return out, nil
}

// decode reads the Secret of a revision, whoever wrote it.
func decode(secret *unstructured.Unstructured) (*Revision, error) {
	data, _, _ := unstructured.NestedString(secret.Object, "data", "release")
	fail := func(err error) (*Revision, error) {
		return nil, fmt.Errorf("read Secret %s/%s: %w", secret.GetNamespace(), secret.GetName(), err)
	}
	stored, err := unpack(data)
	if err != nil {
		return fail(err)
	}
	labels := secret.GetLabels()
	r := &Revision{
		Namespace: secret.GetNamespace(), Name: stored.Name, Number: stored.Version,
		Checksum: labels[checksumLabel], Maintenance: labels[maintenanceLabel] == "true",
		stored: secret,
	}
	if stored.Info != nil {
		r.Status, r.Description, r.First, r.Last = stored.Info.Status, stored.Info.Description, stored.Info.FirstDeployed, stored.Info.LastDeployed
	}
	if stored.Chart != nil && stored.Chart.Metadata != nil {
		r.Package, r.Version = stored.Chart.Metadata.Name, stored.Chart.Metadata.Version
	}
	r.Objects, r.Unread = objectsOf(stored.Manifest, "the manifest of revision "+strconv.Itoa(r.Number))
	for _, h := range stored.Hooks {
		hooks, unread := chartHooks(h)
		r.Hooks, r.Unread = append(r.Hooks, hooks...), r.Unread+unread
	}
	return r, nil
}

// objectsOf reads a manifest. What Helm and others put there may be less strict than
// files have to be: then each document is read as kubectl does, and one that isn't any
// object is told. A release that can't be understood as a whole would block all.
func objectsOf(manifest, name string) (objects []object.Object, unread string) {
	set, err := object.Load(strings.NewReader(manifest), name)
	if err == nil {
		return set.Objects, ""
	}
	documents := yamlutil.NewYAMLReader(bufio.NewReader(strings.NewReader(manifest)))
	for n := 1; ; n++ {
		text, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, unread
		}
		if err != nil {
			return objects, unread + fmt.Sprintf("%s ends at document %d; ", name, n)
		}
		body, err := decodeDocument(text)
		switch {
		case err != nil:
			unread += fmt.Sprintf("%s, document %d is no object; ", name, n)
		case body != nil:
			objects = append(objects, object.Object{Body: body, Origin: object.Origin{File: name, Document: n}})
		}
	}
}

// decodeDocument reads one document; nil for one without content.
func decodeDocument(text []byte) (map[string]any, error) {
	data, err := yaml.YAMLToJSON(text)
	if err != nil || string(data) == "null" {
		return nil, err
	}
	body, err := object.DecodeJSON(data)
	if err == nil && object.RefOf(body).Name == "" {
		err = errors.New("it has no name")
	}
	return body, err
}

// remark changes how a stored revision stands, and nothing else of it: Helm's own have
// a chart and values, which it needs for going back to them.
func remark(secret *unstructured.Unstructured, status common.Status, description string, modified int64) (*unstructured.Unstructured, error) {
	data, _, _ := unstructured.NestedString(secret.Object, "data", "release")
	stored := map[string]any{}
	if err := unpackTo(data, &stored); err != nil {
		return nil, err
	}
	info, _ := stored["info"].(map[string]any)
	if info == nil {
		info = map[string]any{}
		stored["info"] = info
	}
	info["status"], info["description"] = string(status), description
	again, err := packed(stored)
	if err != nil {
		return nil, err
	}
	out := secret.DeepCopy()
	labels := out.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[statusLabel], labels["modifiedAt"] = string(status), strconv.FormatInt(modified, 10)
	out.SetLabels(labels)
	out.SetManagedFields(nil)
	out.Object["data"] = map[string]any{"release": base64.StdEncoding.EncodeToString(again)}
	return out, nil
}

// unpack is the reverse of pack.
func unpack(data string) (*helm.Release, error) {
	stored := &helm.Release{}
	return stored, unpackTo(data, stored)
}

// unpackTo unpacks into a release or a map; numbers of a map keep their digits. What it
// says of what it found holds no value of it.
func unpackTo(data string, stored any) error {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err == nil {
		raw, err = base64.StdEncoding.DecodeString(string(raw))
	}
	if err != nil || len(raw) == 0 {
		return errors.New("wanted a release of Helm, found no base64")
	}
	text := io.Reader(bytes.NewReader(raw))
	if bytes.HasPrefix(raw, []byte{0x1f, 0x8b}) {
		if text, err = gzip.NewReader(text); err != nil {
			return fmt.Errorf("unpack the release: %w", err)
		}
	}
	limited := &io.LimitedReader{R: text, N: maxUnpacked}
	decoder := json.NewDecoder(limited)
	decoder.UseNumber()
	if err := decoder.Decode(stored); err != nil {
		if limited.N == 0 {
			return fmt.Errorf("the release is larger than %d MiB", maxUnpacked>>20)
		}
		return errors.New("wanted a release of Helm, found other JSON or none")
	}
	return nil
}

func chartHooks(h *helm.Hook) (hooks []chart.Hook, unread string) {
	objects, unread := objectsOf(h.Manifest, "hook "+h.Name)
	for _, o := range objects {
		o.Origin.File = h.Path
		one := chart.Hook{Object: o, Weight: h.Weight}
		for _, e := range h.Events {
			one.Events = append(one.Events, chart.Event(e))
		}
		for _, p := range h.DeletePolicies {
			one.DeletePolicies = append(one.DeletePolicies, chart.DeletePolicy(p))
		}
		if len(one.DeletePolicies) == 0 {
			one.DeletePolicies = []chart.DeletePolicy{chart.BeforeCreation}
		}
		hooks = append(hooks, one)
	}
	return hooks, unread
}
