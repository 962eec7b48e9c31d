package e2e

import (
	"encoding/base64"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// released are Secrets of Helm releases, whose manifests hold other values of them or
// can't be read.
func (w *masking) released(t *testing.T) {
	t.Helper()
	pack := func(release string) string {
		return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString(gzipped(t, release))))
	}
	head := "apiVersion: v1\nkind: Secret\nmetadata: {name: released-%d}\n"
	var all []any
	for i, release := range []string{
		pack(encode(m{"manifest": fmt.Sprintf(head, 0) + "stringData: " + encode(m{"token": w.next(), "gone": w.next()})})),
		pack(encode(m{"manifest": fmt.Sprintf(head, 1) + "stringData: {token: " + w.keep(w.word(8)) + ": x}"})),
		pack(encode(m{"manifest": fmt.Sprintf(head, 2) + "stringData: [" + w.keep(w.word(8)) + "]"})),
		pack(`{"manifest":"` + w.keep(w.word(8))),
		base64.StdEncoding.EncodeToString([]byte(w.keep(w.word(12)))),
	} {
		name := fmt.Sprint("released-", i)
		w.secretAs(t, "helm", name, m{"meta.helm.sh/release-name": name, "meta.helm.sh/release-namespace": w.namespace}, nil, m{
			"token": base64.StdEncoding.EncodeToString([]byte(w.next())), "gone": base64.StdEncoding.EncodeToString([]byte(w.next())),
		})
		w.secretAs(t, "Helm", "sh.helm.release.v1."+name+".v1", nil, m{"owner": "helm", "name": name, "status": "deployed", "version": "1"}, m{"release": release})
		all = append(all, m{"apiVersion": "v1", "kind": "Secret", "metadata": m{"name": name}, "stringData": m{"token": w.next()}})
	}
	w.file(t, "released.json", encode(m{"apiVersion": "v1", "kind": "List", "items": all}))
	w.manifest = w.namespace + "-released"
	for _, how := range [][]string{{"--explain"}, {"--view=fields"}, {"--view=server", "-v=8"}, {"-o", "json"}} {
		w.sayOf(t, "released.json", append([]string{"diff"}, how...)...)
	}
	w.sayOf(t, "released.json", "apply", "--yes", "-v=8", "--wait=false")
	w.kept(t)
	w.manifest = w.namespace
}

// secretAs creates a Secret as another tool.
func (w *masking) secretAs(t *testing.T, manager, name string, annotations, labels, data m) {
	t.Helper()
	meta := m{"name": name, "namespace": w.namespace, "annotations": annotations, "labels": labels}
	body := &unstructured.Unstructured{Object: m{"apiVersion": "v1", "kind": "Secret", "metadata": meta, "data": data}}
	_, err := w.client.Resource(secretResource).Namespace(w.namespace).Create(t.Context(), body, metav1.CreateOptions{FieldManager: manager})
	require.NoError(t, err, name)
}
