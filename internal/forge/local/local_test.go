package local_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/local"
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
	dir := t.TempDir()
	if _, n := open(t, local.New(dir), request("r1", "first")); n != 1 {
		t.Errorf("number %d, want 1", n)
	}
	page, n := open(t, local.New(dir), request("r1", "second thoughts"))
	if n != 1 || !strings.Contains(page, "# second thoughts") || strings.Contains(page, "first") {
		t.Errorf("number %d:\n%s", n, page)
	}
}

func TestAProjectIsNoWayOut(t *testing.T) {
	req := request("r", "t")
	req.Project = "../elsewhere"
	if _, _, err := local.New(t.TempDir()).Open(t.Context(), req); !errors.Is(err, forge.ErrRefused) {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsDecidedStays(t *testing.T) {
	f := local.New(t.TempDir())
	_, n := open(t, f, request("r", "t"))
	if err := f.Settle("p", n, forge.Closed, ""); err != nil {
		t.Fatal(err)
	}
	if err := f.Settle("p", n, forge.Merged, "c0ffee"); !errors.Is(err, forge.ErrRefused) {
		t.Errorf("got %v", err)
	}
}

func TestThePageObeysNothingInTheDiff(t *testing.T) {
	page, _ := open(t, local.New(t.TempDir()), request("r", "t"))
	if strings.Contains(page, "\x1b") || !strings.Contains(page, "````diff\n") {
		t.Errorf("got %q", page)
	}
}

func TestADiffThatFailsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	req, broken := request("r", "t"), errors.New("broken")
	req.Diff = func(context.Context) (string, error) { return "", broken }
	if _, _, err := local.New(dir).Open(t.Context(), req); !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	if _, n := open(t, local.New(dir), request("r", "t")); n != 1 {
		t.Errorf("number %d, want 1", n)
	}
}
