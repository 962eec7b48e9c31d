package standin

import (
	"fmt"
	"strconv"
	"time"
)

// Prefix is the prefix of all annotations.
const Prefix = "standin.tazuna.dev/"

// Wish is the fate that the annotations of a Pod ask for. The zero value means
// ready at once, or done at once for a Pod of a Job.
type Wish struct {
	// ReadyAfter ("ready-after: 5s") runs unready for so long; together with
	// Waiting or Restarts it is when these troubles end.
	ReadyAfter time.Duration
	// RunFor ("run-for: 10s") ends the containers after so long.
	RunFor time.Duration
	// TerminateAfter ("terminate-after: 10s") takes so long to end once deleted.
	TerminateAfter time.Duration
	// Waiting ("waiting: ImagePullBackOff") is a reason never to start.
	Waiting string
	// Fail ("fail: 3") ends the containers with this exit code.
	Fail int32
	// Restarts ("restarts: 4") crashes so many times.
	Restarts int32
	// Log ("log: text") is added to the log.
	Log string
	// ExecProcess ("exec: process") runs commands of exec as local processes.
	ExecProcess bool
	// Process ("process: /path/to/program arg") runs the first container as a
	// local process.
	Process string
}

// ParseWish reads annotations; those without the prefix are not ours.
func ParseWish(annotations map[string]string) (Wish, error) {
	var wish Wish
	for name, into := range map[string]*time.Duration{
		"ready-after": &wish.ReadyAfter, "run-for": &wish.RunFor, "terminate-after": &wish.TerminateAfter,
	} {
		if err := parseDuration(annotations, name, into); err != nil {
			return Wish{}, err
		}
	}
	for name, into := range map[string]*int32{"fail": &wish.Fail, "restarts": &wish.Restarts} {
		if err := parseNumber(annotations, name, into); err != nil {
			return Wish{}, err
		}
	}
	wish.Waiting = annotations[Prefix+"waiting"]
	wish.Log = annotations[Prefix+"log"]
	wish.ExecProcess = annotations[Prefix+"exec"] == "process"
	wish.Process = annotations[Prefix+"process"]
	return wish, nil
}

func parseDuration(annotations map[string]string, name string, into *time.Duration) error {
	text, set := annotations[Prefix+name]
	if !set {
		return nil
	}
	duration, err := time.ParseDuration(text)
	if err != nil || duration < 0 {
		return fmt.Errorf("annotation %s%s: %q is no duration", Prefix, name, text)
	}
	*into = duration
	return nil
}

func parseNumber(annotations map[string]string, name string, into *int32) error {
	text, set := annotations[Prefix+name]
	if !set {
		return nil
	}
	number, err := strconv.ParseInt(text, 10, 32)
	if err != nil || number < 1 || number > 255 {
		return fmt.Errorf("annotation %s%s: %q is no number from 1 to 255", Prefix, name, text)
	}
	*into = int32(number)
	return nil
}
