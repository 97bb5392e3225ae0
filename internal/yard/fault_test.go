package yard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// brittleGit is a git that fails as it is told to. Only calls of this process count, not what git starts by itself.
type brittleGit struct{ dir string }

// failure is how it does.
type failure string

const (
	alone  failure = "one call fails"
	onward failure = "a call fails, and all after it"
	silent failure = "the process that answers questions falls silent, and cannot be started again"
)

func newBrittleGit(t *testing.T) brittleGit {
	t.Helper()
	real, err := exec.LookPath("git")
	must(t, err)
	b := brittleGit{dir: folder(t)}
	script := fmt.Sprintf(`#!/bin/sh
here=${0%%/*}
printf . >> "$here/calls"
read -r calls < "$here/calls"
read -r from to < "$here/fails"
if [ ${#calls} -ge "$from" ] && [ ${#calls} -le "$to" ]; then
	echo "$*" >> "$here/failed"
	echo "fatal: the disk does not answer" >&2
	exit 128
fi
case "$*" in *--batch-command)
	if read -r answers 2> /dev/null < "$here/answers"; then
		mkdir "$here/started" 2> /dev/null || exit 128
		while IFS= read -r question; do
			if [ $((answers-=1)) -lt 0 ]; then echo "$question" >> "$here/failed"; break; fi
			printf '%%s\n' "$question"
		done | %[1]s "$@"
		exit
	fi
esac
exec %[1]s "$@"
`, real)
	must(t, os.WriteFile(filepath.Join(b.dir, "git"), []byte(script), 0o755))
	b.fail(t, never, never)
	t.Setenv("PATH", b.dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return b
}

func (b brittleGit) fail(t *testing.T, from, to int) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(b.dir, "fails"), fmt.Appendf(nil, "%d %d\n", from, to), 0o600))
	must(t, os.WriteFile(filepath.Join(b.dir, "calls"), nil, 0o600))
	for _, name := range []string{"failed", "answers", "started"} {
		must(t, os.RemoveAll(filepath.Join(b.dir, name)))
	}
}

// happened is how many calls there were, and which failed.
func (b brittleGit) happened(t *testing.T) (calls int, failed string) {
	t.Helper()
	made, err := os.ReadFile(filepath.Join(b.dir, "calls"))
	must(t, err)
	lines, err := os.ReadFile(filepath.Join(b.dir, "failed"))
	if !errors.Is(err, os.ErrNotExist) {
		must(t, err)
	}
	return len(made), string(lines)
}

// never is later than any call.
const never = 1 << 30

