package yard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPushHeedsEveryHookWithASay: a bare repository's hooks are its rules. None runs, so a push that one of them could refuse
// is not made.
func TestPushHeedsEveryHookWithASay(t *testing.T) {
	f := newFixture(t)
	topic := f.commit(t, "topic", "echo x > x")
	for hook, c := range map[string]struct {
		mode    os.FileMode
		refused bool
	}{
		"pre-receive": {0o755, true}, "update": {0o755, true}, "proc-receive": {0o755, true}, "reference-transaction": {0o755, true},
		"post-receive": {0o755, false}, "post-update": {0o755, false}, "update.sample": {0o755, false}, "pre-push": {0o755, false},
	} {
		for _, mode := range []os.FileMode{c.mode, 0o644} {
			remote := bareRemote(t, f)
			canary := filepath.Join(folder(t), "canary")
			must(t, os.MkdirAll(filepath.Join(remote, "hooks"), 0o755))
			must(t, os.WriteFile(filepath.Join(remote, "hooks", hook), []byte("#!/bin/sh\ntouch "+canary+"\n"), mode))
			err := f.yard.Push(ctx(t), PushSpec{Remote: remote, Ref: "refs/heads/t", Commit: topic})
			refused := c.refused && mode&0o100 != 0
			if errors.Is(err, ErrDeclined) != refused || refused != (err != nil) || refused && !strings.Contains(err.Error(), hook) {
				t.Errorf("%s, %v: %v", hook, mode, err)
			}
			tip, err := f.yard.RemoteTip(ctx(t), remote, "refs/heads/t")
			must(t, err)
			equal(t, hook+": pushed", tip == topic, !refused)
			if _, err := os.Stat(canary); err == nil {
				t.Errorf("%s ran", hook)
			}
		}
	}
}

// TestPushThatARemotesSettingsRefuse names the reason that the remote gave.
func TestPushThatARemotesSettingsRefuse(t *testing.T) {
	f := newFixture(t)
	remote := bareRemote(t, f)
	sh(t, remote, "git config receive.denyNonFastForwards true")
	other := f.commit(t, "other", "git commit -q --amend -m other; echo x > x")
	err := f.yard.Push(ctx(t), PushSpec{Remote: remote, Ref: "refs/heads/main", Commit: other, ExpectedOld: f.base})
	if !errors.Is(err, ErrDeclined) || !strings.Contains(err.Error(), "(non-fast-forward)") {
		t.Errorf("got %v", err)
	}
	equal(t, "remote", sh(t, remote, "git rev-parse main"), f.base)
	ended, cancel := context.WithCancel(ctx(t))
	cancel()
	if err := f.yard.Push(ended, PushSpec{Remote: remote, Ref: "refs/heads/x", Commit: f.base}); !errors.Is(err, context.Canceled) {
		t.Errorf("a push nobody waits for: %v", err)
	}
}

// TestPushToWhatIsNoRepository says that it is none.
func TestPushToWhatIsNoRepository(t *testing.T) {
	f := newFixture(t)
	dir := folder(t)
	if err := f.yard.Push(ctx(t), PushSpec{Remote: dir, Ref: "refs/heads/x", Commit: f.base}); !errors.Is(err, ErrNoRepository) {
		t.Errorf("got %v", err)
	}
	for _, bad := range []PushSpec{
		{Remote: "relative", Ref: "refs/heads/x", Commit: f.base}, {Remote: f.person, Ref: "x", Commit: f.base}, {Remote: f.person, Ref: "refs/heads/x", Commit: "main"},
	} {
		if err := f.yard.Push(ctx(t), bad); err == nil {
			t.Errorf("%+v was pushed", bad)
		}
	}
}

// TestWhatARemoteSays is what decides between trying again, asking for a credential and giving up.
func TestWhatARemoteSays(t *testing.T) {
	const auth, unreachable, missing = 1, 2, 4
	for said, want := range map[string]int{
		"fatal: Authentication failed for 'https://x'":                                                      auth,
		"git@x: Permission denied (publickey).":                                                             auth,
		"Host key verification failed.\nfatal: Could not read from remote repository.":                      auth,
		"The requested URL returned error: 403":                                                             auth,
		"The requested URL returned error: 401":                                                             auth,
		"fatal: could not read Password for 'https://x': terminal prompts disabled":                         auth,
		"remote: Invalid username or password.":                                                             auth,
		"fatal: '/x' does not appear to be a git repository\nfatal: Could not read from remote repository.": unreachable | missing,
		"ERROR: Repository not found.\nfatal: Could not read from remote repository.":                       unreachable | missing,
		"fatal: repository 'https://x/' not found":                                                          unreachable | missing,
		"fatal: unable to access 'https://x/': The requested URL returned error: 404":                       unreachable | missing,
		"fatal: unable to access 'https://x/': Could not resolve host: x":                                   unreachable,
		"ssh: connect to host x port 22: Connection refused":                                                unreachable,
		"ssh: connect to host x port 22: Connection timed out":                                              unreachable,
		"fatal: the remote end hung up unexpectedly":                                                        unreachable,
		"error: RPC failed; curl 18":                                                                        unreachable, "fatal: early EOF": unreachable, "fatal: read error: Connection reset by peer": unreachable,
		"fatal: unable to connect to x": unreachable,
		"fatal: bad object HEAD":        0,
	} {
		err := classifyRemote(&CommandError{Args: []string{"fetch"}, Exit: 128, Stderr: said})
		got := 0
		for is, flag := range map[error]int{ErrAuth: auth, ErrUnreachable: unreachable, ErrNoRepository: missing} {
			if errors.Is(err, is) {
				got |= flag
			}
		}
		if got != want || !strings.Contains(err.Error(), said) {
			t.Errorf("%q is taken for %d, not %d: %v", said, got, want, err)
		}
	}
}

// TestFetchBringsBranchesAndNothingElse: a tag is not a branch, and nobody asked for it.
func TestFetchBringsBranchesAndNothingElse(t *testing.T) {
	f := newFixture(t)
	remote := bareRemote(t, f)
	sh(t, f.person, "git commit -q --allow-empty -m more; git tag -a -m x v1; git update-ref refs/notes/x HEAD; git push -q "+remote+" main v1")
	must(t, f.yard.Fetch(ctx(t), f.person))
	must(t, second(f.yard.FetchBranch(ctx(t), remote, "main")))
	sh(t, f.person, "git commit -q --allow-empty -m still; git tag -a -m x v2; git push -q "+remote+" main v2")
	must(t, second(f.yard.FetchBranch(ctx(t), remote, "main")))
	for _, ref := range strings.Split(sh(t, f.yard.Dir(), "git for-each-ref --format='%(refname)'"), "\n") {
		if ref != UpstreamHeads+"main" && !strings.HasPrefix(ref, UpstreamRemotes) {
			t.Errorf("there is %s", ref)
		}
	}
	if _, err := os.Stat(filepath.Join(f.yard.Dir(), "FETCH_HEAD")); err == nil {
		t.Error("there is a FETCH_HEAD, which two fetches would share")
	}
}
