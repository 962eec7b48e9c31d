package standin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// sleepLimit bounds a simulated sleep.
const sleepLimit = time.Minute

// streams are the streams of a command; none is nil.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func newStreams(in io.Reader, out, err io.Writer) streams {
	s := streams{in: bytes.NewReader(nil), out: io.Discard, err: io.Discard}
	// Interfaces that hold a nil pointer are not expected: the caller passes
	// its streams on as it got them.
	if in != nil {
		s.in = in
	}
	if out != nil {
		s.out = out
	}
	if err != nil {
		s.err = err
	}
	return s
}

// simulate plays a few commands well enough to see that exec works: echo, cat,
// true, false, exit, sleep and a shell around one of them. Of any other it
// prints the command line.
func simulate(ctx context.Context, command []string, streams streams) int {
	if len(command) == 0 {
		return 0
	}
	args := command[1:]
	switch command[0] {
	case "sh", "/bin/sh", "bash", "/bin/bash":
		if len(args) == 2 && args[0] == "-c" {
			return simulateScript(ctx, args[1], streams)
		}
	case "echo":
		return printTo(streams.out, strings.Join(args, " ")+"\n")
	case "cat":
		if len(args) == 0 {
			_, _ = io.Copy(streams.out, streams.in) // the client has gone
			return 0
		}
	case "true":
		return 0
	case "false":
		return 1
	case "exit":
		return exitStatus(args)
	case "sleep":
		return sleep(ctx, args)
	}
	return printTo(streams.out, strings.Join(command, " ")+"\n")
}

// simulateScript runs commands separated by ";" and stops at an exit. Quotes
// are only taken off.
func simulateScript(ctx context.Context, script string, streams streams) int {
	code := 0
	for line := range strings.SplitSeq(script, ";") {
		line = strings.TrimSpace(line)
		target := streams
		if before, found := strings.CutSuffix(line, ">&2"); found {
			line, target.out = strings.TrimSpace(before), streams.err
		}
		words := strings.Fields(strings.NewReplacer(`"`, "", `'`, "").Replace(line))
		code = simulate(ctx, words, target)
		if len(words) > 0 && words[0] == "exit" {
			return code
		}
	}
	return code
}

func printTo(to io.Writer, text string) int {
	if _, err := fmt.Fprint(to, text); err != nil {
		return 1
	}
	return 0
}

func exitStatus(args []string) int {
	if len(args) == 0 {
		return 0
	}
	code, err := strconv.Atoi(args[0])
	if err != nil || code < 0 || code > 255 {
		return 2
	}
	return code
}

func sleep(ctx context.Context, args []string) int {
	if len(args) != 1 {
		return 1
	}
	seconds, err := strconv.ParseFloat(strings.TrimSuffix(args[0], "s"), 64)
	if err != nil || seconds < 0 {
		return 1
	}
	select {
	case <-time.After(min(time.Duration(seconds*float64(time.Second)), sleepLimit)):
	case <-ctx.Done():
	}
	return 0
}
