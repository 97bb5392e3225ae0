package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

// hand starts commands that end as it says.
type hand struct {
	spawn.Spawner
	status      spawn.Status
	start, wait error
	killed      int
}

func (h *hand) Start(context.Context, spawn.Order) error             { return h.start }
func (h *hand) Wait(context.Context, spawn.ID) (spawn.Status, error) { return h.status, h.wait }
func (h *hand) Kill(context.Context, spawn.ID) error                 { h.killed++; return nil }

// TestACommandThatDoesNotRun has no result; one that can no longer be waited for is ended.
func TestACommandThatDoesNotRun(t *testing.T) {
	lost := errors.New("the disk is gone")
	p := newPhased(t)
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for name, c := range map[string]struct {
		ctx    context.Context
		hand   hand
		way    func(room *checkout)
		want   string
		killed int
	}{
		"not started":         {t.Context(), hand{start: lost}, func(*checkout) {}, "the disk is gone", 0},
		"not waited for":      {t.Context(), hand{wait: lost}, func(*checkout) {}, "the disk is gone", 1},
		"lost":                {t.Context(), hand{status: spawn.Lost}, func(*checkout) {}, `the check "make" was lost`, 0},
		"of an engine's end":  {ended, hand{}, func(room *checkout) { room.ran = map[string]int{}; ordered(t, room) }, "context canceled", 0},
		"without a checkout":  {t.Context(), hand{}, func(room *checkout) { withSetup(room); room.dir += "-none" }, "copy ", 0},
		"without its command": {t.Context(), hand{}, func(room *checkout) { folderAt(t, filepath.Join(folderOf(room), "command")) }, "write a check's command", 0},
		"without an end":      {t.Context(), hand{status: spawn.Exited}, func(*checkout) {}, "exit.json", 0},
	} {
		t.Run(name, func(t *testing.T) {
			p.Commands, p.run.Isolation = &c.hand, "none"
			room := &checkout{dispatcher: p.Dispatcher, yard: y, run: p.run, commit: p.commit, event: strings.ReplaceAll(name, " ", "-"), name: "build.r1.a1", dir: filepath.Join(t.TempDir(), "checkout")}
			write(t, filepath.Join(room.dir, "code.go"), "")
			c.way(room)
			result, err := room.execute(c.ctx, command, true)
			if err == nil || !strings.Contains(err.Error(), c.want) || !cmp.Equal(result, check.Result{}) || c.hand.killed != c.killed {
				t.Errorf("%+v, %v; killed %d times", result, err, c.hand.killed)
			}
		})
	}
	p.Commands, p.run.Playbook.Setup = &hand{start: lost}, "make deps"
	unset := &checkout{dispatcher: p.Dispatcher, yard: y, run: p.run, commit: p.commit, event: "setup", name: "build.r1.a1"}
	if err := unset.prepare(t.Context()); !errors.Is(err, lost) || unset.dir != "" {
		t.Errorf("set up in %q: %v", unset.dir, err)
	}
	for output, want := range map[string]string{
		"dial tcp 1.2.3.4: i/o timeout": "setup \"make\" failed with exit code 3, for lack of network:\ndial tcp 1.2.3.4: i/o timeout", "no": "setup \"make\" failed with exit code 3:\nno",
	} {
		if got := (&setupError{"make", check.Result{ExitCode: 3, Output: output}}).Error(); got != want {
			t.Errorf("said is %q", got)
		}
	}
	walled := &setupError{"make", check.Result{ExitCode: 3, Output: "no such host", Refused: []string{"a.example.com:443", "b.example.com:80"}}}
	if got, want := walled.Error(), "setup \"make\" failed with exit code 3, refused connections to a.example.com:443, b.example.com:80:\nno such host"; got != want {
		t.Errorf("said is %q", got)
	}
}

var command = check.Command{Shell: "make", Timeout: 1, OutputCap: 1}

// folderOf is where the first run of the command is kept.
func folderOf(room *checkout) string {
	return room.dispatcher.Layout.Attempt(room.run.ID, core.CheckID(room.name, room.digest(command, true), 1))
}

// ordered leaves a command as an engine did that was killed then.
func ordered(t *testing.T, room *checkout) {
	t.Helper()
	if err := room.order(folderOf(room), core.CheckID(room.name, room.digest(command, true), 1), room.dir, command, true); err != nil {
		t.Fatal(err)
	}
}

