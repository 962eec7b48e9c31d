package traffic

import (
	"sync"
	"sync/atomic"
)

// RuleState is a rule with its history.
type RuleState struct {
	ID int `json:"id"`
	Rule
	// Matched counts the requests the rule's match took, Fired those it
	// disturbed.
	Matched int `json:"matched"`
	Fired   int `json:"fired"`

	match Match
}

// rules is the list of active rules.
type rules struct {
	// any spares requests the lock while there is no rule.
	any atomic.Bool

	mu     sync.Mutex
	lastID int
	list   []*RuleState
}

func (l *rules) add(rule Rule) (RuleState, error) {
	if err := rule.Validate(); err != nil {
		return RuleState{}, err
	}
	match, err := ParseMatch(rule.Match)
	if err != nil {
		return RuleState{}, err
	}
	if rule.Times == 0 && match.nth > 0 {
		rule.Times = 1
	}
	rule.Match = match.String()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastID++
	state := &RuleState{ID: l.lastID, Rule: rule, match: match}
	l.list = append(l.list, state)
	l.any.Store(true)
	return *state, nil
}

func (l *rules) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = nil
	l.any.Store(false)
}

func (l *rules) states() []RuleState {
	l.mu.Lock()
	defer l.mu.Unlock()
	states := make([]RuleState, 0, len(l.list))
	for _, state := range l.list {
		states = append(states, *state)
	}
	return states
}

// pick counts the request with every rule that matches it and returns the
// first one that fires.
func (l *rules) pick(request *Request) *Rule {
	if !l.any.Load() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var picked *Rule
	for _, state := range l.list {
		if !state.match.takes(request) {
			continue
		}
		state.Matched++
		if picked == nil && state.fires() {
			state.Fired++
			rule := state.Rule
			picked = &rule
		}
	}
	return picked
}

func (s *RuleState) fires() bool {
	return s.Matched >= s.match.nth && (s.Times == 0 || s.Fired < s.Times)
}
