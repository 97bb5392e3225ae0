package yard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func noon() time.Time { return time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC) }

func mergeSpec(into, from string) MergeSpec {
	return MergeSpec{Into: into, From: from, Message: "Merge step 1", Identity: testIdentity(), When: noon()}
}

// merge is a merge that is expected to be made.
func (f fixture) merge(t testing.TB, into, from string) string {
	t.Helper()
	merged, err := f.yard.Merge(ctx(t), mergeSpec(into, from))
	must(t, err)
	if merged.Commit == "" {
		t.Fatalf("conflicts: %q", merged.Conflicts)
	}
	return merged.Commit
}

// file is what a commit has at a path.
func (f fixture) file(t testing.TB, commit, path string) string {
	t.Helper()
	content, err := f.yard.ReadFile(ctx(t), commit, path, 1<<20)
	must(t, err)
	return string(content)
}

func TestMergeIsMadeTheSameAgain(t *testing.T) {
	f := newFixture(t)
	into := f.commit(t, "into", "echo i > i; sed -i s/one/ONE/ src/a.txt; seq 1 9 > n")
	from := f.commit(t, "from", "echo f > f; git mv README.md READ.md")
	merged, err := f.yard.Merge(ctx(t), mergeSpec(into, from))
	must(t, err)
	if again := f.merge(t, into, from); again != merged.Commit {
		t.Fatalf("again: %s, first %s", again, merged.Commit)
	}
	tree, err := f.yard.Tree(ctx(t), merged.Commit)
	must(t, err)
	equal(t, "tree", merged.Tree, tree)
	log, err := f.yard.Log(ctx(t), f.base, merged.Commit)
	must(t, err)
	equal(t, "parents", strings.Join(log[0].Parents, " "), into+" "+from)
	equal(t, "date", log[0].AuthoredAt, noon())
	equal(t, "message", log[0].Subject, "Merge step 1")
	equal(t, "of into", f.file(t, merged.Commit, "src/a.txt"), "ONE\ntwo\n")
	equal(t, "of from", f.file(t, merged.Commit, "READ.md"), "hello\n")
	refs, err := f.yard.Refs(ctx(t), "refs/heads/")
	must(t, err)
	equal(t, "refs", len(refs), 0)
	sh(t, f.yard.Dir(), "git fsck --strict --no-dangling")
}

func TestMergeOfWhatIsContained(t *testing.T) {
	f := newFixture(t)
	ahead := f.commit(t, "ahead", "echo x > x")
	for _, from := range []string{f.base, ahead} {
		equal(t, "nothing to merge", f.merge(t, ahead, from), ahead)
	}
	step := f.merge(t, f.base, ahead)
	log, err := f.yard.Log(ctx(t), f.base, step)
	must(t, err)
	if len(log) != 2 || !slices.Equal(log[0].Parents, []string{f.base, ahead}) {
		t.Fatalf("a step forward is no merge commit: %+v", log)
	}
}

func TestMergeConflicts(t *testing.T) {
	f := newFixture(t)
	sh(t, f.person, `seq 1 30 > old; seq 31 60 > other; printf 'a\0b' > bin; echo plain > mode; seq 70 90 > src/b.txt; git add .
		git update-index --add --cacheinfo 160000,`+f.base+`,sub; git commit -qm more`)
	must(t, f.yard.Fetch(ctx(t), f.person))
	cases := map[string]struct{ into, from, want string }{
		"content":           {"echo i > README.md", "echo f > README.md", "README.md"},
		"added twice":       {"echo i > new", "echo f > new", "new"},
		"modify and delete": {"echo i >> README.md", "rm README.md", "README.md"},
		"delete and modify": {"rm README.md", "echo f >> README.md", "README.md"},
		"rename and delete": {"git mv old renamed", "rm old", "renamed"},
		"renamed twice":     {"git mv old one", "git mv old two", "old one two"},
		"binary":            {`printf 'a\0i' > bin`, `printf 'a\0f' > bin`, "bin"},
		"link and file":     {"rm mode; ln -s README.md mode", "echo f > mode", "mode mode~"},
		"mode":              {"echo x > exe; chmod +x exe", "echo x > exe", "exe"},
		"submodule":         {"git update-index --cacheinfo 160000,$(git rev-parse HEAD),sub", "git update-index --cacheinfo 160000," + strings.Repeat("1", 40) + ",sub", "sub"},
		"file and folder":   {"echo i > place", "mkdir place; echo f > place/f", "place~"},
		"folder moved":      {"mkdir d; git mv old other d", "mkdir -p d; git mv old d/old; git mv other d/else", "d/else d/other other"},
		"folder split":      {"mkdir x y; git mv src/a.txt x; git mv src/b.txt y", "echo f > src/c.txt", "src"},
		"strange names":     {`mkdir 'a b'; printf i > $'a b/"\n\xe9'`, `mkdir 'a b'; printf f > $'a b/"\n\xe9'`, "a b/\"\n\xe9"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			branch := strings.ReplaceAll(name, " ", "-")
			into, from := f.commit(t, branch+"-i", c.into), f.commit(t, branch+"-f", c.from)
			merged, err := f.yard.Merge(ctx(t), mergeSpec(into, from))
			must(t, err)
			got := strings.ReplaceAll(strings.ReplaceAll(strings.Join(merged.Conflicts, " "), into, ""), from, "")
			if merged.Commit != "" || merged.Tree != "" || merged.Unlisted != 0 {
				t.Errorf("a merge with conflicts was made: %+v", merged)
			}
			equal(t, "conflicts", got, c.want)
		})
	}
}

