package yard

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// resolving is a merge that somebody is to put right. Both sides change the file n in the same place, and into changes it in
// another as well; each side has files of its own.
type resolving struct {
	fixture
	into, from string
}

func newResolving(t testing.TB) resolving {
	t.Helper()
	f := newFixture(t)
	sh(t, f.person, `seq -f 'line %g' 1 40 > n; seq -f 'word %g' 1 40 > both; cp both used; cp both unused
		printf 'a\0b' > bin; printf 'a\0b' > pic; echo '#!/bin/sh' > run; seq 1 5 > gone; echo old > obsolete; git add .; git commit -qm more`)
	must(t, f.yard.Fetch(ctx(t), f.person))
	return resolving{
		fixture: f,
		into: f.commit(t, "into", `sed -i 's/line 5$/five of into/; s/line 30$/thirty of into/' n; sed -i 's/word 3$/third of into/; /word 8$/d' both
			sed -i 's/word 3$/Call(1)/' used; printf 'a\0i' > bin; printf 'a\0i' > pic; chmod +x run; echo i >> gone; rm obsolete
			printf 'func Into() {\n\treturn Old()\n}\n' > brought; : > empty; ln -s brought link`),
		from: f.commit(t, "from", `sed -i 's/line 5$/five of from/' n; sed -i 's/word 35$/late of from/' both; printf 'a\0f' > pic; rm gone
			echo own > own; echo two > unused; echo '>>>>>>> x' > about`),
	}
}

// results are what agents make of the merge, by the scripts they follow on the branch.
func (r resolving) results(t testing.TB, scripts ...string) []string {
	t.Helper()
	tree := filepath.Join(folder(t), "w")
	sh(t, r.person, "git worktree add -q --detach "+tree)
	var commits []string
	for i, script := range scripts {
		commits = append(commits, sh(t, tree, fmt.Sprintf(`into=%s; git checkout -q --detach %s
			%s
			git add -A; git diff --cached --quiet || git commit -qm left; git update-ref refs/heads/result/%d HEAD; git rev-parse HEAD`, r.into, r.from, script, i)))
	}
	must(t, r.yard.Fetch(ctx(t), r.person))
	return commits
}

func (r resolving) problems(t testing.TB, result string) []string {
	t.Helper()
	problems, err := r.yard.Resolved(ctx(t), r.into, r.from, result)
	must(t, err)
	return problems
}

// right resolves every conflict as it should be.
const right = `git merge -q $into > /dev/null || true
	sed -i '/^=======/d; /^<<<<<<</d; /^>>>>>>>/d' n; git checkout -q $into -- pic gone; git add -A; git commit -qm merged
	`

func TestResolved(t *testing.T) {
	r := newResolving(t)
	cases := map[string]struct {
		script string
		wants  []string // each in one of the problems; none means there is no problem
	}{
		"everything as it should be":     {right, nil},
		"work on top, of its own":        {right + `echo more >> own; rm unused; echo new > newer; sed -i 's/late of from/later of from/' both`, nil},
		"a line of into adapted":         {right + `sed -i 's/Old()/New()/' brought; sed -i 's/Call(1)/Call(1, 2)/' used`, nil},
		"a line of into indented":        {right + `sed -i 's/third of into/\tthird  of into/' both`, nil},
		"lines of into moved":            {right + `git mv brought elsewhere; sed -i '/third of into/d' both; echo third of into >> unused`, nil},
		"a binary file moved":            {right + `git mv bin elsewhere`, nil},
		"both halves combined":           {right + `sed -i '/five of into/d; s/five of from/five of from and into/' n`, nil},
		"a text with markers of its own": {right + `echo more >> about`, nil},
		"markers elsewhere":              {right + `echo '>>>>>>> y' >> about`, []string{`"about" has conflict markers`}},

		"nothing done":            {`:`, []string{"does not contain " + r.into[:12]}},
		"files without the merge": {right + `git reset -q --soft ` + r.from + `; git commit -qm squashed`, []string{"does not contain " + r.into[:12]}},
		"markers left":            {`git merge -q $into > /dev/null || true; git add -A; git commit -qm merged`, []string{`"n" has conflict markers`, `"pic" is exactly`}},
		"the other side ignored": {`git merge -q -s ours $into`, []string{
			`"n" is exactly as it was`, `"both" is as it was`, `"brought" was deleted`, `"empty" was deleted`, `"link" was deleted`,
			`"bin" is as it was`, `"used" is as it was`, `"pic" is exactly as it was`, `"run" is as it was`, `"gone" was deleted`, `"obsolete" is back`,
		}},
		"the own side ignored":      {`git merge -q -s ours $into; git read-tree -u --reset $into; git commit -q --amend -m x`, []string{"the merge lost all work on"}},
		"conflicts decided alone":   {`git merge -q -X ours $into > /dev/null || true; git checkout -q $into -- pic gone; git add -A; git commit -qm x`, []string{`"n" keeps the branch's side`}},
		"a file of into deleted":    {right + `git rm -q brought`, []string{`"brought" was deleted`}},
		"an empty one deleted":      {right + `git rm -q empty`, []string{`"empty" was deleted`}},
		"a file of into emptied":    {right + `: > brought`, []string{`"brought": `}},
		"a file of into reverted":   {right + `git show $into^:used > used`, []string{`"used" is as it was`}},
		"a line of into deleted":    {right + `sed -i '/third of into/d' both`, []string{`"both": ` + r.into[:12] + ` adds the line "third of into"`}},
		"a line of into set back":   {right + `sed -i 's/third of into/word 3/' both`, []string{`"both": ` + r.into[:12] + ` removed the line "word 3"`}},
		"a line that into took out": {right + `sed -i 's/^word 9$/word 8\nword 9/' both`, []string{`removed the line "word 8"`}},
		"away from the conflict":    {right + `sed -i '/thirty of into/d' n`, []string{`"n": ` + r.into[:12] + ` adds the line "thirty of into"`}},
		"a conflict undone":         {right + `git show $into^:n > n`, []string{`"n" is what it was before either`}},
		"a conflict deleted":        {right + `git rm -q n`, []string{`"n" was deleted`}},
		"a conflict made a link":    {right + `rm n; ln -s own n`, []string{`"n" differs from git's merge`}},
		"a mode set back":           {right + `chmod -x run; echo x >> run`, []string{`"run" does not have the mode 100755`}},
		"a binary file changed":     {right + `printf 'a\0x' > bin`, []string{`"bin" differs from git's merge`}},
		"a link changed":            {right + `ln -sf own link`, []string{`"link" differs from git's merge`}},
		"a deleted file is back":    {right + `echo old > obsolete`, []string{`"obsolete" is back`}},
		"a changed file deleted":    {right + `git rm -q gone`, []string{`"gone" was deleted`}},
		"a changed file as before":  {right + `seq 1 5 > gone`, []string{`"gone" is what it was before`}},
	}
	names := slices.Sorted(maps.Keys(cases))
	var scripts []string
	for _, name := range names {
		scripts = append(scripts, cases[name].script)
	}
	for i, result := range r.results(t, scripts...) {
		t.Run(names[i], func(t *testing.T) {
			c, problems := cases[names[i]], r.problems(t, result)
			for _, want := range c.wants {
				if !strings.Contains(strings.Join(problems, "\n"), want) {
					t.Errorf("no word of %s", want)
				}
			}
			if len(problems) != len(c.wants) {
				t.Errorf("got %d problems, want %d", len(problems), len(c.wants))
			}
			if t.Failed() {
				t.Log(strings.Join(problems, "\n"))
			}
		})
	}
}

