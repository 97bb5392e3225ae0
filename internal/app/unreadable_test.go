package app_test

import (
	"context"
	"database/sql"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestOneUnreadableRunHidesNoOther: a run with an event of a newer version says so
// in every list, and the lists show the others.
func TestOneUnreadableRunHidesNoOther(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me")}), waittest.Limit)
	defer cancel()
	opts := app.Options{State: stateFolder(t), Version: "test"}
	newer, other := pausedRuns(ctx, t, opts)
	database, err := sql.Open("sqlite", filepath.Join(opts.State, "stellwerk.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{"UPDATE events SET v = 99 WHERE seq = 1 AND stream = ?", "DELETE FROM snapshots WHERE stream = ?"} {
		if _, err := database.ExecContext(ctx, change, core.RunStream(newer.ID)); err != nil {
			t.Fatal(err)
		}
	}
	if err := database.Close(); err != nil {
		t.Fatal(err)
	}
	owner, address, stop := listening(ctx, t, opts)
	waiting, err := owner.Inbox(ctx)
	if err != nil || len(waiting) != 2 {
		t.Fatalf("%d wait, %v", len(waiting), err)
	}
	for _, w := range waiting {
		switch {
		case w.Run.ID == other.ID && w.Kind == api.WaitPause:
		case w.Run.ID == newer.ID && w.Kind == api.WaitUnreadable && strings.Contains(w.Reason, "version 99") && w.Next != "" && w.Project != "":
		default:
			t.Errorf("there waits %+v", w)
		}
	}
	v := visit(ctx, t, owner, address)
	for _, page := range []string{"/", "/inbox", "/runs", "/projects/shop", "/costs"} {
		if status, text := v.get(page); status != http.StatusOK || page != "/costs" && !strings.Contains(text, "first goal") {
			t.Errorf("%s: %d, %.300s", page, status, text)
		}
	}
	if status, text := v.get("/inbox"); !strings.Contains(text, "eeds a newer version of Stellwerk: event 1 is RunStarted of version 99") || !strings.Contains(text, "the version of stellwerk that wrote it") {
		t.Errorf("the inbox does not say what is wrong: %d, %s", status, text)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// pausedRuns are two runs of the project shop that a person has paused.
func pausedRuns(ctx context.Context, t *testing.T, opts app.Options) (first, second api.Run) {
	t.Helper()
	dir := repository(t, map[string]string{"scenario.yaml": spendingScenario, ".stellwerk/playbooks/costly.yaml": spendingPlaybook})
	a, err := app.Open(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Service.AddProject(ctx, api.AddProject{Repository: dir, Name: "shop"}); err != nil {
		t.Fatal(err)
	}
	start := func(goal string) api.Run {
		run, err := a.Service.StartRun(ctx, api.StartRun{Dir: dir, Goal: goal, Playbook: "costly", Trust: true})
		if err == nil {
			run, err = a.Service.Pause(ctx, run.ID, api.Pause{Stop: true})
		}
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	first, second = start("first goal"), start("second goal")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return first, second
}
