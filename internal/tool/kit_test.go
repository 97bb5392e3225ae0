package tool_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/desk"
	"github.com/stellwerk-dev/stellwerk/internal/tool"
)

// planner is an engine with a plan: it refuses changes of another one.
type planner struct {
	apitest.Service
	now  api.Plan
	sent []api.UpdatePlan
	lose bool // answers get lost
}

var errLost = errors.New("the answer was lost")

func (p *planner) Plan(context.Context, string) (api.Plan, error) {
	now := p.now
	now.Files = maps.Clone(now.Files)
	return now, nil
}

func (p *planner) UpdatePlan(_ context.Context, _ string, req api.UpdatePlan) (api.Plan, error) {
	p.sent = append(p.sent, req)
	switch {
	case req.Base != p.now.Digest:
		return api.Plan{}, core.Errorf(core.CodeConflict, "the plan was changed since you read it")
	case len(req.Files) == 0:
		return api.Plan{}, core.Errorf(core.CodeInvalid, "nothing of the plan is different")
	}
	p.change(req.Files)
	if p.lose {
		return api.Plan{}, errLost
	}
	return p.now, nil
}

// change makes a commit of the plan.
func (p *planner) change(files map[string]string) {
	if p.now.Files == nil {
		p.now.Files = map[string]string{}
	}
	maps.Copy(p.now.Files, files)
	p.now.Digest = "digest of " + p.now.Files[desk.PlanFile]
	p.now.Commit += "c"
}

// sitting is a manager at its desk.
type sitting struct {
	tool.Kit
	engine *planner
}