// TestNoFailureOfGitIsPassedOver: whatever call of git fails, and whatever question it leaves unanswered, the caller hears of it.
func TestNoFailureOfGitIsPassedOver(t *testing.T) {
	f := newFixture(t)
	bare := bareRemote(t, f)
	into := f.commit(t, "into", `printf 'ONE\ntwo\n' > src/a.txt; echo i >> README.md; echo x >> .gitignore; seq 1 30 > n`)
	from := f.commit(t, "from", `printf 'one!\ntwo\n' > src/a.txt; echo f > f; echo more >> README.md; mkdir dir; echo d > dir/d; echo '*.bin filter=lfs' > .gitattributes`)
	result := f.commit(t, "result", `git reset -q --hard into; git merge -q from > /dev/null || printf 'ONE!\ntwo\n' > src/a.txt
git show from:README.md > README.md; git rm -q .gitignore; seq 1 29 > n; echo x > f`)
	clean := f.commit(t, "clean", "echo c > c")
	must(t, f.yard.Move(ctx(t), "refs/heads/run", "", clean))
	sh(t, f.person, "git remote add origin "+bare+"; git fetch -q origin; git config user.name Pat")
	dir := f.workspace(t)
	sh(t, dir, "echo mine > mine; git add mine; git commit -qm mine; git branch side; git commit -qm more --allow-empty")
	work := f.handInSpec(t, dir)
	must(t, second(HandIn(ctx(t), work)))
	places := 0
	place := func() string { places++; return filepath.Join(folder(t), fmt.Sprint(places)) }
	var out bytes.Buffer
	type operation struct {
		before string // a script in the yard
		run    func(ctx context.Context, y *Yard) error
	}
	operations := map[string]operation{
		"fetch":       {run: func(ctx context.Context, y *Yard) error { return y.Fetch(ctx, f.person) }},
		"remote head": {run: func(ctx context.Context, y *Yard) error { return second(y.RemoteHead(ctx, f.person)) }},
		"lag":         {run: func(ctx context.Context, y *Yard) error { return second(y.Lag(ctx, f.person, "main", f.base)) }},
		"fetch of a branch": {"git -C " + f.person + " update-ref refs/heads/unseen $(date +%s%N | git -C " + f.person + " commit-tree main^{tree})",
			func(ctx context.Context, y *Yard) error { return second(y.FetchBranch(ctx, f.person, "unseen")) }},
		"checked out": {run: func(ctx context.Context, _ *Yard) error { _, _, err := CheckedOut(ctx, f.person, "main"); return err }},
		"remote address": {run: func(ctx context.Context, _ *Yard) error {
			_, _, err := RemoteAddress(ctx, f.person, "origin")
			return err
		}},
		"person":     {run: func(ctx context.Context, _ *Yard) error { return second(PersonIdentity(ctx, "/")) }},
		"locate":     {run: func(ctx context.Context, _ *Yard) error { return second(Locate(ctx, f.person)) }},
		"work files": {run: func(ctx context.Context, _ *Yard) error { return second(WorkFiles(ctx, f.person)) }},
		"commit": {run: func(ctx context.Context, y *Yard) error {
			return second(y.Commit(ctx, CommitSpec{Parent: f.base, Files: map[string][]byte{"src/a.txt": {'x'}}, Message: "m", Identity: testIdentity(), When: noon()}))
		}},
		"merge":          {run: func(ctx context.Context, y *Yard) error { return second(y.Merge(ctx, mergeSpec(into, clean))) }},
		"merge again":    {run: func(ctx context.Context, y *Yard) error { return second(y.Merge(ctx, mergeSpec(result, into))) }},
		"merge conflict": {run: func(ctx context.Context, y *Yard) error { return second(y.Merge(ctx, mergeSpec(into, from))) }},
		"resolved":       {run: func(ctx context.Context, y *Yard) error { return second(y.Resolved(ctx, into, from, result)) }},
		"changed":        {run: func(ctx context.Context, y *Yard) error { return second(y.Changed(ctx, f.base, from)) }},
		"diff": {run: func(ctx context.Context, y *Yard) error {
			return second(y.Diff(ctx, &out, f.base, from, DiffOptions{}))
		}},
		"added": {run: func(ctx context.Context, y *Yard) error {
			return second(y.Added(ctx, &out, f.base, from, AddedOptions{MaxBytes: enough}))
		}},
		"added commits": {run: func(ctx context.Context, y *Yard) error {
			return second(y.AddedCommits(ctx, &out, f.base, from, enough))
		}},
		"log":      {run: func(ctx context.Context, y *Yard) error { return second(y.Log(ctx, f.base, from)) }},
		"ancestor": {run: func(ctx context.Context, y *Yard) error { return second(y.IsAncestor(ctx, f.base, from)) }},
		"exists":   {run: func(ctx context.Context, y *Yard) error { return second(y.Exists(ctx, from)) }},
		"files":    {run: func(ctx context.Context, y *Yard) error { return second(y.Files(ctx, from)) }},
		"special":  {run: func(ctx context.Context, y *Yard) error { _, err := y.Special(ctx, from); return err }},
		"show":     {run: func(ctx context.Context, y *Yard) error { return second(y.Show(ctx, from, "f", 100)) }},
		"extract":  {run: func(ctx context.Context, y *Yard) error { return y.Extract(ctx, from, "dir", place()) }},
		"refs":     {run: func(ctx context.Context, y *Yard) error { return second(y.Refs(ctx, "refs/heads/")) }},
		"holds":    {run: func(ctx context.Context, y *Yard) error { return second(y.Holds(ctx, "run", clean)) }},
		"release": {"git update-ref refs/attempts/r/1 " + clean,
			func(ctx context.Context, y *Yard) error { return y.Release(ctx, Attempts+"r/1", clean, "run") }},
		"delete": {"git update-ref refs/heads/old " + clean,
			func(ctx context.Context, y *Yard) error { return y.DeleteRef(ctx, "refs/heads/old", clean) }},
		"move": {"git update-ref -d refs/heads/new",
			func(ctx context.Context, y *Yard) error { return y.Move(ctx, "refs/heads/new", "", clean) }},
		"import": {"git update-ref -d refs/attempts/r/2", func(ctx context.Context, y *Yard) error {
			return second(y.Import(ctx, ImportSpec{Bundle: work.Bundle, Ref: Attempts + "r/2", Base: f.base, MaxBytes: enough}))
		}},
		"push": {"git -C " + bare + " update-ref -d refs/heads/x",
			func(ctx context.Context, y *Yard) error {
				return y.Push(ctx, PushSpec{Remote: bare, Ref: "refs/heads/x", Commit: from})
			}},
		"checkout": {run: func(ctx context.Context, y *Yard) error { return y.Checkout(ctx, place(), from) }},
		"tidy":     {run: func(ctx context.Context, y *Yard) error { return y.Tidy(ctx) }},
	}
	brittle := newBrittleGit(t)
	for name, o := range operations {
		brittle.eachFailure([]failure{alone, onward, silent}, func(how failure, n int) bool {
			y, err := Open(ctx(t), f.yard.Dir())
			must(t, err)
			if o.before != "" {
				sh(t, y.Dir(), o.before)
			}
			failed, enough := brittle.during(t, how, n, func() { err = o.run(ctx(t), y) })
			must(t, y.Close())
			if enough && err != nil || !enough && failed != "" && err == nil {
				t.Errorf("%s: failed was %q, and the caller hears %v", name, failed, err)
			}
			return !enough
		})
	}
}

