package app_test

import (
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/githttptest"
)

// TestALaterRunOfARemoteComesBackAlone: the pack of its base rests on that of an earlier run. Its folder is all that is left,
// and the remote is gone.
func TestALaterRunOfARemoteComesBackAlone(t *testing.T) {
	t.Setenv("GIT_AUTHOR_NAME", "Ada Example")
	t.Setenv("GIT_AUTHOR_EMAIL", "ada@example.org")
	s := newShop(t)
	served := filepath.Join(t.TempDir(), "farm.git")
	git(t, s.dir, "clone", "-q", "--bare", ".", served)
	handler, err := githttptest.Handler(t.Context(), filepath.Dir(served), "")
	if err != nil {
		t.Skip(err)
	}
	server := httptest.NewServer(handler)
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
	s.cancel(first)
	s.until("the first has ended", func(d api.ProjectDetail) bool { return d.Run == nil })
	git(t, s.dir, "commit", "-q", "--allow-empty", "-m", "more")
	git(t, s.dir, "push", "-q", served, "main")
	second, err := s.app.Service.StartRun(s.ctx, api.StartRun{Project: "farm", Goal: "two"})
	if err != nil {
		t.Fatal(err)
	}
	started := s.started(second)
	if len(started.BaseRests) != 1 || started.BaseRests[0] != s.started(first).BasePack {
		t.Errorf("the second rests on %q", started.BaseRests)
	}
	s.cancel(second) // nothing is to begin elsewhere
	s.until("nobody is at work", func(api.ProjectDetail) bool { return !s.busy() })
	detail, err := s.app.Service.Run(s.ctx, second.ID)
	if err != nil {
		t.Fatal(err)
	}
	server.Close()
	state := stateFolder(t)
	other, err := app.Open(s.ctx, app.Options{State: state, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := other.Service.Import(s.ctx, api.Import{Folder: detail.Folder, Trust: true}); err != nil {
		t.Fatal(err)
	}
	yard := filepath.Join(state, "yards", started.Project+".git")
	if got := git(t, yard, "rev-list", "--count", started.BaseCommit); got != "2" {
		t.Errorf("its base has %s commits", got)
	}
}
