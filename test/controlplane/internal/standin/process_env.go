package standin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// podEnv is the environment of a container as far as its Pod alone tells it,
// plus the search path of this process so that programs are found, the Pod's own
// first, as in an image.
func podEnv(pod *corev1.Pod, container *corev1.Container) []string {
	path := os.Getenv("PATH")
	if words := strings.Fields(pod.Annotations[Prefix+"process"]); len(words) > 0 && filepath.IsAbs(words[0]) {
		path = filepath.Dir(words[0]) + string(filepath.ListSeparator) + path
	}
	env := []string{"PATH=" + path, "HOSTNAME=" + pod.Name}
	for _, variable := range container.Env {
		value := variable.Value
		if variable.ValueFrom != nil {
			if variable.ValueFrom.FieldRef == nil {
				continue
			}
			value = podField(pod, variable.ValueFrom.FieldRef.FieldPath)
		}
		env = append(env, variable.Name+"="+value)
	}
	return env
}

func podField(pod *corev1.Pod, path string) string {
	switch path {
	case "metadata.name":
		return pod.Name
	case "metadata.namespace":
		return pod.Namespace
	case "metadata.uid":
		return string(pod.UID)
	case "spec.nodeName":
		return pod.Spec.NodeName
	case "spec.serviceAccountName":
		return pod.Spec.ServiceAccountName
	case "status.podIP":
		return addressOf(pod.UID) // the status may not have it yet
	default:
		return ""
	}
}

// accountKubeconfig writes a kubeconfig with a token of the Pod's service
// account: a local process has no mounted token to find.
func (p *processes) accountKubeconfig(ctx context.Context, pod *corev1.Pod, dir string) (string, error) {
	request := &authenticationv1.TokenRequest{}
	account := pod.Spec.ServiceAccountName
	token, err := p.client.CoreV1().ServiceAccounts(pod.Namespace).CreateToken(ctx, account, request, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("make token of service account %s: %w", account, err)
	}
	const name = "pod"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: p.opts.ServerURL, CertificateAuthorityData: p.opts.AuthorityCA}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name, Namespace: pod.Namespace}
	config.CurrentContext = name
	path := filepath.Join(dir, "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return "", fmt.Errorf("write kubeconfig: %w", err)
	}
	return path, nil
}
