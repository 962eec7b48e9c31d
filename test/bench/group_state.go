package main

import "fmt"

// recorded is a tazuna.yaml with one large manifest, which all commands about records
// are let loose on.
type recorded struct {
	w *world
	t *table
	n int
	// name is the manifest's and its namespace's.
	name string
	// dir holds the tazuna.yaml.
	dir string
}

// stateCommands measures every command that reads or writes records.
func (w *world) stateCommands(t *table, n int) error {
	s := &recorded{w: w, t: t, n: n, name: fmt.Sprintf("state-%d", n)}
	var err error
	if s.dir, err = w.tazunaYAML(s.name, n, 1); err != nil {
		return err
	}
	if err := w.all(kubectl("create", "namespace", s.name), tazuna("apply", "-y", "--wait=false", "--summary").in(s.dir)); err != nil {
		return err
	}
	return steps(s.looks, s.drifts, s.lost, s.forgets, s.destroys, s.adopts)
}

// measure adds a row for a command of ours, in the directory of the tazuna.yaml.
func (s *recorded) measure(work string, args ...string) (*row, error) {
	got, err := s.w.counted(tazuna(args...).in(s.dir))
	if err != nil {
		return nil, err
	}
	r := newRow(fmt.Sprintf("%s, %d recorded", work, s.n), got)
	s.t.add(r)
	return r, nil
}

// parts is how many ConfigMaps and Secrets the record has at most.
func (s *recorded) parts() int { return 2 + s.n/2000 }

// large sets the bounds of a command about 10,000 objects; of fewer, most of the time is
// the program's start.
func (s *recorded) large(r *row, seconds, mebibyte float64) {
	if s.n == 10000 {
		r.seconds(seconds)
		r.memory(mebibyte)
	}
}

// look is a command that writes nothing.
type look struct {
	work string
	args []string
	// requests beside those for the record's parts.
	requests          int
	seconds, mebibyte float64
}

func (s *recorded) run(looks []look) error {
	for _, l := range looks {
		r, err := s.measure(l.work, l.args...)
		if err != nil {
			return err
		}
		r.requests(l.requests + s.parts())
		r.noWrites()
		s.large(r, l.seconds, l.mebibyte)
	}
	return nil
}

// looks are those that find everything as wanted: with the objects a list a kind, of
// metadata where that is enough.
func (s *recorded) looks() error {
	live := kinds + s.n/500 + 8
	one := fmt.Sprintf("ConfigMap/o-%05d", 6)
	return s.run([]look{
		{"first plan", []string{"plan", "--summary"}, live, 4, 400},
		{"plan", []string{"plan", "--summary"}, live, 4, 400},
		{"apply unchanged", []string{"apply", "--summary"}, live, 4, 400},
		{"state sync unchanged", []string{"state", "sync", "--summary"}, live, 4, 400},
		{"status", []string{"status"}, live, 2, 400},
		{"state list", []string{"state", "list"}, 4, 1, 200},
		{"state diff", []string{"state", "diff"}, 4, 2.5, 400},
		{"state drift", []string{"state", "drift"}, live, 1.5, 200},
		{"state show of one", []string{"state", "show", s.name, one}, 4, 1, 200},
		{"state migrate, nothing to do", []string{"state", "migrate", s.name, "-y"}, 4, 1, 200},
		{"state unlock, no lock", []string{"state", "unlock", s.name, "-y"}, 4, 0.5, 100},
	})
}

// drifts lets somebody change a hundredth, which is found and put back.
func (s *recorded) drifts() error {
	file, err := s.w.onlyChanged(s.name, s.n, 3)
	if err != nil {
		return err
	}
	if err := s.w.all(kubectl("apply", "--server-side", "--force-conflicts", "--field-manager=somebody", "-f", file)); err != nil {
		return err
	}
	touched := (s.n + 99) / 100
	live := 2*(kinds+s.n/500) + 16
	if err := s.run([]look{
		{"state drift of 1 %", []string{"state", "drift"}, live + touched, 2.5, 400},
		{"plan with drift of 1 %", []string{"plan", "--summary"}, live + touched, 5, 400},
	}); err != nil {
		return err
	}
	r, err := s.measure("state sync of drift of 1 %", "state", "sync", "-y", "--wait=false", "--summary")
	if err != nil {
		return err
	}
	r.requests(live + 2*touched + 2*s.parts() + 8)
	s.large(r, 10, 400)
	return nil
}

// lost takes the record away and has it made again from what the objects say.
func (s *recorded) lost() error {
	args := []string{"-n", "tazuna", "delete", "--ignore-not-found"}
	for _, name := range []string{"configmap/tazuna-state-", "secret/tazuna-record-"} {
		args = append(args, name+s.name)
		for part := range s.parts() {
			args = append(args, fmt.Sprintf("%s%s.%d", name, s.name, part+1))
		}
	}
	if err := s.w.all(kubectl(args...)); err != nil {
		return err
	}
	r, err := s.measure("state rebuild of a lost record", "state", "rebuild", s.name, "-y")
	if err != nil {
		return err
	}
	// It looks through all kinds that the server has.
	r.requests(120 + s.n/500 + 2*s.parts())
	s.large(r, 6, 400)
	if r, err = s.measure("apply that completes the record", "apply", "-y", "--wait=false", "--summary"); err != nil {
		return err
	}
	r.requests(2*(kinds+s.n/500) + 16 + 3*s.parts())
	s.large(r, 10, 600)
	return nil
}

// forgets gives all objects up, and takes them back.
func (s *recorded) forgets() error {
	r, err := s.measure("state forget --keep-objects", "state", "forget", s.name, "--keep-objects", "-y")
	if err != nil {
		return err
	}
	r.requests(s.n + 2*(kinds+s.n/500) + 2*s.parts() + 16)
	s.large(r, 25, 400)
	if r, err = s.measure("apply of what is there already", "apply", "-y", "--wait=false", "--summary"); err != nil {
		return err
	}
	r.requests(2*(kinds+s.n/500) + 16 + 3*s.parts())
	s.large(r, 10, 600)
	return nil
}

func (s *recorded) destroys() error {
	r, err := s.measure("destroy by tazuna.yaml", "destroy", "-y")
	if err != nil {
		return err
	}
	r.requests(s.n + 2*(kinds+s.n/500) + 16 + 2*s.parts())
	s.large(r, 30, 400)
	return nil
}

// adopts takes over what kubectl has applied.
func (s *recorded) adopts() error {
	namespace := "adopted-" + s.name
	file, err := s.w.mixed(namespace, s.n, 1)
	if err != nil {
		return err
	}
	if err := s.w.all(kubectl("create", "namespace", namespace), kubectl("apply", "--server-side", "-f", file)); err != nil {
		return err
	}
	r, err := s.measure("state adopt --from kubectl", "state", "adopt", namespace, "--from", "kubectl", "-n", namespace, "-y", "--summary")
	if err != nil {
		return err
	}
	r.requests(3*s.n + 2*(kinds+s.n/500) + 120 + 3*s.parts())
	s.large(r, 60, 600)
	return nil
}
