package playbook

import (
	"strings"
	"testing"
)

func TestWarnings(t *testing.T) {
	tests := []struct {
		name string
		text string
		want string // "" means none
	}{
		{"only state", head + "- {id: a, role: developer, done: [state: .ok]}\n",
			"4:3: phases[0]: the phase has only state checks, and state is what agents report about themselves; add a command, changed or artifact check"},
		{"code nobody looks at", head + "- {id: a, role: developer, writes: code, outputs: [a.md]}\n",
			"4:3: phases[0]: the phase writes code, but no check looks at what it changed; add a changed or command check, or set writes: artifacts"},
		{"only files", head + "- {id: a, role: developer, done: [files: go.mod]}\n",
			"4:3: phases[0]: the phase writes code, but no check looks at what it changed; add a changed or command check, or set writes: artifacts"},
		{"short timeout", head + "- {id: a, role: planner, outputs: [a.md], timeout: 5s}\n",
			"4:52: phases[0].timeout: 5s is very short; s is seconds, m is minutes"},
		{"long timeout", head + "- {id: a, role: planner, outputs: [a.md], timeout: 30h}\n",
			"4:52: phases[0].timeout: 30h is very long; h is hours, m is minutes"},
		{"input that may be missing", head + "- {id: a, role: planner, when: .ui, outputs: [a.md]}\n- {id: b, role: planner, inputs: [a.md], outputs: [b.md]}\n",
			`5:35: phases[1].inputs[0]: "a.md" is handed in by the phase "a", which its when may skip; make the input optional`},
		{"input of a spoke", head + "- {id: a, team: {spokes: [developer], hub: planner}, outputs: [a.md]}\n- {id: b, role: planner, inputs: [a-developer.md], outputs: [b.md]}\n",
			`5:35: phases[1].inputs[0]: "a-developer.md" is handed in by the phase "a", whose work one role does alone if a spoke cannot deliver; make the input optional`},
		{"input of a team that pauses", head + "- {id: a, team: {spokes: [developer], hub: planner, fallback: none}, outputs: [a.md]}\n- {id: b, role: planner, inputs: [a-developer.md], outputs: [b.md]}\n", ""},
		{"input of an optional spoke", head + "- {id: a, team: {spokes: [developer], hub: planner, fallback: none, optional: {ui-designer: ui_designer}}, outputs: [a.md]}\n- {id: b, role: planner, inputs: [a-ui-designer.md], outputs: [b.md]}\n",
			`5:35: phases[1].inputs[0]: "a-ui-designer.md" is handed in by the phase "a", whose spoke "ui-designer" takes part only if ui_designer was chosen; make the input optional`},
		{"skippable without a plan", head + "- {id: a, role: planner, outputs: [plan.json]}\n- {id: b, role: planner, skippable: true, outputs: [b.md]}\n",
			"5:26: phases[1].skippable: no plan can skip the phase; let an earlier phase hand in plan.json and have gate: approval"},
		{"skippable by a plan", head + "- {id: a, role: planner, gate: approval, outputs: [plan.json]}\n- {id: b, role: planner, skippable: true, outputs: [b.md]}\n", ""},
		{"optional input that may be missing", head + "- {id: a, role: planner, when: .ui, outputs: [a.md]}\n- {id: b, role: planner, inputs: [{name: a.md, optional: true}], outputs: [b.md]}\n", ""},
		{"same output twice", head + "- {id: a, role: planner, outputs: [a.md]}\n- {id: b, role: planner, outputs: [a.md]}\n",
			`5:35: phases[1].outputs: "a.md" is also handed in by the phase "a"; later phases see the newest`},
		{"after the pull request", head + "- {id: a, act: pull-request}\n- {id: b, role: planner, outputs: [b.md]}\n",
			"5:3: phases[1]: this phase comes after the pull request, so its changes are not part of it"},
		{"unused definitions", "name: p\nkind: phases\nagents: {mine: {use: claude}}\nphases:\n- {id: a, role: planner, outputs: [a.md]}\n",
			"3:10: agents.mine: the agent is defined but no role uses it"},
		{"rollback without a review", head + "- {id: a, role: planner, outputs: [a.md]}\n- {id: b, role: planner, outputs: [b.md], rollback: {types: {x: a}}}\n",
			"5:53: phases[1].rollback: types and paths have no effect: the phase hands in no review.json"},
		{"an unused role", rules + "roles: {odd: {}}\nsteps: {role: developer, review: never, done: {command: make}}\n",
			"3:9: roles.odd: the role is defined but nothing uses it"},
		{"a role for the plan to name", rules + "roles: {odd: {}}\nsteps: {role: developer, review: never, specialists: odd, done: {command: make}}\n", ""},
		{"steps without checks", rules + "steps: {role: developer, review: never}\n",
			"3:8: steps: no check looks at a step's branch or at a merge; give done a command that builds and tests the project"},
		{"steps that are not built", rules + "steps: {role: developer, review: never, done: {files: a}}\n",
			"3:41: steps.done: nothing builds or tests a step's branch or a merge; add a command check"},
		{"work of a manager without checks", byManager + "steps: {role: developer}\n",
			"4:8: steps: no check looks at a step's branch or at a merge; give done a command that builds and tests the project"},
		{"a hasty watchdog", managed + "manager: {role: project-manager, watchdog: {every: 1s, silent: 10s}}\nsteps: {role: developer, done: {command: make}}\n",
			"3:52: manager.watchdog.every: 1s is very short; s is seconds, m is minutes"},
		{"a skipped phase is not examined", head + "- {id: a, role: developer, skip: true, done: [state: .ok]}\n", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, warnings, err := Parse("p.yaml", []byte(test.text), options())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, w := range warnings {
				got = append(got, strings.TrimPrefix(w.String(), "p.yaml:"))
			}
			if joined := strings.Join(got, "\n"); joined != test.want {
				t.Errorf("got:\n%s\nwant:\n%s", joined, test.want)
			}
		})
	}
}

