package gitea_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/forgetest"
	"github.com/stellwerk-dev/stellwerk/internal/forge/gitea/giteatest"
	"github.com/stellwerk-dev/stellwerk/internal/forge/webhook"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestRealWebhook lets a real Gitea say what happened, and reads it.
func TestRealWebhook(t *testing.T) {
	folder := giteatest.Program()
	if folder == "" {
		t.Skip("no Gitea on this machine: giteatest/build.sh builds one")
	}
	const secret = "between-the-two-of-us"
	type heard struct {
		event string
		hint  webhook.Hint
		err   error
	}
	news := make(chan heard, 100)
	taken := webhook.NewRecent(100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := webhook.Verify(webhook.Gitea(), forge.NewSecret(secret), r.Header, r.Body, taken)
		if err != nil {
			news <- heard{err: err}
			return
		}
		hint, relevant, err := webhook.Parse(webhook.Gitea(), r.Header, body)
		if relevant || err != nil {
			news <- heard{event: r.Header.Get("X-Gitea-Event"), hint: hint, err: err}
		}
	}))
	t.Cleanup(receiver.Close)
	real := giteatest.Start(t, folder)
	repo := real.Repository(t, "rocket")
	repo.Hook(t, receiver.URL, secret)
	line := forgetest.NewLine(t, real)
	s := forgetest.Setup{
		Forge: connect(t, line.URL, forge.NewSecret(repo.Token), time.Minute), Remote: "http://127.0.0.1/" + repo.Owner + "/" + repo.Name,
	}
	_, number, err := s.Forge.Open(t.Context(), s.Request("feature/x", repo.Push(t, "feature/x")))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	await := func(event string, numbers int) {
		t.Helper()
		for {
			select {
			case <-ctx.Done():
				t.Fatalf("nothing was said of %s", event)
			case h := <-news:
				if h.err != nil {
					t.Fatal(h.err)
				}
				if h.event != event {
					continue
				}
				if h.hint.Repository != repo.Owner+"/"+repo.Name || len(h.hint.Numbers) != numbers || numbers == 1 && h.hint.Numbers[0] != number {
					t.Errorf("%s: %+v", event, h.hint)
				}
				return
			}
		}
	}
	await("pull_request", 1)
	repo.Comment(t, number, "Nice.")
	await("issue_comment", 1)
	repo.Review(t, number, forge.NoteChanges, "Not yet.")
	await("pull_request_rejected", 1)
	repo.Check(t, number, "build", forge.CIPassed, "")
	await("status", 0)
}
