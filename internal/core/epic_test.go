package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestProjectName(t *testing.T) {
	for name, want := range map[string]bool{
		"shop": true, "shop-2": true, "a": true, "0198": true, "my.shop_x": true, strings.Repeat("a", 64): true,
		"": false, "Shop": false, "-shop": false, ".shop": false, "a/b": false, "a b": false, "schön": true, "商店": true, "Ärzte": false, "a\n": false, "a\u200b": false, "\xff": false,
		strings.Repeat("a", 65): false, "0123456789abcdef": false, "0123456789abcdeg": true,
	} {
		if got := core.ProjectName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// story is a project that things happen to.
type story struct {
	t    *testing.T
	p    *core.Project
	head core.Head
	now  time.Time
}

func newStory(t *testing.T) *story {
	s := &story{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	s.happens(core.Engine(), core.ProjectRegistered{Project: "p", Name: "shop", Path: "/r"})
	return s
}

func (s *story) happens(actor core.Actor, body core.Body) {
	s.t.Helper()
	if err := core.LawProject(s.p, actor, body); err != nil {
		s.t.Fatalf("%s: %v", core.TypeOf(body), err)
	}
	e, head, err := core.Seal(core.ProjectStream("p"), s.head, s.now, actor, "", body)
	if err == nil {
		s.p, err = core.FoldProject(s.p, e)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.head = head
}

func (s *story) refused(code core.Code, actor core.Actor, body core.Body) {
	s.t.Helper()
	if err := core.LawProject(s.p, actor, body); core.CodeOf(err) != code {
		s.t.Errorf("%s: %v, want %s", core.TypeOf(body), err, code)
	}
}

func (s *story) queue(n int) {
	s.t.Helper()
	s.happens(core.Person("ada"), core.EpicQueued{Epic: epic(n)})
}

func epic(n int) core.Epic {
	return core.Epic{ID: core.EpicID(n), Run: "run-" + core.EpicID(n), Goal: "g", Title: "t", Playbook: "project-rules", Base: "main"}
}

func (s *story) waits(want string) {
	s.t.Helper()
	var ids []string
	for _, e := range s.p.Waiting() {
		ids = append(ids, e.ID)
	}
	if got := strings.Join(ids, " "); got != want {
		s.t.Errorf("%q wait, want %q", got, want)
	}
}

func TestEpicsHaveTheirTurn(t *testing.T) {
	s := newStory(t)
	ada, engine := core.Person("ada"), core.Engine()
	for n := 1; n <= 4; n++ {
		s.queue(n)
	}
	s.waits("epic-1 epic-2 epic-3 epic-4")
	if e := s.p.Epic("epic-2"); e.By != "ada" || s.p.Place("epic-2") != 2 {
		t.Errorf("%+v at place %d", e, s.p.Place("epic-2"))
	}
	s.refused(core.CodeUnlawful, engine, core.EpicTaken{Epic: "epic-1", Run: "another"})
	s.happens(engine, core.EpicTaken{Epic: "epic-1", Run: "run-epic-1"})
	s.refused(core.CodeNotFound, engine, core.EpicTaken{Epic: "epic-1", Run: "run-epic-1"})
	s.happens(engine, core.EpicRefused{Epic: "epic-2", Reason: "no agent", Advice: core.Advice{Hint: "install it"}})
	s.waits("epic-3 epic-4")
	s.refused(core.CodeConflict, engine, core.EpicTaken{Epic: "epic-2", Run: "run-epic-2"})
	s.refused(core.CodeConflict, engine, core.EpicRefused{Epic: "epic-2"})
	s.refused(core.CodeConflict, ada, core.EpicRequeued{Epic: "epic-3"})
	s.happens(ada, core.EpicRequeued{Epic: "epic-2"})
	s.waits("epic-3 epic-4 epic-2")
	s.happens(ada, core.EpicDropped{Epic: "epic-4"})
	s.waits("epic-3 epic-2")
	s.refused(core.CodeNotFound, ada, core.EpicDropped{Epic: "epic-4"})
	s.refused(core.CodeUnlawful, ada, core.EpicQueued{Epic: epic(4)})
	s.queue(5)
}

func TestAnEpicSaysEverythingThatIsStarted(t *testing.T) {
	s := newStory(t)
	for name, spoil := range map[string]func(*core.Epic){
		"run": func(e *core.Epic) { e.Run = "" }, "goal": func(e *core.Epic) { e.Goal = "" },
		"playbook": func(e *core.Epic) { e.Playbook = "" }, "base": func(e *core.Epic) { e.Base = "" },
	} {
		e := epic(1)
		spoil(&e)
		if err := core.LawProject(s.p, core.Person("ada"), core.EpicQueued{Epic: e}); core.CodeOf(err) != core.CodeUnlawful {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func TestAQueueIsBounded(t *testing.T) {
	s := newStory(t)
	n := 1
	for ; core.LawProject(s.p, core.Person("ada"), core.EpicQueued{Epic: epic(n)}) == nil; n++ {
		s.queue(n)
		if n > 1000 {
			t.Fatal("it is not")
		}
	}
	s.refused(core.CodeConflict, core.Person("ada"), core.EpicQueued{Epic: epic(n)})
}

func TestAProjectStandsStill(t *testing.T) {
	s := newStory(t)
	ada := core.Person("ada")
	if err := s.p.Still(); err != nil {
		t.Fatal(err)
	}
	s.refused(core.CodeConflict, ada, core.ProjectResumed{})
	s.happens(ada, core.ProjectPaused{Reason: "freeze"})
	s.refused(core.CodeConflict, ada, core.ProjectPaused{})
	if err := s.p.Still(); core.CodeOf(err) != core.CodeConflict || err.Error() != "project shop is paused: freeze" {
		t.Errorf("%v", err)
	}
	s.queue(1) // what is wanted can be said all the same
	s.happens(ada, core.ProjectArchived{})
	s.refused(core.CodeConflict, ada, core.EpicQueued{Epic: epic(2)})
	s.refused(core.CodeConflict, ada, core.ProjectArchived{})
	s.happens(ada, core.ProjectResumed{})
	if s.p.Still() != nil || s.p.Resumed != "ada" || len(s.p.Waiting()) != 1 {
		t.Errorf("%+v", s.p)
	}
}

// TestWhoSpeaksAboutAProject: steering is a person's; what became of an epic is
// what the engine saw; and no agent is heard.
func TestWhoSpeaksAboutAProject(t *testing.T) {
	s := newStory(t)
	s.queue(1)
	agent, session := core.Actor{Kind: core.ActorAgent, ID: "a"}, core.Actor{Kind: core.ActorSession, ID: "s"}
	for _, body := range []core.Body{
		core.ProjectPaused{}, core.ProjectResumed{}, core.ProjectArchived{}, core.PlaybookChosen{}, core.ContentTrusted{},
		core.EpicQueued{Epic: epic(2)}, core.EpicRequeued{}, core.EpicDropped{},
	} {
		for _, actor := range []core.Actor{agent, session, core.Engine(), core.Policy("--yes")} {
			s.refused(core.CodeForbidden, actor, body)
		}
	}
	for _, body := range []core.Body{core.EpicTaken{}, core.EpicRefused{}, core.ProjectRegistered{}} {
		for _, actor := range []core.Actor{agent, session, core.Person("ada")} {
			s.refused(core.CodeForbidden, actor, body)
		}
	}
	s.refused(core.CodeConflict, core.Engine(), core.ProjectRegistered{Project: "p", Name: "shop"})
	s.refused(core.CodeInvalid, core.Person("ada"), core.ProjectNamed{Name: "Not a name"})
	s.p = nil
	s.refused(core.CodeNotFound, core.Person("ada"), core.ProjectPaused{})
}
