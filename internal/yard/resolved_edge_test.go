package yard

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestResolvedWhereOneSideIsGone has the rarer conflicts: a side that deleted, one that holds the other's lines too, and a text
// that is too long to be compared.
func TestResolvedWhereOneSideIsGone(t *testing.T) {
	f := newFixture(t)
	sh(t, f.person, `seq -f 'line %g' 1 5 > list; cp list gone; cp list dropped; cp list plain; git add .; git commit -qm more`)
	must(t, f.yard.Fetch(ctx(t), f.person))
	r := resolving{
		fixture: f,
		into:    f.commit(t, "into", fmt.Sprintf(`echo of into >> list; echo only of into >> gone; rm dropped; echo also of into >> plain; head -c %d /dev/zero | tr '\0' x > long`, maxText+1)),
		from:    f.commit(t, "from", `printf 'of into\nof from\n' >> list; rm gone; echo of from >> dropped`),
	}
	const merge = `git merge -q $into > /dev/null || true; sed -i '/^=======/d; /^<<<<<<</d; /^>>>>>>>/d' list; git checkout -q $into -- gone
		git rm -q --cached dropped 2> /dev/null || true; rm -f dropped; git add -A; git commit -qm merged
		`
	cases := map[string][2]string{
		"one that has both":                   {merge + `git checkout -q HEAD~1 -- list`, ""},
		"deleted by into, and gone":           {merge, ""},
		"deleted by into, and kept":           {merge + `git show HEAD~1:dropped > dropped`, ""},
		"deleted by from, and worked on":      {merge + `echo more >> gone`, ""},
		"deleted by from, worked on, and cut": {merge + `seq -f 'line %g' 1 4 > gone`, `"gone": ` + r.into[:12] + ` adds the line "only of into"`},
		"deleted by from, and again":          {merge + `rm gone`, `"gone" was deleted`},
		"a mode of its own":                   {merge + `chmod +x plain`, ""},
		"a long text changed":                 {merge + `echo y >> long`, `"long" differs from git's merge`},
		"a long text left":                    {merge + `echo y >> list`, ""},
	}
	names := slices.Sorted(maps.Keys(cases))
	var scripts []string
	for _, name := range names {
		scripts = append(scripts, cases[name][0])
	}
	for i, result := range r.results(t, scripts...) {
		problems := r.problems(t, result)
		if want := cases[names[i]][1]; want == "" && len(problems) > 0 || want != "" && (len(problems) != 1 || !strings.Contains(problems[0], want)) {
			t.Errorf("%s: %q, want %q", names[i], problems, want)
		}
	}
}
