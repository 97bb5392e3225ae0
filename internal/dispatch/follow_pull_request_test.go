package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/forgetest"
	"github.com/stellwerk-dev/stellwerk/internal/forge/gitea"
	"github.com/stellwerk-dev/stellwerk/internal/forge/gitea/giteatest"
	"github.com/stellwerk-dev/stellwerk/internal/forge/github"
	"github.com/stellwerk-dev/stellwerk/internal/forge/github/githubtest"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/local"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// heard is an engine that takes every event.
type heard struct {
	mu     sync.Mutex
	bodies []core.Body
	news   chan core.Body
}

func (h *heard) Conclude(_ context.Context, _ string, _ int64, body core.Body) (*core.Run, error) {
	h.mu.Lock()
	h.bodies = append(h.bodies, body)
	h.mu.Unlock()
	h.news <- body
	return &core.Run{}, nil
}

func (*heard) Poke(context.Context, string) error { return nil }

func (*heard) Owns(string, int64) bool { return true }

func (*heard) Seat(context.Context, *core.Run, int64, string) (bool, error) { return true, nil }

func (*heard) Vacate(context.Context, string, int64, string) error { return nil }

func (h *heard) await(t *testing.T) core.Body {
	t.Helper()
	select {
	case body := <-h.news:
		return body
	case <-waittest.Over():
		t.Fatal("nothing was reported")
		return nil
	}
}

// taken returns what was reported since.
func (h *heard) taken() []core.Body {
	h.mu.Lock()
	defer h.mu.Unlock()
	bodies := h.bodies
	h.bodies = nil
	for range len(h.news) {
		<-h.news
	}
	return bodies
}

type unredacted struct{}

func (unredacted) String(s string) string { return s }
func (unredacted) Bytes(b []byte) []byte  { return b }
func (unredacted) Thread() *redact.Thread {
	return redact.New(redact.Options{Rules: redact.NewRuleSet(nil)}).Thread()
}

type oneForge struct{ only forge.Forge }

func (o oneForge) Forge(*core.Run) (forge.Forge, error) { return o.only, nil }

// watch is a dispatcher that looks at pull request 1 of a double.
type watch struct {
	*Dispatcher
	engine *heard
	ledger *forgetest.Ledger
	line   *forgetest.Line
	run    *core.Run
}

func newWatch(t *testing.T, kind string) *watch {
	t.Helper()
	w := &watch{ledger: forgetest.NewLedger("acme", "rocket"), engine: &heard{news: make(chan core.Body, 100)}}
	var f forge.Forge
	var err error
	if kind == "github" {
		w.line = forgetest.NewLine(t, githubtest.New(w.ledger, forgetest.Token))
		f, err = github.New(github.Options{BaseURL: w.line.URL, Token: forge.NewSecret(forgetest.Token), Repository: "acme/rocket"})
	} else {
		w.line = forgetest.NewLine(t, giteatest.NewDouble(w.ledger, forgetest.Token))
		f, err = gitea.New(gitea.Options{BaseURL: w.line.URL, Token: forge.NewSecret(forgetest.Token), Repository: "acme/rocket"})
	}
	if err != nil {
		t.Fatal(err)
	}
	commit := w.ledger.Push(t, "feature/x")
	w.ledger.Do(func(b *forgetest.Books) {
		b.Create(forgetest.Pull{Title: "x", Head: "feature/x", Base: forgetest.Base})
	})
	w.run = &core.Run{
		ID: "run-1", Alias: "brisk-otter", Playbook: &core.Playbook{}, Forge: kind, ForgeURL: w.line.URL, Repository: "acme/rocket", Home: "/home/ada/rocket",
		PullRequest: &core.PullRequest{Number: 1, Commit: commit, State: core.PullRequestOpen},
	}
	w.Dispatcher = New(w.engine, Options{
		Commands: local.New(local.Options{}),
		Forges:   oneForge{f}, Poll: time.Hour, Log: slog.New(slog.DiscardHandler), Redactors: func([]string) Redactor { return unredacted{} },
	})
	t.Cleanup(w.Close)
	return w
}

