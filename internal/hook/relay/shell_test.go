package relay

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// repository is a clone of a bare one, with a commit to push.
func repository(t *testing.T) (dir string, git func(args ...string) (string, error)) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(base, "project")
	git = func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+base, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		out, err := cmd.CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"commit", "-q", "--allow-empty", "-m", "first"}, {"init", "-q", "--bare", filepath.Join(base, "remote.git")},
		{"remote", "add", "origin", filepath.Join(base, "remote.git")}, {"push", "-q", "origin", "main"}, {"remote", "set-head", "origin", "main"},
	} {
		if out, err := git(args...); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	return dir, git
}

// TestShellsOfARunPushNothing lets a run begin in the middle of a session, and
// end: the session's shells are locked in between, with what the client read
// when the session started.
func TestShellsOfARunPushNothing(t *testing.T) {
	dir, _ := repository(t)
	d := newForeign(t)
	envFile := filepath.Join(t.TempDir(), "sessionstart-hook-0.sh")
	d.env["CLAUDE_ENV_FILE"] = envFile
	for range 2 { // a session may start again: the file must not grow
		d.happens(hook.EventSessionStart, map[string]any{"source": "startup"})
	}
	prelude, err := os.ReadFile(envFile)
	if err != nil || strings.Count(string(prelude), "\n") != 1 {
		t.Fatalf("%q %v", prelude, err)
	}
	push := func() (string, error) {
		cmd := exec.CommandContext(t.Context(), "bash", "-c", string(prelude)+"git push origin HEAD:refs/heads/x-$RANDOM$RANDOM")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := push(); err != nil {
		t.Errorf("before the run: %v: %s", err, out)
	}
	if err := snapshot.Write(d.State, snapshot.Snapshot{Session: session, Run: "r1", Alias: "brisk-otter"}); err != nil {
		t.Fatal(err)
	}
	d.svc.Sessions.Turns(turns()["start"], turns()["over"])
	d.happens(hook.EventStop, stopping)
	if out, err := push(); err == nil || !strings.Contains(out, "stellwerk") {
		t.Errorf("during the run: %v: %s", err, out)
	}
	d.happens(hook.EventStop, stopping)
	if out, err := push(); err != nil {
		t.Errorf("after the run: %v: %s", err, out)
	}
}

// TestWorktreesOfThePerson makes and removes one that is none of ours, as the
// client would.
func TestWorktreesOfThePerson(t *testing.T) {
	dir, git := repository(t)
	if out, err := git("commit", "-q", "--allow-empty", "-m", "second, not pushed"); err != nil {
		t.Fatal(out, err)
	}
	d := newForeign(t)
	created := func(name string) string {
		t.Helper()
		return strings.TrimSuffix(d.happens(hook.EventWorktreeCreate, map[string]any{"name": name, "cwd": dir}), "\n")
	}
	want := filepath.Join(dir, ".claude", "worktrees", "fix+login")
	for range 2 {
		if got := created("fix/login"); got != want {
			t.Fatalf("made %s, want %s", got, want)
		}
	}
	head := func(at string) string {
		out, err := git("-C", at, "rev-parse", "HEAD")
		if err != nil {
			t.Fatal(out, err)
		}
		return out
	}
	if out, _ := git("-C", want, "branch", "--show-current"); out != "worktree-fix+login" {
		t.Errorf("on branch %s", out)
	}
	if out, _ := git("rev-parse", "origin/main"); head(want) != out {
		t.Error("it does not begin at the remote's main branch")
	}
	if err := os.WriteFile(filepath.Join(dir, ".claude", "settings.local.json"), []byte(`{"worktree":{"baseRef":"head"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if at := created("agent-a9"); head(at) != head(dir) {
		t.Error("the person's setting worktree.baseRef is not honoured")
	}
	d.happens(hook.EventWorktreeRemove, map[string]any{"worktree_path": want, "cwd": dir})
	if _, err := os.Lstat(want); err == nil {
		t.Error("it was not removed")
	}
	d.happens(hook.EventWorktreeRemove, map[string]any{"worktree_path": dir, "cwd": dir})
	if _, err := os.Lstat(dir); err != nil {
		t.Error("a folder that is no worktree was removed")
	}
	if got := created("fix/login"); got != want { // its branch is still there
		t.Errorf("made again: %s", got)
	}
	if d.started+d.existing > 0 {
		t.Error("an engine was asked for")
	}
}

func TestWorktreesThatCannotBe(t *testing.T) {
	dir, _ := repository(t)
	elsewhere := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(dir, ".claude", "worktrees")); err != nil {
		t.Fatal(err)
	}
	d := newForeign(t)
	for name, fields := range map[string]map[string]any{
		"outside of git": {"name": "x", "cwd": elsewhere}, "through a link": {"name": "x", "cwd": dir}, "upwards": {"name": "../x", "cwd": dir},
		"an option": {"name": "-x", "cwd": dir}, "nameless": {"name": "", "cwd": dir},
	} {
		var out, errs strings.Builder
		if code := d.Handle(t.Context(), event(t, hook.EventWorktreeCreate, fields), &out, &errs); code != exitFailed || out.Len() > 0 || errs.Len() == 0 {
			t.Errorf("%s: %d %q %q", name, code, out.String(), errs.String())
		}
	}
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
