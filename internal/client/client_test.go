package client_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/client"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "s3cret"

// serve answers on socket until the returned function is called.
func serve(t *testing.T, socket string, svc api.Service) (stop func()) {
	t.Helper()
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- api.Serve(ctx, l, api.Handler(svc, api.NewPersonAuthenticator(token, "ada"), "1"))
	}()
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	}
}

func connect(t *testing.T, svc api.Service) *client.Client {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "engine.sock")
	t.Cleanup(serve(t, socket, svc))
	c := client.New(socket, token)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func fullService() *apitest.Service {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	run := api.Run{
		ID: "0198", Alias: "brisk-otter", Project: "p", Title: "t", Status: "awaiting_approval", Reason: "why", Next: "do",
		Stage: "plan", Attempts: 2, Cost: core.CostOf(1.25, 1), Tokens: 99, Branch: "feature/x", Base: "main", Isolation: "sandbox",
		StartedAt: at, UpdatedAt: at, EndedAt: &at, Seq: 0,
	}
	svc := &apitest.Service{
		InfoAnswer:   api.Info{Version: "1", State: "/s", PID: 7, Isolation: "sandbox", Runs: 1},
		TrustAnswer:  api.Trusted{Hash: "h", Files: []string{"a"}, Content: "c"},
		ReplayAnswer: api.Replay{Events: 3, StateEqual: true, Decisions: 2},
		ImportAnswer: api.Imported{Run: run, Events: 4, Torn: "x"},
		Access: apitest.Access{
			Tokens: []api.Token{{ID: "t", Name: "ada", Role: api.RoleAdmin, CreatedAt: at, CreatedBy: "root", UsedAt: &at, RevokedAt: &at, RevokedBy: "root"}},
			Secret: "stw_x", Code: api.SignInCode{Code: "A-B", URL: "http://h/sign-in#A-B", Until: at},
		},
		Waiting:     []api.Waiting{{Run: run, Pause: &core.Pause{Code: core.PauseBudget, Reason: "r", At: at, From: core.StatusActive}}},
		Accounts:    []api.Account{{Scope: api.ScopeRun, Name: "brisk otter", Allowances: []api.Allowance{{Kind: api.LimitCost, Used: new(2.0)}}}, {Name: "another"}},
		ProjectList: []api.Project{{ID: "k", Name: "shop", Repository: "/r", Base: "main", Status: "paused", Reason: "why", Archived: true, Queued: 1, LastActivity: at}, {Repository: "/d & x", LastActivity: at}},
		ProjectAnswer: api.ProjectDetail{
			Project: api.Project{ID: "k", Name: "shop", Repository: "/r", Base: "main", Status: "active", Refused: 1, LastActivity: at},
			Run:     &run, Open: []api.Run{run}, Runs: 2, Tokens: 7, ByStatus: map[string]int{"completed": 1}, Limits: &core.Limits{Attempts: 3},
			Queue:     []api.Epic{{ID: "epic-1", Project: "shop", Title: "t", Playbook: "p", Base: "main", Run: "r", By: "ada", At: at, Refused: &core.Refusal{Reason: "r", Advice: core.Advice{Hint: "h"}, At: at}}},
			PausedBy:  &core.Standstill{By: "ada", Reason: "r", At: at},
			CreatedAt: at, CreatedBy: "ada",
		},
		Known: apitest.Known{
			Outline:        api.Outline{Run: "brisk-otter", Kind: "waves", Wave: 1, Pieces: []api.Piece{{ID: "a", Status: "done"}, {ID: "b", Status: "open", After: []string{"a"}}}},
			Facts:          []core.Fact{{ID: "f1", Content: "x", Sources: []string{"d1"}, SupersededBy: new("f2")}, {ID: "f2", Content: "y", Sources: []string{}}},
			Contradictions: []core.Conflict{{ID: "c-1", Kind: core.ConflictValues, Subject: "x", Sides: []core.Side{{Source: "a", Fact: "f1", Text: "<&>"}}}},
		},
		Books: apitest.Books{
			Days:     []api.DaySpending{{Day: at, Project: "k", Name: "shop", Runs: 2, Attempts: 3, Cost: core.CostOf(1.5, 0), Tokens: 9}},
			Attempts: []api.AttemptSpending{{Attempt: "plan.r1.a1", Task: "plan.r1", Stage: "plan", Role: "r", Agent: "a", StartedAt: at, At: at, Over: true, Usage: core.Usage{CostUSD: 1}}},
		},
		Shelf: apitest.Shelf{
			Playbooks: []api.PlaybookSource{{PlaybookEntry: api.PlaybookEntry{Name: "own", Origin: ".stellwerk/playbooks/own.yaml", Kind: "phases", Chosen: true}, Text: "kind: phases\n"}},
			Roles:     []api.RoleEntry{{Name: "builder", Origin: "builtin", Tools: []string{"Read"}, Prompt: "p", Notes: []string{"n"}}},
			Verdict:   api.PlaybookVerdict{Problems: []api.PlaybookRemark{{Line: 2, Column: 3, Path: "phases[0]", Message: "<m>", Hint: "h"}}, Warnings: []api.PlaybookRemark{}},
			Health:    []api.Examined{{What: "Space", Grade: api.GradeWarn, Found: "f", Advice: "a"}},
		},
		Documents: map[string]string{"diff": strings.Repeat("+line\n", 50_000), "a/b c.md": "# hi"},
		Outputs:   map[string]api.Output{"plan.r1.a1": {Records: []api.Record{{N: 1, Kind: "text", Text: "a"}, {N: 2, Kind: "text", Text: "b"}}, Next: 2, Done: true}},
		Transcripts: map[string]api.Transcript{"plan.r1.a1": {Done: true, Records: []api.Utterance{
			{N: 1, At: at, Kind: "text", Text: "a"}, {N: 2, At: at, Kind: "tool_call", Tool: "Bash", Input: []byte(`{"command":"ls"}`)}, {N: 3, At: at, Kind: "tool_result", Failed: true, Cut: 7},
		}}},
	}
	svc.Put(api.RunDetail{
		Run: run, Goal: "g", Playbook: "feature", Head: "abc", Folder: "/f",
		Gate: &core.Gate{Event: "e", Subject: core.Subject{Stage: "plan", Round: 1, Delivery: "d"}, Notices: []string{"n"}},
		Stages: []api.Stage{{ID: "plan", Status: "gated", Round: 1, Gate: "approval", Tasks: []api.Task{{
			ID: "plan.r1", Status: "done", Limit: 3, Counted: 1,
			Attempts: []api.Attempt{{ID: "plan.r1.a1", N: 1, Status: "ended", Duration: time.Minute, StartedAt: at,
				Results: []core.CheckResult{{Check: "command: go test", Kind: core.CheckCommand, Detail: "FAIL"}}}},
		}}}},
	})
	return svc
}

