package app_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/githttptest"
)

const farToken = "a-token-of-a-test-0123456789"

// farm serves a copy of the shop's repository as acme/farm.git, to who brings
// the token where one is asked for.
func farm(t *testing.T, s *shop, token string) string {
	t.Helper()
	root := t.TempDir()
	git(t, s.dir, "clone", "-q", "--bare", ".", filepath.Join(root, "acme", "farm.git"))
	program, err := githttptest.Handler(t.Context(), root, "")
	if err != nil {
		t.Skip(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, given, _ := r.BasicAuth(); given != token {
			w.Header().Set("WWW-Authenticate", `Basic realm="farm"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		program.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// started is what a run was pinned to.
func (s *shop) started(run api.Run) core.RunStarted {
	s.t.Helper()
	events, err := s.app.Service.Events(s.ctx, run.ID, 0, 1)
	if err != nil || len(events) != 1 {
		s.t.Fatalf("%v, %v", events, err)
	}
	body, err := core.Decode(events[0])
	if err != nil {
		s.t.Fatal(err)
	}
	return body.(core.RunStarted)
}

// TestAProjectOnTheForge is reached with the forge's token and published there;
// one that is elsewhere is neither.
func TestAProjectOnTheForge(t *testing.T) {
	t.Setenv("GIT_AUTHOR_NAME", "Ada Example")
	t.Setenv("GIT_AUTHOR_EMAIL", "ada@example.org")
	s := newShop(t)
	private, open := farm(t, s, farToken), strings.Replace(farm(t, s, ""), "127.0.0.1", "localhost", 1)
	add := func(name, server string) error {
		added, err := s.app.Service.AddProject(s.ctx, api.AddProject{Repository: server + "/acme/farm.git", Name: name, Playbook: "gated"})
		s.far = added.ID
		return err
	}
	if err := add("farm", private); core.CodeOf(err) != core.CodeUnavailable {
		t.Fatalf("without a token: %v", err)
	}
	t.Setenv("STELLWERK_FORGE", "gitea")
	t.Setenv("STELLWERK_FORGE_URL", private)
	t.Setenv("GITEA_TOKEN", farToken)
	if err := add("farm", private); err != nil {
		t.Fatal(err)
	}
	run, err := s.app.Service.StartRun(s.ctx, api.StartRun{Project: "farm", Goal: "one", Trust: true})
	if err != nil {
		t.Fatal(err)
	}
	if b := s.started(run); b.Forge != "gitea" || b.ForgeURL != private || b.Repository != "acme/farm" || b.Remote != private+"/acme/farm.git" || b.Home != "" {
		t.Errorf("%+v", b)
	}
	if err := add("elsewhere", open); err != nil {
		t.Fatal(err)
	}
	for _, asked := range []api.StartRun{{Forge: "gitea"}, {Remote: "origin"}} {
		asked.Project, asked.Goal, asked.Trust = "elsewhere", "one", true
		if _, err := s.app.Service.StartRun(s.ctx, asked); core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("%+v: %v", asked, err)
		}
	}
	run, err = s.app.Service.StartRun(s.ctx, api.StartRun{Project: "elsewhere", Goal: "one", Trust: true})
	if err != nil {
		t.Fatal(err)
	}
	if b := s.started(run); b.Forge != "local" || b.ForgeURL != "" || b.Remote != open+"/acme/farm.git" {
		t.Errorf("%+v", b)
	}
	if !strings.Contains(strings.Join(run.Warnings, "\n"), "is not on your forge") {
		t.Errorf("not said: %q", run.Warnings)
	}
}

// TestAnEpicKeepsItsForge: what the person chose holds when its turn comes.
func TestAnEpicKeepsItsForge(t *testing.T) {
	s := newShop(t)
	t.Setenv("STELLWERK_FORGE", "gitea")
	t.Setenv("STELLWERK_FORGE_URL", "http://127.0.0.1:1")
	t.Setenv("GITEA_TOKEN", farToken)
	start := func(goal string) api.Run {
		run, err := s.app.Service.StartRun(s.ctx, api.StartRun{Dir: s.dir, Goal: goal, Playbook: "gated", Trust: true, Forge: "local"})
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	first, second := start("one"), start("two")
	if second.Epic == nil {
		t.Fatalf("%+v", second)
	}
	s.cancel(first)
	s.until("the epic has become its run", driven(second))
	if b := s.started(second); b.Forge != "local" || b.Remote != filepath.Join(s.dir, ".git") {
		t.Errorf("%+v", b)
	}
}
