package cockpit

import (
	"net/url"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/patch"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestWhatPagesSayOfTheirData(t *testing.T) {
	was := &cell{Line: patch.Line{Kind: patch.Less, Old: 3}}
	is := &cell{Line: patch.Line{Kind: patch.Plus, New: 4}}
	same := &cell{Line: patch.Line{Kind: patch.Same, Old: 5, New: 6}}
	from := func(r row) string { return hunkView{Rows: []row{r}}.From() }
	talking := func(m *api.Manager) string { return talkBody{Run: &api.RunDetail{Manager: m}}.Manager() }
	said := func(k core.SaidKind) string { return utterance{Message: api.Message{Said: core.Said{Kind: k}}}.Did() }
	for _, c := range []struct{ what, got, want string }{
		{"a hunk of nothing", hunkView{}.From(), ""},
		{"a hunk that takes away", from(row{Left: was}), "from line 3 before"},
		{"a hunk that takes away, beside what is new", from(row{Left: was, Right: is}), "from line 3 before"},
		{"a hunk that adds, beside nothing", from(row{Right: is}), "from line 4"},
		{"a hunk", from(row{Left: same, Right: same}), "from line 6"},
		{"the link of a line that was", was.Label(), "Comment on line 3 as it was"},
		{"the link of a line", same.Label(), "Comment on line 6"},
		{"a stage with a title", stageName(api.Stage{ID: "a", Title: "A"}), "A"},
		{"a stage without", stageName(api.Stage{ID: "a"}), "a"},
		{"a task with a prompt", taskName(api.Task{Prompt: "Do it", Name: "n", Role: "coder"}), "Do it"},
		{"a task with a name", taskName(api.Task{Name: "n", Act: "publish"}), "n"},
		{"a task of the engine", taskName(api.Task{Act: "publish", Role: "coder"}), "publish"},
		{"a task of a role", taskName(api.Task{Role: "coder"}), "coder"},
		{"a task below its stage", taskHere(api.Stage{Title: "Do it"}, api.Task{Prompt: "Do it", Role: "coder"}), "coder"},
		{"a task of an earlier round", workOf([]api.Stage{{ID: "step-3", Title: "Draw"}}, "step-3.r2.code.a1").String(), "Draw · code · round 2 · attempt 1"},
		{"a task of nobody knows what", workOf(nil, "plan.r1").String(), "Plan"},
		{"ids within words", byName([]api.Stage{{ID: "step-3", Title: "Draw"}}, "step-3.r1.code.a2 from 1234: step-3.r1"), "Draw · code · attempt 2 from 1234: Draw"},
		{"words without ids", byName([]api.Stage{{ID: "step-3"}}, "step-3, round 2; step-4.r1"), "step-3, round 2; step-4.r1"},
		{"a check", nameCheck("command: make test").With, "make test"},
		{"a check of several", nameCheck("any of (command: a; command: b)").Kind, "Any of (command: a; command: b)"},
		{"a conflict", disagreement(core.ConflictFile), "one file, two writers"},
		{"a conflict of a kind to come", disagreement("other"), "other"},
		{"a conversation without a run", talkBody{}.Manager(), ""},
		{"a run without a manager", talking(nil), ""},
		{"a manager that asks", talking(&api.Manager{Asks: true, Busy: true}), "the manager is waiting for an answer"},
		{"a manager at work", talking(&api.Manager{Busy: true}), "the manager is at work"},
		{"a manager with nothing to do", talking(&api.Manager{Idle: true}), "the manager has nothing to do"},
		{"a manager that waits", talking(&api.Manager{}), "the manager is waiting for the work it delegated"},
		{"a goal", said(core.SaidGoal), "gave the goal"},
		{"an answer", said(core.SaidAnswer), "answered"},
		{"a message", said(core.SaidMessage), ""},
		{"a window", page{Title: "Runs"}.WindowTitle(), "Runs · Stellwerk"},
		{"a window while something waits", page{Title: "Runs", Waiting: 2}.WindowTitle(), "(2) Runs · Stellwerk"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.what, c.got, c.want)
		}
	}
}

func TestTheFormOfAnEpicShowsWhatWasChosen(t *testing.T) {
	own, other := api.PlaybookEntry{Name: "own", Chosen: true}, api.PlaybookEntry{Name: "other"}
	if b := (epicBody{Playbooks: []api.PlaybookEntry{other, own}}); !b.Picked(own) || b.Picked(other) {
		t.Error("without a choice the project's playbook is not marked")
	}
	feature := api.PlaybookEntry{Name: "feature", Origin: "builtin", Chosen: true, Lacks: "there is no claude"}
	if b := (epicBody{Playbooks: []api.PlaybookEntry{feature, other}}); b.Picked(feature) || !b.Picked(other) {
		t.Error("a playbook that cannot start is marked")
	}
	if b := (epicBody{Playbooks: []api.PlaybookEntry{feature}}); b.Picked(feature) {
		t.Error("the only playbook cannot start and is marked")
	}
	if b := (epicBody{Form: epicForm{url.Values{"playbook": {"other"}}}}); b.Picked(own) || !b.Picked(other) {
		t.Error("the playbook that was chosen is not marked")
	}
	if (epicForm{url.Values{"goal": {"g"}, "yes": {"on"}}}).Particular() || !(epicForm{url.Values{"hours": {"2"}}}).Particular() || !(epicForm{url.Values{"designer": {"on"}}}).Particular() {
		t.Error("choices are unfolded for the wrong reasons")
	}
}
