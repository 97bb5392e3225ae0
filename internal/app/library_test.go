package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

// TestLibrary: what a repository has is listed before what comes with the
// program, also where it is not valid, and a text is checked as a run would.
func TestLibrary(t *testing.T) {
	s := newShop(t)
	commit(t, s.dir, map[string]string{
		".stellwerk/playbooks/broken.yaml":  "name: broken\nkind: phases\nphases:\n  - id: Build!\n",
		".stellwerk/playbooks/feature.yaml": strings.Replace(gated, "gated", "feature", 1),
		".stellwerk/roles/poet.md":          "---\nname: poet\ntools: Read, Write\n---\nYou write verse.\n",
	})
	if _, err := s.app.Service.AddProject(s.ctx, api.AddProject{Repository: s.dir, Name: "shop", Playbook: "gated"}); err != nil {
		t.Fatal(err)
	}
	shop := api.LibraryQuery{Project: "shop"}
	list, err := s.app.Service.Playbooks(s.ctx, shop)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 3+len(playbook.Builtins())-1 {
		t.Errorf("%d playbooks", len(list))
	}
	for i, want := range []api.PlaybookEntry{
		{Name: "broken", Origin: ".stellwerk/playbooks/broken.yaml", Problem: list[0].Problem},
		{Name: "feature", Origin: ".stellwerk/playbooks/feature.yaml", Kind: "rules", Drives: true},
		{Name: "gated", Origin: ".stellwerk/playbooks/gated.yaml", Kind: "rules", Drives: true, Chosen: true},
	} {
		if list[i] != want {
			t.Errorf("%+v, want %+v", list[i], want)
		}
	}
	if !strings.Contains(list[0].Problem, "broken.yaml:4:") {
		t.Errorf("what is wrong: %q", list[0].Problem)
	}
	if p, err := s.app.Service.Playbook(s.ctx, "gated", shop); err != nil || p.Text != gated {
		t.Errorf("%q, %v", p.Text, err)
	}
	for _, name := range []string{"none", "../../config", ""} {
		if _, err := s.app.Service.Playbook(s.ctx, name, shop); core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("playbook %q: %v", name, err)
		}
	}
	roles, err := s.app.Service.Roles(s.ctx, shop)
	if err != nil || !slices.ContainsFunc(roles, func(r api.RoleEntry) bool { return r.Name == "poet" && len(r.Tools) == 2 }) {
		t.Errorf("%v, %v", roles, err)
	}
	if roles, err = s.app.Service.Roles(s.ctx, api.LibraryQuery{}); err != nil || slices.ContainsFunc(roles, func(r api.RoleEntry) bool { return r.Name == "poet" }) {
		t.Errorf("without a project: %v, %v", roles, err)
	}
	mine := strings.Replace(gated, "role: developer", "role: poet", 1)
	if v, err := s.app.Service.CheckPlaybook(s.ctx, api.CheckPlaybook{Project: "shop", Text: mine}); err != nil || !v.Valid || v.Kind != "rules" {
		t.Errorf("%+v, %v", v, err)
	}
	v, err := s.app.Service.CheckPlaybook(s.ctx, api.CheckPlaybook{Text: mine})
	if err != nil || v.Valid || len(v.Problems) == 0 || v.Problems[0].Line != 7 || v.Problems[0].Column == 0 {
		t.Errorf("a role that only the repository has: %+v, %v", v, err)
	}
	if _, err := s.app.Service.CheckPlaybook(s.ctx, api.CheckPlaybook{Text: strings.Repeat("#", 300<<10)}); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("a text without end: %v", err)
	}
}

// TestLookingFetchesNothingKnown: who looks at a project's playbooks changes nothing
// of the engine's copy, unless the base has moved on.
func TestLookingFetchesNothingKnown(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	if _, err := s.app.Service.AddProject(s.ctx, api.AddProject{Repository: s.dir, Name: "shop"}); err != nil {
		t.Fatal(err)
	}
	shop := api.LibraryQuery{Project: "shop"}
	own := func() (names []string) {
		t.Helper()
		list, err := s.app.Service.Playbooks(s.ctx, shop)
		if err == nil {
			_, err = s.app.Service.Roles(s.ctx, shop)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			if !p.Builtin() {
				names = append(names, p.Name)
			}
		}
		return names
	}
	own()
	yards, err := filepath.Glob(filepath.Join(s.state, "yards", "*"))
	if err != nil || len(yards) != 1 {
		t.Fatalf("%v, %v", yards, err)
	}
	refs := func() string { return git(t, yards[0], "for-each-ref") }
	before := refs()
	git(t, s.dir, "branch", "other") // a fetch would take it along
	if own(); refs() != before {
		t.Errorf("looking changed the refs from\n%s\nto\n%s", before, refs())
	}
	git(t, s.dir, "checkout", "-q", "--detach")
	if own(); refs() != before {
		t.Error("looking at a repository without a branch changed the refs")
	}
	git(t, s.dir, "checkout", "-q", "main")
	commit(t, s.dir, map[string]string{".stellwerk/playbooks/fresh.yaml": strings.Replace(gated, "gated", "fresh", 1)})
	if names := own(); !slices.Contains(names, "fresh") {
		t.Errorf("what was committed just now is not seen: %v", names)
	}
	git(t, s.dir, "reset", "-q", "--hard", "HEAD~1")
	if names := own(); slices.Contains(names, "fresh") {
		t.Errorf("what was taken back is seen: %v", names)
	}
}

// TestPagesOfRuns: a list goes on behind a run, also when others were started
// meanwhile.
func TestPagesOfRuns(t *testing.T) {
	s := newShop(t)
	for _, goal := range []string{"one", "two"} {
		run := s.run(goal)
		if _, err := s.app.Service.Cancel(s.ctx, run.ID, api.Cancel{}); err != nil {
			t.Fatal(err)
		}
	}
	page, err := s.app.Service.Runs(s.ctx, api.RunQuery{Limit: 1})
	if err != nil || len(page) != 1 || page[0].Title != "two" {
		t.Fatalf("%v, %v", page, err)
	}
	page, err = s.app.Service.Runs(s.ctx, api.RunQuery{Project: page[0].Project, Status: "cancelled", Before: page[0].Alias})
	if err != nil || len(page) != 1 || page[0].Title != "one" {
		t.Errorf("%v, %v", page, err)
	}
	for _, q := range []api.RunQuery{{Project: "none"}, {Before: "none"}} {
		if _, err := s.app.Service.Runs(s.ctx, q); core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("%+v: %v", q, err)
		}
	}
	found, err := s.app.Service.Examine(s.ctx)
	if err != nil || !slices.ContainsFunc(found, func(e api.Examined) bool { return e.What == "Database" && e.Grade == api.GradeOK }) {
		t.Errorf("%v, %v", found, err)
	}
	if !slices.ContainsFunc(found, func(e api.Examined) bool { return e.What == "Net wall" && e.Grade == api.GradeOK }) &&
		!slices.ContainsFunc(found, func(e api.Examined) bool { return e.What == "Isolation" && e.Grade == api.GradeFail && e.Advice != "" }) {
		t.Errorf("the walls are not tried: %v", found)
	}
}

// commit adds files to a repository.
func commit(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "more")
}
