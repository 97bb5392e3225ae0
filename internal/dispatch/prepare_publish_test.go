package dispatch

import (
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// TestOnlyTheRunsOwnBranchIsOverwritten: a branch of its name that is there already
// may hold what is nowhere else.
func TestOnlyTheRunsOwnBranchIsOverwritten(t *testing.T) {
	p := newPress(t)
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	commit := func(message, parent string) string {
		return sh(t, p.run.Home, "c=$(git commit-tree -m "+message+" -p "+parent+" HEAD^{tree}); git update-ref refs/heads/x-$c $c; echo $c")
	}
	round, theirs := commit("round", p.run.BaseCommit), commit("theirs", p.run.BaseCommit)
	onTop, others := commit("top", p.run.Head), commit("others", p.run.BaseCommit)
	unknown := sh(t, p.run.Home, "git commit-tree -m unknown 'HEAD^{tree}'")
	if err := y.Fetch(t.Context(), p.run.Home); err != nil {
		t.Fatal(err)
	}
	for ref, at := range map[string]string{yard.Attempts + "run-1/build.r1.a1": round, yard.Attempts + "run-2/build.r1.a1": others} {
		if err := y.Keep(t.Context(), ref, at); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		tip string
		own bool
	}{
		"no branch": {"", true}, "the run's head": {p.run.Head, true}, "what it began from": {p.run.BaseCommit, true},
		"an earlier round": {round, true}, "somebody's work": {theirs, false}, "work on top of the run's": {onTop, false},
		"another run's": {others, false}, "what the yard does not know": {unknown, false},
	} {
		if err := ownTip(t.Context(), p.run, y, c.tip); (err == nil) != c.own {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWhatSteersIsNamedHoweverItIsChanged: a file that other programs obey can be
// added, changed, taken away, or moved from or to where they look.
func TestWhatSteersIsNamedHoweverItIsChanged(t *testing.T) {
	const steers, plain = ".github/workflows/ci.yml", "docs/ci.yml"
	write := func(path string) string { return "mkdir -p $(dirname " + path + "); seq 50 > " + path }
	for name, c := range map[string]struct {
		before, change string
		want           []string
	}{
		"added":          {"true", write(steers), []string{touches + steers}},
		"changed":        {write(steers), "echo more >> " + steers, []string{touches + steers}},
		"removed":        {write(steers), "git rm -q " + steers, []string{touches + steers}},
		"moved away":     {write(steers), "mkdir docs; git mv " + steers + " " + plain, []string{touches + plain}},
		"moved there":    {write(plain), "mkdir -p .github/workflows; git mv " + plain + " " + steers, []string{touches + steers}},
		"something else": {write(steers), write(plain), nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPress(t)
			commit := "git add -A; git commit -q --allow-empty -m x; git rev-parse HEAD"
			p.run.BaseCommit = sh(t, p.run.Home, c.before+"; "+commit)
			p.run.Head = sh(t, p.run.Home, c.change+"; "+commit)
			sh(t, p.run.Home, "git push -q "+p.bare+" "+p.run.BaseCommit+":main")
			p.run.ForgeURL = ""
			y, err := p.Yards.Yard(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			if err := y.Fetch(t.Context(), p.run.Home); err != nil {
				t.Fatal(err)
			}
			got, err := p.publishNotices(t.Context(), p.run, y)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("the person is told %q (%v), want %q", got, err, c.want)
			}
		})
	}
}

// TestWhoApprovesIsToldWithWhoseCredential a run is published, if several engines could; not if no credential is needed.
func TestWhoApprovesIsToldWithWhoseCredential(t *testing.T) {
	p := newPress(t)
	p.run.Head = p.run.BaseCommit
	y, err := p.Yards.Yard(t.Context(), "")
	if err == nil {
		err = y.Fetch(t.Context(), p.run.Home)
	}
	if err != nil {
		t.Fatal(err)
	}
	told := func() bool {
		t.Helper()
		notices, err := p.publishNotices(t.Context(), p.run, y)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Contains(notices, "publishes as ada on attic")
	}
	if told() {
		t.Error("one engine alone says who it is")
	}
	p.Publisher = func(*core.Run) string { return "publishes as ada on attic" }
	if !told() {
		t.Error("nobody is told")
	}
	if p.run.ForgeURL = ""; told() {
		t.Error("a push to a folder of this machine needs no credential")
	}
}

// TestAMergeIsHeldBeforeThatIsSaid: no branch has it yet, and git removes what nothing
// holds.
func TestAMergeIsHeldBeforeThatIsSaid(t *testing.T) {
	p := newPress(t)
	p.run.Playbook.Project, p.run.Identity = &core.Management{}, core.Identity{Name: "A", Email: "a@example.org"}
	line := sh(t, p.run.Home, "git checkout -q -b line "+p.run.BaseCommit+"; echo x > x; git add x; git commit -q -m x; git rev-parse HEAD")
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := y.Fetch(t.Context(), p.run.Home); err != nil {
		t.Fatal(err)
	}
	task := &core.Task{ID: "api.r1.merge", Stage: "api", Act: core.ActMerge, Status: core.TaskVerifying}
	p.run.Stages = append(p.run.Stages, &core.Stage{ID: "api", Title: "API", Base: p.run.BaseCommit, Line: line, Tasks: []*core.Task{task}})
	p.run.Stream.At = p.run.Stream.At.AddDate(2025, 0, 0)
	if err := p.merge(t.Context(), p.run, core.Merge{Event: "run/run-1#9", Stage: "api", Task: task.ID}); err != nil {
		t.Fatal(err)
	}
	said, _ := (<-p.engine.news).(core.MergeConcluded)
	if said.Error != "" || said.Commit == "" {
		t.Fatalf("%+v was reported", said)
	}
	held, err := y.Refs(t.Context(), yard.Attempts+p.run.ID+"/")
	if err != nil || !slices.ContainsFunc(held, func(r yard.Ref) bool { return r.Commit == said.Commit }) {
		t.Errorf("held is %v, %v", held, err)
	}
	if err := p.Objects.Verify(t.Context(), said.Pack); err != nil {
		t.Errorf("its pack %q: %v", said.Pack, err)
	}
}
