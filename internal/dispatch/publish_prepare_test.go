package dispatch

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/object/folder"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// TestAnApprovalIsBoundToWhatIsThere: the commit that was verified, the branch that it would replace and where that
// stands now. Nothing is prepared where there is nothing to publish, or somebody else's work would go.
func TestAnApprovalIsBoundToWhatIsThere(t *testing.T) {
	p := leakyPress(t)
	objects, err := folder.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p.Objects, p.Layout.State = objects, t.TempDir()
	p.run.Playbook.Phases = []core.Phase{{ID: core.PublishStage, Done: core.Check{Kind: core.CheckFiles, Globs: []string{"a.env"}}, Base: "release"}}
	p.run.Stages[0].Round = 2
	prepare := func() core.PublishPrepared {
		t.Helper()
		if err := p.preparePublish(t.Context(), p.run, core.PreparePublish{Event: "e1", Stage: core.PublishStage, Task: "publish.r1"}); err != nil {
			t.Fatal(err)
		}
		return p.engine.await(t).(core.PublishPrepared)
	}
	got := prepare()
	tree := sh(t, p.run.Home, "git rev-parse HEAD^{tree}")
	want := core.Subject{
		Stage: core.PublishStage, Round: 2, Delivery: (&core.Delivery{Commit: p.run.Head, Tree: tree}).Digest(), Commit: p.run.Head,
		Remote: p.bare, Ref: "refs/heads/feature/x", Base: "release",
	}
	if !got.Passed || got.Error != "" || got.Task != "publish.r1" || got.Subject != want || len(got.Results) != 2 {
		t.Errorf("prepared is %+v", got)
	}
	if len(got.Leaks) == 0 || got.Leaks[0].File != "a.env" || !slices.Contains(got.Notices, "opens a pull request in acme/rocket at "+p.line.URL) {
		t.Errorf("named are %+v and %q", got.Leaks, got.Notices)
	}
	sh(t, p.run.Home, "git push -q "+p.bare+" "+p.run.Head+":refs/heads/feature/x")
	if got := prepare(); got.Subject.OldTip != p.run.Head {
		t.Errorf("it would replace %q", got.Subject.OldTip)
	}
	p.run.Playbook.Phases[0].Done.Globs = []string{"missing"}
	if got := prepare(); got.Passed || got.Error != "" {
		t.Errorf("what does not pass is %+v", got)
	}
	theirs := sh(t, p.run.Home, "git commit-tree -m theirs HEAD^{tree}")
	sh(t, p.run.Home, "git push -q -f "+p.bare+" "+theirs+":refs/heads/feature/x")
	if got := prepare(); got.Passed && got.Error == "" || !strings.Contains(got.Error, "not this run's") || got.Subject != (core.Subject{}) {
		t.Errorf("somebody's branch: %+v", got)
	}
	p.run.Head = p.run.BaseCommit
	if got := prepare(); got.Passed || !strings.Contains(got.Error, "nothing to publish") {
		t.Errorf("nothing: %+v", got)
	}
}

// TestThePublishingGateHasEveryCommand that a phase which is done was held to; what another check could stand in for, or
// must fail, or belongs to a phase that was not done, is none of them.
func TestThePublishingGateHasEveryCommand(t *testing.T) {
	command := func(run string) core.Check { return core.Check{Kind: core.CheckCommand, Run: run} }
	all := func(of ...core.Check) core.Check { return core.Check{Kind: core.CheckAll, Of: of} }
	run := &core.Run{
		Playbook: &core.Playbook{Phases: []core.Phase{
			{ID: "a", Done: all(command("test"), command("lint"), core.Check{Kind: core.CheckAny, Of: []core.Check{command("either"), command("or")}}, core.Check{Kind: core.CheckNot, Of: []core.Check{command("fails")}})},
			{ID: "b", Done: all(command("test"), command("e2e"))}, {ID: "left", Done: command("left")}, {ID: "open", Done: command("open")}, {ID: "none", Done: command("none")},
			{ID: "publish", Done: all(core.Check{Kind: core.CheckFiles, Globs: []string{"x"}})},
		}},
		Stages: []*core.Stage{{ID: "a", Status: core.StageDone}, {ID: "b", Status: core.StageDone}, {ID: "left", Status: core.StageOmitted}, {ID: "open", Status: core.StageOpen}, {ID: "publish"}},
	}
	names := func(stage string) string {
		var out []string
		for _, c := range GateCheck(run, stage).Of {
			out = append(out, strings.TrimSpace(string(c.Kind)+" "+c.Run))
		}
		return strings.Join(out, ", ")
	}
	const common = "git, command test, command lint, command e2e"
	if got := names("publish"); got != common+", all" {
		t.Errorf("held to %s", got)
	}
	if gate := GateCheck(run, "publish"); gate.Kind != core.CheckAll || gate.Of[0].Git.Commits != 1 {
		t.Errorf("held to %+v", gate)
	}
	for i, done := range []core.Check{{}, all(), {Kind: core.CheckArtifact, Name: "x"}} {
		run.Playbook.Phases[5].Done = done
		if got, want := names("publish"), common+[]string{"", "", ", artifact"}[i]; got != want {
			t.Errorf("held to %s, want %s", got, want)
		}
	}
	run.Playbook.Phases, run.Playbook.Project = nil, &core.Management{Done: all(command("make"), core.Check{Kind: core.CheckAny, Of: []core.Check{command("either")}})}
	if got := names("publish"); got != "git, command make" {
		t.Errorf("a project is held to %s", got)
	}
}

