package local_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/local"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

func request(run, title string) forge.PullRequest {
	return forge.PullRequest{
		Run: run, Project: "p", Title: title, Body: "why", Head: "feature/x", Base: "main", Commit: "c0ffee",
		Diff: func(context.Context) (string, error) { return "+a ``` fence\n+\x1b[31mred\n", nil },
	}
}

func open(t *testing.T, f forge.Forge, req forge.PullRequest) (page string, number int) {
	t.Helper()
	address, number, err := f.Open(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "file" {
		t.Fatalf("address %q, %v", address, err)
	}
	content, err := os.ReadFile(at.Path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content), number
}

func TestPullRequestsOutliveTheForge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	if _, n := open(t, local.New(sqlitetest.Open(t, path), t.TempDir()), request("r1", "first")); n != 1 {
		t.Errorf("number %d, want 1", n)
	}
	page, n := open(t, local.New(sqlitetest.Open(t, path), t.TempDir()), request("r1", "second thoughts"))
	if n != 1 || !strings.Contains(page, "# second thoughts") || strings.Contains(page, "first") {
		t.Errorf("number %d:\n%s", n, page)
	}
}

func TestAProjectIsNoWayOut(t *testing.T) {
	req := request("r", "t")
	req.Project = "../elsewhere"
	if _, _, err := local.New(sqlitetest.New(t), t.TempDir()).Open(t.Context(), req); !errors.Is(err, forge.ErrRefused) {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsDecidedStays(t *testing.T) {
	f := local.New(sqlitetest.New(t), t.TempDir())
	_, n := open(t, f, request("r", "t"))
	if err := f.Settle(t.Context(), "p", n, forge.Closed, ""); err != nil {
		t.Fatal(err)
	}
	if err := f.Settle(t.Context(), "p", n, forge.Merged, "c0ffee"); !errors.Is(err, forge.ErrRefused) {
		t.Errorf("got %v", err)
	}
}

func TestThePageObeysNothingInTheDiff(t *testing.T) {
	page, _ := open(t, local.New(sqlitetest.New(t), t.TempDir()), request("r", "t"))
	if strings.Contains(page, "\x1b") || !strings.Contains(page, "````diff\n") {
		t.Errorf("got %q", page)
	}
}

func TestADiffThatFailsLeavesNothing(t *testing.T) {
	f := local.New(sqlitetest.New(t), t.TempDir())
	req, broken := request("r", "t"), errors.New("broken")
	req.Diff = func(context.Context) (string, error) { return "", broken }
	if _, _, err := f.Open(t.Context(), req); !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	if _, n := open(t, f, request("r", "t")); n != 1 {
		t.Errorf("number %d, want 1", n)
	}
}

// TestAPageIsWrittenAgain: where another engine has none, or somebody lost it.
func TestAPageIsWrittenAgain(t *testing.T) {
	db := sqlitetest.New(t)
	page, n := open(t, local.New(db, t.TempDir()), request("r", "t"))
	seen, err := local.New(db, t.TempDir()).Look(t.Context(), forge.Ref{Project: "p", Number: n})
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(seen.URL)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(at.Path); err != nil || string(again) != page {
		t.Errorf("%q, %v, not %q", again, err, page)
	}
}

// TestEnginesGiveEachItsNumber: though they open pull requests at the same time.
func TestEnginesGiveEachItsNumber(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	engines := []*local.Forge{local.New(sqlitetest.Open(t, path), t.TempDir()), local.New(sqlitetest.Open(t, path), t.TempDir())}
	const each = 10
	numbers := make(chan int, 2*each)
	for i := range cap(numbers) {
		go func() {
			req := request("r", "t")
			req.Head = fmt.Sprint("feature/", i%each) // both engines open each of them
			_, n, err := engines[i/each].Open(t.Context(), req)
			if err != nil {
				t.Error(err)
			}
			numbers <- n
		}()
	}
	given := map[int]int{}
	for range cap(numbers) {
		given[<-numbers]++
	}
	for n := 1; n <= each; n++ {
		if given[n] != 2 {
			t.Errorf("number %d was given %d times", n, given[n])
		}
	}
}

func TestALongDiffIsCut(t *testing.T) {
	req := request("r", "t")
	req.Diff = func(context.Context) (string, error) { return strings.Repeat("+ä\n", store.MaxDocument/3), nil }
	page, _ := open(t, local.New(sqlitetest.New(t), t.TempDir()), req)
	if len(page) > store.MaxDocument || !strings.HasPrefix(page, "# t\n") || !strings.Contains(page[len(page)-200:], "cut: the diff is longer") {
		t.Errorf("%d bytes end with %q", len(page), page[len(page)-100:])
	}
}
