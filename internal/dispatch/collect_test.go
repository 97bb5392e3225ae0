package dispatch

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// shelf keeps what goes into a run's folder.
type shelf struct{ dir string }

func (s shelf) Artifact(_, stage string, _ int, name string, content []byte) error {
	if err := os.MkdirAll(filepath.Join(s.dir, stage), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, stage, name), content, 0o600)
}

func (shelf) Transcript(string, string, string, bool) error { return nil }

func (shelf) Connections(string, string) error { return nil }

// ended is a dispatcher before which an attempt ended, and an engine that hears
// of it, or refuses to.
type ended struct {
	*surf
	engine  *heard
	refuses error
	folder  string
	vacated chan string // nil if nobody listens
}

func (e *ended) Conclude(ctx context.Context, run string, fence int64, body core.Body) (*core.Run, error) {
	if e.refuses != nil {
		return nil, e.refuses
	}
	return e.engine.Conclude(ctx, run, fence, body)
}

func (*ended) Poke(context.Context, string) error { return nil }

func (*ended) Owns(string, int64) bool { return true }

func (*ended) Seat(context.Context, *core.Run, int64, string) (bool, error) { return true, nil }

func (e *ended) Vacate(_ context.Context, run string, fence int64, attempt string) error {
	if e.vacated != nil {
		e.vacated <- fmt.Sprint(run, " ", fence, " ", attempt)
	}
	return nil
}

const theAttempt = "api.r1.a1"

func newEnded(t *testing.T, exit shim.Exit, outputs map[string]string) *ended {
	t.Helper()
	e := &ended{surf: newSurf(t), engine: &heard{news: make(chan core.Body, 10)}}
	e.surf.engine, e.Folder = e, shelf{t.TempDir()}
	e.folder = e.Layout.Attempt(e.run.ID, theAttempt)
	work := e.Layout.Workspace(e.run.ID, theAttempt)
	write(t, filepath.Join(work, "code.go"), "work")
	write(t, filepath.Join(e.folder, "home", "cache"), "")
	write(t, filepath.Join(e.folder, "prompt.md"), "Write it.")
	write(t, filepath.Join(e.folder, "in", "plan.md"), "")
	out := filepath.Join(e.folder, "out")
	for name, text := range outputs {
		write(t, filepath.Join(out, name), text)
		exit.Outputs = append(exit.Outputs, shim.Output{Name: name, Size: int64(len(text))})
	}
	err := shim.WriteSpec(e.folder, shim.Spec{
		Project: "p", Run: e.run.ID, Task: "api.r1", Attempt: theAttempt, Agent: agent.Command, Workspace: work,
		Job:    agent.Job{Dir: work, Prompt: filepath.Join(e.folder, "prompt.md"), In: filepath.Join(e.folder, "in"), Out: out, Command: []string{"true"}},
		Writes: core.WritesCode, Base: e.run.BaseCommit, Branch: "feature/x", CommitMessage: "wip", Isolation: sandbox.None,
		Identity: core.Identity{Name: "A", Email: "a@example.org"}, Timeout: shim.Duration(1 << 40),
	})
	if err != nil {
		t.Fatal(err)
	}
	exit.Proto, exit.Attempt, exit.Reason = shim.Proto, theAttempt, shim.ReasonExited
	raw, err := json.Marshal(exit)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(e.folder, "exit.json"), string(raw))
	return e
}

// TestWhatIsSaidOfAnEndIsClean: notes of the hand-in are passed on, and secrets are
// taken out of everything: who salvaged the attempt may not have known them.
func TestWhatIsSaidOfAnEndIsClean(t *testing.T) {
	e := newEnded(t, shim.Exit{
		Detail:  "the agent said " + hiddenWord,
		Outcome: agent.Outcome{OK: true, Summary: "Used " + hiddenWord + "."},
		HandIn:  &shim.HandIn{HandInResult: shim.HandInResult{Empty: true, Notes: []string{"a branch try-" + hiddenWord, "a stash"}}},
		Refused: []shim.Refusal{{Name: "link", Reason: "it leads to " + hiddenWord}},
	}, map[string]string{"notes.md": "see " + hiddenWord, "report.json": `{"context": {"key": "` + hiddenWord + `"}}`, "../up.md": "", ".hidden": ""})
	if err := e.collect(t.Context(), e.run, theAttempt); err != nil {
		t.Fatal(err)
	}
	body := e.engine.await(t).(core.AttemptExited)
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), hiddenWord) {
		t.Errorf("reported was %s", raw)
	}
	d := body.Delivery
	if want := []string{"a branch try-[redacted]", "a stash"}; !slices.Equal(d.Notes, want) {
		t.Errorf("the notes are %q", d.Notes)
	}
	if len(d.Rejected) != 3 || d.Rejected[0] != "link: it leads to [redacted]" {
		t.Errorf("rejected were %q", d.Rejected)
	}
	if !d.Empty || d.Commit != e.run.BaseCommit || len(d.Artifacts) != 2 || body.Kind != core.ExitFinished {
		t.Errorf("%+v of %+v", d, body)
	}
	for _, a := range d.Artifacts {
		if text := stored(t, e.Objects, a.Digest); strings.Contains(text, hiddenWord) || !strings.Contains(text, "[redacted]") {
			t.Errorf("%s is kept as %s", a.Name, text)
		}
	}
}

