package standin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
)

// failedStart is the exit code of a program that could not be started, as a
// shell reports it.
const failedStart = 127

// processes runs the local processes of Pods.
type processes struct {
	opts   Options
	client kubernetes.Interface

	mu      sync.Mutex
	running map[types.UID]*process
}

// process is the local process of one Pod, across its restarts.
type process struct {
	state  Process
	cmd    *exec.Cmd
	around surroundings
	env    []string
	log    *logBuffer
}

func newProcesses(opts Options, client kubernetes.Interface) *processes {
	return &processes{opts: opts, client: client, running: map[types.UID]*process{}}
}

// state tells about the process of a Pod.
func (p *processes) state(uid types.UID) Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	if process, found := p.running[uid]; found {
		return process.state
	}
	return Process{}
}

// log returns the log of a Pod's process, if it has one.
func (p *processes) log(uid types.UID) (*logBuffer, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	process, found := p.running[uid]
	if !found {
		return nil, false
	}
	return process.log, true
}

// start starts the process of a Pod, or starts it again; changed is called when
// it has ended. A failure to start counts as an end, so the Pod shows it.
func (p *processes) start(ctx context.Context, pod *corev1.Pod, changed func()) {
	own, err := p.prepared(ctx, pod)
	p.mu.Lock()
	defer p.mu.Unlock()
	own.state.Starts++
	if err == nil {
		own.cmd = newCommand(pod, own)
		err = own.cmd.Start()
	}
	if err != nil {
		own.log.add(time.Now(), "stand-in: "+err.Error())
		own.state.Running, own.state.Ended, own.state.ExitCode = false, time.Now(), failedStart
		return
	}
	own.state.Running, own.state.Asked = true, false
	ended, end := context.WithCancel(context.WithoutCancel(ctx))
	go p.watchReadiness(ended, own, pod, changed)
	go func() {
		defer end()
		p.wait(own, own.cmd, changed)
	}()
}

// prepared returns the process of a Pod with its directory and environment,
// which stay the same across restarts.
func (p *processes) prepared(ctx context.Context, pod *corev1.Pod) (*process, error) {
	p.mu.Lock()
	own, found := p.running[pod.UID]
	if !found {
		own = &process{log: newLogBuffer()}
		p.running[pod.UID] = own
	}
	ready := own.env != nil
	p.mu.Unlock()
	if ready {
		return own, nil
	}
	around, env, err := p.prepare(ctx, pod)
	p.mu.Lock()
	defer p.mu.Unlock()
	own.around, own.env = around, env
	return own, err
}

func newCommand(pod *corev1.Pod, own *process) *exec.Cmd {
	words := strings.Fields(pod.Annotations[Prefix+"process"])
	args := words[1:]
	if len(args) == 0 {
		args = pod.Spec.Containers[0].Args
	}
	cmd := exec.Command(words[0], own.around.args(args)...)
	cmd.Dir, cmd.Env = own.around.dir, own.env
	cmd.Stdout, cmd.Stderr = own.log, own.log
	cmd.SysProcAttr = ownGroup()
	// A grandchild that keeps the output open must not keep Wait forever.
	cmd.WaitDelay = time.Second
	return cmd
}

func (p *processes) wait(own *process, cmd *exec.Cmd, changed func()) {
	err := cmd.Wait()
	killGroup(cmd)
	p.mu.Lock()
	own.state.Running, own.state.Ready = false, false
	own.state.Ended = time.Now()
	own.state.ExitCode = exitCode(cmd, err)
	p.mu.Unlock()
	changed()
}

// exitCode follows the shells for processes that a signal ended.
func exitCode(cmd *exec.Cmd, err error) int32 {
	if cmd.ProcessState == nil {
		return failedStart
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return int32(128 + status.Signal())
	}
	if err != nil && cmd.ProcessState.Success() && !errors.Is(err, exec.ErrWaitDelay) {
		return 1
	}
	return int32(cmd.ProcessState.ExitCode())
}

// ask asks the process of a Pod to end.
func (p *processes) ask(uid types.UID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own, found := p.running[uid]; found && own.state.Running {
		own.state.Asked = true
		_ = own.cmd.Process.Signal(syscall.SIGTERM) // one that ended meanwhile is what we want
	}
}

// stop ends the process of a Pod with all its children and forgets it.
func (p *processes) stop(uid types.UID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own, found := p.running[uid]; found {
		own.end()
		delete(p.running, uid)
	}
}

func (p *processes) stopAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for uid, own := range p.running {
		own.end()
		delete(p.running, uid)
	}
}

func (o *process) end() {
	if o.cmd != nil && o.state.Running {
		killGroup(o.cmd)
	}
	if err := os.RemoveAll(o.around.dir); err != nil {
		klog.ErrorS(err, "The directory of a process stays")
	}
}

// killGroup ends whatever is left of the process's group.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil && cmd.Process.Pid > 1 {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // none left is what we want
	}
}

// prepare makes the directory and the environment of a process.
func (p *processes) prepare(ctx context.Context, pod *corev1.Pod) (surroundings, []string, error) {
	dir, err := p.scratch()
	if err != nil {
		return surroundings{}, nil, err
	}
	around, err := surround(pod, dir)
	if err != nil {
		return surroundings{dir: dir}, nil, err
	}
	env := around.env(podEnv(pod, &pod.Spec.Containers[0]))
	kubeconfig, err := p.accountKubeconfig(ctx, pod, dir)
	if err != nil {
		return around, nil, err
	}
	return around, append(env, "KUBECONFIG="+kubeconfig), nil
}

// scratch makes an empty directory.
func (p *processes) scratch() (string, error) {
	if err := os.MkdirAll(p.opts.Scratch, 0o700); err != nil {
		return "", fmt.Errorf("make scratch directory: %w", err)
	}
	dir, err := os.MkdirTemp(p.opts.Scratch, "run-")
	if err != nil {
		return "", fmt.Errorf("make scratch directory: %w", err)
	}
	return dir, nil
}
