package standin

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

func TestParseLogOptions(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := map[string]struct {
		query   string
		want    logOptions
		refused bool
	}{
		"none":       {want: logOptions{tail: -1}},
		"switches":   {query: "follow=true&previous=true&timestamps=true", want: logOptions{follow: true, previous: true, timestamps: true, tail: -1}},
		"tail":       {query: "tailLines=0", want: logOptions{}},
		"limit":      {query: "limitBytes=5", want: logOptions{tail: -1, limit: 5}},
		"seconds":    {query: "sinceSeconds=5", want: logOptions{tail: -1, since: now.Add(-5 * time.Second)}},
		"time":       {query: "sinceTime=2026-01-02T03:04:05Z", want: logOptions{tail: -1, since: now}},
		"bad tail":   {query: "tailLines=x", refused: true},
		"bad limit":  {query: "limitBytes=-1", refused: true},
		"bad time":   {query: "sinceTime=today", refused: true},
		"bad amount": {query: "sinceSeconds=x", refused: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			query, err := url.ParseQuery(test.query)
			if err != nil {
				t.Fatal(err)
			}
			got, err := parseLogOptions(query, now)
			if (err != nil) != test.refused || !test.refused && got != test.want {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestLogAvailable(t *testing.T) {
	running := newPod(corev1.RestartPolicyAlways)
	crashed := newPod(corev1.RestartPolicyAlways, "restarts", "2")
	pulling := newPod(corev1.RestartPolicyAlways, "waiting", "ImagePullBackOff")
	for _, pod := range []*corev1.Pod{running, crashed, pulling} {
		live(t, pod, time.Minute)
	}
	tests := map[string]struct {
		pod      *corev1.Pod
		previous bool
		want     string
	}{
		"running":             {pod: running},
		"no previous one":     {pod: running, previous: true, want: "not found"},
		"crashed":             {pod: crashed},
		"previous of crashed": {pod: crashed, previous: true},
		"pulling":             {pod: pulling, want: "trying and failing to pull image"},
		"not started":         {pod: newPod(corev1.RestartPolicyAlways), want: "ContainerCreating"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := logAvailable(test.pod, "c", logOptions{previous: test.previous})
			if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestMadeLog(t *testing.T) {
	pod := jobPod(corev1.RestartPolicyNever, "log", "one\ntwo\n", "fail", "3")
	live(t, pod, time.Minute)
	var text []string
	for _, line := range madeLog(pod, "c") {
		text = append(text, line.text)
	}
	if got, want := strings.Join(text, "|"), "p/c started on node-1|one|two|p/c exited with code 3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLogPrinter(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	lines := []logLine{{at: at, text: "one"}, {at: at, text: "two"}}
	tests := map[string]struct {
		options logOptions
		want    string
	}{
		"plain":      {want: "one\ntwo\n"},
		"timestamps": {options: logOptions{timestamps: true}, want: "2026-01-02T03:04:05.000000006Z one\n2026-01-02T03:04:05.000000006Z two\n"},
		"limited":    {options: logOptions{limit: 5}, want: "one\nt"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			printer := &logPrinter{to: &out, options: test.options}
			if err := printer.print(lines); err != nil || out.String() != test.want {
				t.Errorf("got %q, %v", out.String(), err)
			}
		})
	}
}

func TestLogBuffer(t *testing.T) {
	buffer := newLogBuffer()
	_, _ = fmt.Fprint(buffer, "one\ntw")
	if lines, n := buffer.from(0); len(lines) != 1 || n != 1 {
		t.Errorf("a line without its end: got %v, %d", lines, n)
	}
	_, _ = fmt.Fprint(buffer, "o\nthree\n")
	if lines, n := buffer.from(1); n != 3 || len(lines) != 2 || lines[0].text != "two" {
		t.Errorf("got %v, %d", lines, n)
	}
	for range 3 * logLimit {
		buffer.add(time.Now(), "more")
	}
	lines, n := buffer.from(3*logLimit + 1)
	if n != 3*logLimit+3 || len(lines) != 2 || len(buffer.lines) > logLimit {
		t.Errorf("got %d lines, %d in all, %d kept", len(lines), n, len(buffer.lines))
	}
	if lines, _ := buffer.from(0); len(lines) != len(buffer.lines) {
		t.Errorf("from the start: got %d lines", len(lines))
	}
}
