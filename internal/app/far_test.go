package app_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/githttptest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestAServerThatIsAwayCostsNoEpicItsTurn: an epic that cannot be started because
// the server does not answer waits, and is started when it does.
func TestAServerThatIsAwayCostsNoEpicItsTurn(t *testing.T) {
	t.Setenv("GIT_AUTHOR_NAME", "Ada Example")
	t.Setenv("GIT_AUTHOR_EMAIL", "ada@example.org")
	s := newShop(t)
	served := filepath.Join(t.TempDir(), "farm.git")
	git(t, s.dir, "clone", "-q", "--bare", ".", served)
	var away atomic.Bool
	turned := make(chan struct{}, 1)
	program, err := githttptest.Handler(t.Context(), filepath.Dir(served), "")
	if err != nil {
		t.Skip(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !away.Load() {
			program.ServeHTTP(w, r)
			return
		}
		http.Error(w, "later", http.StatusServiceUnavailable)
		select {
		case turned <- struct{}{}:
		default:
		}
	}))
	defer server.Close()

	added, err := s.app.Service.AddProject(s.ctx, api.AddProject{Repository: server.URL + "/farm.git", Name: "farm", Playbook: "gated"})
	if err != nil {
		t.Fatal(err)
	}
	s.far = added.ID
	if _, err := s.app.Service.Trust(s.ctx, api.Trust{Project: "farm", Confirm: s.hash()}); err != nil {
		t.Fatal(err)
	}
	first, err := s.app.Service.StartRun(s.ctx, api.StartRun{Project: "farm", Goal: "one"})
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.app.Service.StartRun(s.ctx, api.StartRun{Project: "farm", Goal: "two"})
	if err != nil || second.Epic == nil {
		t.Fatalf("%+v, %v", second, err)
	}
	away.Store(true)
	if _, err := s.app.Service.StartRun(s.ctx, api.StartRun{Project: "farm", Goal: "three"}); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("a person is not told that the server is away: %v", err)
	}
	<-turned
	s.cancel(first)
	select {
	case <-turned:
	case <-waittest.Over():
		t.Fatal("the epic's turn never came")
	}
	s.until("the first has ended", func(d api.ProjectDetail) bool { return d.Run == nil })
	s.close()
	s.open(nil)
	if d := s.project(); d.Queued != 1 || d.Refused != 0 {
		t.Fatalf("%+v", d.Queue)
	}
	s.close()
	away.Store(false)
	s.open(nil)
	s.until("the epic has become its run", driven(second))
}
