package shim

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// masking takes one word out.
type masking struct{ unredacted }

func (masking) Redact(text string) string { return strings.ReplaceAll(text, "SECRET", "***") }

// TestNoTextOfAnEndKeepsASecret, in whichever of its fields somebody else's words are.
func TestNoTextOfAnEndKeepsASecret(t *testing.T) {
	exit := Exit{
		Detail: "1 SECRET", Outcome: agent.Outcome{Message: "2 SECRET", Summary: "3 SECRET", SessionID: "4 SECRET"},
		HandIn: &HandIn{Error: "5 SECRET", HandInResult: HandInResult{Notes: []string{"6 SECRET", "7 SECRET"}}},
	}
	exit.redact(masking{})
	raw, err := json.Marshal(exit)
	if err != nil || strings.Contains(string(raw), "SECRET") || strings.Count(string(raw), "***") != 7 {
		t.Errorf("kept is %s, %v", raw, err)
	}
	(&Exit{}).redact(masking{}) // without a hand-in
}

// handed runs a shell script in the place of the hand-in, with an earlier try's leavings in its folder.
func handed(t *testing.T, script string, change func(*Spec)) (*HandIn, string) {
	t.Helper()
	folder := t.TempDir()
	spec := goodSpec(t)
	spec.Base, spec.Branch, spec.CommitMessage, spec.Mark, spec.Identity = "b1", "feature/x", "wip", true, core.Identity{Name: "N", Email: "n@e"}
	change(&spec)
	if err := WriteSpec(folder, spec); err != nil {
		t.Fatal(err)
	}
	spec, err := ReadSpec(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, handInDir), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(folder, handInDir), "result.json", `{"commit": "stale", "empty": true}`)
	return handIn(t.Context(), folder, spec, Options{HandIn: []string{"/bin/sh", "-c", script}}), folder
}

// TestAHandInIsTheChildsOwn: what an earlier try left does not count for it, and where it fails, its last words say why.
func TestAHandInIsTheChildsOwn(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		change func(*Spec)
		want   string
	}{
		"says nothing":        {"true", func(*Spec) {}, "no such file"},
		"fails":               {`printf 'x%.0s' $(seq 3000); echo; echo it broke; exit 3`, func(*Spec) {}, "it broke"},
		"complains":           {`echo out; echo it broke >&2; exit 4`, func(*Spec) {}, "exited with code 4: out\nit broke"},
		"fails with a result": {`echo '{"commit": "c1", "empty": true}' > result.json; echo it broke; exit 1`, func(*Spec) {}, "it broke"},
		"takes for ever": {"sleep 1000", func(s *Spec) {
			s.HandInTimeout, s.Grace = Duration(50*time.Millisecond), Duration(50*time.Millisecond)
		}, string(ReasonTimeout)},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := handed(t, c.script, c.change)
			if !strings.Contains(got.Error, c.want) || got.Commit != "" || got.Bundle != "" || len(got.Error) > 2200 {
				t.Errorf("handed in was %+v", got)
			}
		})
	}
	got, folder := handed(t, `cp "$0" ../asked.json; printf pack > out.bundle; echo '{"commit": "c1", "left": ["c2"], "notes": ["odd"], "mark": true}' > result.json`, func(*Spec) {})
	sum := sha256.Sum256([]byte("pack"))
	if got.Error != "" || got.Commit != "c1" || !got.Mark || got.Empty || got.Bundle != bundleFile || got.Size != 4 || got.SHA256 != hex.EncodeToString(sum[:]) || len(got.Left) != 1 || len(got.Notes) != 1 {
		t.Errorf("handed in was %+v", got)
	}
	if string(mustRead(t, folder, bundleFile)) != "pack" {
		t.Error("the bundle is not out of the child's reach")
	}
	asked, err := ReadHandInRequest(filepath.Join(folder, "asked.json"))
	dir := filepath.Join(folder, handInDir)
	want := HandInRequest{
		Proto: Proto, Attempt: "a1", Workspace: asked.Workspace, Base: "b1", Branch: "feature/x", Message: "wip", Mark: true, Identity: core.Identity{Name: "N", Email: "n@e"},
		Bundle: filepath.Join(dir, bundleFile), Result: filepath.Join(dir, "result.json"),
	}
	if err != nil || asked != want || !filepath.IsAbs(asked.Workspace) {
		t.Errorf("asked was %+v, %v", asked, err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("its folder is %v, %v", info.Mode(), err)
	}
	if got, _ := handed(t, `echo '{"commit": "b1", "empty": true}' > result.json`, func(*Spec) {}); !got.Empty || got.Bundle != "" || got.Error != "" {
		t.Errorf("nothing handed in is %+v", got)
	}
	if got := handIn(t.Context(), t.TempDir(), goodSpec(t), Options{}); !strings.Contains(got.Error, "no hand-in command") {
		t.Errorf("without a command: %+v", got)
	}
}

