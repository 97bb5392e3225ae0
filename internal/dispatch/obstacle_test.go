package dispatch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/prompt"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/session"
)

var (
	noCommit = strings.Repeat("0", 40)
	noBlob   = strings.Repeat("0", 64)
)

// room is where the attempt is to be prepared, in a folder that is its own and already there.
func (p *phased) room(t *testing.T) attemptRoom {
	t.Helper()
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	def, err := agentFor(p.run, p.task)
	if err != nil {
		t.Fatal(err)
	}
	r := attemptRoom{d: p.Dispatcher, run: p.run, stage: p.stage, task: p.task, attempt: p.attempt, def: def, folder: filepath.Join(t.TempDir(), "attempt"), yard: y}
	if err := renew(r.in(), r.out()); err != nil {
		t.Fatal(err)
	}
	return r
}

// folderAt puts a folder where a file is to be written.
func folderAt(t *testing.T, path string) {
	t.Helper()
	write(t, filepath.Join(path, "taken"), "")
}

// fileAt puts a file where a folder is to be made.
func fileAt(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	write(t, path, "taken")
}

// TestWhatStandsInTheWayOfAnAttempt keeps it from beginning, whichever of its files it is.
func TestWhatStandsInTheWayOfAnAttempt(t *testing.T) {
	phases, project := newPhased(t), managed(t)
	project.run.Answers = []core.Answer{{Question: core.Question{Text: "Which?"}, Text: "This."}}
	broken := filepath.Join(t.TempDir(), "mcp.json")
	write(t, broken, `{"mcpServers": []}`)
	named := filepath.Join(t.TempDir(), "mcp.json")
	write(t, named, `{"mcpServers": {"docs": {"command": "x"}}}`)
	inputs := func(r attemptRoom) error { _, err := r.inputs(t.Context()); return err }
	writeFiles := func(r attemptRoom) error { _, err := r.writeFiles(t.Context()); return err }
	workspace := func(r attemptRoom) error { return r.workspace(t.Context()) }
	servers := func(mcp string) func(attemptRoom) error {
		return func(r attemptRoom) error {
			r.d = &Dispatcher{Options: Options{MCP: mcp}}
			r.run = &core.Run{Playbook: &core.Playbook{}}
			return r.servers(map[string]string{})
		}
	}
	for name, c := range map[string]struct {
		of   *phased
		way  func(t *testing.T, r *attemptRoom)
		do   func(r attemptRoom) error
		want string
	}{
		"an input":                {phases, func(t *testing.T, r *attemptRoom) { folderAt(t, filepath.Join(r.in(), "plan.md")) }, inputs, "lay out an artifact"},
		"all inputs":              {phases, func(t *testing.T, r *attemptRoom) { fileAt(t, r.in()) }, inputs, "lay out an artifact"},
		"a document of before":    {phases, func(t *testing.T, r *attemptRoom) { folderAt(t, filepath.Join(r.out(), "notes.md")) }, inputs, "lay out an artifact"},
		"what Stellwerk says":     {phases, func(t *testing.T, r *attemptRoom) { folderAt(t, filepath.Join(r.in(), prompt.GoalName)) }, inputs, "lay out " + prompt.GoalName},
		"the prompt":              {phases, func(t *testing.T, r *attemptRoom) { folderAt(t, r.promptPath()) }, writeFiles, "write the prompt"},
		"the role":                {phases, func(t *testing.T, r *attemptRoom) { folderAt(t, r.rolePath()) }, writeFiles, "write the role"},
		"an attempt that is over": {phases, func(_ *testing.T, r *attemptRoom) { r.attempt = &core.Attempt{ID: "none"} }, inputs, "no attempt none"},
		"the home":                {phases, func(t *testing.T, r *attemptRoom) { fileAt(t, filepath.Join(r.folder, "home")) }, writeFiles, "make the attempt's folders"},
		"the folder":              {phases, func(t *testing.T, r *attemptRoom) { fileAt(t, r.folder) }, writeFiles, "make "},
		"the scenario": {phases, func(t *testing.T, r *attemptRoom) {
			folderAt(t, filepath.Join(r.folder, "scenario.yaml"))
			r.def.Options = map[string]string{agent.OptionScenario: "old.txt"}
		}, writeFiles, "lay out the scenario"},
		"no scenario": {phases, func(_ *testing.T, r *attemptRoom) {
			r.def.Options = map[string]string{agent.OptionScenario: "none.yaml"}
		}, writeFiles, "read the scenario"},
		"servers of no shape": {phases, func(*testing.T, *attemptRoom) {}, servers(broken), "no list of MCP servers"},
		"the servers":         {phases, func(t *testing.T, r *attemptRoom) { folderAt(t, filepath.Join(r.folder, "mcp.json")) }, servers(named), "write the MCP servers"},
		"a folder to work in": {phases, func(t *testing.T, r *attemptRoom) {
			fileAt(t, filepath.Join(r.folder, "w"))
			r.d = &Dispatcher{Options: Options{Layout: Layout{State: filepath.Join(r.folder, "w")}}}
		}, workspace, "make "},
		"a manager's plan":         {project, func(_ *testing.T, r *attemptRoom) { r.attempt = &core.Attempt{ID: builder, Base: noCommit} }, inputs, noCommit},
		"a manager's answers":      {project, func(t *testing.T, r *attemptRoom) { folderAt(t, filepath.Join(r.in(), "answers.md")) }, inputs, "lay out answers.md"},
		"a manager that is over":   {project, func(_ *testing.T, r *attemptRoom) { r.attempt = &core.Attempt{ID: "none", Base: r.attempt.Base} }, inputs, "none"},
		"a manager's prompt":       {project, func(t *testing.T, r *attemptRoom) { folderAt(t, r.promptPath()) }, inputs, "write the prompt"},
		"a manager's home":         {project, func(t *testing.T, r *attemptRoom) { fileAt(t, filepath.Join(r.folder, "home")) }, workspace, "make the attempt's folders"},
		"a manager's desk":         {project, func(_ *testing.T, r *attemptRoom) { r.attempt = &core.Attempt{ID: builder, Base: noCommit} }, workspace, "lay out the plan"},
		"a manager's origin":       {project, func(t *testing.T, r *attemptRoom) { folderAt(t, r.originPath()) }, workspace, "plan-origin.json"},
		"a folder for its scripts": {project, func(t *testing.T, r *attemptRoom) { fileAt(t, filepath.Join(r.dir(), scriptFolder)) }, attemptRoom.layScripts, "make the folder of the scripts"},
		"a script": {project, func(t *testing.T, r *attemptRoom) {
			folderAt(t, filepath.Join(r.dir(), scriptFolder, core.Tools()[0].Command()+".sh"))
		}, attemptRoom.layScripts, "lay out the script"},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.of.room(t)
			if err := os.RemoveAll(r.dir()); err != nil {
				t.Fatal(err)
			}
			c.way(t, &r)
			if err := c.do(r); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

// TestWhatIsKeptOfTheLastAttempt: its documents by their names, and not its report.
func TestWhatIsKeptOfTheLastAttempt(t *testing.T) {
	r := newPhased(t).room(t)
	if kept, err := r.keep(t.Context()); err != nil || !slices.Equal(kept, []string{"notes.md"}) || !slices.Equal(entriesOf(t, r.out()), kept) {
		t.Errorf("kept are %q, %v", kept, err)
	}
	r.task = &core.Task{}
	if kept, err := r.keep(t.Context()); err != nil || kept != nil {
		t.Errorf("of none are kept %q, %v", kept, err)
	}
}

// TestWhatStandsInTheWayOfAWavesAttempt is told as well: a document that is gone, and a place that is taken.
func TestWhatStandsInTheWayOfAWavesAttempt(t *testing.T) {
	for name, c := range map[string]struct {
		attempt string
		way     func(s *surf, r attemptRoom)
		want    string
	}{
		"a document":          {theAttempt, func(s *surf, _ attemptRoom) { s.run.Waves.Documents[0].Digest = noBlob }, "no such file"},
		"a summary":           {theAttempt, func(s *surf, _ attemptRoom) { s.run.Waves.Ends[0].Compact = noBlob }, "no such file"},
		"a place for one":     {theAttempt, func(_ *surf, r attemptRoom) { folderAt(t, filepath.Join(r.in(), "wave_01_compact.md")) }, "lay out wave_01_compact.md"},
		"a place for context": {theAttempt, func(_ *surf, r attemptRoom) { folderAt(t, filepath.Join(r.in(), "context.json")) }, "lay out context.json"},
		"a document of before": {theAttempt, func(_ *surf, r attemptRoom) {
			r.task.Attempts = before(r.task, core.Artifact{Name: "notes.md", Digest: noBlob})
		}, "no such file"},
		"a worker that is over": {theAttempt, func(_ *surf, r attemptRoom) { r.attempt.ID = "none" }, "none"},
		"a planner that is":     {"planner.r2.a1", func(_ *surf, r attemptRoom) { r.attempt.ID = "none" }, "none"},
		"a planner's prompt":    {"planner.r2.a1", func(_ *surf, r attemptRoom) { folderAt(t, r.promptPath()) }, "write the prompt"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSurf(t)
			stage, task, a := s.run.Attempt(c.attempt)
			task.Kind = map[bool]core.TaskKind{true: core.KindWave, false: core.KindWork}[c.attempt != theAttempt]
			was := *a
			r := attemptRoom{d: s.Dispatcher, run: s.run, stage: stage, task: task, attempt: &was, folder: s.Layout.Attempt(s.run.ID, c.attempt)}
			if err := renew(r.in(), r.out()); err != nil {
				t.Fatal(err)
			}
			c.way(s, r)
			if _, err := r.inputs(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

// before lets an attempt that handed something in go before those of a task.
func before(task *core.Task, a core.Artifact) []*core.Attempt {
	return append([]*core.Attempt{{ID: task.ID + ".a0", Delivery: &core.Delivery{Artifacts: []core.Artifact{a}}}}, task.Attempts...)
}

// TestWhatAShimHasClaimed is not made again, though it cannot be read: something runs there.
func TestWhatAShimHasClaimed(t *testing.T) {
	p := newPhased(t)
	prepare := func(status spawn.Status) error {
		_, err := p.prepare(t.Context(), p.run, builder, p.folder, status, session.Taken{})
		return err
	}
	if err := prepare(spawn.Running); err == nil || !strings.Contains(err.Error(), "read the attempt's spec") {
		t.Errorf("without a spec: %v", err)
	}
	if names := entriesOf(t, p.Layout.State); strings.Contains(strings.Join(names, " "), "attempts") {
		t.Errorf("made is %q", names)
	}
	yards := p.Yards
	p.Yards = brokenYards{os.ErrDeadlineExceeded}
	if err := prepare(spawn.Absent); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("without a yard: %v", err)
	}
	p.Yards = yards
	if err := prepare(spawn.Absent); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(p.folder, promptFile)); err != nil {
		t.Fatal(err)
	}
	for _, status := range []spawn.Status{spawn.Absent, spawn.Running} {
		if err := prepare(status); err == nil || !strings.Contains(err.Error(), "read the attempt's prompt") {
			t.Errorf("%s, without a prompt: %v", status, err)
		}
	}
	fileAt(t, p.folder)
	if err := renew(filepath.Join(p.folder, "below")); err == nil {
		t.Error("a folder was made below a file")
	}
}

// withSetup gives a verification a setup, whose result is cached.
func withSetup(c *checkout) {
	run := *c.run
	run.Playbook.Setup, run.Playbook.Caches = "true", []core.Cache{{Path: "made"}}
	c.run, c.reuse = &run, true
}

// TestWhatStandsInTheWayOfACheck is no verdict.
func TestWhatStandsInTheWayOfACheck(t *testing.T) {
	p := newPhased(t)
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	build := check.Command{Shell: "make", Timeout: 1, OutputCap: 1}
	for name, c := range map[string]struct {
		way  func(c *checkout, folder string)
		do   func(c *checkout, folder string) error
		want string
	}{
		"its folder":  {func(_ *checkout, folder string) { fileAt(t, folder) }, func(c *checkout, folder string) error { return c.order(folder, "check-1", c.dir, build, true) }, "make a folder for a check"},
		"its home":    {func(_ *checkout, folder string) { fileAt(t, filepath.Join(folder, "home")) }, func(c *checkout, folder string) error { return c.order(folder, "check-1", c.dir, build, true) }, "make a folder for a check"},
		"its inputs":  {func(_ *checkout, folder string) { fileAt(t, filepath.Join(folder, "in")) }, func(c *checkout, folder string) error { return c.order(folder, "check-1", c.dir, build, true) }, "make a folder for a check"},
		"its command": {func(_ *checkout, folder string) { folderAt(t, filepath.Join(folder, "command")) }, func(c *checkout, folder string) error { return c.order(folder, "check-1", c.dir, build, true) }, "write a check's command"},
		"no checkout": {func(c *checkout, _ string) { withSetup(c) }, func(c *checkout, _ string) error { _, err := c.copy(t.Context(), "check-1"); return err }, "copy "},
		"no commit":   {func(c *checkout, _ string) { c.commit, c.dir = noCommit, "" }, func(c *checkout, _ string) error { _, err := c.Run(t.Context(), build); return err }, noCommit},
		"its mark": {func(c *checkout, _ string) {
			withSetup(c)
			c.dir = p.Layout.Checkout(p.run.ID, c.event, c.name)
			folderAt(t, c.dir)
			for _, made := range c.caches(t.Context()).entries { // so that the setup has nothing left to do
				folderAt(t, made.stored)
			}
			c.dir = ""
			if err := os.Symlink("nowhere/mark", p.Layout.Checkout(p.run.ID, c.event, c.name)+readySuffix); err != nil {
				t.Fatal(err)
			}
		}, func(c *checkout, _ string) error { return c.prepare(t.Context()) }, "mark a checkout as set up"},
		"no end": {func(*checkout, string) {}, func(c *checkout, folder string) error { _, err := c.result(t.Context(), folder, build); return err }, "exit.json"},
	} {
		t.Run(name, func(t *testing.T) {
			room := &checkout{dispatcher: p.Dispatcher, yard: y, run: p.run, commit: p.commit, event: strings.ReplaceAll(name, " ", "-"), name: "build.r1.a1", dir: filepath.Join(t.TempDir(), "checkout")}
			folder := filepath.Join(t.TempDir(), "check")
			c.way(room, folder)
			if err := c.do(room, folder); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

// TestAnEndThatCannotBeRead is not reported: whoever looks again may find it.
func TestAnEndThatCannotBeRead(t *testing.T) {
	for name, way := range map[string]func(e *ended){
		"no exit": func(e *ended) { fileAt(t, e.folder) },
		"no spec": func(e *ended) {
			if err := os.Remove(filepath.Join(e.folder, "spec.json")); err != nil {
				t.Fatal(err)
			}
		},
		"no yard": func(e *ended) { e.Yards = brokenYards{os.ErrDeadlineExceeded} },
		"no bundle": func(e *ended) {
			e.rewrite(t, func(x *shim.Exit) { x.HandIn = &shim.HandIn{Bundle: "none"} })
		},
		"no base":       func(e *ended) { _, _, a := e.run.Attempt(theAttempt); a.Base = noCommit },
		"no blobs":      func(e *ended) { fileAt(t, filepath.Join(e.Layout.State, "blobs")) },
		"no transcript": func(e *ended) { folderAt(t, shim.JournalPath(e.folder)) },
		"no output":     func(e *ended) { fileAt(t, filepath.Join(e.folder, "out")) },
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnded(t, shimExit(), map[string]string{"notes.md": "so"})
			way(e)
			if err := e.collect(t.Context(), e.run, theAttempt); err == nil || len(e.engine.taken()) > 0 {
				t.Errorf("it ended with %v, or was reported", err)
			}
		})
	}
}