// TestHandInComesThroughFailuresOfGit whole, or says that it does not.
func TestHandInComesThroughFailuresOfGit(t *testing.T) {
	f := newFixture(t)
	for script, want := range map[string]string{
		"echo m > mine; git add mine; git commit -qm mine; git checkout -q -b side; git commit -q --allow-empty -m side; git checkout -q -; echo n > new": ".gitignore README.md mine new src/a.txt",
		"rm README.md; mkdir in; cd in; git init -q; echo i > i": ".gitignore in/i src/a.txt",
	} {
		t.Run(want, func(t *testing.T) {
			dir := f.workspace(t)
			sh(t, dir, script)
			spec := f.handInSpec(t, dir)
			spec.When = noon()
			whole, imported := f.handIn(t, spec)
			equal(t, "paths", f.paths(t, imported.Commit), want)
			brittle := newBrittleGit(t)
			refs := 0
			brittle.eachFailure([]failure{alone}, func(how failure, n int) bool {
				must(t, os.RemoveAll(spec.Bundle))
				var handed HandedIn
				var err error
				failed, enough := brittle.during(t, how, n, func() { handed, err = HandIn(ctx(t), spec) })
				if enough {
					must(t, err)
					return false
				}
				left, globErr := filepath.Glob(filepath.Join(filepath.Dir(spec.Bundle), ".*"))
				must(t, globErr)
				equal(t, "scratch files left", len(left), 0)
				if err != nil || handed.Commit == whole.Commit {
					return true
				}
				refs++
				imported, err := f.yard.Import(ctx(t), ImportSpec{Bundle: spec.Bundle, Ref: fmt.Sprint(Attempts, slug(t), "-", refs), Base: f.base, MaxBytes: spec.MaxBytes})
				must(t, err)
				if got := f.paths(t, imported.Commit); got != want && len(handed.Notes) == 0 {
					t.Errorf("failed was %q, and what arrives without a word is %s", failed, got)
				}
				return true
			})
		})
	}
}