// TestSameAnswers holds the client to what the service itself answers.
func TestSameAnswers(t *testing.T) {
	svc := fullService()
	for i := range 3 {
		svc.Happen("0198", time.Unix(int64(i), 0), core.Person("ada"), core.TimerFired{Timer: "<&>"}, nil)
	}
	c := connect(t, svc)
	calls := map[string]func(context.Context, api.Service) (any, error){
		"start": func(ctx context.Context, s api.Service) (any, error) {
			return s.StartRun(ctx, api.StartRun{Dir: "/d", Goal: "g", Limits: &core.Limits{CostUSD: 2}})
		},
		"runs": func(ctx context.Context, s api.Service) (any, error) {
			return s.Runs(ctx, api.RunQuery{Dir: "/d & x", Open: true})
		},
		"page of runs": func(ctx context.Context, s api.Service) (any, error) {
			return s.Runs(ctx, api.RunQuery{Project: "shop", Status: "awaiting_approval", Limit: 2})
		},
		"playbooks": func(ctx context.Context, s api.Service) (any, error) {
			return s.Playbooks(ctx, api.LibraryQuery{Project: "a/b"})
		},
		"playbook": func(ctx context.Context, s api.Service) (any, error) {
			return s.Playbook(ctx, "own", api.LibraryQuery{})
		},
		"check": func(ctx context.Context, s api.Service) (any, error) {
			return s.CheckPlaybook(ctx, api.CheckPlaybook{Project: "shop", Text: "kind: <&>"})
		},
		"roles":  func(ctx context.Context, s api.Service) (any, error) { return s.Roles(ctx, api.LibraryQuery{}) },
		"health": func(ctx context.Context, s api.Service) (any, error) { return s.Examine(ctx) },
		"run":    func(ctx context.Context, s api.Service) (any, error) { return s.Run(ctx, "brisk-otter") },
		"events": func(ctx context.Context, s api.Service) (any, error) { return s.Events(ctx, "0198", 1, 1) },
		"output": func(ctx context.Context, s api.Service) (any, error) { return s.Output(ctx, "0198", "plan.r1.a1", 1) },
		"transcript": func(ctx context.Context, s api.Service) (any, error) {
			return s.Transcript(ctx, "0198", "plan.r1.a1", api.TranscriptQuery{Limit: 2})
		},
		"transcript onwards": func(ctx context.Context, s api.Service) (any, error) {
			return s.Transcript(ctx, "0198", "plan.r1.a1", api.TranscriptQuery{At: 1, Forward: true})
		},
		"approve": func(ctx context.Context, s api.Service) (any, error) {
			return s.Approve(ctx, "0198", api.Approve{Comment: "ok", Subject: &core.Subject{Stage: "plan", Round: 1, Delivery: "d"}})
		},
		"feedback": func(ctx context.Context, s api.Service) (any, error) {
			return s.Feedback(ctx, "0198", api.Feedback{Text: "no", Reset: true})
		},
		"rollback": func(ctx context.Context, s api.Service) (any, error) {
			return s.Rollback(ctx, "0198", api.Rollback{To: "plan"})
		},
		"skip":  func(ctx context.Context, s api.Service) (any, error) { return s.Skip(ctx, "0198", api.Skip{}) },
		"retry": func(ctx context.Context, s api.Service) (any, error) { return s.Retry(ctx, "0198", api.Retry{}) },
		"pause": func(ctx context.Context, s api.Service) (any, error) {
			return s.Pause(ctx, "0198", api.Pause{Stop: true})
		},
		"resume": func(ctx context.Context, s api.Service) (any, error) {
			return s.Resume(ctx, "0198", api.Resume{MaxCostUSD: 3})
		},
		"cancel": func(ctx context.Context, s api.Service) (any, error) {
			return s.Cancel(ctx, "0198", api.Cancel{Reason: "r"})
		},
		"diff": func(ctx context.Context, s api.Service) (any, error) {
			var b bytes.Buffer
			err := s.Diff(ctx, "0198", api.DiffQuery{Stage: "plan", Stat: true}, &b)
			return b.String(), err
		},
		"artifact": func(ctx context.Context, s api.Service) (any, error) {
			var b bytes.Buffer
			err := s.Artifact(ctx, "0198", "a/b c.md", &b)
			return b.String(), err
		},
		"limits": func(ctx context.Context, s api.Service) (any, error) {
			return s.Limits(ctx, api.LimitsQuery{Of: "brisk otter", Dir: "/d & x"})
		},
		"conflicts": func(ctx context.Context, s api.Service) (any, error) { return s.Conflicts(ctx, "0198") },
		"spending": func(ctx context.Context, s api.Service) (any, error) {
			return s.Spending(ctx, api.SpendingQuery{Days: 7})
		},
		"run spending": func(ctx context.Context, s api.Service) (any, error) { return s.RunSpending(ctx, "0198") },
		"outline":      func(ctx context.Context, s api.Service) (any, error) { return s.Outline(ctx, "0198") },
		"facts":        func(ctx context.Context, s api.Service) (any, error) { return s.Facts(ctx, "0198", false) },
		"fact story":   func(ctx context.Context, s api.Service) (any, error) { return s.Facts(ctx, "0198", true) },
		"inbox":        func(ctx context.Context, s api.Service) (any, error) { return s.Inbox(ctx) },
		"trust": func(ctx context.Context, s api.Service) (any, error) {
			return s.Trust(ctx, api.Trust{Dir: "/d", Confirm: "h"})
		},
		"import": func(ctx context.Context, s api.Service) (any, error) { return s.Import(ctx, api.Import{Folder: "/f"}) },
		"replay": func(ctx context.Context, s api.Service) (any, error) { return s.Replay(ctx, "0198") },
		"tokens": func(ctx context.Context, s api.Service) (any, error) { return s.Tokens(ctx) },
		"add token": func(ctx context.Context, s api.Service) (any, error) {
			return s.AddToken(ctx, api.AddToken{Name: "ada", Role: api.RoleViewer})
		},
		"revoke token": func(ctx context.Context, s api.Service) (any, error) {
			return s.RevokeToken(ctx, "ada & co", api.RevokeToken{})
		},
		"sign in": func(ctx context.Context, s api.Service) (any, error) { return s.SignIn(ctx, api.SignIn{}) },
		"projects": func(ctx context.Context, s api.Service) (any, error) {
			return s.Projects(ctx, api.ProjectQuery{Dir: "/d & x"})
		},
		"all projects": func(ctx context.Context, s api.Service) (any, error) {
			return s.Projects(ctx, api.ProjectQuery{All: true})
		},
		"project": func(ctx context.Context, s api.Service) (any, error) { return s.Project(ctx, "shop") },
		"add project": func(ctx context.Context, s api.Service) (any, error) {
			return s.AddProject(ctx, api.AddProject{Repository: "/r", Name: "shop", Playbook: "project-rules", Base: "main"})
		},
		"pause project": func(ctx context.Context, s api.Service) (any, error) {
			return s.PauseProject(ctx, "shop", api.PauseProject{Reason: "r"})
		},
		"resume project": func(ctx context.Context, s api.Service) (any, error) {
			return s.ResumeProject(ctx, "shop", api.ResumeProject{})
		},
		"archive project": func(ctx context.Context, s api.Service) (any, error) {
			return s.ArchiveProject(ctx, "shop", api.ArchiveProject{Reason: "r"})
		},
		"drop epic": func(ctx context.Context, s api.Service) (any, error) {
			return s.DropEpic(ctx, "shop", api.DropEpic{Epic: "epic-1", Reason: "r"})
		},
		"requeue epic": func(ctx context.Context, s api.Service) (any, error) {
			return s.RequeueEpic(ctx, "shop", api.RequeueEpic{Epic: "epic-1"})
		},
		"backup": func(ctx context.Context, s api.Service) (any, error) { return nil, s.Backup(ctx, "/b") },
		"info":   func(ctx context.Context, s api.Service) (any, error) { return s.Info(ctx) },
	}
	person := api.WithCaller(t.Context(), api.Caller{Actor: core.Person("ada")})
	for name, call := range calls {
		before := len(svc.Calls())
		want, werr := call(person, svc)
		middle := len(svc.Calls())
		got, gerr := call(t.Context(), c)
		if werr != nil || gerr != nil {
			t.Errorf("%s: %v, %v", name, werr, gerr)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s answers differ:\n%s", name, diff)
		}
		all := svc.Calls()
		if diff := cmp.Diff(all[before:middle], all[middle:]); diff != "" {
			t.Errorf("%s asks differ:\n%s", name, diff)
		}
	}
}

