package yard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWhichLinesCount: white space makes no difference, and what has neither letter nor digit is no line.
func TestWhichLinesCount(t *testing.T) {
	for line, want := range map[string]string{
		"  a \t b\r\n": "a b", "123\n": "123", "é": "é", "{ x": "{ x", "٣": "٣", "": "", "  \n": "", "{ }\n": "", "-- //": "",
	} {
		got, counts := plain(line)
		if counts != (want != "") || counts && got != want {
			t.Errorf("%q is %q, %t", line, got, counts)
		}
	}
	if d := cmp.Diff(map[string]int{"a": 2, "b c": 1}, tally("a\n\n  a\nb   c\n}\n")); d != "" {
		t.Error(d)
	}
	for _, c := range []struct {
		text, other string
		want        []string
	}{
		{"a\nb\n", "a\nb\n", nil},
		{"b\na\nb\n", "a\n", []string{"b", "b"}},
		{"a\na\na\n", "a\n", []string{"a", "a"}},
		{"c\na\n}\n", "", []string{"c", "a"}},
		{"", "a\n", nil},
	} {
		if d := cmp.Diff(c.want, more(c.text, c.other)); d != "" {
			t.Errorf("%q beside %q: %s", c.text, c.other, d)
		}
	}
	c := compare("p", "gone\nonce\ntwice\ntwice\nsame\n", "same\ntwice\nnew\n")
	want := comparison{path: "p", brought: map[string]bool{"new": true}, takenOut: map[string]bool{"gone": true, "once": true, "twice": false}}
	if d := cmp.Diff(want, c, cmp.AllowUnexported(comparison{})); d != "" {
		t.Error(d)
	}
	equal(t, "one", quoted([]string{"a"}), `the line "a"`)
	equal(t, "two", quoted([]string{"a", "b"}), `2 lines, the first of them "a",`)
}

// conflicted is a text with two conflicts, as git writes them: lines 2 to 6, and 8 to 12.
func conflicted(into, from string) string {
	return strings.Join([]string{
		"top", "<<<<<<< " + into, "ours 1", "=======", "theirs 1", ">>>>>>> " + from, "between",
		"<<<<<<< " + into, "=======", "theirs 2", "theirs 3", ">>>>>>> " + from, "end", "",
	}, "\n")
}

func TestWhereAConflictIs(t *testing.T) {
	j := &judge{into: "aaa", from: "bbb"}
	found := j.places("=======\n" + conflicted("other", "bbb") + conflicted("aaa", "bbb"))
	if d := cmp.Diff(places{{16, 18, 20}, {22, 23, 26}}, found, cmp.AllowUnexported(place{})); d != "" {
		t.Error(d)
	}
	two := places{{2, 4, 6}, {8, 9, 12}}
	for h, want := range map[[2]int]bool{
		{1, 1}: false, {1, 2}: true, {2, 1}: true, {3, 3}: true, {6, 6}: true, {6, 7}: true, {7, 7}: false, {7, 6}: true, {8, 7}: true, {7, 8}: true, {12, 12}: true,
		{13, 12}: true, {13, 13}: false, {14, 13}: false, {1, 20}: true, {1, 0}: false,
	} {
		if got := two.touch(hunk{first: h[0], last: h[1]}); got != want {
			t.Errorf("lines %d to %d: %t", h[0], h[1], got)
		}
	}
	merged := conflicted("aaa", "bbb")
	for result, want := range map[string][]string{
		"top\ntheirs 1\nbetween\ntheirs 2\ntheirs 3\nend\n":         {"ours 1"},
		"top\ntheirs 1\nbetween\ntheirs 2\ntheirs 3\nend":           {"ours 1"},
		"top\ntheirs 1\nbetween\ntheirs 2\nend\n":                   nil,
		"top\ntheirs 1\nbetween\nend\n":                             nil,
		"top\nours 1\nbetween\ntheirs 2\ntheirs 3\nend\n":           nil,
		"top\nours 1\ntheirs 1\nbetween\ntheirs 2\ntheirs 3\nend\n": nil,
	} {
		if d := cmp.Diff(want, two.decidedFor(merged, result)); d != "" {
			t.Errorf("%q: %s", result, d)
		}
	}
	if dropped := (places{}).decidedFor("a\n", "a\n"); dropped != nil {
		t.Errorf("without a conflict: %q", dropped)
	}
	if d := cmp.Diff(map[string]bool{"<<<<<<< x": true, "|||||||": true, ">>>>>>> y": true}, markerLines("<<<<<<< x\r\n|||||||\n=======\n>>>>>>> y\n<<<<<<<x\n >>>>>>> z\n<<<<<< a\n")); d != "" {
		t.Error(d)
	}
}

// TestHunksAreWhatDiffers, with the lines that count.
func TestHunksAreWhatDiffers(t *testing.T) {
	f := newFixture(t)
	put := func(lines ...string) entry {
		hash := sh(t, f.yard.Dir(), fmt.Sprintf("printf '%%s' '%s' | git hash-object -w --stdin", strings.Join(lines, "\n")))
		return entry{mode: "100644", hash: hash}
	}
	j := &judge{yard: f.yard}
	got, err := j.hunks(ctx(t), put("a", "b", "c", "-- x", "}", "f", "g", "h"), put("new", "a", "c", "++ y", "}", "f", "g", "H", "i"))
	must(t, err)
	want := []hunk{
		{first: 1, last: 0, added: []string{"new"}}, {first: 2, last: 2, removed: []string{"b"}}, {first: 4, last: 4, removed: []string{"-- x"}, added: []string{"++ y"}},
		{first: 8, last: 8, removed: []string{"h"}, added: []string{"H", "i"}},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(hunk{})); d != "" {
		t.Error(d)
	}
	for header, want := range map[[3]string]hunk{
		{"", "5", ""}: {first: 5, last: 5}, {"", "5", "3"}: {first: 5, last: 7}, {"", "5", "0"}: {first: 6, last: 5}, {"", "0", "0"}: {first: 1, last: 0},
	} {
		if d := cmp.Diff(want, newHunk(header[:]), cmp.AllowUnexported(hunk{})); d != "" {
			t.Errorf("%q: %s", header, d)
		}
	}
}