// TestWhatASalvageFinds: documents and code of an attempt that wrote code, documents alone of any other; of one whose
// spec cannot be read it says that nothing could be saved, and it is over all the same.
func TestWhatASalvageFinds(t *testing.T) {
	for writes, code := range map[core.Writes]bool{core.WritesCode: true, core.WritesArtifacts: false, core.WritesPlan: false} {
		folder := t.TempDir()
		spec := goodSpec(t)
		spec.Writes, spec.Isolation = writes, sandbox.None
		if err := WriteSpec(folder, spec); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(folder, "out"), 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(folder, "out"), "notes.md", "SECRET")
		put(t, folder, startedFile, "{}")
		opts := Options{Log: slog.New(slog.DiscardHandler), NewRedactor: func([]string) (Redactor, error) { return masking{}, nil }}
		if err := Salvage(t.Context(), folder, opts); err != nil {
			t.Fatal(err)
		}
		exit, err := ReadExit(folder)
		if err != nil || exit.Reason != ReasonLost || exit.ExitCode != -1 || exit.Attempt != "a1" || exit.Isolation != sandbox.None || exit.StartedAt.IsZero() || exit.EndedAt.Before(exit.StartedAt) || exit.Outcome.Class != agent.ClassCrashed || exit.Outcome.OK {
			t.Errorf("%s: salvaged is %+v, %v", writes, exit, err)
		}
		if len(exit.Outputs) != 1 || string(mustRead(t, filepath.Join(folder, "out"), "notes.md")) != "***" || (exit.HandIn != nil) != code {
			t.Errorf("%s: found are %+v and %+v", writes, exit.Outputs, exit.HandIn)
		}
		if err := Salvage(t.Context(), folder, opts); !errors.Is(err, ErrNotLost) {
			t.Errorf("salvaged again: %v", err)
		}
	}
	folder := t.TempDir()
	put(t, folder, specFile, "{")
	put(t, folder, startedFile, "{}")
	if err := Salvage(t.Context(), folder, Options{}); err != nil {
		t.Fatal(err)
	}
	if exit, err := ReadExit(folder); err != nil || exit.Reason != ReasonLost || !strings.HasPrefix(exit.Detail, "nothing could be saved: read ") || exit.EndedAt.IsZero() {
		t.Errorf("salvaged is %+v, %v", exit, err)
	}
	folder = t.TempDir()
	if err := WriteSpec(folder, goodSpec(t)); err != nil {
		t.Fatal(err)
	}
	put(t, folder, startedFile, "{}")
	broken := errors.New("no rules")
	err := Salvage(t.Context(), folder, Options{NewRedactor: func([]string) (Redactor, error) { return nil, broken }})
	if state, _ := Look(folder); !errors.Is(err, broken) || state != StateLost {
		t.Errorf("without a redactor: %v, it is %s", err, state)
	}
}

// TestASignalIsToldFromACode: a sandbox reports its child's signal as a code, and no other program does.
func TestASignalIsToldFromACode(t *testing.T) {
	for _, c := range []struct {
		kind   sandbox.Kind
		script string
		code   int
		signal syscall.Signal
	}{
		{sandbox.None, "exit 0", 0, 0}, {sandbox.None, "exit 137", 137, 0}, {sandbox.None, "kill -9 $$", 137, syscall.SIGKILL},
		{sandbox.Sandbox, "exit 3", 3, 0}, {sandbox.Sandbox, "exit 128", 128, 0}, {sandbox.Sandbox, "exit 129", 129, syscall.SIGHUP},
		{sandbox.Sandbox, "exit 159", 159, syscall.SIGSYS}, {sandbox.Sandbox, "exit 160", 160, 0},
	} {
		cmd := exec.Command("/bin/sh", "-c", c.script)
		_ = cmd.Run()
		if code, signal := exitStatus(cmd.ProcessState, c.kind); code != c.code || signal != c.signal {
			t.Errorf("%s, %q: %d and %q", c.kind, c.script, code, signalName(signal))
		}
	}
	if signalName(0) != "" || signalName(syscall.SIGKILL) != "killed" {
		t.Error("no signal has a name, or one has none")
	}
}

// TestAHandInOutlastsACancelledAttempt, but not for ever; and it does not end with an attempt that nobody cancelled.
func TestAHandInOutlastsACancelledAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithCancelCause(t.Context())
		later, stop := outlasting(parent, time.Minute)
		defer stop()
		time.Sleep(time.Hour)
		cancel(errCancelled)
		time.Sleep(time.Minute - time.Nanosecond)
		synctest.Wait()
		if later.Err() != nil {
			t.Error("it ended with the attempt")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if !errors.Is(context.Cause(later), errCancelled) {
			t.Errorf("it goes on: %v", context.Cause(later))
		}
	})
}
