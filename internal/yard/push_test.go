package yard

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func bareRemote(t testing.TB, f fixture) string {
	t.Helper()
	dir := filepath.Join(folder(t), "remote.git")
	sh(t, "/", "git clone -q --bare "+f.person+" "+dir)
	return dir
}

func TestPushExactCommit(t *testing.T) {
	f := newFixture(t)
	remote := bareRemote(t, f)
	topic := f.commit(t, "topic", "echo x > x")
	spec := PushSpec{Remote: remote, Ref: "refs/heads/feature/x", Commit: topic}
	must(t, f.yard.Push(ctx(t), spec))
	must(t, f.yard.Push(ctx(t), spec)) // repeating is harmless
	tip, err := f.yard.RemoteTip(ctx(t), remote, spec.Ref)
	must(t, err)
	equal(t, "tip", tip, topic)
	tip, err = f.yard.RemoteTip(ctx(t), remote, "refs/heads/x")
	must(t, err)
	equal(t, "tip of another name with the same end", tip, "")
}

// TestPushLeavesTags: a tag is a text of its own, which nobody has searched for secrets.
func TestPushLeavesTags(t *testing.T) {
	f := newFixture(t)
	remote := bareRemote(t, f)
	topic := f.commit(t, "topic", "echo x > x")
	sh(t, f.yard.Dir(), "git -c user.name=a -c user.email=a@example.org tag -a -m secret v1 "+topic+"; git config push.followTags true")
	must(t, f.yard.Push(ctx(t), PushSpec{Remote: remote, Ref: "refs/heads/feature/x", Commit: topic}))
	equal(t, "refs", sh(t, remote, "git for-each-ref --format='%(refname)'"), "refs/heads/feature/x\nrefs/heads/main")
}

func TestPushRefusesAMovedRemote(t *testing.T) {
	f := newFixture(t)
	remote := bareRemote(t, f)
	topic := f.commit(t, "topic", "echo x > x")
	for _, expected := range []string{"", topic} {
		err := f.yard.Push(ctx(t), PushSpec{Remote: remote, Ref: "refs/heads/main", Commit: f.commit(t, "n"+expected, "echo "+expected+" > y"), ExpectedOld: expected})
		lease, ok := errors.AsType[*LeaseError](err)
		if !ok || lease.Have != f.base || lease.Want != expected {
			t.Errorf("expected old %q: got %v", expected, err)
		}
	}
	equal(t, "remote", sh(t, remote, "git rev-parse main"), f.base)
	must(t, f.yard.Push(ctx(t), PushSpec{Remote: remote, Ref: "refs/heads/main", Commit: topic, ExpectedOld: f.base}))
}

func TestPushRefusesACheckedOutBranch(t *testing.T) {
	f := newFixture(t)
	sh(t, f.person, "git config receive.denyCurrentBranch updateInstead")
	topic := f.commit(t, "topic", "echo x > x")
	err := f.yard.Push(ctx(t), PushSpec{Remote: f.person, Ref: "refs/heads/main", Commit: topic, ExpectedOld: f.base})
	if !errors.Is(err, ErrCheckedOut) {
		t.Fatalf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(f.person, "x")); err == nil {
		t.Fatal("the work tree was updated")
	}
}

func TestPushHeedsARemotesOwnRules(t *testing.T) {
	f := newFixture(t)
	remote := bareRemote(t, f)
	canary := filepath.Join(folder(t), "canary")
	sh(t, remote, `mkdir rules; printf '#!/bin/sh\ntouch `+canary+`\n' > rules/pre-receive; chmod +x rules/pre-receive; git config core.hooksPath rules`)
	err := f.yard.Push(ctx(t), PushSpec{Remote: remote, Ref: "refs/heads/t", Commit: f.base})
	if !errors.Is(err, ErrDeclined) || !strings.Contains(err.Error(), "pre-receive") {
		t.Fatalf("got %v", err)
	}
	if _, err := os.Stat(canary); err == nil {
		t.Fatal("a hook ran")
	}
}

// A forge may take a push, say so, and not do it.
func TestPushIsNotBelieved(t *testing.T) {
	f := newFixture(t)
	served := newForge(t, f)
	served.decoy = "decoy.git"
	decoy := filepath.Join(filepath.Dir(served.remote), served.decoy)
	sh(t, "/", "git clone -q --bare "+served.remote+" "+decoy)
	topic := f.commit(t, "topic", "echo x > x")
	push := PushSpec{Remote: served.address(), Ref: "refs/heads/t", Commit: topic, Credential: Credential{User: "pat", Secret: goodSecret}}
	if err := f.yard.Push(ctx(t), push); !errors.Is(err, ErrDeclined) {
		t.Errorf("a push that came to nothing: %v", err)
	}
	equal(t, "what the forge was sent", sh(t, decoy, "git rev-parse t"), topic)
}

