package plan

import (
	"fmt"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// WaitVerdict is what a user's rule says about an object as it stands.
type WaitVerdict struct {
	// Done and Failed exclude each other; neither means: wait on.
	Done, Failed bool
	// Unblock lets dependants start although the object is still waited for.
	Unblock bool
	// FailsAfter is set beside Failed=false when a failing condition has to last
	// that long before it counts; Condition names it, so that the caller can tell
	// since when it has been the same.
	FailsAfter time.Duration
	Condition  string
	// Reason names the condition that decided, or what is missing.
	Reason string
	// By is the rule.
	By config.Place
}

// JudgeWait asks the first rule that matches the object whether it is ready. ok
// is false when none matches. Failures are looked at before successes.
func JudgeWait(rules []config.WaitRule, live map[string]any) (verdict WaitVerdict, ok bool) {
	for _, rule := range rules {
		if selectsAny(rule.Matchers, live) {
			verdict = judgeConditions(rule, live)
			verdict.By = rule.At
			return verdict, true
		}
	}
	return WaitVerdict{}, false
}

func judgeConditions(rule config.WaitRule, live map[string]any) WaitVerdict {
	generation := get(mapAt(live, "metadata"), "generation").v
	if rule.ObservedGeneration && !object.Equal(generation, get(mapAt(live, "status"), "observedGeneration").v) {
		return WaitVerdict{Reason: fmt.Sprintf("generation %v is not observed yet", generation)}
	}
	ready, unsure, decided := judgeExpressions(rule, live)
	if decided && ready.Failed {
		return ready
	}
	c := conditionJudge{generation: generation, conditions: mapsAt(mapAt(live, "status"), "conditions")}
	meanings := []func(config.WaitCondition, map[string]any) bool{c.failure, c.success, c.unblock}
	for _, meaning := range meanings {
		for _, wanted := range rule.Conditions {
			for _, have := range c.conditions {
				if c.holds(wanted, have) && meaning(wanted, have) {
					return c.finish()
				}
			}
		}
	}
	if decided {
		return ready
	}
	if c.out.Reason == "" {
		c.out.Reason = unsure
	}
	return c.finish()
}

// judgeExpressions asks the rule's expressions. decided is false while neither
// holds; unsure then says what was asked, or why it can't be told.
func judgeExpressions(rule config.WaitRule, live map[string]any) (verdict WaitVerdict, unsure string, decided bool) {
	if rule.Failed != nil {
		// A field that isn't there yet is no failure.
		if failed, err := rule.Failed.Holds(live); err == nil && failed {
			return WaitVerdict{Failed: true, Reason: rule.Failed.String()}, "", true
		}
	}
	if rule.Ready == nil {
		return WaitVerdict{}, "", false
	}
	switch ready, err := rule.Ready.Holds(live); {
	case err != nil:
		return WaitVerdict{}, fmt.Sprintf("it can't be told yet whether %s: %s", rule.Ready, err), false
	case ready:
		return WaitVerdict{Done: true, Reason: rule.Ready.String()}, "", true
	default:
		return WaitVerdict{}, "not yet so: " + rule.Ready.String(), false
	}
}

// conditionJudge collects what the conditions of one object say.
type conditionJudge struct {
	generation any
	conditions []map[string]any
	out        WaitVerdict
	stale      bool
}

// holds reports whether a condition of the object is the one of the rule, and
// about the object's current generation.
func (c *conditionJudge) holds(wanted config.WaitCondition, have map[string]any) bool {
	if have["type"] != wanted.Type || have["status"] != wanted.Status {
		return false
	}
	if wanted.ObservedGeneration && !object.Equal(have["observedGeneration"], c.generation) {
		c.stale = true
		return false
	}
	return true
}

// failure, success and unblock report whether the search is over.
func (c *conditionJudge) failure(wanted config.WaitCondition, have map[string]any) bool {
	switch {
	case !wanted.Failure:
		return false
	case wanted.Timeout == 0:
		c.out = WaitVerdict{Failed: true, Reason: conditionText(have)}
		return true
	case c.out.FailsAfter == 0 || wanted.Timeout < c.out.FailsAfter:
		c.out.FailsAfter, c.out.Condition, c.out.Reason = wanted.Timeout, wanted.Type, conditionText(have)
	}
	return false
}

func (c *conditionJudge) success(wanted config.WaitCondition, have map[string]any) bool {
	if wanted.Success {
		c.out = WaitVerdict{Done: true, Reason: conditionText(have)}
	}
	return wanted.Success
}

func (c *conditionJudge) unblock(wanted config.WaitCondition, have map[string]any) bool {
	if wanted.Unblock {
		c.out.Unblock = true
		if c.out.Reason == "" {
			c.out.Reason = conditionText(have)
		}
	}
	return wanted.Unblock
}

func (c *conditionJudge) finish() WaitVerdict {
	switch {
	case c.out.Reason != "":
	case c.stale:
		c.out.Reason = fmt.Sprintf("no condition speaks of generation %v yet", c.generation)
	default:
		c.out.Reason = "none of the conditions that the rule names is there"
	}
	return c.out
}

// conditionText is a condition in one line; messages are the controller's.
func conditionText(c map[string]any) string {
	text := fmt.Sprintf("%v=%v", c["type"], c["status"])
	if reason := textAt(c, "reason"); reason != "" {
		text += ": " + reason
	}
	if message := textAt(c, "message"); message != "" {
		text += ": " + message
	}
	return text
}
