package command

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"strings"

	"github.com/spf13/pflag"
)

// profileKinds are kubectl's profiles, and the execution trace of Go.
var profileKinds = []string{"none", "cpu", "heap", "goroutine", "threadcreate", "block", "mutex", "trace"}

// profile is what a run of this program writes about itself, for `go tool pprof` or
// `go tool trace`. It holds stacks and counts, never a value.
type profile struct {
	kind, output string
	// write ends the profile; nil while none is made.
	write func() error
}

// addFlags has kubectl's spelling.
func (p *profile) addFlags(f *pflag.FlagSet) {
	f.StringVar(&p.kind, "profile", "none", "Write a profile of this run: "+strings.Join(profileKinds[1:], ", ")+" or none")
	f.StringVar(&p.output, "profile-output", "profile.pprof", "The file for --profile, for go tool pprof; a trace is for go tool trace")
}

// start opens the file and begins to measure.
func (p *profile) start() error {
	begin, ok := map[string]func(*os.File) (func() error, error){
		"cpu":          cpuProfile,
		"trace":        executionTrace,
		"heap":         heapProfile,
		"goroutine":    lookup("goroutine"),
		"threadcreate": lookup("threadcreate"),
		"block":        blockProfile,
		"mutex":        mutexProfile,
	}[p.kind]
	switch {
	case p.kind == "none":
		return nil
	case !ok:
		return fmt.Errorf("--profile: wanted one of %s, found %q", strings.Join(profileKinds, ", "), p.kind)
	}
	file, err := os.OpenFile(p.output, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("--profile-output: %w", err)
	}
	write, err := begin(file)
	if err != nil {
		_ = file.Close() // nothing was written
		return fmt.Errorf("--profile=%s: %w", p.kind, err)
	}
	p.write = func() error {
		err := write()
		if closed := file.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return fmt.Errorf("write the profile to %s: %w", p.output, err)
		}
		return nil
	}
	return nil
}

// finish writes the profile, if one was begun.
func (p *profile) finish() error {
	if p.write == nil {
		return nil
	}
	return p.write()
}

func cpuProfile(file *os.File) (func() error, error) {
	return func() error { pprof.StopCPUProfile(); return nil }, pprof.StartCPUProfile(file)
}

func executionTrace(file *os.File) (func() error, error) {
	return func() error { trace.Stop(); return nil }, trace.Start(file)
}

// heapProfile is made at the end of the run; `-sample_index=alloc_space` of pprof
// shows what was allocated until then.
func heapProfile(file *os.File) (func() error, error) {
	return func() error {
		runtime.GC()
		return pprof.Lookup("heap").WriteTo(file, 0)
	}, nil
}

func blockProfile(file *os.File) (func() error, error) {
	runtime.SetBlockProfileRate(1)
	return lookup("block")(file)
}

func mutexProfile(file *os.File) (func() error, error) {
	runtime.SetMutexProfileFraction(1)
	return lookup("mutex")(file)
}

// lookup writes a profile that the runtime keeps anyway.
func lookup(name string) func(*os.File) (func() error, error) {
	return func(file *os.File) (func() error, error) {
		return func() error { return pprof.Lookup(name).WriteTo(file, 0) }, nil
	}
}
