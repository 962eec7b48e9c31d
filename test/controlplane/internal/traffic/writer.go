package traffic

import (
	"bufio"
	"net"
	"net/http"

	"k8s.io/apiserver/pkg/endpoints/responsewriter"
)

// statusWriter remembers the code of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// newStatusWriter returns the writer and the form of it that a handler needs to
// stream or to take over the connection.
func newStatusWriter(w http.ResponseWriter) (*statusWriter, http.ResponseWriter) {
	writer := &statusWriter{ResponseWriter: w}
	return writer, responsewriter.WrapForHTTP1Or2(writer)
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(raw []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(raw)
}

// Hijack is only reached over HTTP/1, where handlers may take the connection.
func (w *statusWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.status = http.StatusSwitchingProtocols
	return http.NewResponseController(w.ResponseWriter).Hijack()
}

// voidWriter takes an answer that nobody will see.
type voidWriter struct {
	header http.Header
	status int
}

func newVoidWriter() *voidWriter { return &voidWriter{header: http.Header{}} }

func (w *voidWriter) Header() http.Header { return w.header }

func (w *voidWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *voidWriter) Write(raw []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return len(raw), nil
}

// Flush lets handlers stream into the void.
func (w *voidWriter) Flush() {}

// CloseNotify is asked for by the server's filters, which never use it.
func (w *voidWriter) CloseNotify() <-chan bool { return make(chan bool) }
