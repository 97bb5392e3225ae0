package draft_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/draft"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

func comment(n int) draft.Comment {
	return draft.Comment{Key: fmt.Sprintf("k%d", n), Path: "main.go", Line: n, Quote: "func main() {", Text: fmt.Sprintf("words %d", n), Commit: "abc"}
}

func put(t *testing.T, b *draft.Book, run, person string, c draft.Comment) {
	t.Helper()
	if err := b.Put(t.Context(), run, person, c); err != nil {
		t.Fatal(err)
	}
}

// texts are the words of a person's comments, in order.
func texts(t *testing.T, b *draft.Book, run, person string) string {
	t.Helper()
	list, err := b.Of(t.Context(), run, person)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range list {
		all = append(all, c.Text)
	}
	return strings.Join(all, ", ")
}

func pages(t *testing.T, db store.Store) []store.Document {
	t.Helper()
	list, err := db.Documents(t.Context(), "draft", "", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestWordsOutliveWhoKeepsThem(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	b := draft.Open(sqlitetest.Open(t, path))
	put(t, b, "r1", "ada", comment(2))
	put(t, b, "r1", "ada", comment(1))
	put(t, b, "r1", "../grace\x00", comment(3))
	put(t, b, "r2", "ada", comment(4))
	db := sqlitetest.Open(t, path)
	b = draft.Open(db)
	for of, want := range map[[2]string]string{{"r1", "ada"}: "words 1, words 2", {"r1", "../grace\x00"}: "words 3", {"r2", "ada"}: "words 4", {"r1", "bob"}: ""} {
		if got := texts(t, b, of[0], of[1]); got != want {
			t.Errorf("%q: %q, want %q", of, got, want)
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
		sent, err := b.Of(t.Context(), of[0], of[1])
		if err == nil {
			err = b.Clear(t.Context(), of[0], of[1], sent)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if left := pages(t, db); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// TestNothingMakesWay: what is too much is refused, and what is there stays.
func TestNothingMakesWay(t *testing.T) {
	db := sqlitetest.New(t)
	b := draft.Open(db)
	for n := range 100 {
		put(t, b, "r1", "ada", comment(n))
	}
	if err := b.Put(t.Context(), "r1", "ada", comment(100)); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("one too many: %v", err)
	}
	long := comment(7)
	long.Text = strings.Repeat("x", 600<<10)
	if err := b.Put(t.Context(), "r1", "ada", long); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("too long: %v", err)
	}
	if list, err := b.Of(t.Context(), "r1", "ada"); err != nil || len(list) != 100 || list[7].Text != "words 7" {
		t.Errorf("%d comments are left, %v", len(list), err)
	}
	put(t, b, "run-1", "ada", comment(1))
	var others []store.Document
	for n := range 498 {
		others = append(others, store.Document{Kind: "draft", Key: fmt.Sprintf("run-1/%d", n)})
	}
	if _, err := db.PutDocuments(t.Context(), others); err != nil {
		t.Fatal(err)
	}
	if err := b.Put(t.Context(), "another", "ada", comment(1)); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("on too many runs: %v", err)
	}
	put(t, b, "run-1", "ada", comment(2)) // there is room beside what is there
}

// TestAllTogetherAreBounded: many reviews of allowed size are not allowed together.
func TestAllTogetherAreBounded(t *testing.T) {
	b := draft.Open(sqlitetest.New(t))
	long := comment(1)
	long.Text = strings.Repeat("x", 500<<10)
	for n := range 65 {
		put(t, b, fmt.Sprintf("run-%d", n), "ada", long)
	}
	if err := b.Put(t.Context(), "another", "ada", long); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("after 65 reviews of 500 kB: %v", err)
	}
	put(t, b, "run-1", "ada", long) // in the place of the same
	put(t, b, "another", "ada", comment(1))
}

// TestOnlyWhatWasSentGoes: what was written in another tab meanwhile stays.
func TestOnlyWhatWasSentGoes(t *testing.T) {
	b := draft.Open(sqlitetest.New(t))
	put(t, b, "r1", "ada", comment(1))
	put(t, b, "r1", "ada", comment(2))
	sent, err := b.Of(t.Context(), "r1", "ada")
	if err != nil {
		t.Fatal(err)
	}
	changed := comment(2)
	changed.Text = "on second thought"
	put(t, b, "r1", "ada", changed)
	put(t, b, "r1", "ada", comment(3))
	if err := b.Clear(t.Context(), "r1", "ada", sent); err != nil {
		t.Fatal(err)
	}
	if got := texts(t, b, "r1", "ada"); got != "on second thought, words 3" {
		t.Errorf("left are %q", got)
	}
}

// TestTwoTabsAtOnce: whichever engine they are at, what both write is kept.
func TestTwoTabsAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	tabs := []*draft.Book{draft.Open(sqlitetest.Open(t, path)), draft.Open(sqlitetest.Open(t, path))}
	done := make(chan error, 20)
	for n := range cap(done) {
		go func() { done <- tabs[n%2].Put(t.Context(), "r1", "ada", comment(n)) }()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if list, err := tabs[0].Of(t.Context(), "r1", "ada"); err != nil || len(list) != cap(done) {
		t.Errorf("%d comments are left, %v", len(list), err)
	}
}

// TestARunTakesItsCommentsAlong, and nobody else's.
func TestARunTakesItsCommentsAlong(t *testing.T) {
	b := draft.Open(sqlitetest.New(t))
	put(t, b, "r1", "ada", comment(1))
	put(t, b, "r1", "bob", comment(2))
	put(t, b, "r11", "ada", comment(3))
	if size, err := b.Size(t.Context(), "r1"); err != nil || size < 100 {
		t.Errorf("%d bytes, %v", size, err)
	}
	if err := b.Forget(t.Context(), "r1"); err != nil {
		t.Fatal(err)
	}
	if size, err := b.Size(t.Context(), "r1"); err != nil || size != 0 {
		t.Errorf("left are %d bytes, %v", size, err)
	}
	if texts(t, b, "r1", "ada") != "" || texts(t, b, "r1", "bob") != "" || texts(t, b, "r11", "ada") != "words 3" {
		t.Error("the wrong comments went")
	}
}

func TestWhatIsNoRunOrNoBook(t *testing.T) {
	db := sqlitetest.New(t)
	b := draft.Open(db)
	for _, run := range []string{"", "../x", "a/b", "/etc"} {
		if err := b.Put(t.Context(), run, "ada", comment(1)); core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("%q: %v", run, err)
		}
	}
	if left := pages(t, db); len(left) > 0 {
		t.Errorf("written were %v", left)
	}
	put(t, b, "r1", "ada", comment(1))
	torn := pages(t, db)[0]
	torn.Data = []byte(`{"person":"ada","comments":[{"text":`)
	if _, err := db.PutDocument(t.Context(), torn); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Of(t.Context(), "r1", "ada"); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("a damaged page: %v", err)
	}
	if err := b.Put(t.Context(), "r1", "ada", comment(2)); err == nil {
		t.Error("a damaged page is written over")
	}
	var none *draft.Book
	if list, err := none.Of(t.Context(), "r1", "ada"); err != nil || list != nil {
		t.Errorf("no book holds %v, %v", list, err)
	}
	if err := none.Put(t.Context(), "r1", "ada", comment(1)); core.CodeOf(err) != core.CodeUnsupported {
		t.Errorf("no book keeps: %v", err)
	}
}
