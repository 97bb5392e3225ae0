package draft_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/draft"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func comment(n int) draft.Comment {
	return draft.Comment{Key: fmt.Sprintf("k%d", n), Path: "main.go", Line: n, Quote: "func main() {", Text: fmt.Sprintf("words %d", n), Commit: "abc"}
}

func put(t *testing.T, b *draft.Book, run, person string, c draft.Comment) {
	t.Helper()
	if err := b.Put(run, person, c); err != nil {
		t.Fatal(err)
	}
}

// texts are the words of a person's comments, in order.
func texts(t *testing.T, b *draft.Book, run, person string) string {
	t.Helper()
	list, err := b.Of(run, person)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range list {
		all = append(all, c.Text)
	}
	return strings.Join(all, ", ")
}

func files(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestWordsOutliveWhoKeepsThem(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "drafts")
	b := draft.Open(dir)
	put(t, b, "r1", "ada", comment(2))
	put(t, b, "r1", "ada", comment(1))
	put(t, b, "r1", "../grace\x00", comment(3))
	put(t, b, "r2", "ada", comment(4))
	b = draft.Open(dir)
	for of, want := range map[[2]string]string{{"r1", "ada"}: "words 1, words 2", {"r1", "../grace\x00"}: "words 3", {"r2", "ada"}: "words 4", {"r1", "bob"}: ""} {
		if got := texts(t, b, of[0], of[1]); got != want {
			t.Errorf("%q: %q, want %q", of, got, want)
		}
	}
	for _, path := range files(t, dir) {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s can be read by others: %v, %v", path, info.Mode(), err)
		}
	}
	changed := comment(1)
	changed.Text = "other words"
	put(t, b, "r1", "ada", changed)
	gone := comment(2)
	gone.Text = ""
	put(t, b, "r1", "ada", gone)
	if got := texts(t, b, "r1", "ada"); got != "other words" {
		t.Errorf("left are %q", got)
	}
	for _, of := range [][2]string{{"r1", "ada"}, {"r1", "../grace\x00"}, {"r2", "ada"}, {"r2", "nobody"}} {
		sent, err := b.Of(of[0], of[1])
		if err == nil {
			err = b.Clear(of[0], of[1], sent)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// TestNothingMakesWay: what is too much is refused, and what is there stays.
func TestNothingMakesWay(t *testing.T) {
	dir := t.TempDir()
	b := draft.Open(dir)
	for n := range 100 {
		put(t, b, "r1", "ada", comment(n))
	}
	if err := b.Put("r1", "ada", comment(100)); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("one too many: %v", err)
	}
	long := comment(7)
	long.Text = strings.Repeat("x", 600<<10)
	if err := b.Put("r1", "ada", long); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("too long: %v", err)
	}
	if list, err := b.Of("r1", "ada"); err != nil || len(list) != 100 || list[7].Text != "words 7" {
		t.Errorf("%d comments are left, %v", len(list), err)
	}
	put(t, b, "run-1", "ada", comment(1))
	for n := range 498 { // of others
		if err := os.WriteFile(filepath.Join(dir, "run-1", fmt.Sprintf("%d.json", n)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Put("another", "ada", comment(1)); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("on too many runs: %v", err)
	}
	put(t, b, "run-1", "ada", comment(2)) // there is room beside what is there
}

// TestAllTogetherAreBounded: many reviews of allowed size are not allowed together.
func TestAllTogetherAreBounded(t *testing.T) {
	b := draft.Open(t.TempDir())
	long := comment(1)
	long.Text = strings.Repeat("x", 500<<10)
	for n := range 65 {
		put(t, b, fmt.Sprintf("run-%d", n), "ada", long)
	}
	if err := b.Put("another", "ada", long); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("after 65 reviews of 500 kB: %v", err)
	}
	put(t, b, "run-1", "ada", long) // in the place of the same
	put(t, b, "another", "ada", comment(1))
}

// TestOnlyWhatWasSentGoes: what was written in another tab meanwhile stays.
func TestOnlyWhatWasSentGoes(t *testing.T) {
	b := draft.Open(t.TempDir())
	put(t, b, "r1", "ada", comment(1))
	put(t, b, "r1", "ada", comment(2))
	sent, err := b.Of("r1", "ada")
	if err != nil {
		t.Fatal(err)
	}
	changed := comment(2)
	changed.Text = "on second thought"
	put(t, b, "r1", "ada", changed)
	put(t, b, "r1", "ada", comment(3))
	if err := b.Clear("r1", "ada", sent); err != nil {
		t.Fatal(err)
	}
	if got := texts(t, b, "r1", "ada"); got != "on second thought, words 3" {
		t.Errorf("left are %q", got)
	}
}

func TestWhatIsNoRunOrNoBook(t *testing.T) {
	dir := t.TempDir()
	b := draft.Open(filepath.Join(dir, "drafts"))
	for _, run := range []string{"", "..", "../x", "a/b", ".hidden", "/etc"} {
		if err := b.Put(run, "ada", comment(1)); core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("%q: %v", run, err)
		}
	}
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("written were %v", left)
	}
	put(t, b, "r1", "ada", comment(1))
	path := files(t, dir)[0]
	if err := os.WriteFile(path, []byte(`{"person":"ada","comments":[{"text":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Of("r1", "ada"); core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(wording.Hint(err), path) {
		t.Errorf("a damaged file: %v", err)
	}
	if err := b.Put("r1", "ada", comment(2)); err == nil {
		t.Error("a damaged file is written over")
	}
	var none *draft.Book
	if list, err := none.Of("r1", "ada"); err != nil || list != nil {
		t.Errorf("no book holds %v, %v", list, err)
	}
	if err := none.Put("r1", "ada", comment(1)); core.CodeOf(err) != core.CodeUnsupported {
		t.Errorf("no book keeps: %v", err)
	}
}