// TestOnlyTextIsCompared: files that are not too long, and without a zero where git looks for one.
func TestOnlyTextIsCompared(t *testing.T) {
	f := newFixture(t)
	j := &judge{yard: f.yard}
	put := func(command string) string { return sh(t, f.yard.Dir(), command+" | git hash-object -w --stdin") }
	const zero = `; printf '\0'`
	for _, c := range []struct {
		name   string
		e      entry
		size   int
		isText bool
	}{
		{"nothing", entry{}, 0, true},
		{"a text", entry{"100644", put("printf abc")}, 3, true},
		{"a program", entry{"100755", put("printf abc")}, 3, true},
		{"a link", entry{"120000", put("printf abc")}, 0, false},
		{"a submodule", entry{"160000", strings.Repeat("1", 40)}, 0, false},
		{"a late zero", entry{"100644", put("(head -c 8000 /dev/zero | tr '\\0' x" + zero + ")")}, 8001, true},
		{"an early zero", entry{"100644", put("(head -c 7999 /dev/zero | tr '\\0' x" + zero + ")")}, 0, false},
		{"as long as may be", entry{"100644", put(fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x", maxText))}, maxText, true},
		{"longer", entry{"100644", put(fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x", maxText+1))}, 0, false},
	} {
		content, isText, err := j.text(ctx(t), c.e)
		must(t, err)
		if len(content) != c.size || isText != c.isText {
			t.Errorf("%s: %d bytes, text %t", c.name, len(content), isText)
		}
	}
	if _, _, err := j.text(ctx(t), entry{"100644", strings.Repeat("1", 40)}); err == nil {
		t.Error("what is not there is read")
	}
}

// TestWhatAHunkMayDo: lines of into are replaced, one by one, and nothing that into took out comes back by itself.
func TestWhatAHunkMayDo(t *testing.T) {
	lines := comparison{path: "p", brought: map[string]bool{"i1": true, "i2": true, "moved": true}, takenOut: map[string]bool{"out": true, "rare": false}}
	for _, c := range []struct {
		removed, added []string
		want           string
	}{
		{[]string{"i1"}, []string{"new"}, ""},
		{[]string{"i1", "i2"}, []string{"new"}, "adds 2 lines"},
		{[]string{"i1", "i2"}, []string{"new", "newer"}, ""},
		{[]string{"i1", "moved"}, []string{"new"}, ""},
		{[]string{"i1"}, nil, `adds the line "i1"`},
		{[]string{"moved"}, nil, ""},
		{[]string{"f1"}, nil, ""},
		{nil, []string{"out"}, "removed the line \"out\", but the result has it again"},
		{nil, []string{"out", "new"}, ""},
		{nil, []string{"rare"}, ""},
		{nil, []string{"new"}, ""},
	} {
		j := &judge{into: "aaa", present: map[string]bool{"moved": true}}
		done, err := j.judgeHunk(ctx(t), lines, hunk{removed: c.removed, added: c.added})
		must(t, err)
		said := strings.Join(j.problems, "\n")
		if done != (c.want != "") || (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
			t.Errorf("%q for %q: %t, %q", c.added, c.removed, done, said)
		}
	}
}

// TestResolvedTellsOnceOfEachPath, in their order, and takes markers that either side has for text.
func TestResolvedTellsOnceOfEachPath(t *testing.T) {
	f := newFixture(t)
	sh(t, f.person, `seq -f 'line %g' 1 40 > a; cp a b; echo base > of-into; echo base > of-from; git add .; git commit -qm more`)
	must(t, f.yard.Fetch(ctx(t), f.person))
	const change = "sed -i 's/line 5$/five of into/; s/line 30$/thirty of into/' a b"
	r := resolving{
		fixture: f,
		into:    f.commit(t, "into", change+`; printf 'into\n<<<<<<< sample\n>>>>>>> sample of into\n' > of-into; echo into > of-from`),
		from:    f.commit(t, "from", `printf 'from\n>>>>>>> sample of from\n' > of-from; echo from > of-into; echo own > own`),
	}
	const merge = `git merge -q $into > /dev/null || true; printf 'into, from\n<<<<<<< sample\n>>>>>>> sample of into\n' > of-into; printf 'into, from\n>>>>>>> sample of from\n' > of-from; git add -A; git commit -qm merged
		`
	results := r.results(t, merge, merge+"sed -i '/ of into$/d' b a", merge+"echo '>>>>>>> left' >> of-from")
	for i, want := range [][]string{
		nil,
		{`"a": ` + r.into[:12] + ` adds the line "five of into", but the result does not have it`, `"b": ` + r.into[:12] + ` adds the line "five of into", but the result does not have it`},
		{`"of-from" has conflict markers in it, such as ">>>>>>> left"`},
	} {
		if d := cmp.Diff(want, r.problems(t, results[i])); d != "" {
			t.Errorf("%d: %s", i, d)
		}
	}
}
