package standin

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/cri-streaming/pkg/streaming/portforward"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
)

// streamIdle bounds streams that nothing flows on.
const streamIdle = time.Hour

// kubelet is the endpoint that the API server turns to for Pods of any node.
type kubelet struct {
	opts      Options
	pods      *pods
	processes *processes
}

func newKubelet(opts Options, pods *pods, processes *processes) *kubelet {
	return &kubelet{opts: opts, pods: pods, processes: processes}
}

// serve serves until ctx ends.
func (k *kubelet) serve(ctx context.Context) error {
	tlsConfig, err := k.tlsConfig()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(nodeAddress, strconv.Itoa(k.opts.Port)))
	if err != nil {
		return fmt.Errorf("listen for the kubelet: %w", err)
	}
	server := &http.Server{
		Handler:           k.routes(),
		TLSConfig:         tlsConfig,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       time.Minute,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		// Upgraded connections need HTTP/1.
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // ends with the process
	defer stop()
	if err := server.ServeTLS(listener, k.opts.CertFile, k.opts.KeyFile); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the kubelet: %w", err)
	}
	return nil
}

func (k *kubelet) tlsConfig() (*tls.Config, error) {
	raw, err := os.ReadFile(k.opts.ClientCA)
	if err != nil {
		return nil, fmt.Errorf("read client authority: %w", err)
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(raw) {
		return nil, errors.New("read client authority: no certificate in it")
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		ClientAuth: tls.RequireAndVerifyClientCert,
		ClientCAs:  authorities,
	}, nil
}

// routes are the paths of a kubelet that the API server uses.
func (k *kubelet) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", k.serveLogs)
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", k.serveExec)
	mux.HandleFunc("/attach/{namespace}/{pod}/{container}", k.serveAttach)
	mux.HandleFunc("/portForward/{namespace}/{pod}", k.servePortForward)
	return mux
}

// pod finds the Pod of a request or answers that there is none.
func (k *kubelet) pod(w http.ResponseWriter, r *http.Request) (*corev1.Pod, bool) {
	pod, found := k.pods.get(r.PathValue("namespace"), r.PathValue("pod"))
	if !found {
		http.Error(w, fmt.Sprintf("pod %q not found", r.PathValue("pod")), http.StatusNotFound)
	}
	return pod, found
}

func (k *kubelet) serveExec(w http.ResponseWriter, r *http.Request) {
	pod, found := k.pod(w, r)
	if !found {
		return
	}
	options, err := remotecommand.NewOptions(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	executor := &executor{kubelet: k, pod: pod}
	remotecommand.ServeExec(w, r, executor, pod.Name, string(pod.UID), r.PathValue("container"),
		r.URL.Query()[commandParam], options, streamIdle,
		remotecommand.DefaultStreamCreationTimeout, remotecommand.SupportedStreamingProtocols)
}

func (k *kubelet) serveAttach(w http.ResponseWriter, r *http.Request) {
	pod, found := k.pod(w, r)
	if !found {
		return
	}
	options, err := remotecommand.NewOptions(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	executor := &executor{kubelet: k, pod: pod}
	remotecommand.ServeAttach(w, r, executor, pod.Name, string(pod.UID), r.PathValue("container"),
		options, streamIdle, remotecommand.DefaultStreamCreationTimeout, remotecommand.SupportedStreamingProtocols)
}

func (k *kubelet) servePortForward(w http.ResponseWriter, r *http.Request) {
	pod, found := k.pod(w, r)
	if !found {
		return
	}
	options, err := portforward.NewV4Options(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	portforward.ServePortForward(w, r, forwarder{ProcessAddress(addressOf(pod.UID))}, pod.Name, string(pod.UID), options, streamIdle,
		remotecommand.DefaultStreamCreationTimeout, portforward.SupportedProtocols)
}
