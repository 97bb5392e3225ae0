package project_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/project"
)

// deeds are what people, runs, engines and the time do to a project.
func (w *world) deeds() map[string]func(*rapid.T) {
	ada := core.Person("ada")
	epic := func(t *rapid.T) string { return core.EpicID(rapid.IntRange(1, w.p.Epics+1).Draw(t, "epic")) }
	some := func(t *rapid.T) string {
		if len(w.runs) == 0 {
			t.Skip("there is no run")
		}
		return rapid.SampledFrom(w.ids()).Draw(t, "run")
	}
	return map[string]func(*rapid.T){
		"queue":   func(*rapid.T) { w.queue() },
		"drop":    func(t *rapid.T) { w.say(ada, core.EpicDropped{Epic: epic(t)}) },
		"requeue": func(t *rapid.T) { w.say(ada, core.EpicRequeued{Epic: epic(t)}) },
		"pause":   func(*rapid.T) { w.say(ada, core.ProjectPaused{}) },
		"resume":  func(*rapid.T) { w.say(ada, core.ProjectResumed{}) },
		"archive": func(*rapid.T) { w.say(ada, core.ProjectArchived{}) },
		"run":     func(t *rapid.T) { w.begin(fmt.Sprint("run ", len(w.runs)), "", rapid.Bool().Draw(t, "drives")) },
		"run waits": func(t *rapid.T) {
			if r := w.runs[some(t)]; r.pause == "" {
				r.pause = rapid.SampledFrom([]core.PauseCode{core.PausePerson, core.PauseQuestion, core.PauseBudget}).Draw(t, "code")
			}
		},
		"run goes on": func(t *rapid.T) { id := some(t); w.resume(id, w.runs[id].pause) },
		"run ends":    func(t *rapid.T) { w.runs[some(t)].open = false },
		"look":        func(*rapid.T) { w.look() },
		"do": func(t *rapid.T) {
			if len(w.decided) == 0 {
				t.Skip("nothing was decided")
			}
			i := rapid.IntRange(0, len(w.decided)-1).Draw(t, "which")
			do := w.decided[i]
			w.decided = slices.Delete(w.decided, i, i+1)
			do()
		},
		"kill":  func(*rapid.T) { w.decided, w.starting = nil, nil },
		"start": func(*rapid.T) { w.start(nil) },
		"fail":  func(t *rapid.T) { w.start(&core.StartFailure{Passing: rapid.Bool().Draw(t, "passing")}) },
		"time passes": func(t *rapid.T) {
			w.now = w.now.Add(time.Duration(rapid.IntRange(1, 90).Draw(t, "seconds")) * time.Second)
		},
		"": func(*rapid.T) { w.orderly() },
	}
}

// orderly holds what must be true at every moment.
func (w *world) orderly() {
	w.facts() // of which no two drive the project
	var waiting []string
	for _, e := range w.p.Waiting() {
		waiting = append(waiting, e.ID)
	}
	if !slices.Equal(waiting, w.line) {
		w.Fatalf("%v wait, and people put them as %v", waiting, w.line)
	}
	a := project.Decider{}.Decide(w.p, w.facts())
	switch {
	case a.Start != nil && (w.p.Still() != nil || w.facts().Driver != "" || a.Start.ID != w.line[0]):
		w.Fatalf("%s is to begin: %s", a.Start.ID, w)
	case w.p.Still() != nil && len(a.Resume) > 0, w.p.Still() == nil && len(a.Pause) > 0:
		w.Fatalf("%+v is decided: %s", a, w)
	}
}

// settle is an engine that is left alone until nothing is to be done.
func (w *world) settle() {
	for range 5 {
		w.decided, w.starting = nil, nil
		w.look()
		for _, do := range w.decided {
			do()
		}
		w.start(nil)
	}
}

// TestNobodyIsForgotten plays people, runs, failures and engines that are killed.
// However that went, an engine that is left alone then brings the project in
// order, and each epic to its turn.
func TestNobodyIsForgotten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		t.Repeat(w.deeds())
		w.settle()
		for id, r := range w.runs {
			if r.open && (w.p.Pause != nil && r.pause == "" || w.p.Still() == nil && r.pause == core.PauseProject) {
				t.Fatalf("%s is paused for %q: %s", id, r.pause, w)
			}
		}
		w.say(core.Person("ada"), core.ProjectResumed{})
		for range w.p.Epics + 1 {
			w.now = w.now.Add(time.Hour)
			w.settle()
			for _, r := range w.runs {
				r.open = false
			}
		}
		for n := range w.p.Epics {
			if id := core.EpicID(n + 1); w.fate[id] == "" {
				t.Fatalf("%s still waits: %s", id, w)
			}
		}
	})
}

// TestAPauseIsUndone: a project that was paused and resumed leaves its runs as
// they were, and those that were paused for themselves are not touched at all.
func TestAPauseIsUndone(t *testing.T) {
	codes := []core.PauseCode{"", core.PauseQuestion, core.PausePerson, core.PauseBudget, core.PauseAction, core.PauseAttempts}
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		before := map[string]core.PauseCode{}
		for i, code := range rapid.SliceOfN(rapid.SampledFrom(codes), 0, 8).Draw(t, "runs") {
			id := fmt.Sprint("run ", i)
			w.runs[id], before[id] = &run{open: true, pause: code}, code
		}
		w.say(core.Person("ada"), core.ProjectPaused{})
		w.settle()
		for id, r := range w.runs {
			if own := before[id] != "" && before[id] != core.PauseQuestion; own && r.pause != before[id] || !own && r.pause != core.PauseProject {
				t.Fatalf("%s, paused for %q, is paused for %q with its project", id, before[id], r.pause)
			}
		}
		w.say(core.Person("ada"), core.ProjectResumed{})
		w.settle()
		for id, r := range w.runs {
			want := before[id]
			if want == core.PauseQuestion {
				want = "" // the run itself pauses again while nobody has answered
			}
			if r.pause != want {
				t.Fatalf("%s, paused for %q, is paused for %q when its project goes on", id, before[id], r.pause)
			}
		}
	})
}

// TestAStartIsTriedAgain: a reason that may pass costs an epic its turn after
// five tries, and any other at once.
func TestAStartIsTriedAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.queue()
		for range 4 {
			failed := w.now
			w.starting = &w.p.Queue[0]
			w.start(&core.StartFailure{Passing: true})
			due := project.Decider{}.Due(w.p)
			if due == nil || !due.After(failed) || (project.Decider{}).Decide(w.p, w.facts()).Start != nil {
				t.Fatalf("tried at %s, again at %v", failed, due)
			}
			w.now = *due
			if (project.Decider{}).Decide(w.p, w.facts()).Start == nil {
				t.Fatalf("it is not tried again at %s: %s", w.now, w)
			}
		}
		w.starting = &w.p.Queue[0]
		w.start(&core.StartFailure{Passing: rapid.Bool().Draw(t, "passing")})
		if w.fate["epic-1"] != "refused" || (project.Decider{}).Due(w.p) != nil {
			t.Fatalf("after five tries: %s", w)
		}
		w.say(core.Person("ada"), core.EpicRequeued{Epic: "epic-1"})
		if e := w.p.Queue[0]; e.Tries != 0 || (project.Decider{}).Decide(w.p, w.facts()).Start == nil {
			t.Fatalf("queued again: %+v", e)
		}
	})
}