// eachFailure calls try with each way to fail, for the first call of git, the second and so on, as long as it returns true.
func (b brittleGit) eachFailure(ways []failure, try func(how failure, n int) bool) {
	for _, how := range ways {
		for n := 1; try(how, n); n++ {
		}
	}
}

// during is what failed while something was done, and whether there were too few calls for any to fail.
func (b brittleGit) during(t *testing.T, how failure, n int, do func()) (failed string, enough bool) {
	t.Helper()
	switch how {
	case alone:
		b.fail(t, n, n)
	case onward:
		b.fail(t, n, never)
	case silent:
		b.fail(t, never, never)
		must(t, os.WriteFile(filepath.Join(b.dir, "answers"), fmt.Appendf(nil, "%d\n", n-1), 0o600))
	}
	do()
	calls, failed := b.happened(t)
	b.fail(t, never, never)
	if how == silent {
		return failed, failed == ""
	}
	return failed, calls < n
}

// TestNothingIsJudgedFromWhatCannotBeRead: without any one object of the yard, the answer is the same or an error.
func TestNothingIsJudgedFromWhatCannotBeRead(t *testing.T) {
	f := newFixture(t)
	into := f.commit(t, "into", `printf 'ONE\ntwo\n' > src/a.txt; seq 1 30 > n; echo kept > gone; echo i > README.md; mkdir -p dir/deep; echo d > dir/deep/d`)
	from := f.commit(t, "from", `printf 'one!\ntwo\n' > src/a.txt; echo f > f; echo other > README.md; mkdir media; echo '*.bin filter=lfs' > media/.gitattributes`)
	result := f.commit(t, "result", `git reset -q --hard into; git merge -q from > /dev/null || printf 'ONE!\ntwo\n' > src/a.txt; git show from:README.md > README.md; seq 1 29 > n; git rm -q gone; echo x > f`)
	operations := map[string]func(ctx context.Context, y *Yard) (any, error){
		"resolved": func(ctx context.Context, y *Yard) (any, error) { return y.Resolved(ctx, into, from, result) },
		"special":  func(ctx context.Context, y *Yard) (any, error) { return y.Special(ctx, from) },
		"show":     func(ctx context.Context, y *Yard) (any, error) { return y.Show(ctx, into, "dir/deep/d", 100) },
		"extract": func(ctx context.Context, y *Yard) (any, error) {
			return nil, y.Extract(ctx, into, "dir", filepath.Join(folder(t), "x"))
		},
		"commit": func(ctx context.Context, y *Yard) (any, error) {
			return y.Commit(ctx, CommitSpec{Parent: into, Files: map[string][]byte{"dir/deep/d": {'x'}}, Message: "m", Identity: testIdentity(), When: noon()})
		},
	}
	want := map[string]any{}
	for name, operation := range operations {
		answer, err := operation(ctx(t), f.yard)
		must(t, err)
		want[name] = answer
	}
	sh(t, f.yard.Dir(), "mkdir away; mv objects/pack/* away; for p in away/*.pack; do git unpack-objects -q < $p; done")
	kinds := sh(t, f.yard.Dir(), "git cat-file --batch-all-objects --batch-check='%(objecttype) %(objectname)'")
	for line := range strings.Lines(kinds) {
		kind, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		object := filepath.Join(f.yard.Dir(), "objects", hash[:2], hash[2:])
		must(t, os.Rename(object, object+".away"))
		for name, operation := range operations {
			if kind == "commit" || kind == "tree" && name == "resolved" { // which git reads, and says so
				continue
			}
			y, err := Open(ctx(t), f.yard.Dir())
			must(t, err)
			answer, err := operation(ctx(t), y)
			if err == nil && !cmp.Equal(answer, want[name]) {
				t.Errorf("%s without %s: %v", name, line, answer)
			}
			must(t, y.Close())
		}
		must(t, os.Rename(object+".away", object))
	}
}
