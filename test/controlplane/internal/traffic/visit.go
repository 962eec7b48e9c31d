package traffic

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/klog/v2"
)

// visit is one request on its way through the gate.
type visit struct {
	gate    *Gate
	next    http.Handler
	request *Request
	rule    *Rule

	writer *statusWriter
	void   *voidWriter
}

// status is the code answered so far.
func (v *visit) status() int {
	switch {
	case v.void != nil:
		return v.void.status
	case v.writer != nil:
		return v.writer.status
	default:
		return 0
	}
}

func (v *visit) fault() string {
	if v.rule == nil {
		return ""
	}
	return v.rule.action()
}

// serve performs the request as the rule says.
func (v *visit) serve(w http.ResponseWriter, r *http.Request) {
	rule := v.rule
	if rule == nil {
		v.perform(w, r)
		return
	}
	if !pause(r.Context(), rule.Delay.Duration) {
		return
	}
	switch {
	case rule.Status != 0:
		writer, _ := newStatusWriter(w)
		v.writer = writer
		answer(writer, v.request, rule)
	case rule.Cut || rule.kills():
		v.cut(r)
	case rule.CutIn.Duration > 0:
		// The timer outlives the request: the connection is cut even when this
		// request was over sooner.
		time.AfterFunc(rule.CutIn.Duration, func() { v.gate.conns.cut(r.RemoteAddr) })
		v.perform(w, r)
	default:
		v.perform(w, r)
	}
}

func (v *visit) perform(w http.ResponseWriter, r *http.Request) {
	writer, wrapped := newStatusWriter(w)
	v.writer = writer
	v.next.ServeHTTP(wrapped, r)
}

// cut ends the connection, and the client's process with it if asked, before
// the request is performed or after it with the answer thrown away.
func (v *visit) cut(r *http.Request) {
	if v.rule.moment() == After {
		v.void = newVoidWriter()
		v.next.ServeHTTP(v.void, r)
	}
	if v.rule.kills() {
		if err := kill(v.rule); err != nil {
			klog.ErrorS(err, "A rule could not kill", "rule", v.rule.Match)
		}
	}
	v.gate.conns.cut(r.RemoteAddr)
	panic(http.ErrAbortHandler)
}

func kill(rule *Rule) error {
	pid := rule.KillPID
	if rule.KillPIDFile != "" {
		raw, err := os.ReadFile(rule.KillPIDFile)
		if err != nil {
			return fmt.Errorf("read process id: %w", err)
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(raw)))
		if err != nil {
			return fmt.Errorf("read process id: %w", err)
		}
	}
	// Zero and negative ids stand for whole groups of processes.
	if pid <= 1 || pid == os.Getpid() {
		return fmt.Errorf("process %d: not to be killed", pid)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill process %d: %w", pid, err)
	}
	return nil
}