func TestMergeConflictsAreBounded(t *testing.T) {
	f := newFixture(t)
	into := f.commit(t, "into", "for i in $(seq 1000 1250); do echo i > $i; done")
	from := f.commit(t, "from", "for i in $(seq 1000 1250); do echo f > $i; done")
	merged, err := f.yard.Merge(ctx(t), mergeSpec(into, from))
	must(t, err)
	equal(t, "listed", len(merged.Conflicts), maxConflicts)
	equal(t, "unlisted", merged.Unlisted, 51)
	equal(t, "first", merged.Conflicts[0], "1000")
}

// TestMergeRunsNothing plants a merge driver and a textconv in attributes, in the home folder and in the yard's own branch.
func TestMergeRunsNothing(t *testing.T) {
	f := newFixture(t)
	canary := filepath.Join(folder(t), "canary")
	home := folder(t)
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	settings := fmt.Sprintf("[merge \"evil\"]\n\tdriver = touch %[1]s\n[diff \"evil\"]\n\ttextconv = \"touch %[1]s; cat\"\n[filter \"evil\"]\n\tsmudge = \"touch %[1]s; cat\"\n[merge]\n\tdefault = evil\n", canary)
	must(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(settings), 0o600))
	sh(t, f.person, `printf '* merge=evil diff=evil filter=evil\n' > .gitattributes; seq 1 20 > n; git add .; git commit -qm attributes`)
	must(t, f.yard.Fetch(ctx(t), f.person))
	into, from := f.commit(t, "into", "sed -i s/^3$/three/ n"), f.commit(t, "from", "sed -i s/^17$/seventeen/ n")
	must(t, f.yard.Keep(ctx(t), "refs/heads/main", into)) // what HEAD of the yard names
	sh(t, f.person, "git checkout -q into; git merge -q from")
	if _, err := os.Stat(canary); err != nil {
		t.Fatalf("the driver would not run anyway: %v", err)
	}
	must(t, os.Remove(canary))
	merged := f.merge(t, into, from)
	equal(t, "merged", strings.Count(f.file(t, merged, "n"), "three\n")+strings.Count(f.file(t, merged, "n"), "seventeen\n"), 2)
	problems, err := f.yard.Resolved(ctx(t), into, from, merged)
	must(t, err)
	equal(t, "problems", len(problems), 0)
	if _, err := os.Stat(canary); err == nil {
		t.Fatal("a planted program ran")
	}
}

func TestMergeErrors(t *testing.T) {
	f := newFixture(t)
	topic := f.commit(t, "topic", "echo x > x")
	unrelated := sh(t, f.person, "git commit-tree -m x HEAD^{tree}")
	sh(t, f.person, "git branch unrelated "+unrelated)
	must(t, f.yard.Fetch(ctx(t), f.person))
	if _, err := f.yard.Merge(ctx(t), mergeSpec(topic, unrelated)); !errors.Is(err, ErrUnrelated) {
		t.Errorf("unrelated: %v", err)
	}
	if _, err := f.yard.Merge(ctx(t), mergeSpec(topic, strings.Repeat("1", 40))); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown: %v", err)
	}
	for name, change := range map[string]func(*MergeSpec){
		"a short hash": func(s *MergeSpec) { s.From = "main" }, "no message": func(s *MergeSpec) { s.Message = " \n" },
		"no date": func(s *MergeSpec) { s.When = time.Time{} }, "no identity": func(s *MergeSpec) { s.Identity = Identity{} },
	} {
		spec := mergeSpec(f.base, topic)
		if change(&spec); second(f.yard.Merge(ctx(t), spec)) == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