// TestWhatACommandSaidIsKept, or it has no result.
func TestWhatACommandSaidIsKept(t *testing.T) {
	for name, way := range map[string]func(e *ended){
		"what it said": func(e *ended) { folderAt(t, shim.JournalPath(e.folder)) },
		"a blob":       func(e *ended) { fileAt(t, filepath.Join(e.Layout.State, "blobs")) },
	} {
		e := newEnded(t, shim.Exit{}, nil)
		way(e)
		if got, err := (&checkout{dispatcher: e.Dispatcher, run: e.run}).result(t.Context(), e.folder, command); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestTroubleIsToldAndNotTaken: a commit that is gone is no verdict on the work, and a plan that is not kept is not on record.
func TestTroubleIsToldAndNotTaken(t *testing.T) {
	p := laden(t)
	stage, task := p.stage.ID, p.task.ID
	head, line := p.run.Head, p.stage.Line
	for name, c := range map[string]struct {
		way  func()
		do   core.Action
		said func(core.Body) (text string, passed bool)
	}{
		"a merge": {func() { p.stage.Line = noCommit }, core.Merge{Event: "e1", Stage: stage, Task: task}, func(b core.Body) (string, bool) {
			m := b.(core.MergeConcluded)
			return m.Error, m.Passed || m.Commit != ""
		}},
		"a merge into nothing": {func() { p.run.Head = noCommit }, core.Merge{Event: "e1", Stage: stage, Task: task}, func(b core.Body) (string, bool) {
			m := b.(core.MergeConcluded)
			return m.Error, m.Passed || m.Commit != ""
		}},
		"a validation":  {func() { p.run.Head = noCommit }, core.Validate{Event: "e2", Stage: stage, Task: task}, func(b core.Body) (string, bool) { v := b.(core.ValidateConcluded); return v.Error, v.Passed }},
		"a preparation": {func() { p.run.Head = noCommit }, core.PreparePublish{Event: "e3", Stage: stage, Task: task}, func(b core.Body) (string, bool) { v := b.(core.PublishPrepared); return v.Error, v.Passed }},
		"a publication": {func() { p.task.Publishing.Subject.Commit = noCommit }, core.Publish{Task: task}, func(b core.Body) (string, bool) { v := b.(core.PublishConcluded); return v.Reason, v.OK || v.Lapsed }},
	} {
		p.run.Head, p.stage.Line, p.task.Publishing.Subject.Commit = head, line, p.commit
		c.way()
		if err := p.do(t.Context(), p.run, c.do); err != nil {
			t.Fatal(err)
		}
		if text, passed := c.said(p.engine.await(t)); !strings.Contains(text, noCommit[:12]) || passed {
			t.Errorf("%s: said is %q, passed %t", name, text, passed)
		}
	}
	p.engine.taken()
	write := core.WritePlan{Event: "e1"}
	p.run.Head = noCommit
	if err := p.do(t.Context(), p.run, write); err == nil {
		t.Error("a plan was written on a commit that is gone")
	}
	p.run.Head = head
	fileAt(t, filepath.Join(p.Layout.State, "blobs"))
	for name, action := range map[string]core.Action{"write": write, "read": core.ReadPlan{Commit: p.commit}} {
		if err := p.do(t.Context(), p.run, action); err == nil {
			t.Errorf("%s: a plan that is not kept is on record", name)
		}
	}
	if said := p.engine.taken(); len(said) > 0 {
		t.Errorf("reported is %+v", said)
	}
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	p.Steering = func([]byte) ([]string, error) { return nil, nil }
	lost := *p.run
	lost.BaseCommit = noCommit
	for name, do := range map[string]func() error{
		"steering": func() error { _, err := p.steering(t.Context(), &lost, y); return err },
		"notices":  func() error { _, err := p.publishNotices(t.Context(), &lost, y); return err },
		"pull request": func() error {
			_, _, err := p.open(t.Context(), &core.Run{Playbook: p.run.Playbook, Driving: core.Driving{Plan: &core.Plan{Digest: noBlob}}}, nil, p.task.Publishing, y)
			return err
		},
		"review": func() error {
			p.run.Playbook.Project.Review.Paths = []string{"**"}
			return p.readHandedIn(t.Context(), p.run, &core.Stage{ID: "build", Base: noCommit}, p.task, &core.Delivery{Commit: p.commit}, &core.VerifyConcluded{})
		},
	} {
		if err := do(); err == nil {
			t.Errorf("%s of what is gone", name)
		}
	}
}

// TestAPlanThatCannotBeFollowed says why, and none of its steps is marked.
func TestAPlanThatCannotBeFollowed(t *testing.T) {
	p := laden(t)
	person := filepath.Join(p.Layout.State, "person")
	commit := sh(t, person, "echo '# Goal' >"+planPath+"; git commit -q -a -m broken; git rev-parse HEAD")
	bare := sh(t, person, "git rm -q "+planPath+"; git commit -q -m none; git rev-parse HEAD")
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := y.Fetch(t.Context(), person); err != nil {
		t.Fatal(err)
	}
	if err := p.do(t.Context(), p.run, core.ReadPlan{Commit: commit}); err != nil {
		t.Fatal(err)
	}
	if got := p.engine.await(t).(core.PlanRead); !got.Found || got.Error == "" || len(got.Plan.Steps) > 0 || got.Plan.Trouble != "" {
		t.Errorf("read is %+v", got)
	}
	p.run.Driving.Plan.Commit = commit
	if err := p.do(t.Context(), p.run, core.WritePlan{Event: "e1"}); err == nil || !strings.Contains(err.Error(), "mark steps as done") {
		t.Errorf("written: %v", err)
	}
	p.run.Head, p.run.Driving.PlanWrite.Files = bare, []core.PlanFile{{Name: "notes.md", Digest: p.put(t, "notes")}}
	if err := p.do(t.Context(), p.run, core.WritePlan{Event: "e1"}); err != nil {
		t.Fatal(err)
	}
	got := p.engine.await(t).(core.PlanUpdated)
	if got.Plan.Commit == "" || got.Plan.Digest != "" || got.Old != bare {
		t.Errorf("without a plan: %+v", got)
	}
}

// TestWhatAnEndLeaves behind that cannot be read is said of it, or nothing is.
func TestWhatAnEndLeaves(t *testing.T) {
	e := newEnded(t, shim.Exit{}, map[string]string{"notes.md": "so"})
	e.rewrite(t, func(x *shim.Exit) { x.Outputs = append(x.Outputs, shim.Output{Name: "folder"}) })
	folderAt(t, filepath.Join(e.folder, "out", "folder"))
	if got := e.collected(t).Delivery; len(got.Artifacts) != 1 || len(got.Rejected) != 1 || !strings.HasPrefix(got.Rejected[0], "folder: ") {
		t.Errorf("handed in is %+v", got)
	}
	folder := filepath.Join(t.TempDir(), "attempt")
	folderAt(t, shim.JournalPath(folder))
	if got := message(folder, shim.Exit{ExitCode: 1, Outcome: agent.Outcome{Message: "over"}}); got != "over" {
		t.Errorf("said is %q", got)
	}
	fileAt(t, folder)
	if _, err := e.transcript(t.Context(), e.run, theAttempt, folder, shim.Exit{}); err == nil || !strings.Contains(err.Error(), "read the transcript") {
		t.Errorf("a transcript that cannot be read: %v", err)
	}
	if _, err := freeName(filepath.Join(folder, "dot-git")); err == nil {
		t.Error("a name below a file is free")
	}
	if got := (attemptRoom{stage: &core.Stage{Reason: "feedback"}}).trigger(); got != "feedback" {
		t.Errorf("begun for %q", got)
	}
}

// TestAWorkspaceThatCannotBeKept is not taken for one that is.
func TestAWorkspaceThatCannotBeKept(t *testing.T) {
	e := newEnded(t, shim.Exit{HandIn: &shim.HandIn{Error: "no bundle"}}, nil)
	folderAt(t, filepath.Join(e.folder, "workspace"))
	if err := e.collect(t.Context(), e.run, theAttempt); err == nil || !strings.Contains(err.Error(), "keep a workspace") || len(e.engine.taken()) > 0 {
		t.Errorf("it ended with %v", err)
	}
	if _, err := os.Stat(filepath.Join(e.Layout.Workspace(e.run.ID, theAttempt), "code.go")); err != nil {
		t.Error(err)
	}
}

// TestWhatIsLeftOfASessionsFolder: everything in it goes; that it cannot be read is noted, that it is gone is not.
func TestWhatIsLeftOfASessionsFolder(t *testing.T) {
	for name, c := range map[string]struct {
		make func(dir string)
		want []string
		note bool
	}{
		"a folder": {func(dir string) { write(t, filepath.Join(dir, "a"), ""); write(t, filepath.Join(dir, "b", "c"), "") }, []string{"a", "b"}, false},
		"a file":   {func(dir string) { fileAt(t, dir) }, nil, true},
		"nothing":  {func(string) {}, nil, false},
	} {
		e := newEnded(t, shim.Exit{}, nil)
		var log strings.Builder
		e.Log = slog.New(slog.NewTextHandler(&log, nil))
		dir := filepath.Join(t.TempDir(), "theirs")
		c.make(dir)
		spec, err := shim.ReadSpec(e.folder)
		if err != nil {
			t.Fatal(err)
		}
		spec.Workspace = dir
		if err := shim.WriteSpec(e.folder, spec); err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, name := range c.want {
			want = append(want, filepath.Join(dir, name))
		}
		if got := e.leavings(e.run, theAttempt); !slices.Equal(got, want) || (log.Len() > 0) != c.note {
			t.Errorf("%s: %q, noted: %s", name, got, log.String())
		}
	}
}

// TestACacheThatCannotBeKept: whatever is in the way of one, nobody takes it for restored or saved.
func TestACacheThatCannotBeKept(t *testing.T) {
	restore := func(c *caches) error {
		restored, err := c.restore(t.Context())
		if restored {
			t.Error("it counts as restored")
		}
		return err
	}
	save := func(c *caches) error { return c.save(t.Context()) }
	for name, c := range map[string]struct {
		way  func(dir, kept string)
		do   func(c *caches) error
		want string
	}{
		"to look for":  {func(_, kept string) { fileAt(t, kept) }, restore, "look for a cache"},
		"to restore":   {func(dir, kept string) { folderAt(t, filepath.Join(kept, "a")); fileAt(t, dir) }, restore, ""},
		"to save":      {func(dir, kept string) { folderAt(t, filepath.Join(dir, "a")); fileAt(t, kept) }, save, ""},
		"to put aside": {func(dir, kept string) { folderAt(t, filepath.Join(dir, "a")); fileAt(t, filepath.Join(kept, "a")) }, save, "keep a cache"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, kept := filepath.Join(t.TempDir(), "checkout"), filepath.Join(t.TempDir(), "kept")
			c.way(dir, kept)
			err := c.do(&caches{checkout: &checkout{dir: dir}, entries: []cacheEntry{{inside: filepath.Join(dir, "a"), stored: filepath.Join(kept, "a")}}})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it ended with %v", err)
			}
		})
	}
	from, to := filepath.Join(t.TempDir(), "none"), filepath.Join(t.TempDir(), "file")
	fileAt(t, to)
	for name, to := range map[string]string{"no source": filepath.Join(t.TempDir(), "to"), "no place": filepath.Join(to, "below", "to")} {
		if err := copyTree(t.Context(), from, to); err == nil || !strings.Contains(err.Error(), "copy "+from) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestATrialThatCannotBeMade says so, and one that has cached nothing has nothing to give.
func TestATrialThatCannotBeMade(t *testing.T) {
	s := newSurf(t)
	started := core.RunStarted{Run: "run-9", BaseCommit: s.run.BaseCommit, Isolation: "none"}
	trial, err := s.NewTrial(t.Context(), started)
	if err != nil {
		t.Fatal(err)
	}
	if err := trial.Keep(); err != nil {
		t.Errorf("nothing was cached: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for range cap(s.checks) { // all are taken
		s.checks <- struct{}{}
	}
	if _, err := trial.Run(ended, "true", 1); !errors.Is(err, context.Canceled) {
		t.Errorf("tried by who is gone: %v", err)
	}
	write(t, filepath.Join(s.Layout.Caches(trial.room.run.ID), "deps"), "")
	fileAt(t, s.Layout.Work("run-9"))
	if err := trial.Keep(); err == nil || !strings.Contains(err.Error(), "keep what a trial has cached") {
		t.Errorf("kept: %v", err)
	}
	if got := (&SetupFailed{check.Result{ExitCode: 4}}).Error(); got != "the setup failed with exit code 4" {
		t.Errorf("said is %q", got)
	}
	lost := errors.New("the disk is gone")
	s.Yards = brokenYards{lost}
	if _, err := s.NewTrial(t.Context(), started); !errors.Is(err, lost) {
		t.Errorf("without a yard: %v", err)
	}
}

// noForge is none that a run can be published on.
type noForge struct{ err error }

func (n noForge) Forge(*core.Run) (forge.Forge, error) { return nil, n.err }

// TestWhatIsNotToBeHad is told by whoever asks for it.
func TestWhatIsNotToBeHad(t *testing.T) {
	p, a := offered(t)
	p.run.Playbook.Agents = nil
	if _, err := p.offer(t.Context(), p.run, a, p.folder); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("an attempt of no agent is offered: %v", err)
	}
	lost := errors.New("no token")
	p.Forges = noForge{lost}
	if _, err := p.look(t.Context(), p.run, &core.PullRequest{}); !errors.Is(err, lost) {
		t.Errorf("looked at without a forge: %v", err)
	}
	p.run.ForgeURL, p.run.PullRequest, p.Yards = "https://git.example.org", &core.PullRequest{Number: 1}, brokenYards{lost}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := p.watchPullRequest(ended, p.run, core.WatchPullRequest{}); !errors.Is(err, context.Canceled) {
		t.Errorf("what is on a forge was looked for in the yard: %v", err)
	}
	if got := p.Private(); !slices.Equal(got, []string{"/etc/private"}) {
		t.Errorf("hidden are %q", got)
	}
	e := newEnded(t, shim.Exit{}, nil)
	if err := os.RemoveAll(e.Layout.Workspace(e.run.ID, theAttempt)); err != nil {
		t.Fatal(err)
	}
	if kept, note, err := e.keepWorkspace(e.run, theAttempt); err != nil || note != "" || kept != filepath.Join(e.folder, "workspace") {
		t.Errorf("a workspace that is gone is kept in %q, %v", kept, err)
	}
}