func TestErrorsComeBackWithCodeAndHint(t *testing.T) {
	sent := core.Errorf(core.CodeUntrusted, "nobody trusts %s", ".stellwerk/").WithHint("stellwerk trust")
	c := connect(t, &apitest.Service{On: func(apitest.Call) error { return sent }})
	_, err := c.StartRun(t.Context(), api.StartRun{Dir: "/d", Goal: "g"})
	var got *core.Error
	if !errors.As(err, &got) {
		t.Fatalf("%T %v", err, err)
	}
	if got.Code != sent.Code || got.Message != sent.Message || got.Hint != sent.Hint {
		t.Errorf("%+v", got)
	}
	for _, id := range []string{"", ".", ".."} {
		if _, err := c.Project(t.Context(), id); core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("project %q: %v", id, err)
		}
	}
	for _, id := range []string{"..", ".", "none", "a/b", "%2e", "?"} {
		if _, err := c.Run(t.Context(), id); core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("run %q: %v", id, err)
		}
	}
}

func TestWrongTokenAndNoEngine(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "engine.sock")
	stop := serve(t, socket, &apitest.Service{})
	wrong := client.New(socket, "guess")
	if _, err := wrong.Info(t.Context()); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("wrong token: %v", err)
	}
	_ = wrong.Close()
	stop()
	if _, err := wrong.Info(t.Context()); core.CodeOf(err) != core.CodeUnavailable || wording.Hint(err) == "" {
		t.Errorf("no engine: %v", err)
	}
}

