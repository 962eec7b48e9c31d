package traffic

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxDelay bounds every wait that a rule or a latency may cause.
const maxDelay = 5 * time.Minute

// When tells whether a rule acts before or after the request is performed.
type When string

// The two moments of a rule.
const (
	Before When = "before"
	After  When = "after"
)

// Rule disturbs matching requests. Exactly one of Status, Cut, CutIn, KillPID,
// KillPIDFile or, alone, Delay says how; Delay also goes with the others.
type Rule struct {
	// Match is the written form of a Match.
	Match string `json:"match,omitempty"`
	// Status answers with this code instead of performing the request.
	Status int `json:"status,omitempty"`
	// RetryAfter is the seconds the answer asks the client to wait.
	RetryAfter int `json:"retryAfter,omitempty"`
	// Message is the message of the answer.
	Message string `json:"message,omitempty"`
	// Cut closes the connection: before performing the request, or after it but
	// without an answer. All requests on the connection are hit, as in a real cut.
	Cut bool `json:"cut,omitempty"`
	// CutIn performs and answers, and closes the connection this much later.
	CutIn metav1.Duration `json:"cutIn,omitzero"`
	// Delay waits before anything else.
	Delay metav1.Duration `json:"delay,omitzero"`
	// KillPID kills this process and then cuts.
	KillPID int `json:"killPID,omitempty"`
	// KillPIDFile is like KillPID with the process id read from a file when
	// the rule fires.
	KillPIDFile string `json:"killPIDFile,omitempty"`
	// When places Cut and the kills; the zero value means before.
	When When `json:"when,omitempty"`
	// Times is how often the rule fires; zero means always, or once when the
	// match has an nth.
	Times int `json:"times,omitempty"`
}

// Validate tells what is wrong with the rule.
func (r Rule) Validate() error {
	if _, err := ParseMatch(r.Match); err != nil {
		return err
	}
	actions := 0
	for _, set := range []bool{r.Status != 0, r.Cut, r.CutIn.Duration > 0, r.KillPID != 0, r.KillPIDFile != ""} {
		if set {
			actions++
		}
	}
	switch {
	case actions > 1:
		return errors.New("a rule takes one of a status, a cut or a kill")
	case actions == 0 && r.Delay.Duration == 0:
		return errors.New("a rule needs a status, a cut, a kill or a delay")
	case r.Status != 0 && !slices.Contains(statuses(), r.Status):
		return fmt.Errorf("status %d: want one of %v", r.Status, statuses())
	case outOfBounds(r.Delay.Duration) || outOfBounds(r.CutIn.Duration):
		return fmt.Errorf("durations: want 0 to %s", maxDelay)
	case r.KillPID != 0 && (r.KillPID <= 1 || r.KillPID == os.Getpid()):
		return fmt.Errorf("process %d: not to be killed", r.KillPID)
	case r.When != "" && r.When != Before && r.When != After:
		return fmt.Errorf("when %q: want before or after", r.When)
	case r.Times < 0:
		return errors.New("times: want 0 or more")
	}
	return nil
}

func outOfBounds(delay time.Duration) bool { return delay < 0 || delay > maxDelay }

func statuses() []int {
	return []int{
		http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound,
		http.StatusConflict, http.StatusUnprocessableEntity, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
	}
}

func (r Rule) kills() bool { return r.KillPID != 0 || r.KillPIDFile != "" }

// action is the word for the record.
func (r Rule) action() string {
	var words []string
	if r.Delay.Duration > 0 {
		words = append(words, "delay "+r.Delay.Duration.String())
	}
	switch {
	case r.Status != 0:
		words = append(words, fmt.Sprintf("status %d", r.Status))
	case r.kills():
		words = append(words, "kill "+string(r.moment()))
	case r.Cut:
		words = append(words, "cut "+string(r.moment()))
	case r.CutIn.Duration > 0:
		words = append(words, "cut in "+r.CutIn.Duration.String())
	}
	return strings.Join(words, ", ")
}

func (r Rule) moment() When {
	if r.When == After {
		return After
	}
	return Before
}
