package pushlock_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/pushlock"
)

func TestInstalledLockHoldsWithoutAnEnvironment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(t, "git remote add apart ../remote.git && git config remote.apart.pushurl ../remote.git && git config --add remote.apart.pushurl ../second.git")
	before := w.must(t, "git config --local --list")
	must(t, pushlock.Install(t.Context(), w.work()))
	for _, lines := range []string{
		"git push", "git push --no-verify origin main", "git push apart main", "git push --no-verify $PWD/../remote.git main",
		"git push file://$PWD/../remote.git main", "git -c remote.origin.pushurl=../remote.git push origin main", "git push origin :main",
	} {
		w.held(t, lines)
	}
	w.must(t, "git fetch && git commit -q --allow-empty -m c && git ls-remote origin")
	must(t, pushlock.Uninstall(t.Context(), w.work()))
	if after := w.must(t, "git config --local --list"); after != before {
		t.Errorf("the configuration was\n%s\nand is now\n%s", before, after)
	}
	if out := w.must(t, "ls .git"); strings.Contains(out, "stellwerk") {
		t.Errorf("something is left:\n%s", out)
	}
	w.must(t, "git push -q")
}

func TestInstallTwiceIsInstallOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.must(t, "git config --local --list")
	must(t, pushlock.Install(t.Context(), w.work()))
	once := w.must(t, "git config --local --list")
	must(t, pushlock.Install(t.Context(), w.work()))
	if twice := w.must(t, "git config --local --list"); once != twice {
		t.Errorf("first\n%s\nthen\n%s", once, twice)
	}
	w.must(t, "git remote add later ../remote.git")
	must(t, pushlock.Install(t.Context(), w.work()))
	w.held(t, "git push --no-verify later main")
	must(t, pushlock.Uninstall(t.Context(), w.work()))
	must(t, pushlock.Uninstall(t.Context(), w.work()))
	w.must(t, "git remote remove later")
	if after := w.must(t, "git config --local --list"); after != before {
		t.Errorf("the configuration was\n%s\nand is now\n%s", before, after)
	}
}

func TestThePersonsHooksKeepRunning(t *testing.T) {
	t.Parallel()
	for name, hooks := range map[string]string{"in .git/hooks": ".git/hooks", "in a folder of the repository": ".husky", "in a folder with a quote": "it's"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, hook := range []string{"pre-commit", "pre-push", "post-index-change"} {
				w.write(t, "work/"+hooks+"/"+hook, "#!/bin/sh\necho \"own "+hook+"\"\n", 0o700)
			}
			if hooks != ".git/hooks" {
				w.must(t, `git config core.hooksPath "`+hooks+`"`)
			}
			before := w.must(t, "git config --local --list; cat '"+strings.ReplaceAll(hooks, "'", `'\''`)+"/pre-push'")
			must(t, pushlock.Install(t.Context(), w.work()))
			must(t, pushlock.Install(t.Context(), w.work()))
			out := w.must(t, "git commit --allow-empty -m c; mkdir -p d && cd d && touch new && git add -A; git commit --allow-empty -m c")
			if strings.Count(out, "own pre-commit") != 2 || !strings.Contains(out, "own post-index-change") {
				t.Errorf("the hooks do not run:\n%s", out)
			}
			w.held(t, "git -c remote.origin.pushurl=../remote.git push origin main")
			must(t, pushlock.Uninstall(t.Context(), w.work()))
			if after := w.must(t, "git config --local --list; cat '"+strings.ReplaceAll(hooks, "'", `'\''`)+"/pre-push'"); after != before {
				t.Errorf("it was\n%s\nand is now\n%s", before, after)
			}
			if out := w.must(t, "git push 2>&1"); !strings.Contains(out, "own pre-push") {
				t.Errorf("the person's own hook does not run:\n%s", out)
			}
		})
	}
}

func TestWhatThePersonChangedStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	must(t, pushlock.Install(t.Context(), w.work()))
	w.must(t, "git config core.hooksPath .husky && git remote set-url --push origin ../elsewhere.git")
	must(t, pushlock.Uninstall(t.Context(), w.work()))
	if out := w.must(t, "git config core.hooksPath; git config remote.origin.pushurl"); out != ".husky\n../elsewhere.git\n" {
		t.Errorf("what the person set is now\n%s", out)
	}
}

func TestALockCoversEveryWorktree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(t, "git worktree add -q ../tree")
	must(t, pushlock.Install(t.Context(), w.root+"/tree"))
	w.held(t, "git push")
	w.held(t, "cd ../tree && git push origin HEAD")
	must(t, pushlock.Uninstall(t.Context(), w.work()))
	w.must(t, "cd ../tree && git push -q origin HEAD")
}

func TestInstallNeedsARepository(t *testing.T) {
	t.Parallel()
	if err := pushlock.Install(t.Context(), t.TempDir()); !errors.Is(err, pushlock.ErrNotRepository) {
		t.Errorf("the error is %v", err)
	}
}

// TestAnInterruptedUninstallIsFinished: half of the values are back when it is tried again.
func TestAnInterruptedUninstallIsFinished(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(t, "git config remote.origin.pushurl ../one.git && git config --add remote.origin.pushurl ../two.git")
	before := w.must(t, "git config --local --list")
	must(t, pushlock.Install(t.Context(), w.work()))
	w.must(t, "git config --unset-all remote.origin.pushurl && git config --add remote.origin.pushurl ../one.git")
	must(t, pushlock.Uninstall(t.Context(), w.work()))
	if after := w.must(t, "git config --local --list"); after != before {
		t.Errorf("the configuration was\n%s\nand is now\n%s", before, after)
	}
}
