package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// ContextInfo names what the kubeconfig and the flags selected.
type ContextInfo struct {
	// Context, Cluster and User are names in the kubeconfig; empty in a Pod.
	Context, Cluster, User string
	// Server is the address requests go to.
	Server string
}

// Namespace is the one for objects without a namespace: from -n, else from the
// kubeconfig's context, else "default". explicit tells that it came from -n.
func (c *Client) Namespace() (namespace string, explicit bool) {
	namespace, explicit, err := c.getter.ToRawKubeConfigLoader().Namespace()
	if err != nil || namespace == "" {
		// Connect has read the same kubeconfig, so what is left is "no namespace".
		return "default", false
	}
	return namespace, explicit
}

// Context tells which context is in use, with flags applied.
func (c *Client) Context() ContextInfo {
	info := ContextInfo{Server: c.base.String()}
	raw, err := c.getter.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return info
	}
	info.Context = raw.CurrentContext
	// The loader keeps overrides to itself, the flags tell them.
	flags, _ := c.getter.(*genericclioptions.ConfigFlags)
	if flags != nil && flags.Context != nil && *flags.Context != "" {
		info.Context = *flags.Context
	}
	if ctx := raw.Contexts[info.Context]; ctx != nil {
		info.Cluster, info.User = ctx.Cluster, ctx.AuthInfo
	}
	if flags != nil && flags.ClusterName != nil && *flags.ClusterName != "" {
		info.Cluster = *flags.ClusterName
	}
	if flags != nil && flags.AuthInfoName != nil && *flags.AuthInfoName != "" {
		info.User = *flags.AuthInfoName
	}
	return info
}

// Elsewhere names the flag that sends requests to another server than that of the
// context in use; empty if they go there.
func (c *Client) Elsewhere() string {
	flags, _ := c.getter.(*genericclioptions.ConfigFlags)
	raw, err := c.getter.ToRawKubeConfigLoader().RawConfig()
	if flags == nil || err != nil {
		return ""
	}
	inUse := raw.Contexts[c.Context().Context]
	if inUse == nil || raw.Clusters[inUse.Cluster] == nil {
		return ""
	}
	if strings.TrimSuffix(raw.Clusters[inUse.Cluster].Server, "/") == strings.TrimSuffix(c.base.String(), "/") {
		return ""
	}
	switch {
	case text(flags.APIServer) != "":
		return "--server"
	case text(flags.ClusterName) != "":
		return "--cluster"
	}
	return ""
}

// defaultServer is where kubectl looks for a server that nobody named.
const defaultServer = "http://localhost:8080"

// Configured tells whether a kubeconfig, a flag or the environment of a Pod names a
// server. Without one requests go where kubectl's do, to port 8080 of this machine.
func (c *Client) Configured() bool {
	if flags, _ := c.getter.(*genericclioptions.ConfigFlags); flags != nil && text(flags.APIServer) != "" {
		return true
	}
	return c.Context().Cluster != "" || strings.TrimSuffix(c.base.String(), "/") != defaultServer
}

// Identity tells users apart as far as the kubeconfig and the flags do. It holds
// nothing secret: two users who differ by a token alone are one.
func (c *Client) Identity() string {
	info := c.Context()
	who := []string{info.User}
	if raw, err := c.getter.ToRawKubeConfigLoader().RawConfig(); err == nil {
		if a := raw.AuthInfos[info.User]; a != nil {
			who = append(who, a.Username, a.ClientCertificate, string(a.ClientCertificateData), a.TokenFile)
			who = append(who, impersonated(a.Impersonate, a.ImpersonateUID, a.ImpersonateGroups)...)
		}
	}
	if flags, _ := c.getter.(*genericclioptions.ConfigFlags); flags != nil {
		var groups []string
		if flags.ImpersonateGroup != nil {
			groups = *flags.ImpersonateGroup
		}
		who = append(who, impersonated(text(flags.Impersonate), text(flags.ImpersonateUID), groups)...)
	}
	return fmt.Sprintf("%q", who)
}

func impersonated(user, uid string, groups []string) []string {
	return append([]string{user, uid, fmt.Sprint(len(groups))}, groups...)
}

func text(flag *string) string {
	if flag == nil {
		return ""
	}
	return *flag
}

// ClusterUID is the UID of namespace kube-system, which lives as long as the
// cluster. Empty, without an error, for a user who may not read it.
func (c *Client) ClusterUID(ctx context.Context) (string, error) {
	c.once.Lock()
	defer c.once.Unlock()
	if c.once.clusterUIDset {
		return c.once.clusterUID, nil
	}
	obj, err := c.getMetadata(ctx, namespaceMapping, "", "kube-system")
	switch {
	case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
	case err != nil:
		return "", err
	default:
		c.once.clusterUID = string(obj.GetUID())
	}
	c.once.clusterUIDset = true
	return c.once.clusterUID, nil
}

// ServerVersion asks the server for its version. It needs no rights.
func (c *Client) ServerVersion(ctx context.Context) (*version.Info, error) {
	var info *version.Info
	err := c.retry(ctx, verbDiscover, func(ctx context.Context) error {
		var err error
		info, err = c.catalogue.client.ServerVersionWithContext(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("get the version of the server %s: %w", c.base, err)
	}
	if info == nil {
		return nil, errors.New("the server gave no version")
	}
	return info, nil
}
