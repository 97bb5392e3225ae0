package leak_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/leak"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

func difference(t *testing.T, dir, from, to string) []byte {
	t.Helper()
	return git(t, dir, "diff-tree", "-r", "-p", "--text", "-U0", "--no-renames", from, to)
}

// TestScannerReadsOnBehindOddLines: what git says between lines, and names that look like its own words, do not hide the rest.
func TestScannerReadsOnBehindOddLines(t *testing.T) {
	for name, c := range map[string]struct {
		before, after map[string]string
		want          string
	}{
		"a last line that does not end": {map[string]string{"a": "one"}, map[string]string{"a": "two", "b": token + "\n"}, "b:1 github-token"},
		"one that is taken away":        {map[string]string{"a": "one\ntwo"}, map[string]string{"a": "two\n", "b": token + "\n"}, "b:1 github-token"},
		"lines that look like git's":    {map[string]string{"a": "-- a/x\n-x\n"}, map[string]string{"a": "++ b/x\n@@ -1 +1,9 @@\n", "b": token}, "b:1 github-token"},
		"a name, of a file that changes": {map[string]string{"x" + "." + token: "one\n"}, map[string]string{"x" + "." + token: "two\n"},
			"x." + token + ":0 github-token"},
		"the line of a find behind others": {map[string]string{"a": "1\n2\n3\n4\n5\n"}, map[string]string{"a": "1\nx\n3\n4\n" + token + "\n"}, "a:5 github-token"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := repository(t, c.before, c.after)
			for _, size := range []int{1, 1 << 20} {
				if got := scan(t, difference(t, dir, "main~1", "main"), size); !slices.Equal(got, []string{c.want}) {
					t.Errorf("in pieces of %d: %q, want %q", size, got, c.want)
				}
			}
		})
	}
}

// TestScannerLooksAtWhatWasCutOff: git ends in the middle of a line where it is stopped at a limit.
func TestScannerLooksAtWhatWasCutOff(t *testing.T) {
	dir := repository(t, map[string]string{token: "x\n"}, map[string]string{token: "y\n"})
	out := difference(t, dir, "main~1", "main")
	end := strings.Index(string(out), "+++ b/"+token) + len("+++ b/"+token)
	if got, want := scan(t, out[:end], 100), []string{token + ":0 github-token"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestScannerFindsSecretsOfSeveralLines: only what the file has is searched, without what git puts before each line.
func TestScannerFindsSecretsOfSeveralLines(t *testing.T) {
	const secret = "first line of it\nsecond line of it\nthird"
	dir := repository(t, map[string]string{"a.txt": "x\n" + secret + "\ny\n"})
	s := leak.New(redact.New(redact.Options{Secrets: []redact.Secret{{Name: "KEY", Value: secret}}}).Thread)
	if _, err := s.Write(difference(t, dir, "base", "main")); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if finds := s.Finds(); len(finds) != 1 || finds[0].File != "a.txt" || finds[0].Line != 2 {
		t.Errorf("found %+v", finds)
	}
}

// TestScannerTellsCommitsApart: each find is in its own.
func TestScannerTellsCommitsApart(t *testing.T) {
	dir := repository(t, map[string]string{"MESSAGE": "use " + token}, map[string]string{"MESSAGE": "nothing"}, map[string]string{"MESSAGE": token + " again"})
	var want []string
	for _, rev := range []string{"main", "main~2"} {
		want = append(want, strings.TrimSpace(string(git(t, dir, "rev-parse", "--short=4", rev)))+" :0 github-token")
	}
	for _, size := range []int{1, 50, 1 << 20} {
		if got := scanCommits(t, dir, size); !slices.Equal(got, want) {
			t.Errorf("in pieces of %d: %q, want %q", size, got, want)
		}
	}
}

// TestScannerTakesNothingElseForCommits: what it does not understand was not searched, and that is said.
func TestScannerTakesNothingElseForCommits(t *testing.T) {
	for _, said := range []string{
		"0123 blob 3\nabc\n", "0123 missing\n", "0123 commit many\nabc\n", "0123 commit 3 4\nabc\n", strings.Repeat("x", 300),
	} {
		s := leak.New(redact.New(redact.Options{}).Thread)
		if _, err := s.Commits().Write([]byte(said)); err == nil {
			t.Errorf("%q is taken", said)
		}
	}
}

// TestTheSameSecretIsKnownAgain in the same file, and nowhere else.
func TestTheSameSecretIsKnownAgain(t *testing.T) {
	other := strings.ToUpper(token[:5]) + token[5:39] + "0"
	other = token[:4] + other[4:]
	find := func(file, text string) leak.Find {
		t.Helper()
		s := leak.New(redact.New(redact.Options{}).Thread)
		if _, err := fmt.Fprintf(s, "diff --git a/%[1]s b/%[1]s\n--- a/%[1]s\n+++ b/%[1]s\n@@ -0,0 +1,2 @@\n+x\n+%[2]s\n", file, text); err != nil {
			t.Fatal(err)
		}
		s.Close()
		if len(s.Finds()) != 1 {
			t.Fatalf("%q: %+v", text, s.Finds())
		}
		return s.Finds()[0]
	}
	first := find("a.txt", token)
	for want, finds := range map[bool][]leak.Find{
		true:  {find("a.txt", token), find("a.txt", "moved to "+token+" here")},
		false: {find("b.txt", token), find("a.txt", other)},
	} {
		for _, f := range finds {
			if first.Same(f) != want || f.Same(first) != want {
				t.Errorf("%+v and %+v: want %t", first, f, want)
			}
		}
	}
}