func TestFollowSurvivesARestartOfTheEngine(t *testing.T) {
	svc := fullService()
	happen := func() { svc.Happen("0198", time.Unix(1, 0), core.Engine(), core.TimerFired{Timer: "t"}, nil) }
	happen()
	happen()
	socket := filepath.Join(t.TempDir(), "engine.sock")
	stop := serve(t, socket, svc)
	c := client.New(socket, token)
	defer func() { _ = c.Close() }()
	var seen []int64
	err := c.Follow(t.Context(), "brisk-otter", 1, func(e core.Event) error {
		seen = append(seen, e.Seq)
		if e.Seq == 2 {
			stop()
			stop = serve(t, socket, svc)
			happen()
			svc.Happen("0198", time.Unix(2, 0), core.Engine(), core.RunCompleted{}, nil)
		}
		return nil
	})
	stop()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{2, 3, 4}, seen); diff != "" {
		t.Error(diff)
	}
}

func TestFollowEndsWithItsCaller(t *testing.T) {
	svc := fullService()
	svc.Happen("0198", time.Unix(1, 0), core.Engine(), core.TimerFired{Timer: "t"}, nil)
	c := connect(t, svc)
	enough := errors.New("enough")
	if err := c.Follow(t.Context(), "0198", 0, func(core.Event) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	err := c.Follow(ctx, "0198", 0, func(core.Event) error { cancel(enough); return nil })
	if !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	if err := c.Follow(t.Context(), "none", 0, nil); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("got %v", err)
	}
}
