package app_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/local"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

const managedPlaybook = `
name: team
kind: manager
agents: {s: {use: scripted, scenario: scenario.yaml}}
roles: {boss: {agent: s, prompt: manage}, dev: {agent: s, prompt: work}}
manager: {role: boss}
steps: {role: dev, done: {command: "true"}}
`

// TestToolsOfAttempts calls the tools as attempts do, at an engine whose state
// folder has too long a name for a socket, and at the engine after it.
func TestToolsOfAttempts(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	t.Setenv("TMPDIR", t.TempDir())
	opts := app.Options{State: filepath.Join(t.TempDir(), strings.Repeat("long", 25)), Version: "test"}
	dir := repository(t, map[string]string{
		"README.md": "x\n", "scenario.yaml": "attempts: [{do: [{hang: {}}]}]\n", ".stellwerk/playbooks/team.yaml": managedPlaybook,
	})
	svc, stop, err := app.Connect(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	run, err := svc.StartRun(ctx, api.StartRun{Dir: dir, Goal: "greet people", Playbook: "team", Trust: true})
	if err != nil {
		t.Fatal(err)
	}
	started := errors.New("started")
	err = svc.Follow(ctx, run.ID, 0, func(e core.Event) error {
		if e.Type == core.TypeAttemptStarted {
			return started
		}
		return nil
	})
	if !errors.Is(err, started) {
		t.Fatal(err)
	}
	sockets, err := filepath.Glob(filepath.Join(os.TempDir(), "stellwerk-*", "tools", "tool.sock"))
	if err != nil || len(sockets) != 1 {
		t.Fatalf("sockets %v, %v", sockets, err)
	}
	tokens, err := api.OpenAttemptTokens(t.Context(), sqlitetest.Open(t, filepath.Join(opts.State, "stellwerk.db")))
	if err != nil {
		t.Fatal(err)
	}
	as := func(attempt string) api.Tools {
		tools, hangUp, err := app.DialTools(ctx, sockets[0], tokens.Issue(run.ID, attempt))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = hangUp() }) // lets go of idle connections
		return tools
	}
	manager := as("manager.r1.a1")
	if _, err := manager.Tell(ctx, run.ID, api.Tell{Text: "I begin."}); err != nil {
		t.Error(err)
	}
	if _, err := manager.Tell(ctx, run.Alias, api.Tell{Text: "Elsewhere."}); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("of a run by another name: %v", err)
	}
	if _, err := manager.Detail(ctx, run.ID, api.FetchDetail{Name: "d1"}); core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), "only runs in waves") {
		t.Errorf("a detail of a run without waves: %v", err)
	}
	if _, err := as("manager.r9.a9").Details(ctx, run.ID); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("details for an attempt that there is not: %v", err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if svc, stop, err = app.Connect(ctx, opts); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := as("manager.r1.a1").Plan(ctx, run.ID); err != nil {
		t.Errorf("after the engine's end: %v", err)
	}
	over(ctx, t, as("manager.r9.a1"), run.ID)
	if _, err := svc.Cancel(ctx, run.ID, api.Cancel{Reason: "enough"}); err != nil {
		t.Fatal(err)
	}
	if err := svc.Follow(ctx, run.ID, 0, func(core.Event) error { return nil }); err != nil {
		t.Fatal(err)
	}
	over(ctx, t, as("manager.r1.a1"), run.ID)
	awaitExit(ctx, t, filepath.Join(opts.State, "attempts", run.ID, "manager.r1.a1"))
}

// awaitExit waits for the end of what runs beside an agent: it writes in the
// test's folders.
func awaitExit(ctx context.Context, t *testing.T, attempt string) {
	t.Helper()
	if status, err := local.New(local.Options{Folder: func(spawn.ID) string { return attempt }}).Wait(ctx, spawn.ID{}); err != nil || status != spawn.Exited {
		t.Errorf("the attempt is %s: %v", status, err)
	}
}

// over checks that an attempt is refused everything.
func over(ctx context.Context, t *testing.T, tools api.Tools, run string) {
	t.Helper()
	_, told := tools.Tell(ctx, run, api.Tell{Text: "Still here."})
	_, delegated := tools.Delegate(ctx, run, core.Proposal{Prompt: "Go on."})
	_, asked := tools.Ask(ctx, run, api.Ask{Text: "May I?"})
	_, updated := tools.UpdatePlan(ctx, run, api.UpdatePlan{Files: map[string]string{"context.md": "x"}, Message: "x"})
	_, shown := tools.Plan(ctx, run)
	for what, err := range map[string]error{"message": told, "delegation": delegated, "question": asked, "plan": updated, "look at the plan": shown} {
		if code := core.CodeOf(err); code != core.CodeForbidden && code != core.CodeConflict {
			t.Errorf("a %s of an attempt that is over: %v", what, err)
		}
	}
}