// TestWhereAPullRequestGoes: what the person said for this run, then the playbook, then where the run began.
func TestWhereAPullRequestGoes(t *testing.T) {
	for _, c := range []struct{ said, phase, project, want string }{
		{"said", "phase", "project", "said"}, {"", "phase", "project", "phase"}, {"", "", "project", "project"}, {"", "", "", "main"},
	} {
		run := &core.Run{Base: "main", Target: c.said, Playbook: &core.Playbook{Phases: []core.Phase{{ID: core.PublishStage, Base: c.phase}}}}
		if c.project != "" {
			run.Playbook.Project = &core.Management{Base: c.project}
		}
		if got := Target(run); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestWhatAPersonIsToldBeforeTheyApprove: what steers other programs by their own word and the repository's, and how far
// the repository has gone on without the run.
func TestWhatAPersonIsToldBeforeTheyApprove(t *testing.T) {
	p := newPress(t)
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	commit := "; git add -A; git commit -q -m x; git rev-parse HEAD"
	p.run.BaseCommit = sh(t, p.run.Home, "mkdir -p .stellwerk; echo settings > "+config.ProjectFile+commit)
	p.run.Head = sh(t, p.run.Home, "echo changed > "+config.ProjectFile+"; echo x > deploy.cfg; echo y > plain"+commit)
	sh(t, p.run.Home, "git push -q "+p.bare+" "+p.run.BaseCommit+":main")
	if err := y.Fetch(t.Context(), p.run.Home); err != nil {
		t.Fatal(err)
	}
	p.run.ForgeURL = ""
	notices := func() []string {
		t.Helper()
		got, err := p.publishNotices(t.Context(), p.run, y)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	var read []string
	p.Steering = func(repository []byte) ([]string, error) {
		read = append(read, string(repository))
		return []string{"deploy.cfg"}, nil
	}
	if got := notices(); !slices.Equal(got, []string{touches + config.ProjectFile, touches + "deploy.cfg"}) || !slices.Equal(read, []string{"settings\n"}) {
		t.Errorf("told is %q, by settings %q", got, read)
	}
	p.Steering = func([]byte) ([]string, error) { return nil, errors.New("no settings") }
	if _, err := p.publishNotices(t.Context(), p.run, y); err == nil {
		t.Error("settings that cannot be read add nothing")
	}
	p.Steering = nil
	sh(t, p.run.Home, "git push -q "+p.bare+" "+p.run.Head+":main")
	if got := notices(); !slices.Contains(got, "main has moved on since the run started") {
		t.Errorf("told is %q", got)
	}
	p.run.Base = "gone"
	if got := notices(); !slices.Contains(got, "gone is gone from the repository since the run started") {
		t.Errorf("told is %q", got)
	}
	p.run.Base, p.run.Home, p.run.Remote = "main", "", filepath.Join(filepath.Dir(p.bare), "clone")
	sh(t, filepath.Dir(p.bare), "git clone -q server.git clone")
	if got := notices(); !slices.Contains(got, "commits of origin/main that the run did not start from: 1") {
		t.Errorf("told is %q", got)
	}
}

// seenForge notes what it is asked to open.
type seenForge struct {
	forge.Forge
	asked *forge.PullRequest
}

func (s seenForge) Open(_ context.Context, pr forge.PullRequest) (string, int, error) {
	*s.asked = pr
	return "https://git.example.org/1", 7, nil
}

// TestWhatAForgeIsAsked: for exactly what was approved, and its difference is shown without secrets.
func TestWhatAForgeIsAsked(t *testing.T) {
	p := pressOf(t, "echo the word is "+hiddenWord+" > word.txt; git add .; git commit -q -m word")
	p.Redactors = func([]string) Redactor { return discreet{} }
	var asked forge.PullRequest
	p.Forges = oneForge{seenForge{asked: &asked}}
	if got := p.publishOnce(t); !got.OK || got.Number != 7 || got.URL != "https://git.example.org/1" || got.Task != "publish.r1" {
		t.Fatalf("got %+v", got)
	}
	if asked.Run != p.run.ID || asked.Title != "Work" || asked.Remote != p.bare || asked.Head != "feature/x" || asked.Base != "main" || asked.Commit != p.run.Head {
		t.Errorf("asked for %+v", asked)
	}
	if diff, err := asked.Diff(t.Context()); err != nil || !strings.Contains(diff, "+the word is [redacted]") {
		t.Errorf("the difference is %q, %v", diff, err)
	}
}

// TestABranchThatIsWhereTheApprovalSaysIsReplaced.
func TestABranchThatIsWhereTheApprovalSaysIsReplaced(t *testing.T) {
	p := newPress(t)
	before := sh(t, p.run.Home, "git commit-tree -m round -p "+p.run.BaseCommit+" HEAD^{tree}")
	sh(t, p.run.Home, "git push -q "+p.bare+" "+before+":refs/heads/feature/x")
	p.run.Stages[0].Tasks[0].Publishing.Subject.OldTip = before
	if got := p.publishOnce(t); !got.OK || p.branches(t)["feature/x"] != p.run.Head {
		t.Errorf("%+v, %v", got, p.branches(t))
	}
}

// TestALocalRecordIsAPageOfThisMachine, and of no other forge.
func TestALocalRecordIsAPageOfThisMachine(t *testing.T) {
	p := newPress(t)
	for kind, want := range map[string]string{config.ForgeLocal: "file:///record.html", "gitea": ""} {
		p.run.Forge = kind
		if got := p.address(p.run, "file:///record.html"); got != want {
			t.Errorf("%s: %q", kind, got)
		}
	}
}

// TestWhatHelps: each failure that a person can mend says how, in words without a secret.
func TestWhatHelps(t *testing.T) {
	p := newPress(t)
	p.Redactors = func([]string) Redactor { return discreet{} }
	for err, want := range map[error]string{
		&forge.Error{Kind: forge.ErrToken}: "forge_token_env", &forge.Error{Kind: forge.ErrNoToken}: "forge_token_env", &forge.Error{Kind: forge.ErrTokenFile}: "forge_token_env",
		&forge.Error{Kind: forge.ErrForbidden}: "permissions", &forge.Error{Kind: forge.ErrNotFound}: "acme/rocket",
		errors.Join(yard.ErrUnreachable, yard.ErrNoRepository): "address of the remote", yard.ErrAuth: "for ssh, the key",
		&forge.Error{Kind: forge.ErrUnavailable}: "check that it is up", yard.ErrUnreachable: "check that it is up",
	} {
		if got := p.trouble(p.run, err); !strings.Contains(got, "; ") || !strings.Contains(got, want) {
			t.Errorf("%v: %q", err, got)
		}
	}
	if got := p.trouble(p.run, errors.New("odd "+hiddenWord)); got != "odd [redacted]" {
		t.Errorf("said is %q", got)
	}
}

// TestWhenItCountsAsMerged: the target branch holds the commit, or all that it would bring. A merge is a person's where
// the branch has just that one.
func TestWhenItCountsAsMerged(t *testing.T) {
	p := newPress(t)
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	p.run.Identity = core.Identity{Name: "A", Email: "a@example.org"}
	p.run.Stream.At = p.run.Stream.At.AddDate(2025, 0, 0)
	work := sh(t, p.run.Home, "git checkout -q -B work "+p.run.BaseCommit+"; echo x > x; git add x; git commit -q -m x; echo y > y; git add y; git commit -q -m y; git rev-parse HEAD")
	if err := y.Fetch(t.Context(), p.run.Home); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		script string
		merged bool
	}{
		"untouched":    {"true", false},
		"by a merge":   {"echo other > other; git add other; git commit -q -m other; git merge -q --no-ff -m merge " + work, true},
		"squashed":     {"git merge -q --squash " + work + "; git commit -q -m squashed", true},
		"half of it":   {"git cherry-pick " + work + "^", false},
		"in a clash":   {"echo mine > x; git add x; git commit -q -m mine", false},
		"fast-forward": {"git merge -q --ff-only " + work, true},
	} {
		tip := sh(t, p.run.Home, "git checkout -q -B target "+p.run.BaseCommit+"; { "+c.script+"; } >/dev/null 2>&1; git push -q -f "+p.bare+" HEAD:main; git rev-parse HEAD")
		merged, seen, err := p.takenIn(t.Context(), p.run, y, work, "")
		if err != nil || merged != c.merged || seen != tip {
			t.Errorf("%s: %t at %s (%s), %v", name, merged, seen, tip, err)
		}
		if again, _, err := p.takenIn(t.Context(), p.run, y, work, tip); err != nil || again {
			t.Errorf("%s: a tip that was seen is looked at again: %v", name, err)
		}
		if got := Granted(t.Context(), y, work, tip); (got == work) != (name == "by a merge" || name == "fast-forward") || got != "" && got != work {
			t.Errorf("%s: granted is %q", name, got)
		}
		if Granted(t.Context(), y, "", tip) != "" || Granted(t.Context(), y, strings.Repeat("0", 40), tip) != "" {
			t.Errorf("%s: a merge that nobody knows is somebody's", name)
		}
	}
}
