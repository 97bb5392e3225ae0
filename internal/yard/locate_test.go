package yard

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLocate(t *testing.T) {
	dir := person(t)
	sh(t, dir, `git config user.name "Pat Person"; git config user.email pat@example.org
		echo more >> README.md; echo new > new; echo noise > a.log`)
	got, err := Locate(ctx(t), filepath.Join(dir, "src"))
	must(t, err)
	want := Repository{
		Top: dir, CommonDir: filepath.Join(dir, ".git"), Branch: "main", Head: sh(t, dir, "git rev-parse HEAD"), Dirty: 2,
		Identity: Identity{Name: "Pat Person", Email: "pat@example.org"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
}

// TestLocateKnowsThePerson wherever git lets them keep their configuration.
func TestLocateKnowsThePerson(t *testing.T) {
	for name, c := range map[string]struct {
		variable, value, file string
	}{
		"at home":               {"HOME", "", ".gitconfig"},
		"under XDG_CONFIG_HOME": {"XDG_CONFIG_HOME", "", "git/config"},
		"in a file of its own":  {"GIT_CONFIG_GLOBAL", "mine", "mine"},
		"for all of a machine":  {"GIT_CONFIG_SYSTEM", "all", "all"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, place := person(t), folder(t)
			file := filepath.Join(place, c.file)
			must(t, os.MkdirAll(filepath.Dir(file), 0o700))
			must(t, os.WriteFile(file, []byte("[user]\n\tname = Kim\n\temail = kim@example.org\n"), 0o600))
			t.Setenv("GIT_CONFIG_NOSYSTEM", "0")
			t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
			t.Setenv(c.variable, filepath.Join(place, c.value))
			got, err := Locate(ctx(t), dir)
			must(t, err)
			equal(t, "identity", got.Identity, Identity{Name: "Kim", Email: "kim@example.org"})
		})
	}
}

func TestLocateWorktreesShareARepository(t *testing.T) {
	dir := person(t)
	tree := filepath.Join(folder(t), "tree")
	link := filepath.Join(folder(t), "link")
	sh(t, dir, "git worktree add -q --detach "+tree)
	must(t, os.Symlink(dir, link))
	for _, place := range []string{tree, link} {
		got, err := Locate(ctx(t), place)
		must(t, err)
		equal(t, "common folder from "+place, got.CommonDir, filepath.Join(dir, ".git"))
	}
	got, err := Locate(ctx(t), tree)
	must(t, err)
	if !got.Detached || got.Branch != "" || got.Top != tree {
		t.Fatalf("got %+v", got)
	}
}

func TestLocateBadDays(t *testing.T) {
	for _, dir := range []string{folder(t), "/nonexistent"} {
		if _, err := Locate(ctx(t), dir); !errors.Is(err, ErrNotRepository) {
			t.Errorf("%s: got %v", dir, err)
		}
	}
	empty := folder(t)
	sh(t, empty, "git init -q")
	got, err := Locate(ctx(t), empty)
	if !errors.Is(err, ErrNoCommits) || got.Top != empty || got.Branch != "main" || got.Head != "" || got.Identity.Complete() {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestSpecial(t *testing.T) {
	inner := person(t)
	dir := person(t)
	sh(t, dir, "git submodule --quiet add "+inner+" inner; mkdir media; echo '*.bin filter=lfs diff=lfs' > media/.gitattributes; git add -A; git commit -qm both")
	y := openYard(t)
	must(t, y.Fetch(ctx(t), dir))
	found, err := y.Special(ctx(t), UpstreamHeads+"main")
	must(t, err)
	equal(t, "both", found, Special{Submodules: true, LFS: true})
	equal(t, "commented attributes", usesLFS("# *.bin filter=lfs\n*.txt text\n"), false)
	got, err := Locate(ctx(t), filepath.Join(dir, "inner"))
	must(t, err)
	equal(t, "top of a submodule", got.Top, filepath.Join(dir, "inner"))
	equal(t, "repository of a submodule", got.CommonDir, filepath.Join(dir, ".git/modules/inner"))
}

func TestLocateBare(t *testing.T) {
	bare := filepath.Join(folder(t), "bare.git")
	sh(t, "/", "git clone -q --bare "+person(t)+" "+bare)
	got, err := Locate(ctx(t), bare)
	must(t, err)
	if got.Top != "" || got.CommonDir != bare || got.Head == "" {
		t.Fatalf("got %+v", got)
	}
	if _, err := WorkFiles(ctx(t), bare); !errors.Is(err, ErrNotRepository) {
		t.Fatalf("got %v", err)
	}
}
