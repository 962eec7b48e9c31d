package plan

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Helm keeps what it applied last in a Secret of the release's namespace: the
// manifest as text, in JSON, gzipped, in base64. An object says by two annotations
// which release it belongs to.
const (
	helmReleaseName      = "meta.helm.sh/release-name"
	helmReleaseNamespace = "meta.helm.sh/release-namespace"
	managedByLabel       = "app.kubernetes.io/managed-by"
)

// maxManifest bounds a release that is unpacked: more than Helm could ever store.
const maxManifest = 64 << 20

// helmReleases reads the releases that objects belong to, each once. It is safe for
// concurrent use.
type helmReleases struct {
	mu   sync.Mutex
	read map[object.Ref]*helmRelease
}

// helmRelease is what one release applied last.
type helmRelease struct {
	once    sync.Once
	objects []object.Object
	err     error
}

// applied returns what the Helm release of a live object applied last; nil where it
// belongs to none, where the release doesn't have it, or where that can't be read,
// which the error says.
func (h *helmReleases) applied(ctx context.Context, c Reader, ref object.Ref, live map[string]any) (map[string]any, error) {
	of := object.Ref{
		Kind: "release", Name: textAt(live, "metadata", "annotations", helmReleaseName),
		Namespace: textAt(live, "metadata", "annotations", helmReleaseNamespace),
	}
	if h == nil || of.Name == "" || of.Namespace == "" {
		return nil, nil
	}
	r := h.release(of)
	r.once.Do(func() { r.objects, r.err = readRelease(ctx, c, of.Namespace, of.Name) })
	if r.err != nil {
		return nil, fmt.Errorf("what the Helm release %s/%s applied can't be read: %w", of.Namespace, of.Name, r.err)
	}
	for _, o := range r.objects {
		at := o.Ref()
		if at.Namespace == "" {
			at.Namespace = ref.Namespace // what is rendered has none; of the cluster's scope neither
		}
		if at == ref {
			return withManagedBy(object.DropNulls(comparable(asked(o.Body)), nil)), nil
		}
	}
	return nil, nil
}

func (h *helmReleases) release(of object.Ref) *helmRelease {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.read == nil {
		h.read = map[object.Ref]*helmRelease{}
	}
	if h.read[of] == nil {
		h.read[of] = &helmRelease{}
	}
	return h.read[of]
}

// withManagedBy puts on the label that Helm adds to whatever it renders.
func withManagedBy(body map[string]any) map[string]any {
	return withLabel(body, managedByLabel, "Helm")
}

// readRelease reads the objects of a release as they were deployed last; none where
// there is no such release.
func readRelease(ctx context.Context, c Reader, namespace, name string) ([]object.Object, error) {
	m, err := c.Mapping(ctx, schema.GroupKind{Kind: "Secret"}, "v1")
	if err != nil {
		return nil, err
	}
	list, err := c.List(ctx, m, cluster.ListOptions{
		Namespace:     namespace,
		LabelSelector: labels.Set{"owner": "helm", "name": name, "status": "deployed"}.String(),
	})
	if apierrors.IsForbidden(err) {
		return nil, errors.New("no permission to read its Secret")
	}
	if err != nil {
		return nil, err
	}
	newest, version := "", int64(-1)
	for _, u := range list {
		var revision int64
		if _, err := fmt.Sscan(u.GetLabels()["version"], &revision); err != nil || revision <= version {
			continue
		}
		version = revision
		newest, _, _ = unstructured.NestedString(u.Object, "data", "release")
	}
	if newest == "" {
		return nil, nil
	}
	manifest, err := releaseManifest(newest)
	if err != nil {
		return nil, err
	}
	set, err := object.Load(strings.NewReader(manifest), "the manifest of the release")
	return set.Objects, err
}

// releaseManifest unpacks the data of a release's Secret.
func releaseManifest(data string) (string, error) {
	packed, err := base64.StdEncoding.DecodeString(data) // of the Secret
	if err == nil {
		packed, err = base64.StdEncoding.DecodeString(string(packed)) // of Helm
	}
	if err != nil {
		return "", errors.New("its Secret holds no base64")
	}
	text := io.Reader(bytes.NewReader(packed))
	if bytes.HasPrefix(packed, []byte{0x1f, 0x8b}) {
		if text, err = gzip.NewReader(text); err != nil {
			return "", fmt.Errorf("unpack its Secret: %w", err)
		}
	}
	limited := &io.LimitedReader{R: text, N: maxManifest}
	var release struct {
		Manifest string `json:"manifest"`
	}
	if err := json.NewDecoder(limited).Decode(&release); err != nil {
		if limited.N == 0 {
			return "", fmt.Errorf("it is larger than %d MiB", maxManifest>>20)
		}
		return "", errors.New("its Secret holds no JSON of a release")
	}
	return release.Manifest, nil
}
