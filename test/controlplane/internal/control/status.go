package control

import "sync"

// Phases that others act upon; the rest only tell what is being done.
const (
	// PhaseUp is the phase of a control plane that is ready for use.
	PhaseUp = "up"
	// PhaseStopping is the phase of one that will soon be gone.
	PhaseStopping = "stopping"
)

// Status is what the endpoint tells about the control plane.
type Status struct {
	PID   int    `json:"pid"`
	Phase string `json:"phase"`
}

// Phase is the step a control plane is at.
type Phase struct {
	mu   sync.Mutex
	name string
}

// NewPhase begins at the start.
func NewPhase() *Phase { return &Phase{name: "starting etcd"} }

// Set goes to another step.
func (p *Phase) Set(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.name = name
}

// Get tells the step.
func (p *Phase) Get() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.name
}