// TestAWorkspaceGoesWhenItsEndIsOnRecord: until then it may be all there is.
func TestAWorkspaceGoesWhenItsEndIsOnRecord(t *testing.T) {
	e := newEnded(t, shim.Exit{HandIn: &shim.HandIn{HandInResult: shim.HandInResult{Empty: true}}}, map[string]string{"notes.md": "so"})
	gone := []string{e.Layout.Workspace(e.run.ID, theAttempt), filepath.Join(e.folder, "home"), filepath.Join(e.folder, "out")}
	stays := []string{filepath.Join(e.folder, "exit.json"), filepath.Join(e.folder, "prompt.md"), filepath.Join(e.folder, "spec.json")}
	there := func(path string) bool { _, err := os.Stat(path); return err == nil }
	e.refuses = errors.New("the disk is full")
	if err := e.collect(t.Context(), e.run, theAttempt); !errors.Is(err, e.refuses) {
		t.Fatalf("got %v", err)
	}
	for _, path := range slices.Concat(gone, stays) {
		if !there(path) {
			t.Errorf("%s went before its end was on record", path)
		}
	}
	e.refuses = nil
	if err := e.collect(t.Context(), e.run, theAttempt); err != nil {
		t.Fatal(err)
	}
	for _, path := range gone {
		if there(path) {
			t.Errorf("%s is left", path)
		}
	}
	for _, path := range stays {
		if !there(path) {
			t.Errorf("%s is gone", path)
		}
	}
}

// TestWhatCouldNotBeHandedInIsKept where nobody cleans up, and the report says
// where. It is among the objects, too, for the case that this machine is lost.
func TestWhatCouldNotBeHandedInIsKept(t *testing.T) {
	e := newEnded(t, shim.Exit{HandIn: &shim.HandIn{Error: "git broke over " + hiddenWord}}, nil)
	secret := filepath.Join(t.TempDir(), "outside")
	write(t, secret, "not the agent's")
	if err := os.Symlink(secret, filepath.Join(e.Layout.Workspace(e.run.ID, theAttempt), "link")); err != nil {
		t.Fatal(err)
	}
	if err := e.collect(t.Context(), e.run, theAttempt); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(e.folder, "workspace", "code.go")
	if text := content(t, kept); text != "work" {
		t.Errorf("kept is %q", text)
	}
	body := e.engine.await(t).(core.AttemptExited)
	if d := body.Delivery; len(d.Rejected) != 1 || !strings.Contains(d.Rejected[0], filepath.Dir(kept)) || !strings.Contains(d.Rejected[0], "git broke over [redacted]") {
		t.Errorf("%q", d.Rejected)
	}
	archived := map[string]string{}
	in := tar.NewReader(strings.NewReader(stored(t, e.Objects, body.Delivery.Workspace)))
	for header, err := in.Next(); !errors.Is(err, io.EOF); header, err = in.Next() {
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		archived[header.Name] = header.Linkname + string(data)
	}
	if archived["code.go"] != "work" || archived["link"] != secret {
		t.Errorf("among the objects is %q", archived)
	}
}

func shimExit() shim.Exit {
	return shim.Exit{HandIn: &shim.HandIn{HandInResult: shim.HandInResult{Empty: true}}}
}

// TestCommitsAreTakenOver: onto the round's base, or else they rewrite what was
// there before it. What was seen used stays used, whatever the agent claims.
func TestCommitsAreTakenOver(t *testing.T) {
	for name, rewritten := range map[string]bool{"on top": false, "beside": true} {
		t.Run(name, func(t *testing.T) {
			e := newEnded(t, shim.Exit{
				Outcome: agent.Outcome{OK: true, CostUSD: 1, Usage: agent.Usage{ModelUsage: agent.ModelUsage{InputTokens: 10}}},
				HandIn:  &shim.HandIn{HandInResult: shim.HandInResult{Checkpoint: true}, Bundle: "out.bundle"},
			}, nil)
			parent := map[bool]string{false: e.commit, true: e.run.BaseCommit}[rewritten]
			commit := sh(t, filepath.Join(e.Layout.State, "person"), `commit=$(git commit-tree -m done -p `+parent+` HEAD^{tree})
				git update-ref refs/handin/head $commit; git bundle create -q `+filepath.Join(e.folder, "out.bundle")+` refs/handin/head ^`+e.run.BaseCommit+`; echo $commit`)
			stage, _, attempt := e.run.Attempt(theAttempt)
			stage.Base, attempt.Usage = e.commit, core.Usage{CostUSD: 3, InputTokens: 4}
			if err := e.collect(t.Context(), e.run, theAttempt); err != nil {
				t.Fatal(err)
			}
			body := e.engine.await(t).(core.AttemptExited)
			d := body.Delivery
			if d.Commit != commit || d.Empty || !d.Checkpoint || d.Rewritten != rewritten || len(d.Rejected) > 0 {
				t.Errorf("taken over was %+v, and not %s", d, commit)
			}
			y, err := e.Yards.Yard(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			if at, err := y.Resolve(t.Context(), d.Ref); err != nil || at != commit {
				t.Errorf("%s is at %s, %v", d.Ref, at, err)
			}
			if body.Usage.CostUSD != 3 || body.Usage.InputTokens != 10 {
				t.Errorf("used was %+v", body.Usage)
			}
		})
	}
}

// TestADocumentThatIsTooLarge is named, and the others are taken.
func TestADocumentThatIsTooLarge(t *testing.T) {
	e := newEnded(t, shimExit(), map[string]string{"large.bin": "", "notes.md": "so"})
	if err := os.Truncate(filepath.Join(e.folder, "out", "large.bin"), maxArtifact+1); err != nil {
		t.Fatal(err)
	}
	if err := e.collect(t.Context(), e.run, theAttempt); err != nil {
		t.Fatal(err)
	}
	d := e.engine.await(t).(core.AttemptExited).Delivery
	if len(d.Artifacts) != 1 || d.Artifacts[0].Name != "notes.md" || len(d.Rejected) != 1 || !strings.HasPrefix(d.Rejected[0], "large.bin: larger than") {
		t.Errorf("taken were %+v, rejected %q", d.Artifacts, d.Rejected)
	}
}