// TestResolvedInAWorkspace is the way an agent takes: a merge of a commit that its workspace only borrows.
func TestResolvedInAWorkspace(t *testing.T) {
	r := newResolving(t)
	r.base = r.from
	dir := r.workspace(t)
	sh(t, dir, "into="+r.into+"\n"+right)
	if problems := r.problems(t, r.roundTrip(t, dir).Commit); len(problems) > 0 {
		t.Errorf("got %q", problems)
	}
}

// TestResolvedFollowsRenames has from move the file that into changes.
func TestResolvedFollowsRenames(t *testing.T) {
	f := newFixture(t)
	sh(t, f.person, `seq -f 'line %g' 1 40 > n; git add .; git commit -qm more`)
	must(t, f.yard.Fetch(ctx(t), f.person))
	r := resolving{fixture: f, into: f.commit(t, "into", `sed -i 's/line 5$/five/' n`), from: f.commit(t, "from", `git mv n moved`)}
	scripts := []string{
		`git merge -q $into`,
		`git merge -q $into; git mv moved again`,
		`git merge -q -s ours $into; git mv moved n; sed -i 's/line 5$/five/; $a more' n`,
		`git merge -q -s ours $into`,
		`git merge -q $into; sed -i 's/five/line 5/; $a more' moved`,
	}
	for i, result := range r.results(t, scripts...) {
		if problems := r.problems(t, result); (len(problems) > 0) != (i > 2) {
			t.Errorf("%s: %q", scripts[i], problems)
		}
	}
}

func TestResolvedOfWhatIsContained(t *testing.T) {
	f := newFixture(t)
	from := f.commit(t, "from", "echo x > x")
	later := sh(t, f.person, "git commit-tree -p "+from+" -m later "+f.base+"^{tree}")
	sh(t, f.person, "git branch later "+later)
	must(t, f.yard.Fetch(ctx(t), f.person))
	problems, err := f.yard.Resolved(ctx(t), f.base, from, later) // into brings nothing, and the rest is from's own
	must(t, err)
	if len(problems) != 1 || !strings.Contains(problems[0], "the merge lost all work") {
		t.Errorf("got %q", problems)
	}
	problems, err = f.yard.Resolved(ctx(t), f.base, from, from)
	must(t, err)
	equal(t, "problems", len(problems), 0)
}

func TestResolvedIsBounded(t *testing.T) {
	f := newFixture(t)
	r := resolving{fixture: f, into: f.commit(t, "into", "for i in $(seq 1000 1050); do echo $i > $i; done"), from: f.commit(t, "from", "echo x > x")}
	results := r.results(t, `git merge -q -s ours $into`,
		fmt.Sprintf(`git merge -q $into; for i in $(seq 0 %d); do echo > f$i; done`, maxJudged))
	equal(t, "problems", len(r.problems(t, results[0])), maxProblems)
	if problems := r.problems(t, results[1]); len(problems) != 1 || !strings.Contains(problems[0], "can judge only") {
		t.Errorf("got %q", problems)
	}
	if err := second(f.yard.Resolved(ctx(t), r.into, "HEAD", r.from)); err == nil {
		t.Error("a name was taken for a hash")
	}
}