func sit(t *testing.T) sitting {
	t.Helper()
	p := &planner{}
	dir, note := t.TempDir(), filepath.Join(t.TempDir(), "origin.json")
	if err := os.Mkdir(filepath.Join(dir, desk.Folder), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := desk.Lay(dir, note); err != nil {
		t.Fatal(err)
	}
	return sitting{tool.Kit{Tools: p, Run: "r1", Dir: dir, Origin: note}, p}
}

func (s sitting) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.Dir, desk.Folder, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (s sitting) update(t *testing.T, want core.Code, sent ...string) {
	t.Helper()
	before := len(s.engine.sent)
	done, err := s.UpdatePlan(t.Context(), "why")
	if core.CodeOf(err) != want {
		t.Errorf("update: %v, want %q", err, want)
	}
	if len(sent) == 0 {
		return
	}
	if got := s.engine.sent[before:]; len(got) != 1 || len(got[0].Files) != len(sent) || want == "" && len(done.Sent) != len(sent) {
		t.Errorf("sent %+v, said %v, want %v", got, done.Sent, sent)
	}
}

func TestUpdatePlanTwiceInATurn(t *testing.T) {
	s := sit(t)
	s.write(t, "plan.md", "one")
	s.update(t, "", "plan.md")
	s.write(t, "plan.md", "two")
	s.write(t, "context.md", "context")
	s.update(t, "", "plan.md", "context.md")
	s.update(t, core.CodeInvalid)
}

// TestUpdatePlanOfAPlanThatMoved: a person's change is not overwritten unseen,
// and what only they changed is not sent at all.
func TestUpdatePlanOfAPlanThatMoved(t *testing.T) {
	s := sit(t)
	s.write(t, "plan.md", "one")
	s.write(t, "context.md", "context")
	s.update(t, "", "plan.md", "context.md")
	s.engine.change(map[string]string{"plan.md": "the person's", "context.md": "the person's"})
	s.write(t, "plan.md", "two")
	s.update(t, core.CodeConflict)
	shown, err := s.ShowPlan(t.Context())
	if err != nil || shown.Files["plan.md"] != "the person's" {
		t.Fatalf("%+v, %v", shown, err)
	}
	s.write(t, "plan.md", "the person's, and two")
	s.update(t, "", "plan.md")
	if got := s.engine.now.Files; got["context.md"] != "the person's" || got["plan.md"] != "the person's, and two" {
		t.Errorf("the plan is %v", got)
	}
}

// TestUpdatePlanWhoseAnswerWasLost: calling again finds it done.
func TestUpdatePlanWhoseAnswerWasLost(t *testing.T) {
	s := sit(t)
	s.write(t, "plan.md", "one")
	s.engine.lose = true
	if _, err := s.UpdatePlan(t.Context(), "why"); !errors.Is(err, errLost) {
		t.Fatal(err)
	}
	s.engine.lose = false
	done, err := s.UpdatePlan(t.Context(), "why")
	if err != nil || len(done.Sent) != 0 || len(s.engine.sent) != 1 {
		t.Errorf("%+v, %v; sent %d times", done, err, len(s.engine.sent))
	}
	s.write(t, "plan.md", "two")
	s.update(t, "", "plan.md")
}

// TestUpdatePlanByAPerson sends what differs from the plan as it is, made from
// the plan they name.
func TestUpdatePlanByAPerson(t *testing.T) {
	s := sit(t)
	s.engine.change(map[string]string{"plan.md": "one", "spec.md": "spec"})
	s.Origin = ""
	s.write(t, "plan.md", "two")
	s.write(t, "spec.md", "spec")
	s.update(t, core.CodeConflict, "plan.md")
	s.Base = s.engine.now.Digest
	s.update(t, "", "plan.md")
}

// TestUnheardIsNoted where the engine finds it, and nothing else is taken for it.
func TestUnheardIsNoted(t *testing.T) {
	s := sit(t)
	if desk.Unheard(s.Origin) {
		t.Error("a new desk is unheard")
	}
	if err := s.Unheard(); err != nil || !desk.Unheard(s.Origin) {
		t.Errorf("it is not noted: %v", err)
	}
	if err := os.Remove(s.Origin); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(s.Origin, 0o600); err != nil {
		t.Fatal(err)
	}
	if desk.Unheard(s.Origin) {
		t.Error("a pipe is a note")
	}
	s.Origin = ""
	if err := s.Unheard(); err != nil {
		t.Errorf("a person's call: %v", err)
	}
}

// TestSayDetail: of what is long it is said how much is missing, and how to go on.
func TestSayDetail(t *testing.T) {
	if got := tool.SayDetail(api.FetchedDetail{Content: "all of it\n", Size: 10}); got != "all of it" {
		t.Errorf("%q", got)
	}
	if got := tool.SayDetail(api.FetchedDetail{Content: "half", Size: 9, Next: 4}); got != "half\n\n[5 of 9 bytes left out; continue from byte 4 (--from)]" {
		t.Errorf("%q", got)
	}
	if got := tool.SayDetails(api.DetailIndex{}); got != "nothing yet" {
		t.Errorf("%q", got)
	}
}

// TestEveryToolSpeaksWithTheVoiceOfItsCaller, unless a call names another.
func TestEveryToolSpeaksWithTheVoiceOfItsCaller(t *testing.T) {
	s := sit(t)
	s.Voice = core.VoiceBlue
	s.write(t, "plan.md", "one")
	if _, err := s.UpdatePlan(t.Context(), "the plan"); err != nil || len(s.engine.sent) != 1 || s.engine.sent[0].Voice != core.VoiceBlue {
		t.Errorf("the plan is sent as %+v: %v", s.engine.sent, err)
	}
	for _, c := range []struct{ named, want core.Voice }{{"", core.VoiceBlue}, {core.VoiceUser, core.VoiceUser}} {
		_, delegated := s.Delegate(t.Context(), "r1", core.Proposal{Voice: c.named})
		_, told := s.Tell(t.Context(), "r1", api.Tell{Voice: c.named})
		_, asked := s.Ask(t.Context(), "r1", api.Ask{Voice: c.named})
		_, read := s.Detail(t.Context(), "r1", api.FetchDetail{Voice: c.named})
		if err := errors.Join(delegated, told, asked, read); err != nil {
			t.Fatal(err)
		}
		calls := s.engine.Calls()
		want := []any{core.Proposal{Voice: c.want}, api.Tell{Voice: c.want}, api.Ask{Voice: c.want}, api.FetchDetail{Voice: c.want}}
		for i, call := range calls[len(calls)-len(want):] {
			if diff := cmp.Diff(want[i], call.Req); diff != "" {
				t.Errorf("%s: %s", call.Verb, diff)
			}
		}
	}
}
