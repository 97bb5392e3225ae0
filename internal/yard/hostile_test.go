package yard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hostile is a repository as somebody else delivered it: each way its own configuration has of starting a
// program leaves a trace in the canary. Its README.md is changed and its time differs from the index's, so
// that whoever compares it has to read it.
type hostile struct {
	dir, canary string
}

func newHostile(t *testing.T, settings string) hostile {
	t.Helper()
	h := hostile{dir: person(t), canary: filepath.Join(folder(t), "canary")}
	sh(t, h.dir, `printf '* filter=evil diff=evil ident\n' > .gitattributes; git add .; git commit -qm attributes
		echo more >> README.md; echo new > new; touch -d '1 hour ago' src/a.txt`)
	evil := filepath.Join(h.dir, ".git", "evil")
	must(t, os.WriteFile(evil, []byte("#!/bin/sh\necho \"$0 $*\" >> "+h.canary+"\n"), 0o755))
	plantHooks(t, filepath.Join(h.dir, ".git"), h.canary)
	h.configure(t, ".git/config", strings.ReplaceAll(settings, "EVIL", evil))
	return h
}

func (h hostile) configure(t *testing.T, file, settings string) {
	t.Helper()
	config, err := os.OpenFile(filepath.Join(h.dir, file), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	must(t, err)
	_, err = config.WriteString(settings)
	must(t, errors.Join(err, config.Close()))
}

func (h hostile) quiet(t *testing.T, after string) {
	t.Helper()
	if trace, err := os.ReadFile(h.canary); err == nil {
		t.Fatalf("%s ran a planted program:\n%s", after, trace)
	}
}

func hostileSettings() map[string]string {
	return map[string]string{
		"clean filter":         "[filter \"evil\"]\n\tclean = EVIL\n\tsmudge = EVIL\n\trequired = true\n",
		"filter process":       "[filter \"evil\"]\n\tprocess = EVIL\n",
		"filter, included":     "[include]\n\tpath = more\n",
		"filter of a worktree": "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n",
		"diff":                 "[diff]\n\texternal = EVIL\n[diff \"evil\"]\n\tcommand = EVIL\n\ttextconv = EVIL\n",
		"pager and editor":     "[core]\n\tpager = EVIL\n\teditor = EVIL\n[pager]\n\tstatus = EVIL\n\tconfig = true\n",
		"aliases":              "[alias]\n\tstatus = !EVIL\n\tls-files = !EVIL\n",
		"hooksPath":            "[core]\n\thooksPath = hooks\n",
		"credentials":          "[credential]\n\thelper = !EVIL\n[core]\n\taskPass = EVIL\n\tsshCommand = EVIL\n\tgitProxy = EVIL\n",
		"alternates":           "[core]\n\talternateRefsCommand = EVIL\n",
		"upload and receive":   "[uploadpack]\n\tpackObjectsHook = EVIL\n[receive]\n\tdenyCurrentBranch = updateInstead\n[gpg]\n\tprogram = EVIL\n",
		"promisor": "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n" +
			"[remote \"origin\"]\n\turl = ext::EVIL\n\tpromisor = true\n\tuploadpack = EVIL\n",
		"helper":   "[remote \"origin\"]\n\turl = x\n\tvcs = ../../evil\n\tpromisor = true\n",
		"worktree": "[core]\n\tworktree = ../..\n[filter \"evil\"]\n\tclean = EVIL\n",
	}
}

// TestHostileConfiguration looks at a repository in every way there is before a person trusted anything in it,
// and then pushes to it.
func TestHostileConfiguration(t *testing.T) {
	for name, settings := range hostileSettings() {
		t.Run(name, func(t *testing.T) {
			h := newHostile(t, settings)
			evil := filepath.Join(h.dir, ".git", "evil")
			for _, more := range []string{".git/more", ".git/config.worktree"} {
				h.configure(t, more, fmt.Sprintf("[filter \"evil\"]\n\tclean = %s\n", evil))
			}
			other := person(t)
			must(t, os.WriteFile(filepath.Join(h.dir, ".git/objects/info/alternates"), []byte(filepath.Join(other, ".git/objects")+"\n"), 0o644))

			repo, err := Locate(ctx(t), filepath.Join(h.dir, "src"))
			must(t, err)
			h.quiet(t, "Locate")
			equal(t, "changes", repo.Dirty, 2)
			equal(t, "top", repo.Top, h.dir)

			files, err := WorkFiles(ctx(t), h.dir)
			must(t, err)
			h.quiet(t, "WorkFiles")
			if want := []string{".gitattributes", ".gitignore", "README.md", "new", "src/a.txt"}; !slices.Equal(files, want) {
				t.Errorf("got %q, want %q", files, want)
			}

			y := openYard(t)
			must(t, y.Fetch(ctx(t), repo.CommonDir))
			h.quiet(t, "Fetch")
			must(t, y.Push(ctx(t), PushSpec{Remote: repo.CommonDir, Ref: "refs/heads/pushed", Commit: repo.Head}))
			h.quiet(t, "Push")
		})
	}
}

// TestHostileMissingObjects has a partial clone whose missing objects would be fetched by a program of its choice.
func TestHostileMissingObjects(t *testing.T) {
	h := newHostile(t, hostileSettings()["promisor"])
	blob := sh(t, h.dir, "git -c core.fsmonitor=false rev-parse HEAD:.gitattributes")
	must(t, os.RemoveAll(h.canary))
	must(t, os.Remove(filepath.Join(h.dir, ".git/objects", blob[:2], blob[2:])))
	_, err := Locate(ctx(t), h.dir) // it need not notice
	must(t, err)
	h.quiet(t, "Locate")
	if err := openYard(t).Fetch(ctx(t), filepath.Join(h.dir, ".git")); err == nil {
		t.Error("a missing object was not noticed")
	}
	h.quiet(t, "Fetch")
}

// TestHostileGitFile has the repository beside its work tree under a name of its own, so that it looks like a remote
// with rules of its own.
func TestHostileGitFile(t *testing.T) {
	h := newHostile(t, "[gc]\n\tauto = 0\n")
	moved := filepath.Join(h.dir, "elsewhere")
	must(t, os.Rename(filepath.Join(h.dir, ".git"), moved))
	plantHooks(t, moved, h.canary)
	must(t, os.WriteFile(filepath.Join(h.dir, ".git"), []byte("gitdir: elsewhere\n"), 0o644))
	repo, err := Locate(ctx(t), h.dir)
	must(t, err)
	y := openYard(t)
	must(t, y.Fetch(ctx(t), repo.CommonDir))
	if err := y.Push(ctx(t), PushSpec{Remote: repo.CommonDir, Ref: "refs/heads/pushed", Commit: repo.Head}); !errors.Is(err, ErrDeclined) {
		t.Errorf("got %v", err)
	}
	h.quiet(t, "Push")
}

// TestLocateHeedsHarmlessSettings keeps what decides how files compare, and nothing else.
func TestLocateHeedsHarmlessSettings(t *testing.T) {
	dir := person(t)
	sh(t, dir, `printf 'a\r\nb\r\n' > crlf; git config core.autocrlf true; git add crlf; git commit -qm crlf
		git config core.fileMode false; chmod +x README.md; touch -d '1 hour ago' crlf
		echo secret > .git/info/exclude; echo x > secret
		git config core.splitIndex true; git update-index --split-index; git branch -q other; git checkout -q other`)
	repo, err := Locate(ctx(t), dir)
	must(t, err)
	equal(t, "changes", repo.Dirty, 0)
	sh(t, dir, "git config core.splitIndex false; git update-index --no-split-index; git sparse-checkout set --cone --sparse-index src")
	repo, err = Locate(ctx(t), dir)
	must(t, err)
	equal(t, "changes of a sparse checkout", repo.Dirty, 0)
	sh(t, dir, "echo y > src/new; git mv src/a.txt src/b.txt")
	repo, err = Locate(ctx(t), dir)
	must(t, err)
	equal(t, "changes", repo.Dirty, 3)
}