// TestWrites holds the rule for phases that do not say what they write.
func TestWrites(t *testing.T) {
	tests := map[string]string{
		"outputs: [a.md]":                                        "artifacts",
		"outputs: [a.md], done: [state: .ok]":                    "artifacts",
		"outputs: [a.md], done: [command: x]":                    "code",
		"outputs: [a.md], done: [changed: x]":                    "code",
		"outputs: [a.md], done: [{any: [git: linear]}]":          "code",
		"done: [command: x]":                                     "code",
		"done: [state: .ok]":                                     "code",
		"outputs: [a.md], done: [command: x], writes: artifacts": "artifacts",
	}
	for text, want := range tests {
		p, _, err := Parse("p.yaml", []byte(head+"- {id: a, role: planner, "+text+"}\n"), options())
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := string(p.Phases[0].Writes); got != want {
			t.Errorf("%s writes %s, want %s", text, got, want)
		}
	}
}

// TestNoCheckLeft refuses a phase whose only check names a command the project does not have.
func TestNoCheckLeft(t *testing.T) {
	_, _, err := Parse("p.yaml", []byte(head+"- id: a\n  role: developer\n  done:\n  - command: ${test}\n"), Options{Roles: options().Roles})
	if err == nil || !strings.Contains(err.Error(), "p.yaml:4:3: phases[0]: nothing shows that this phase is done") {
		t.Errorf("error %v", err)
	}
}

// TestReviewFallback sends findings without a map to the nearest phase that writes code.
func TestReviewFallback(t *testing.T) {
	p, _, err := Parse("p.yaml", []byte(head+`- {id: a, role: developer, done: [command: x]}
- {id: b, role: developer, done: [command: x]}
- {id: c, role: planner, outputs: [c.md]}
- {id: r, role: code-reviewer, outputs: [review.json]}
`), options())
	if err != nil {
		t.Fatal(err)
	}
	if r := p.Phase("r"); r.Findings != "ask" || r.Rollback == nil || r.Rollback.Default != "b" {
		t.Errorf("findings %q, rollback %+v", r.Findings, r.Rollback)
	}
}
