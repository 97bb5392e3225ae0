package project_test

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/project"
)

// run is a run of the project, as far as the project is concerned.
type run struct {
	drives, open bool
	pause        core.PauseCode
}

// world is a project with its runs, and engines that die at any moment. It holds
// every event to the law, and a start to the claim on the project, as the store
// does. Everything else it notices by itself.
type world struct {
	*rapid.T
	p        *core.Project
	now      time.Time
	runs     map[string]*run
	line     []string // ids of the epics that wait, as people put them
	fate     map[string]string
	starting *core.QueuedEpic // an epic whose run is being prepared
	decided  []func()         // what an engine was about to do
}

func newWorld(t *rapid.T) *world {
	w := &world{T: t, now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), runs: map[string]*run{}, fate: map[string]string{}}
	w.say(core.Engine(), core.ProjectRegistered{Project: "p", Name: "shop"})
	return w
}

// say records an event of the project, and reports whether the law allowed it.
func (w *world) say(actor core.Actor, body core.Body) bool {
	if core.LawProject(w.p, actor, body) != nil {
		return false
	}
	switch b := body.(type) {
	case core.ProjectArchived:
		if len(w.facts().Open) > 0 {
			return false
		}
	case core.EpicDropped:
		if w.runs[w.p.Epic(b.Epic).Run] != nil {
			return false
		}
		w.leaves(b.Epic, "dropped")
	case core.EpicRefused:
		w.leaves(b.Epic, "refused")
	case core.EpicRequeued:
		w.line = append(w.line, b.Epic)
		delete(w.fate, b.Epic)
	case core.EpicQueued:
		w.line = append(w.line, b.Epic.ID)
	default:
	}
	head := core.Head{}
	if w.p != nil {
		head = w.p.Stream
	}
	e, next, err := core.Seal("project/p", head, w.now, actor, "", body)
	if err != nil {
		w.Fatal(err)
	}
	if w.p, err = core.FoldProject(w.p, e); err != nil {
		w.Fatal(err)
	}
	w.p.Stream = next
	return true
}

func (w *world) leaves(epic, fate string) {
	w.line = slices.DeleteFunc(w.line, func(id string) bool { return id == epic })
	w.fate[epic] = fate
}

// begin starts a run, if the law and the claim on the project allow it.
func (w *world) begin(id, epic string, drives bool) bool {
	started := core.RunStarted{Run: id, Epic: epic}
	if drives {
		started.Playbook.Project = &core.Management{}
	}
	if w.runs[id] != nil || core.LawWithin(w.p, started) != nil || drives && w.facts().Driver != "" {
		return false
	}
	if w.p.Pause != nil || w.p.Archived != nil {
		w.Fatalf("run %s begins in a project that stands still", id)
	}
	w.runs[id] = &run{drives: drives, open: true}
	return true
}

func (w *world) facts() core.ProjectFacts {
	f := core.ProjectFacts{Now: w.now}
	for _, id := range w.ids() {
		r := w.runs[id]
		if !r.open {
			continue
		}
		f.Open = append(f.Open, core.OpenRun{ID: id, Pause: r.pause})
		if r.drives && f.Driver != "" {
			w.Fatalf("both %s and %s drive the project", f.Driver, id)
		}
		if r.drives {
			f.Driver = id
		}
	}
	if next := w.p.Waiting(); len(next) > 0 {
		f.Begun = w.runs[next[0].Run] != nil
	}
	return f
}

func (w *world) ids() []string {
	var ids []string
	for id := range w.runs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// look decides by the present state. What was decided is done later: one by one,
// in any order, or never.
func (w *world) look() {
	a := project.Decider{}.Decide(w.p, w.facts())
	for _, id := range a.Pause {
		w.decided = append(w.decided, func() { w.pause(id) })
	}
	for _, id := range a.Resume {
		w.decided = append(w.decided, func() { w.resume(id, core.PauseProject) })
	}
	if a.Taken != nil {
		w.decided = append(w.decided, func() { w.taken(*a.Taken) })
	}
	if e := a.Start; e != nil {
		w.decided = append(w.decided, func() { w.starting = e })
	}
}

// taken records that an epic has become a run.
func (w *world) taken(body core.EpicTaken) {
	if w.runs[body.Run] == nil {
		w.Fatalf("%s is taken, and there is no run %s", body.Epic, body.Run)
	}
	if w.say(core.Engine(), body) {
		w.leaves(body.Epic, "taken")
	}
}

func (w *world) pause(id string) {
	r := w.runs[id]
	if !r.open || core.LawWithin(w.p, core.RunPaused{Code: core.PauseProject}) != nil {
		return
	}
	if r.pause == "" || r.pause == core.PauseQuestion {
		r.pause = core.PauseProject
	}
}

// resume lets a run go on whose pause has a code.
func (w *world) resume(id string, code core.PauseCode) {
	r := w.runs[id]
	if r.open && r.pause == code && core.LawWithin(w.p, core.RunResumed{}) == nil {
		r.pause = ""
	}
}

// start is how the preparation of an epic's run ends.
func (w *world) start(failure *core.StartFailure) {
	e := w.starting
	w.starting = nil
	if e == nil {
		return
	}
	if failure == nil {
		ahead := w.line
		if w.begin(e.Run, e.ID, true) && ahead[0] != e.ID {
			w.Fatalf("%s begins before %v", e.ID, ahead)
		}
		return
	}
	if w.runs[e.Run] != nil {
		return // which the store refuses
	}
	failure.Epic, failure.Reason = e.ID, "why"
	if body := (project.Decider{}).Failed(w.p, *failure); body != nil {
		w.say(core.Engine(), body)
	}
}

// queue puts a goal at the end of the line.
func (w *world) queue() {
	id := core.EpicID(w.p.Epics + 1)
	w.say(core.Person("ada"), core.EpicQueued{Epic: core.Epic{ID: id, Run: "run of " + id, Goal: "g", Playbook: "b", Base: "main"}})
}

func (w *world) String() string {
	return fmt.Sprintf("line %v, fate %v, paused %v, archived %v, driver %q", w.line, w.fate, w.p.Pause != nil, w.p.Archived != nil, w.facts().Driver)
}
