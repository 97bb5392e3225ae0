package pushlock_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/pushlock"
)

func TestLockedSessionPushesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(t, "git remote add apart ../remote.git && git config remote.apart.pushurl ../remote.git && git config --global alias.up push")
	git := "$(PATH=/usr/local/bin:/usr/bin:/bin command -v git)"
	locked := w.locked(t)
	for _, lines := range []string{
		"git push",
		"git -C . -c color.ui=never push origin main",
		"git up",
		"git push ../remote.git main",
		"git push file://$PWD/../remote.git main",
		"git send-pack ../remote.git main",
		"git push apart main",
		git + " push origin main",
		git + " push --no-verify ../remote.git main",
		git + " push --delete origin main",
	} {
		locked.held(t, lines)
	}
	// These are held too, though git itself says why.
	for _, lines := range []string{
		git + " push --no-verify apart main",
		git + " push --no-verify --no-signed apart main",
		git + " send-pack ../remote.git main",
		git + " -c url.../remote.git.pushInsteadOf=../remote.git push --no-signed ../remote.git main",
		git + " push --receive-pack=$(git --exec-path)/git-receive-pack --no-signed apart main:other",
	} {
		before := w.refs(t)
		if out, err := locked.sh(t, lines); err == nil || w.refs(t) != before {
			t.Errorf("%s pushes: %v\n%s", lines, err, out)
		}
	}
	locked.must(t, "git fetch && git ls-remote origin && git pull --ff-only && git commit -q --allow-empty -m c && git clone -q . ../copy")
	w.must(t, "git push -q") // the lock is in the environment, nowhere else
}

func TestTheLockKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.env = append(w.env, "GH_TOKEN=secret", "GITLAB_TOKEN=secret", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=user.name", "GIT_CONFIG_VALUE_0=Other")
	w = w.locked(t)
	if joined := strings.Join(w.env, "\n"); strings.Contains(joined, "secret") || !slices.Contains(w.env, "GIT_CONFIG_KEY_0=user.name") {
		t.Errorf("the environment is\n%s", joined)
	}
	if diff := cmp.Diff(w.env, w.locked(t).env); diff != "" {
		t.Errorf("locking twice changes the environment:\n%s", diff)
	}
	if name := w.must(t, "git config user.name"); name != "Other\n" {
		t.Errorf("user.name is %q", name)
	}
}

// TestEveryShellIsLockedAlike: each shell that may read the script ends up with the same environment, however often it does.
func TestEveryShellIsLockedAlike(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.env = append(w.env, "GH_TOKEN=secret", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=user.name", "GIT_CONFIG_VALUE_0=Other", "GIT_SSH_COMMAND=ssh -i key")
	dir := filepath.Join(w.root, "a $lock")
	lock, err := pushlock.Write(t.Context(), dir)
	must(t, err)
	want := w.environment(t, "sh", lock.Script())
	for _, entry := range []string{
		"GIT_CONFIG_COUNT=8", "GIT_CONFIG_KEY_0=user.name", "GIT_CONFIG_KEY_7=stellwerk-pushlock.dir", "GIT_CONFIG_VALUE_7=" + dir,
		"GIT_CONFIG_SYSTEM=" + dir + "/gitconfig", "GIT_SSH_COMMAND='" + dir + "/git/ssh'", "STELLWERK_PUSHLOCK_GIT_SSH_COMMAND=ssh -i key",
	} {
		if !slices.Contains(want, entry) {
			t.Errorf("%s is missing in\n%s", entry, strings.Join(want, "\n"))
		}
	}
	for _, shell := range []string{"sh", "bash", "zsh", "dash"} {
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("%s is not on this machine", shell)
			continue
		}
		if diff := cmp.Diff(want, w.environment(t, shell, lock.Script()+lock.Script())); diff != "" {
			t.Errorf("%s:\n%s", shell, diff)
		}
	}
}

func TestSSHFetchesAndDoesNotPush(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "bin/fake-ssh", "#!/bin/sh\necho \"$*\" >> \"${0%/*}/../ssh.log\"\nfor last; do :; done\nexec sh -c \"$last\"\n", 0o700)
	w.env = append(w.env, "GIT_SSH_COMMAND=fake-ssh -i key")
	w.must(t, "git remote add far ssh://git@forge.test$PWD/../remote.git && git remote add near git@forge.test:$PWD/../remote.git")
	locked := w.locked(t)
	for _, remote := range []string{"far", "near"} {
		locked.must(t, "git fetch "+remote)
		locked.held(t, "$(PATH=/usr/bin:/bin command -v git) push --no-verify "+remote+" main")
		locked.held(t, "$(PATH=/usr/bin:/bin command -v git) -c url.ssh://.pushInsteadOf=ssh:// push --receive-pack=other --no-verify "+remote+" main")
	}
	if log := w.must(t, "cat ../ssh.log"); strings.Contains(log, "receive-pack") || !strings.Contains(log, "-i key") {
		t.Errorf("ssh was called with\n%s", log)
	}
}

func TestNoCredentialIsGiven(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(t, `git config --global credential.helper '!printf "username=u\npassword=p\n" #'
		git config --global credential.https://github.com.helper '!printf "username=u\npassword=p\n" #'`)
	ask := "printf 'protocol=https\nhost=github.com\n\n' | $(PATH=/usr/bin:/bin command -v git) credential fill"
	if out := w.must(t, ask); !strings.Contains(out, "password=p") {
		t.Fatalf("without a lock the credential is %q", out)
	}
	if out, err := w.locked(t).sh(t, ask); err == nil || strings.Contains(out, "password=p") {
		t.Errorf("with a lock the credential is %q, %v", out, err)
	}
}

func TestForgeClientsOnlyAsk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "bin/gh", "#!/bin/sh\necho \"gh $* with ${GH_CONFIG_DIR-the default}\"\n", 0o700)
	w.env = append(w.env, "GH_CONFIG_DIR=/of/the/person")
	locked := w.locked(t)
	for _, lines := range []string{"gh issue view 42", "gh pr list", "gh api repos/o/n", "gh --version", "gh api graphql -f query='query { viewer { login } }'"} {
		if out := locked.must(t, lines); !strings.Contains(out, "with /of/the/person") {
			t.Errorf("%s: %q", lines, out)
		}
	}
	for _, lines := range []string{"gh pr create", "gh pr merge 1", "gh api -X POST repos/o/n/pulls", "gh api repos/o/n/pulls -f a=b", "gh auth token", "gh repo sync", "gh api graphql -f query='mutation { x }'", "gh alias set x y"} {
		if out, err := locked.sh(t, lines); err == nil || !strings.Contains(out, "stellwerk: gh ") || strings.Count(out, "\n") != 1 {
			t.Errorf("%s: %v %q", lines, err, out)
		}
	}
	if out := locked.must(t, filepath.Join(w.root, "bin/gh")+" pr create"); strings.Contains(out, "/of/the/person") {
		t.Errorf("gh past the lock still finds the person's settings: %q", out)
	}
}

func TestWriteTwice(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "lock")
	first, err := pushlock.Write(t.Context(), dir)
	must(t, err)
	second, err := pushlock.Write(t.Context(), dir)
	must(t, err)
	if first != second {
		t.Errorf("%v and %v are not one lock", first, second)
	}
	if _, err := pushlock.Write(t.Context(), filepath.Join(t.TempDir(), "it's")); err == nil {
		t.Error("a folder that cannot stand in a script is accepted")
	}
}
