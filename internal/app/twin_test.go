package app_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestAnEngineWhoseTwinBeganSaysSo to whoever uses it: in each answer, on its pages, to doctor and to who watches whether it
// is ready. Its twin has the projects and says nothing of the kind.
func TestAnEngineWhoseTwinBeganSaysSo(t *testing.T) {
	s := newShop(t)
	s.close()
	shared, first, second := t.TempDir(), stateFolder(t), stateFolder(t)
	opts := func(state string) app.Options {
		return app.Options{
			State: state, Version: "test", Log: t.Output(), Lease: time.Second,
			Database: filepath.Join(shared, "s.db"), Objects: filepath.Join(shared, "objects"),
		}
	}
	open := func(state string) *app.App {
		t.Helper()
		a, err := app.Open(s.ctx, opts(state))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if err := open(second).Close(); err != nil { // a folder that knows where it is
		t.Fatal(err)
	}
	svc, address, stop := listening(s.ctx, t, opts(first))
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	run, err := svc.StartRun(s.ctx, api.StartRun{Dir: s.dir, Goal: "Sell tea", Playbook: "gated", Trust: true})
	if err != nil {
		t.Fatal(err)
	}
	if !waittest.Until(func() bool {
		d, err := svc.Run(s.ctx, run.ID)
		return err == nil && d.Status == core.StatusAwaiting
	}) {
		t.Fatal("its plan never waits")
	}
	browser := visit(s.ctx, t, svc, address)
	const says = "another engine started with the same identity"
	pageSays := func() bool {
		_, text := browser.get("/")
		return strings.Contains(text, says)
	}
	healthy := func() bool {
		found, err := svc.Examine(s.ctx)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(found, func(f api.Examined) bool { return f.What == "Engine" })
		return found[i].Grade == api.GradeOK
	}
	ready := func() bool {
		return knock(s.ctx, t, http.MethodGet, address+"/readyz", "", "Accept", "*/*").StatusCode == http.StatusOK
	}
	if shell.Notice(svc) != "" || pageSays() || !healthy() || !ready() {
		t.Error("an engine without a twin complains")
	}
	id, err := os.ReadFile(filepath.Join(first, "engine.id"))
	if err == nil {
		err = os.WriteFile(filepath.Join(second, "engine.id"), id, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.app = open(second)
	if !waittest.Until(func() bool {
		_, err := svc.Runs(s.ctx, api.RunQuery{})
		return err == nil && strings.Contains(shell.Notice(svc), says)
	}) {
		t.Fatal("it answers as if nothing had happened")
	}
	if _, err := svc.Run(s.ctx, "nothing"); err == nil || !strings.Contains(shell.Notice(svc), "delete the file engine.id") {
		t.Errorf("a refusal: %v, %q", err, shell.Notice(svc))
	}
	if !pageSays() {
		t.Error("its pages do not say so")
	}
	token, err := s.app.Service.AddToken(s.ctx, api.AddToken{Name: "ada", Role: api.RoleViewer})
	if err != nil {
		t.Fatal(err)
	}
	remote, hangUp, err := app.DialRemote(address, token.Secret)
	if err == nil {
		_, err = remote.Runs(s.ctx, api.RunQuery{})
	}
	if err != nil || hangUp() != nil || !strings.Contains(shell.Notice(remote), says) {
		t.Errorf("it says to others %q, %v", shell.Notice(remote), err)
	}
	if healthy() || ready() {
		t.Errorf("it takes itself for healthy (%t) or ready (%t)", healthy(), ready())
	}
	if notice := s.app.Service.Notice(); notice != "" {
		t.Errorf("its twin says %q", notice)
	}
}