func TestPushErrors(t *testing.T) {
	f := newFixture(t)
	if err := f.yard.Push(ctx(t), PushSpec{Remote: "/nonexistent", Ref: "refs/heads/x", Commit: f.base}); !errors.Is(err, ErrUnreachable) {
		t.Errorf("no remote: %v", err)
	}
	unknown := strings.Repeat("1", 40)
	if err := f.yard.Push(ctx(t), PushSpec{Remote: f.person, Ref: "refs/heads/x", Commit: unknown}); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown commit: %v", err)
	}
	if err := f.yard.Push(ctx(t), PushSpec{Remote: f.person, Ref: "refs/heads/x"}); err == nil {
		t.Error("an empty commit would delete")
	}
	auth := classifyRemote(&CommandError{Args: []string{"push"}, Exit: 128, Stderr: "fatal: could not read Username for 'https://example.org': terminal prompts disabled"})
	if !errors.Is(auth, ErrAuth) {
		t.Errorf("credentials: %v", auth)
	}
}

// TestPersonsWorkingCopyStaysUntouched covers every act that goes near a person's repository.
func TestPersonsWorkingCopyStaysUntouched(t *testing.T) {
	f := newFixture(t)
	canary := filepath.Join(folder(t), "canary")
	plantHooks(t, filepath.Join(f.person, ".git"), canary)
	sh(t, f.person, `echo dirty >> README.md; echo new > untracked; echo staged > staged; git -c core.hooksPath=/dev/null -c core.fsmonitor=false add staged; touch -d '1 hour ago' src/a.txt`)
	topic := sh(t, f.person, "git -c core.hooksPath=/dev/null commit-tree -p HEAD -m x HEAD^{tree}")
	sh(t, f.person, "git -c core.hooksPath=/dev/null update-ref refs/heads/side "+topic)
	must(t, os.RemoveAll(canary))

	before := fingerprint(t, f.person)
	_, err := Locate(ctx(t), f.person)
	must(t, err)
	must(t, f.yard.Fetch(ctx(t), f.person))
	if after := fingerprint(t, f.person); after != before {
		t.Fatalf("reading changed something: %s", cmp.Diff(before, after))
	}
	must(t, f.yard.Push(ctx(t), PushSpec{Remote: f.person, Ref: "refs/heads/pushed", Commit: topic}))
	equal(t, "pushed", sh(t, f.person, "git rev-parse refs/heads/pushed"), topic)
	for _, expected := range []string{".git/refs/heads/pushed", ".git/logs/refs/heads/pushed"} {
		must(t, os.Remove(filepath.Join(f.person, expected)))
	}
	if d := cmp.Diff(outsideObjects(before), outsideObjects(fingerprint(t, f.person))); d != "" {
		t.Fatalf("pushing changed something: %s", d)
	}
	if _, err := os.Stat(canary); err == nil {
		t.Fatal("a planted program ran")
	}
}

func outsideObjects(fingerprint string) []string {
	var lines []string
	for line := range strings.Lines(fingerprint) {
		if !strings.HasPrefix(line, ".git/objects") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// fingerprint lists every file below dir with time, mode and content.
func fingerprint(t testing.TB, dir string) string {
	t.Helper()
	var out strings.Builder
	must(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		fmt.Fprintf(&out, "%s %s %d %x\n", rel, info.Mode(), info.ModTime().UnixNano(), sha256.Sum256(content))
		return err
	}))
	return out.String()
}

// plantHooks makes every hook and monitor of a repository leave a trace.
func plantHooks(t testing.TB, gitDir, canary string) {
	t.Helper()
	hooks := filepath.Join(gitDir, "hooks")
	must(t, os.MkdirAll(hooks, 0o755))
	for _, name := range []string{
		"applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-checkout", "post-commit", "post-index-change", "post-merge", "post-receive",
		"post-rewrite", "post-update", "pre-commit", "pre-push", "pre-receive", "prepare-commit-msg", "push-to-checkout", "reference-transaction", "update",
	} {
		must(t, os.WriteFile(filepath.Join(hooks, name), []byte("#!/bin/sh\necho "+name+" >> "+canary+"\n"), 0o755))
	}
	config, err := os.OpenFile(filepath.Join(gitDir, "config"), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = fmt.Fprintf(config, "[core]\n\tfsmonitor = %s\n", filepath.Join(hooks, "fsmonitor-watchman"))
	must(t, errors.Join(err, config.Close()))
}
