package standin

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const (
	followEvery = 50 * time.Millisecond
	// followLimit bounds how long one client may follow a log.
	followLimit = time.Hour
)

// logOptions are the options of a request for a log.
type logOptions struct {
	follow     bool
	previous   bool
	timestamps bool
	// tail is the number of last lines; negative means all.
	tail  int
	since time.Time
	// limit is the number of bytes; zero means all.
	limit int
}

func parseLogOptions(query url.Values, now time.Time) (logOptions, error) {
	options := logOptions{
		follow:     query.Get("follow") == "true",
		previous:   query.Get("previous") == "true",
		timestamps: query.Get("timestamps") == "true",
		tail:       -1,
	}
	if err := intParam(query, "tailLines", &options.tail); err != nil {
		return options, err
	}
	if err := intParam(query, "limitBytes", &options.limit); err != nil {
		return options, err
	}
	seconds := 0
	if err := intParam(query, "sinceSeconds", &seconds); err != nil {
		return options, err
	}
	if seconds > 0 {
		options.since = now.Add(-time.Duration(seconds) * time.Second)
	}
	if text := query.Get("sinceTime"); text != "" {
		since, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return options, fmt.Errorf("sinceTime: %w", err)
		}
		options.since = since
	}
	return options, nil
}

func intParam(query url.Values, name string, into *int) error {
	text := query.Get(name)
	if text == "" {
		return nil
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 0 {
		return fmt.Errorf("%s: %q is no number", name, text)
	}
	*into = number
	return nil
}

func (k *kubelet) serveLogs(w http.ResponseWriter, r *http.Request) {
	pod, found := k.pod(w, r)
	if !found {
		return
	}
	container := r.PathValue("container")
	options, err := parseLogOptions(r.URL.Query(), time.Now())
	if err == nil {
		err = logAvailable(pod, container, options)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	// An error here means that the client has gone; nobody is left to tell.
	_ = k.writeLog(r.Context(), pod, container, options, &flushWriter{writer: w})
}

// logAvailable refuses in the words of a kubelet.
func logAvailable(pod *corev1.Pod, container string, options logOptions) error {
	statuses := slices.Concat(pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses)
	status := findStatus(statuses, container)
	switch {
	case status.Name == "":
		return fmt.Errorf("container %q in pod %q is waiting to start: ContainerCreating", container, pod.Name)
	case options.previous && status.LastTerminationState.Terminated == nil:
		return fmt.Errorf("previous terminated container %q in pod %q not found", container, pod.Name)
	case status.State.Waiting != nil && status.LastTerminationState.Terminated == nil:
		return fmt.Errorf("container %q in pod %q is waiting to start: %s", container, pod.Name, waitingWords(status.State.Waiting.Reason))
	default:
		return nil
	}
}

func waitingWords(reason string) string {
	if reason == "ImagePullBackOff" || reason == "ErrImagePull" {
		return "trying and failing to pull image"
	}
	return reason
}

// writeLog writes the log and, if asked, what is added to it until the Pod
// ends.
func (k *kubelet) writeLog(ctx context.Context, pod *corev1.Pod, container string, options logOptions, to io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, followLimit)
	defer cancel()
	lines, read := k.lines(pod, container, 0)
	lines = slices.DeleteFunc(lines, func(line logLine) bool { return line.at.Before(options.since) })
	if options.tail >= 0 && len(lines) > options.tail {
		lines = lines[len(lines)-options.tail:]
	}
	printer := &logPrinter{to: to, options: options}
	for {
		if err := printer.print(lines); err != nil || !options.follow {
			return err
		}
		present, found := k.pods.get(pod.Namespace, pod.Name)
		ended := !found || present.UID != pod.UID || containerEnded(present, container)
		if found && !ended {
			pod = present
		}
		lines, read = k.lines(pod, container, read)
		if ended && len(lines) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(followEvery):
		}
	}
}

func containerEnded(pod *corev1.Pod, container string) bool {
	statuses := slices.Concat(pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses)
	return findStatus(statuses, container).State.Terminated != nil
}

// lines returns the lines after the first n, and how many there are by now: of
// the local process, or made from the Pod.
func (k *kubelet) lines(pod *corev1.Pod, container string, n int) ([]logLine, int) {
	if log, found := k.processes.log(pod.UID); found && container == pod.Spec.Containers[0].Name {
		return log.from(n)
	}
	all := madeLog(pod, container)
	return all[min(n, len(all)):], max(n, len(all))
}

// madeLog is the log of a container that only exists on paper.
func madeLog(pod *corev1.Pod, container string) []logLine {
	at := time.Time{}
	if pod.Status.StartTime != nil {
		at = pod.Status.StartTime.Time
	}
	name := pod.Name + "/" + container
	lines := []logLine{{at: at, text: name + " started on " + pod.Spec.NodeName}}
	isInit := slices.ContainsFunc(pod.Spec.InitContainers, func(c corev1.Container) bool { return c.Name == container })
	if text := pod.Annotations[Prefix+"log"]; text != "" && !isInit {
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			lines = append(lines, logLine{at: at, text: line})
		}
	}
	status := findStatus(slices.Concat(pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses), container)
	ended := status.State.Terminated
	if ended == nil {
		ended = status.LastTerminationState.Terminated
	}
	if ended != nil {
		lines = append(lines, logLine{at: ended.FinishedAt.Time, text: fmt.Sprintf("%s exited with code %d", name, ended.ExitCode)})
	}
	return lines
}

// logPrinter writes lines until the limit of bytes.
type logPrinter struct {
	to      io.Writer
	options logOptions
	written int
}

func (p *logPrinter) print(lines []logLine) error {
	for _, line := range lines {
		text := line.text + "\n"
		if p.options.timestamps {
			text = line.at.UTC().Format(time.RFC3339Nano) + " " + text
		}
		if p.options.limit > 0 {
			text = text[:min(len(text), p.options.limit-p.written)]
		}
		if text == "" {
			return nil
		}
		n, err := io.WriteString(p.to, text)
		p.written += n
		if err != nil {
			return fmt.Errorf("write log: %w", err)
		}
	}
	return nil
}

// flushWriter sends each write at once, as a follower waits for it.
type flushWriter struct {
	writer http.ResponseWriter
}

func (f *flushWriter) Write(raw []byte) (int, error) {
	n, err := f.writer.Write(raw)
	if err != nil {
		return n, err
	}
	return n, http.NewResponseController(f.writer).Flush()
}