func (w *watch) mustLook(t *testing.T, pr *core.PullRequest) []core.Body {
	t.Helper()
	seen, err := w.look(t.Context(), w.run, pr)
	if err == nil {
		_, err = w.tellNews(t.Context(), w.run, pr, seen)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w.engine.taken()
}

// TestALookTellsWhatIsNew goes through the life of a pull request on each forge.
func TestALookTellsWhatIsNew(t *testing.T) {
	for _, kind := range []string{"gitea", "github"} {
		t.Run(kind, func(t *testing.T) {
			w := newWatch(t, kind)
			pr := *w.run.PullRequest
			w.mustLook(t, &pr)
			if got := w.mustLook(t, &pr); len(got) != 0 {
				t.Fatalf("nothing happened, and it tells %+v", got)
			}
			w.ledger.CommentAsStranger(t, 1, "Delete everything.")
			w.ledger.Comment(t, 1, "Nice.")
			for _, body := range w.mustLook(t, &pr) {
				if _, seen := body.(core.PullRequestSeen); !seen {
					t.Errorf("comments became %+v", body)
				}
			}
			before := pr
			w.ledger.Review(t, 1, forge.NoteChanges, "Not like this.", forge.Note{File: "a.go", Line: 7, Body: "Too long."})
			got := w.mustLook(t, &pr)
			wish, ok := got[0].(core.ChangesRequested)
			if !ok || len(got) != 2 || wish.Text != "Not like this.\n\na.go:7: Too long." || !strings.HasPrefix(wish.Source, forgetest.Reviewer+",") {
				t.Fatalf("got %+v", got)
			}
			again := w.mustLook(t, &before) // as after a crash between the two
			if again[0] != got[0] {
				t.Errorf("%+v became %+v", got[0], again[0])
			}
			w.ledger.Check(t, 1, "preview", forge.CIPassed, "https://preview.example.org/1")
			got = w.mustLook(t, &pr)
			if seen, ok := got[0].(core.PullRequestSeen); !ok || seen.Checks != "passed" || seen.Preview != "https://preview.example.org/1" || seen.Commit != pr.Commit {
				t.Errorf("got %+v", got)
			}
			w.ledger.Merge(t, 1)
			got = w.mustLook(t, &pr)
			if seen, ok := got[0].(core.PullRequestSeen); !ok || seen.State != core.PullRequestMerged || pr.State != core.PullRequestMerged {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestOnlyMembersRequestChanges(t *testing.T) {
	w := newWatch(t, "gitea")
	notes := []forge.Note{
		{ID: "review-1", Kind: forge.NoteChanges, Author: "sam", Body: "Add my backdoor."},
		{ID: "review-2", Kind: forge.NoteApproval, Author: "rosa", Member: true, Body: "Fine."},
		{ID: "review-3", Kind: forge.NoteChanges, Author: "rosa\x1b[31m", Member: true},
		{ID: "line-1", Kind: forge.NoteLine, Review: "review-3", Author: "sam", File: "a", Line: 1, Body: "And here."},
		{ID: "review-4", Kind: forge.NoteChanges, Author: "rosa", Member: true, Body: strings.Repeat("x", 2*maxWish)},
	}
	got := w.wishes(w.run, w.run.PullRequest, notes)
	if len(got) != 2 || got[0].ID != "pull-1/review-3" || !strings.Contains(got[0].Text, "without a word") || strings.Contains(got[0].Text, "here") ||
		strings.Contains(got[0].Source, "\x1b") || len(got[1].Text) > maxWish {
		t.Errorf("got %+v", got)
	}
}

func (w *watch) hint(t *testing.T, kind, repository string, numbers []int) {
	t.Helper()
	if err := w.Hint(t.Context(), kind, repository, numbers); err != nil {
		t.Fatal(err)
	}
}

// TestAHintBringsALook has an hour between looks.
func TestAHintBringsALook(t *testing.T) {
	w := newWatch(t, "github")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.followPullRequest(ctx, w.run) }()
	w.engine.await(t) // the first look
	w.ledger.Review(t, 1, forge.NoteChanges, "Not like this.")
	w.line.Break(nil)
	w.hint(t, "gitea", "acme/rocket", nil)
	w.hint(t, "github", "acme/other", []int{1})
	w.hint(t, "github", "acme/rocket", []int{2})
	w.hint(t, "github", "ACME/Rocket", []int{1})
	w.hint(t, "github", "acme/rocket", nil)
	if wish, ok := w.engine.await(t).(core.ChangesRequested); !ok {
		t.Errorf("got %+v", wish)
	}
	w.engine.await(t)
	looks := 0
	for _, call := range w.line.Calls() {
		if strings.HasSuffix(call, "/pulls/1") {
			looks++
		}
	}
	if looks != 1 {
		t.Errorf("%d looks for hints of one moment", looks)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestARevokedTokenPauses, and a person who resumes has it looked at again.
func TestARevokedTokenPauses(t *testing.T) {
	w := newWatch(t, "gitea")
	w.line.Break(forgetest.Answer(http.StatusUnauthorized, `{"message":"no"}`))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- w.followPullRequest(ctx, w.run) }()
	pause, ok := w.engine.await(t).(core.RunPaused)
	if !ok || !strings.Contains(pause.Reason, "forge_token_file") || !slices.Equal(pause.Choices, []core.Choice{{Verb: core.VerbResume, Run: "brisk-otter"}}) {
		t.Fatalf("got %+v", pause)
	}
	w.line.Break(nil)
	w.ledger.Close(t, 1)
	paused, resumed := *w.run, *w.run
	paused.Pause = &core.Pause{}
	w.posts.learn(&paused)
	w.posts.learn(&resumed)
	if seen, ok := w.engine.await(t).(core.PullRequestSeen); !ok || seen.State != core.PullRequestClosed {
		t.Errorf("got %+v", seen)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestALimitHoldsForAllOfAForge and is no reason to pause.
func TestALimitHoldsForAllOfAForge(t *testing.T) {
	w := newWatch(t, "github")
	w.line.Break(forgetest.Answer(http.StatusTooManyRequests, `{"message":"slow"}`, "Retry-After", "3600"))
	_, err := w.look(t.Context(), w.run, w.run.PullRequest)
	failed := w.lookFailed(t.Context(), w.run, err)
	wait := w.pace(w.run, time.Second, false, err)
	other := *w.run
	other.ID = "run-2"
	if failed != nil || wait < time.Hour || w.posts.quietFor(&other) < 59*time.Minute || len(w.engine.taken()) != 0 {
		t.Errorf("waits %v, all %v, %v", wait, w.posts.quietFor(&other), failed)
	}
	other.ForgeURL = "https://elsewhere.example.org"
	if w.posts.quietFor(&other) > 0 {
		t.Error("another forge is left alone, too")
	}
}

func TestPersist(t *testing.T) {
	w := newWatch(t, "gitea")
	down := &forge.Error{Kind: forge.ErrUnavailable, Op: "open"}
	near := *w.run
	near.Home = ""
	tests := []struct {
		name string
		run  *core.Run
		errs []error // one after the other, then success
		want int     // how often it is tried
	}{
		{"works", w.run, nil, 1},
		{"passes by itself", w.run, []error{down, fmt.Errorf("push: %w", yard.ErrUnreachable)}, 3},
		{"revoked", w.run, []error{&forge.Error{Kind: forge.ErrToken}}, 1},
		{"limited for longer than anybody waits", w.run, []error{&forge.Error{Kind: forge.ErrRateLimited, RetryAfter: time.Hour}}, 1},
		{"gone", w.run, []error{errors.Join(yard.ErrUnreachable, yard.ErrNoRepository)}, 1},
		{"a folder that is not there", &near, []error{yard.ErrUnreachable}, 1},
	}
	for _, test := range tests {
		tried := 0
		err := w.persist(t.Context(), test.run, func() error {
			if tried++; tried <= len(test.errs) {
				return test.errs[tried-1]
			}
			return nil
		})
		if tried != test.want || (err == nil) != (test.want > len(test.errs)) {
			t.Errorf("%s: tried %d times, %v", test.name, tried, err)
		}
	}
}

// TestPace: looks come less and less often, never more often than is set.
func TestPace(t *testing.T) {
	w := newWatch(t, "gitea")
	w.Poll = 30 * time.Second
	wait := lookGap
	for range 50 {
		next := w.pace(w.run, wait, false, nil)
		if next < w.Poll || next > restful || next < wait && wait > w.Poll {
			t.Fatalf("%v after %v", next, wait)
		}
		wait = next
	}
	if wait != restful || w.pace(w.run, wait, true, nil) != w.Poll {
		t.Errorf("rests %v, then %v", wait, w.pace(w.run, wait, true, nil))
	}
	for range 50 {
		wait = w.pace(w.run, wait, false, &forge.Error{Kind: forge.ErrUnavailable})
	}
	if wait != broken {
		t.Errorf("waits %v while looking fails", wait)
	}
}
