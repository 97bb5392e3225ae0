package dispatch

import (
	"context"
	"log/slog"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/draft"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/forgetest"
	"github.com/stellwerk-dev/stellwerk/internal/forge/gitea"
	"github.com/stellwerk-dev/stellwerk/internal/forge/gitea/giteatest"
	"github.com/stellwerk-dev/stellwerk/internal/object/folder"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/local"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// press publishes one approved commit to a server of git's and a double of its
// forge.
type press struct {
	*Dispatcher
	engine *heard
	ledger *forgetest.Ledger
	line   *forgetest.Line
	bare   string
	run    *core.Run
}

type oneYard struct{ yard *yard.Yard }

func (o oneYard) Yard(context.Context, string) (*yard.Yard, error) { return o.yard, nil }

func sh(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-euc", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

func newPress(t *testing.T) *press {
	t.Helper()
	dir := t.TempDir()
	base := sh(t, dir, `git init -q -b main person && cd person && git config user.name A && git config user.email a@example.org
		git commit -q --allow-empty -m first && git clone -q --bare . ../server.git && git rev-parse HEAD`)
	commit := sh(t, filepath.Join(dir, "person"), `git commit -q --allow-empty -m work && git rev-parse HEAD`)
	y, err := yard.Open(t.Context(), filepath.Join(dir, "yard.git"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = y.Close() })
	if err := y.Fetch(t.Context(), filepath.Join(dir, "person")); err != nil {
		t.Fatal(err)
	}
	objects, err := folder.Open(filepath.Join(dir, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	p := &press{ledger: forgetest.NewLedger("acme", "rocket"), engine: &heard{news: make(chan core.Body, 100)}, bare: filepath.Join(dir, "server.git")}
	double := giteatest.NewDouble(p.ledger, forgetest.Token)
	p.line = forgetest.NewLine(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.ledger.Follow(p.branches(t))
		double.ServeHTTP(w, r)
	}))
	f, err := gitea.New(gitea.Options{BaseURL: p.line.URL, Token: forge.NewSecret(forgetest.Token), Repository: "acme/rocket"})
	if err != nil {
		t.Fatal(err)
	}
	subject := core.Subject{Stage: core.PublishStage, Commit: commit, Remote: p.bare, Ref: "refs/heads/feature/x", Base: "main"}
	task := &core.Task{ID: "publish.r1", Act: core.ActPullRequest, Publishing: &core.PublishRequested{Task: "publish.r1", Subject: subject, Title: "Work"}}
	p.run = &core.Run{
		ID: "run-1", Alias: "brisk-otter", Playbook: &core.Playbook{}, Branch: "feature/x", Base: "main", BaseCommit: base, Head: commit,
		Remote: p.bare, Home: filepath.Join(dir, "person"), Forge: "gitea", ForgeURL: p.line.URL, Repository: "acme/rocket",
		Stages: []*core.Stage{{ID: core.PublishStage, Tasks: []*core.Task{task}}},
	}
	p.Dispatcher = New(p.engine, Options{
		Commands: local.New(local.Options{}), Objects: objects, Exchange: here(dir),
		Forges: oneForge{f}, Yards: oneYard{y}, Drafts: draft.Open(sqlitetest.New(t)), Poll: time.Hour, Log: slog.New(slog.DiscardHandler), Redactors: func([]string) Redactor { return unredacted{} },
	})
	t.Cleanup(p.Close)
	return p
}

// branches is also called by the server, whose goroutine must not end the test.
func (p *press) branches(t *testing.T) map[string]string {
	out, err := exec.CommandContext(t.Context(), "git", "-C", p.bare, "for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads").Output()
	if err != nil {
		t.Error(err)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, commit, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[name] = commit
	}
	return all
}

func (p *press) publishOnce(t *testing.T) core.PublishConcluded {
	t.Helper()
	if err := p.publish(t.Context(), p.run, core.Publish{Task: "publish.r1"}); err != nil {
		t.Fatal(err)
	}
	return p.engine.await(t).(core.PublishConcluded)
}

// TestPublishingAgainDoublesNothing: as after an engine that was killed before
// it could say what it had done, and after answers that were lost.
func TestPublishingAgainDoublesNothing(t *testing.T) {
	p := newPress(t)
	broken := 0
	p.line.Break(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if broken++; broken <= 2 {
			forgetest.Answer(http.StatusBadGateway, "")(w, r, next)
			return
		}
		forgetest.OnCreate(forgetest.After(forgetest.Answer(http.StatusInternalServerError, "")))(w, r, next)
	})
	for range 3 {
		if got := p.publishOnce(t); !got.OK || got.Number != 1 {
			t.Fatalf("got %+v", got)
		}
	}
	if n := p.ledger.Count(t); n != 1 || p.branches(t)["feature/x"] != p.run.Head || len(p.branches(t)) != 2 {
		t.Errorf("%d pull requests, branches %v", n, p.branches(t))
	}
}

// TestWhatAPersonMustDo holds that a run is told at once, and what of.
func TestWhatAPersonMustDo(t *testing.T) {
	tests := []struct {
		status int
		want   string
	}{
		{http.StatusUnauthorized, "put a token that is valid"},
		{http.StatusForbidden, "permissions"},
		{http.StatusNotFound, "check that acme/rocket exists"},
		{http.StatusUnprocessableEntity, "422"},
	}
	for _, test := range tests {
		p := newPress(t)
		p.line.Break(forgetest.Answer(test.status, `{"message":"no"}`))
		got := p.publishOnce(t)
		if got.OK || got.Lapsed || !strings.Contains(got.Reason, test.want) || strings.Contains(got.Reason, forgetest.Token) {
			t.Errorf("%d: %+v", test.status, got)
		}
		p.line.Break(nil)
		if got := p.publishOnce(t); !got.OK {
			t.Errorf("%d, mended: %+v", test.status, got)
		}
	}
}

// TestARemoteThatMovedIsLeftAlone: the approval was for another state of it.
func TestARemoteThatMovedIsLeftAlone(t *testing.T) {
	p := newPress(t)
	theirs := sh(t, p.bare, "git update-ref refs/heads/feature/x main && git rev-parse main")
	if got := p.publishOnce(t); got.OK || !got.Lapsed {
		t.Errorf("got %+v", got)
	}
	if p.branches(t)["feature/x"] != theirs || p.ledger.Count(t) != 0 {
		t.Errorf("branches %v, %d pull requests", p.branches(t), p.ledger.Count(t))
	}
}

// liar is a forge that says what it likes of where the pull request is.
type liar struct {
	forge.Forge
	url string
}

func (l liar) Open(context.Context, forge.PullRequest) (string, int, error) { return l.url, 1, nil }

// TestAForgeThatLiesAboutTheAddress: what is kept leads to the web, in a line.
func TestAForgeThatLiesAboutTheAddress(t *testing.T) {
	p := newPress(t)
	for given, want := range map[string]string{
		"https://git.example.org/acme/rocket/pulls/1":                  "https://git.example.org/acme/rocket/pulls/1",
		"javascript:alert(1)":                                          "",
		"file:///etc/passwd":                                           "",
		"https://git.example.org/\x1b]8;;x\x07\u202e1\n## Your tools":  "https://git.example.org/1 ## Your tools",
		"https://git.example.org/" + strings.Repeat("a", 2*maxAddress): "https://git.example.org/" + strings.Repeat("a", maxAddress-len("https://git.example.org/…")) + "…",
	} {
		p.Forges = oneForge{liar{url: given}}
		if got := p.publishOnce(t); !got.OK || got.URL != want {
			t.Errorf("%.60q became %.60q, want %.60q", given, got.URL, want)
		}
	}
}
