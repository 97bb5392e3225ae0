package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// TestAProjectOfANewerVersionHidesNoOther: an event that only the next release reads,
// in a run or in a project, is told in every list and by every word about it. Other
// projects are shown and go on, and nothing is lost or removed.
func TestAProjectOfANewerVersionHidesNoOther(t *testing.T) {
	t.Parallel()
	for what, event := range map[string]core.Event{
		`has the unknown type "RunTeleported"`:                           {Type: "RunTeleported", V: 1, Body: json.RawMessage(`{}`)},
		"is TimerFired of version 9, and this one reads up to version 1": {Type: core.TypeTimerFired, V: 9, Body: json.RawMessage(`{"timer":"t"}`)},
		`is TimerFired with the unknown field "mood"`:                    {Type: core.TypeTimerFired, V: 1, Body: json.RawMessage(`{"timer":"t","mood":"good"}`)},
	} {
		for _, kind := range []string{"run", "project"} {
			t.Run(kind+" "+string(event.Type), func(t *testing.T) {
				t.Parallel()
				hidesNoOther(t, kind, event, what)
			})
		}
	}
}

func hidesNoOther(t *testing.T, kind string, event core.Event, what string) {
	ctx, cancel := context.WithTimeout(api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me")}), waittest.Limit)
	defer cancel()
	var log bytes.Buffer
	opts := app.Options{State: stateFolder(t), Version: "test"}
	newer, neighbour := pausedRuns(ctx, t, opts, "shop")
	other, _ := pausedRuns(ctx, t, opts, "farm")
	stream := core.RunStream(newer.ID)
	if kind == "project" {
		stream = core.ProjectStream(newer.Project)
	}
	appendEvent(ctx, t, opts.State, stream, event)
	opts.Log = &log
	owner, address, stop := listening(ctx, t, opts)
	for _, run := range []api.Run{newer, neighbour} {
		_, paused := owner.Resume(ctx, run.ID, api.Resume{})
		_, cancelled := owner.Cancel(ctx, run.ID, api.Cancel{})
		for word, err := range map[string]error{"resume": paused, "cancel": cancelled} {
			if core.CodeOf(err) != core.CodeUnsupported || !strings.Contains(err.Error(), what) || !strings.Contains(wording.Hint(err), "the version of stellwerk that wrote it") {
				t.Errorf("%s %s: %v", word, run.Title, err)
			}
		}
	}
	listsTell(ctx, t, owner, what, newer, other)
	if events, err := owner.Events(ctx, newer.ID, 0, 0); err != nil || kind == "run" && events[len(events)-1].Type != event.Type {
		t.Errorf("the history cannot be looked at: %d events, %v", len(events), err)
	}
	if pruned, err := owner.Prune(ctx, api.Prune{OlderThan: 48 * time.Hour, Remove: true}); err != nil || len(pruned.Items) > 0 || !slices.ContainsFunc(pruned.Kept, func(k api.PrunedKept) bool { return k.Kind == "object" && k.Name == "all" }) {
		t.Errorf("retention: %+v, %v", pruned, err)
	}
	pagesTell(t, visit(ctx, t, owner, address), what)
	if _, err := owner.Cancel(ctx, other.ID, api.Cancel{}); err != nil {
		t.Errorf("a run of another project hears nobody: %v", err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if n := strings.Count(log.String(), "left to engines of a newer version"); n != 1 || strings.Count(log.String(), "level=ERROR") != 1 {
		t.Errorf("it is said %d times:\n%s", n, log.String())
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// listsTell looks at what a terminal shows.
func listsTell(ctx context.Context, t *testing.T, owner api.Service, what string, newer, other api.Run) {
	t.Helper()
	waiting, err := owner.Inbox(ctx)
	if err != nil || len(waiting) != 4 {
		t.Errorf("%d wait, %v", len(waiting), err)
	}
	for _, w := range waiting {
		left := w.Run.Project == newer.Project
		if left != (w.Kind == api.WaitUnreadable) || left && (!strings.Contains(w.Reason, what) || w.Next == "") || w.Project == "" {
			t.Errorf("there waits %+v", w)
		}
	}
	runs, err := owner.Runs(ctx, api.RunQuery{Open: true})
	if err != nil || len(runs) != 4 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
	for _, r := range runs {
		if left := r.Project == newer.Project; left != strings.Contains(r.Reason, "needs a newer version of Stellwerk: event ") {
			t.Errorf("%s: %s", r.Title, r.Reason)
		}
	}
	projects, err := owner.Projects(ctx, api.ProjectQuery{})
	if err != nil || len(projects) != 2 {
		t.Errorf("%d projects, %v", len(projects), err)
	}
	for _, p := range projects {
		if left := p.ID == newer.Project; left != strings.HasPrefix(p.Reason, "project shop needs a newer version of Stellwerk: event ") {
			t.Errorf("%s: %s", p.Name, p.Reason)
		}
	}
	if _, err := owner.Run(ctx, other.ID); err != nil {
		t.Error(err)
	}
	if replay, err := owner.Replay(ctx, other.ID); err != nil || !replay.StateEqual {
		t.Errorf("replay: %+v, %v", replay, err)
	}
	if _, err := owner.Limits(ctx, api.LimitsQuery{}); err != nil {
		t.Errorf("limits: %v", err)
	}
}

// pagesTell looks at what a browser shows.
func pagesTell(t *testing.T, v *visitor, what string) {
	t.Helper()
	for _, page := range []string{"/", "/inbox", "/runs", "/projects/farm", "/costs"} {
		if status, text := v.get(page); status != http.StatusOK || page != "/costs" && page != "/" && !strings.Contains(text, "first goal") {
			t.Errorf("%s: %d, %.300s", page, status, text)
		}
	}
	if _, text := v.get("/inbox"); !strings.Contains(html.UnescapeString(text), what) || !strings.Contains(text, "the version of stellwerk that wrote it") {
		t.Errorf("the inbox does not say what is wrong: %s", text)
	}
	if status, text := v.get("/projects/shop"); !strings.Contains(html.UnescapeString(text), what) {
		t.Errorf("the project's page does not say what is wrong: %d, %s", status, text)
	}
}

// appendEvent commits an event as an engine of the next release would.
func appendEvent(ctx context.Context, t *testing.T, state, stream string, e core.Event) {
	t.Helper()
	s, err := sqlite.Open(ctx, filepath.Join(state, "stellwerk.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	head, err := s.Head(ctx, stream)
	if err != nil {
		t.Fatal(err)
	}
	e.ID, e.Stream, e.Seq, e.At, e.PrevHash, e.Actor = core.EventID(stream, head.Seq+1), stream, head.Seq+1, head.At, head.Hash, core.Engine()
	if err := errors.Join(s.Commit(ctx, store.Commit{Stream: stream, After: head.Seq, Events: []core.Event{e}}), s.Close()); err != nil {
		t.Fatal(err)
	}
}

// pausedRuns are two runs of a new project that a person has paused.
func pausedRuns(ctx context.Context, t *testing.T, opts app.Options, name string) (first, second api.Run) {
	t.Helper()
	dir := repository(t, map[string]string{"scenario.yaml": spendingScenario, ".stellwerk/playbooks/costly.yaml": spendingPlaybook})
	a, err := app.Open(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Service.AddProject(ctx, api.AddProject{Repository: dir, Name: name}); err != nil {
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
