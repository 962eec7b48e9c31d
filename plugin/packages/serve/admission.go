package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/admission"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/controller"
)

// Admission says how the API server is to ask before it stores Applications.
type Admission struct {
	// Address is where reviews are answered, HOST:PORT or :PORT; "" is nowhere.
	Address string
	// Target is where the API server finds that; the zero value is Address itself.
	Target admission.Target
	// Protect writes the policies that protect the objects of applications.
	Protect bool
}

// admit answers reviews, if that is wanted, until the context ends.
func (w *worker) admit(ctx context.Context) error {
	o := w.options.Admission
	if o.Protect {
		if err := w.protect(ctx); err != nil {
			return err
		}
	}
	if o.Address == "" {
		if err := w.label(ctx, true); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.Address)
	if err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	if err := w.label(ctx, true); err != nil {
		return errors.Join(err, l.Close())
	}
	if o.Target == (admission.Target{}) {
		o.Target.URL = "https://" + l.Addr().String() // the port may be one of the system's choice
	}
	certificates, err := certificatesOf(o.Target)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	register := func(ctx context.Context) error {
		return w.write(ctx, admission.Webhook(o.Target, certificates.Bundle()))
	}
	failed := func(err error) {
		w.options.Log.Error("the webhook's certificate could not be renewed", "error", err.Error())
	}
	return admission.Serve(ctx, l, &facts{worker: w}, certificates, register, failed)
}

// certificatesOf are for the name under which the API server asks.
func certificatesOf(t admission.Target) (*admission.Certificates, error) {
	if t.URL == "" {
		host := t.Service + "." + t.Namespace + ".svc"
		return &admission.Certificates{Host: host, Names: []string{host, host + ".cluster.local"}}, nil
	}
	u, err := url.Parse(t.URL)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" {
		return nil, errors.New("webhook: wanted https://HOST:PORT as its URL")
	}
	return &admission.Certificates{Host: u.Hostname()}, nil
}

// protect writes the policies, with ourselves as the one who may change things.
func (w *worker) protect(ctx context.Context) error {
	name, err := w.whoami(ctx)
	if err != nil {
		return err
	}
	for _, body := range admission.Policies([]string{name}) {
		if err := w.write(ctx, body); err != nil {
			return err
		}
	}
	return nil
}

// whoami asks the API server for the name of our user.
func (w *worker) whoami(ctx context.Context) (string, error) {
	client, err := authenticationclient.NewForConfig(w.options.Config)
	if err != nil {
		return "", fmt.Errorf("find out who we are: %w", err)
	}
	review, err := client.SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("find out who we are: %w", err)
	}
	return review.Status.UserInfo.Username, nil
}

// write applies one of our own objects.
func (w *worker) write(ctx context.Context, body map[string]any) error {
	u := &unstructured.Unstructured{Object: body}
	gvk := u.GroupVersionKind()
	m, err := w.options.Client.Mapping(ctx, gvk.GroupKind(), gvk.Version)
	if err == nil {
		_, err = w.options.Client.Apply(ctx, m, body, cluster.ApplyOptions{Force: true, Manager: controller.FieldManager})
	}
	if err != nil {
		return fmt.Errorf("write %s %s: %w", gvk.Kind, u.GetName(), err)
	}
	return nil
}

// facts are what requests are held against: the cluster and the Runtime.
type facts struct{ *worker }

var _ admission.Facts = (*facts)(nil)

// HasPackage asks the API server.
func (f *facts) HasPackage(ctx context.Context, name string) (bool, error) {
	u, err := f.get(ctx, api.KindApplicationPackage, name)
	return u != nil, err
}

// Version asks the API server.
func (f *facts) Version(ctx context.Context, name string) (*api.ApplicationPackageVersion, error) {
	u, err := f.get(ctx, api.KindApplicationPackageVersion, name)
	if u == nil || err != nil {
		return nil, err
	}
	v := &api.ApplicationPackageVersion{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, v); err != nil {
		return nil, fmt.Errorf("ApplicationPackageVersion %s: %w", name, err)
	}
	return v, nil
}

func (f *facts) get(ctx context.Context, kind, name string) (*unstructured.Unstructured, error) {
	m, err := f.options.Client.Mapping(ctx, schema.GroupKind{Group: api.Group, Kind: kind}, api.GroupVersion().Version)
	if err != nil {
		return nil, err
	}
	u, err := f.options.Client.Get(ctx, m, "", name)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // there is none
	}
	return u, err
}
