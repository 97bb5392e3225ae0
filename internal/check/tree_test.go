package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestChanged(t *testing.T) {
	w := newWorld(t)
	w.write("internal/old.go", "package internal\n\nfunc Old() int { return 1 }\n")
	w.write("internal/gone.go", "package internal\n")
	w.write("docs/a.md", "a\n")
	base := w.commit("Before")
	w.git("mv", "internal/old.go", "internal/new.go")
	w.git("rm", "-q", "internal/gone.go")
	w.write("docs/a.md", "b\n")
	w.write("cmd/deep/er/main.go", "package main\n")
	if err := os.Symlink("/etc/passwd", filepath.Join(w.repo, "link.sql")); err != nil {
		t.Fatal(err)
	}
	w.commit("After")
	s := w.subject(base)

	for glob, passed := range map[string]bool{
		"docs/*.md": true, "internal/**/*.go": true, "internal/new.go": true, "cmd/**": true, "**/*.{go,ts}": true,
		"README.md": false, "internal/gone.go": false, "internal/old.go": false, "*.sql": false, "*.go": false, "DOCS/*.md": false,
	} {
		expect(t, w.evaluate(changed(glob), s), passed)
	}
	expect(t, w.evaluate(changed("docs/*", "*.sql"), s), false,
		"No file matching *.sql was added or modified since "+base[:12],
		"link.sql (symlink, does not count)", "internal/gone.go (deleted, does not count)", "docs/a.md")
}

func TestChangedLooksAtTheWholeRound(t *testing.T) {
	w := newWorld(t)
	base := w.head()
	w.write("a.go", "package a\n")
	w.commit("First attempt")
	w.write("b.go", "package a\n")
	w.commit("Second attempt")
	expect(t, w.evaluate(changed("a.go"), w.subject(base)), true)
	w.git("rm", "-q", "a.go")
	w.commit("Third attempt")
	expect(t, w.evaluate(changed("a.go"), w.subject(base)), false)
}

func TestChangedListIsBounded(t *testing.T) {
	w := newWorld(t)
	base := w.head()
	for i := range 60 {
		w.write(strings.Repeat("x", i+1)+".txt", "x")
	}
	w.commit("Many")
	r := w.evaluate(changed("*.go"), w.subject(base))
	expect(t, r, false, "60 paths", "and 40 more")
}

func TestFiles(t *testing.T) {
	w := newWorld(t)
	w.write("db/migration/V001__users.sql", "create table users();\n")
	w.write("Dockerfile", "FROM scratch\n")
	w.write("web/package.json", "{}\n")
	if err := os.Symlink("README.md", filepath.Join(w.repo, "LINK.md")); err != nil {
		t.Fatal(err)
	}
	w.git("update-index", "--add", "--cacheinfo", "160000,"+w.head()+",vendored.md")
	w.git("add", "-A", "db", "Dockerfile", "web", "LINK.md")
	w.git("commit", "-q", "-m", "Files")
	s := w.subject(w.head())

	for glob, passed := range map[string]bool{
		"db/migration/V*.sql": true, "**/*.sql": true, "Dockerfile": true, "*": true, "**": true,
		"LINK.md": false, "vendored.md": false, "go.mod": false, "web/*.sql": false,
	} {
		expect(t, w.evaluate(files(glob), s), passed)
	}
	expect(t, w.evaluate(files("dockerfile"), s), false, "Dockerfile differs in upper and lower case")
	expect(t, w.evaluate(files("package.json"), s), false, "What comes close", "web/package.json")
	expect(t, w.evaluate(files("db/migration/V002*.sql"), s), false, "db/migration/V001__users.sql")
	expect(t, w.evaluate(files("LINK.md"), s), false, "symlink, which does not count")
	expect(t, w.evaluate(files("vendored.md"), s), false, "submodule, which does not count")
	expect(t, w.evaluate(files("nothing/like/it.rs"), s), false, "matches nothing/like/it.rs")
}

func TestHostilePathsAreShownPlain(t *testing.T) {
	w := newWorld(t)
	base := w.head()
	w.write("a\x1b[2J\u202e\nb.txt", "x")
	w.commit("Hostile name")
	r := w.evaluate(changed("*.go"), w.subject(base))
	expect(t, r, false, `a\x1b[2J\u202e\nb.txt`)
	if strings.ContainsAny(r.Detail, "\x1b\u202e") {
		t.Errorf("control characters in the detail: %q", r.Detail)
	}
}

func TestGit(t *testing.T) {
	w := newWorld(t)
	base := w.head()
	w.write("a.txt", "1\n2\n3\n")
	w.commit("feat: add a")
	w.write("b.txt", "1\n")
	w.commit("wip")
	s := w.subject(base)

	expect(t, w.evaluate(gitShape(core.GitCheck{Commits: 2, Linear: true, MaxFiles: 2, MaxLines: 4}), s), true, "2 commits")
	expect(t, w.evaluate(gitShape(core.GitCheck{Commits: 3}), s), false, "at least 3 commits", "there are 2")
	expect(t, w.evaluate(gitShape(core.GitCheck{MaxFiles: 1}), s), false, "at most 1 file", "there are 2", "a.txt")
	expect(t, w.evaluate(gitShape(core.GitCheck{MaxLines: 3}), s), false, "at most 3 lines", "there are 4")
	r := w.evaluate(gitShape(core.GitCheck{Message: `^(feat|fix): `}), s)
	expect(t, r, false, "^(feat|fix): ", " wip")
	if strings.Contains(r.Detail, "feat: add a") {
		t.Errorf("a fitting subject is named as wrong:\n%s", r.Detail)
	}

	s.Checkpoints = []string{w.head()}
	expect(t, w.evaluate(gitShape(core.GitCheck{Message: `^(feat|fix): `}), s), true)
	expect(t, w.evaluate(gitShape(core.GitCheck{Commits: 2}), s), true)

	w.git("checkout", "-q", "-b", "side", base)
	w.write("c.txt", "c")
	w.commit("side work")
	w.git("checkout", "-q", "main")
	w.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
	expect(t, w.evaluate(gitShape(core.GitCheck{Linear: true}), w.subject(base)), false, "no merge commits", "Merge side")
}
