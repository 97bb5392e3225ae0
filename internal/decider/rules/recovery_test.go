package rules

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestOnlyTheSameFailureTwiceBeginsAnew: a step is begun again where the same went
// wrong twice, as often as the playbook allows. Otherwise a person is asked.
func TestOnlyTheSameFailureTwiceBeginsAnew(t *testing.T) {
	ended := func(kind core.ExitKind, class string, results ...core.CheckResult) *core.Attempt {
		return &core.Attempt{Status: core.AttemptEnded, Exit: kind, Class: class, Results: results}
	}
	red := func(check string) core.CheckResult { return core.CheckResult{Check: check} }
	green := func(check string) core.CheckResult { return core.CheckResult{Check: check, Passed: true} }
	for name, c := range map[string]struct {
		attempts []*core.Attempt
		round    int
		anew     bool
	}{
		"the same check":       {[]*core.Attempt{ended(core.ExitFinished, "", red("test")), ended(core.ExitFinished, "", red("test"))}, 1, true},
		"the last two":         {[]*core.Attempt{ended(core.ExitTimeout, ""), ended(core.ExitFinished, "", red("test")), ended(core.ExitFinished, "", red("test"))}, 1, true},
		"only the first two":   {[]*core.Attempt{ended(core.ExitTimeout, ""), ended(core.ExitTimeout, ""), ended(core.ExitFinished, "", red("test"))}, 1, false},
		"once":                 {[]*core.Attempt{ended(core.ExitFinished, "", red("test"))}, 1, false},
		"another check":        {[]*core.Attempt{ended(core.ExitFinished, "", red("test")), ended(core.ExitFinished, "", red("lint"))}, 1, false},
		"one more check":       {[]*core.Attempt{ended(core.ExitFinished, "", red("test")), ended(core.ExitFinished, "", red("test"), red("lint"))}, 1, false},
		"what passed is alike": {[]*core.Attempt{ended(core.ExitFinished, "", green("lint"), red("test")), ended(core.ExitFinished, "", red("test"))}, 1, true},
		"another end":          {[]*core.Attempt{ended(core.ExitFinished, "", red("test")), ended(core.ExitTimeout, "", red("test"))}, 1, false},
		"another class":        {[]*core.Attempt{ended(core.ExitFailed, "max_turns"), ended(core.ExitFailed, "error")}, 1, false},
		"begun too often":      {[]*core.Attempt{ended(core.ExitFinished, "", red("test")), ended(core.ExitFinished, "", red("test"))}, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := &core.Run{Alias: "r", Playbook: &core.Playbook{Project: &core.Management{Rounds: 2}}}
			s := &core.Stage{ID: "step-1", Round: c.round}
			switch b := recovery(r, s, &core.Task{Attempts: c.attempts, Counted: len(c.attempts)}).(type) {
			case core.StageDiscarded:
				if !c.anew || !b.Again || b.Stage != s.ID || b.Round != c.round {
					t.Errorf("it is begun anew: %+v", b)
				}
			case core.RunPaused:
				if c.anew || b.Code != core.PauseAttempts {
					t.Errorf("a person is asked: %+v", b)
				}
			default:
				t.Errorf("decided %+v", b)
			}
		})
	}
}
