package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

var update = flag.Bool("update", false, "write the golden files anew")

const session = "5f0c1d2e-session"

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// desk is a relay in front of a scripted engine.
type desk struct {
	Relay
	t        *testing.T
	svc      *apitest.Service
	env      map[string]string
	started  int // how often the engine was asked for
	existing int // how often only where it runs already
}

// newDesk has a session that owns a run.
func newDesk(t *testing.T) *desk {
	t.Helper()
	d := newForeign(t)
	if err := snapshot.Write(d.State, snapshot.Snapshot{Session: session, Run: "r1", Alias: "brisk-otter", Branch: "feature/search"}); err != nil {
		t.Fatal(err)
	}
	return d
}

// newForeign has a session that owns none.
func newForeign(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, svc: &apitest.Service{}, env: map[string]string{}}
	d.Relay = Relay{
		State: t.TempDir(), Env: func(n string) string { return d.env[n] }, Now: func() time.Time { return noon },
		Connect: func(_ context.Context, existing bool) (api.Sessions, func() error, error) {
			if existing {
				d.existing++
			} else {
				d.started++
			}
			return d.svc, func() error { return nil }, nil
		},
	}
	return d
}

func (d *desk) broken(err error) {
	d.Connect = func(context.Context, bool) (api.Sessions, func() error, error) { return nil, nil, err }
}

func event(t *testing.T, name string, fields map[string]any) []byte {
	t.Helper()
	all := map[string]any{"session_id": session, "hook_event_name": name, "cwd": "/project", "transcript_path": "/t.jsonl"}
	for k, v := range fields {
		all[k] = v
	}
	data, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// happens sends an event and returns what was printed.
func (d *desk) happens(name string, fields map[string]any) string {
	d.t.Helper()
	var out, errs bytes.Buffer
	if code := d.Handle(d.t.Context(), event(d.t, name, fields), &out, &errs); code != 0 {
		d.t.Errorf("%s: exit code %d: %s", name, code, errs.String())
	}
	return out.String()
}

func (d *desk) answer(name string, fields map[string]any) hook.Answer {
	d.t.Helper()
	var a hook.Answer
	text := d.happens(name, fields)
	if err := json.Unmarshal([]byte(text), &a); err != nil || strings.Count(text, "\n") != 1 {
		d.t.Fatalf("%s: %v in %q", name, err, text)
	}
	return a
}

func (d *desk) asked(want ...string) {
	d.t.Helper()
	var got []string
	for _, c := range d.svc.Calls() {
		got = append(got, c.Verb)
	}
	if diff := cmp.Diff(strings.Join(want, " "), strings.Join(got, " ")); diff != "" {
		d.t.Errorf("the engine was asked: %s", diff)
	}
}

func aRun() *api.Run {
	return &api.Run{ID: "r1", Alias: "brisk-otter", Title: "Add a search field", Issue: "42", Status: "active", Branch: "feature/search"}
}

func offer(kind string, n int) api.Offer {
	return api.Offer{
		Attempt: kind + ".r1.a1", Role: kind, Type: "stellwerk:" + kind, N: n,
		Prompt: "/home/ada/.local/state/stellwerk/attempts/0198c1d2-7e9b-7c3e-9d2f-1b8c4a6e5f01/" + kind + ".r1.a1/prompt.md",
	}
}

func turn(kind api.TurnKind) api.Turn {
	return api.Turn{Kind: kind, Run: aRun(), Stage: "backend", Round: 1, At: 3, Stages: 8}
}

// turns are one of each kind.
func turns() map[string]api.Turn {
	start, team, gate, review, publish, paused, over, verify := turn(api.TurnStart), turn(api.TurnStart), turn(api.TurnGate), turn(api.TurnGate),
		turn(api.TurnGate), turn(api.TurnPaused), turn(api.TurnOver), turn(api.TurnVerify)
	start.Offers, start.Round = []api.Offer{offer("spring-boot-developer", 2)}, 2
	team.Stage, team.At = "plan", 1
	team.Offers = []api.Offer{offer("postgresql-architect", 1), offer("spring-boot-developer", 1), offer("angular-frontend-developer", 1), offer("test-engineer", 1)}
	gate.Stage, gate.At = "plan", 1
	gate.Gate = &core.Gate{Subject: core.Subject{Stage: "plan"}, Skips: []core.SkipProposal{{Stage: "migrate", Reason: "no data"}}}
	gate.Shown = []string{"/runs/r1/artifacts/plan.r1/plan.md"}
	review.Stage, review.At = "review", 7
	review.Gate = &core.Gate{Suggestion: "backend", Findings: []core.Finding{{File: "a.go"}, {File: "b.go"}}, Notices: []string{"the change\ntouches .github/"}}
	review.Number, review.Acts, review.Back = "6", "backend", []string{"0 plan", "2 backend", "6 review"}
	review.Words = []string{"approve", "ok, weiter"}
	publish.Stage, publish.At = "publish", 8
	publish.Gate = &core.Gate{Subject: core.Subject{Stage: "publish", Commit: "0123456789abcdef", Ref: "refs/heads/feature/search", Base: "main"}}
	leaky := publish
	leaky.Gate = &core.Gate{Subject: publish.Gate.Subject}
	for i := range 7 {
		leaky.Gate.Leaks = append(leaky.Gate.Leaks, core.Leak{Rule: "github-token", File: "deploy/settings.env", Line: i + 1})
	}
	paused.Pause = &core.Pause{Code: core.PauseAttempts, Reason: "three attempts failed: go test", Advice: core.Advice{
		Hint: "look at the checks",
		Choices: []core.Choice{
			{Verb: core.VerbStatus, Run: "brisk-otter"}, {Verb: core.VerbRetry, Run: "brisk-otter"}, {Verb: core.VerbSkip, Run: "brisk-otter"},
			{Verb: core.VerbRaise, Run: "brisk-otter", Limit: core.LimitAttemptCost},
		},
	}}
	open := turn(api.TurnPaused)
	open.Pause = &core.Pause{Code: core.PausePerson, Reason: "lunch"}
	over.Run.Status, over.Run.URL = "completed", "https://example.org/pull/7"
	pushed := turn(api.TurnOver)
	pushed.Run.Status, pushed.Run.URL, pushed.Run.Remote = "completed", "https://git.example.org/acme/rocket/pulls/7", "https://git.example.org/acme/rocket.git"
	verify.Busy = "go test ./... is running"
	return map[string]api.Turn{
		"start": start, "team": team, "gate": gate, "review": review, "publish": publish, "leaky": leaky, "paused": paused, "open": open, "over": over, "pushed": pushed, "verify": verify,
		"working": turn(api.TurnWorking),
	}
}

// TestGolden compares what each event prints in each situation.
func TestGolden(t *testing.T) {
	type situation struct {
		event  string
		fields map[string]any
	}
	tasks := map[string]any{"background_tasks": []any{}}
	for name, situation := range map[string]situation{
		"stop":    {hook.EventStop, tasks},
		"prompt":  {hook.EventPrompt, map[string]any{"prompt": "what about the tests?"}},
		"resume":  {hook.EventSessionStart, map[string]any{"source": "resume"}},
		"compact": {hook.EventSessionStart, map[string]any{"source": "compact"}},
	} {
		for kind, turn := range turns() {
			d := newDesk(t)
			d.svc.Sessions.Turns(turn)
			golden(t, name+"-"+kind, d.happens(situation.event, situation.fields))
		}
	}
	for word := range map[string]bool{"approve": true, "/stellwerk:skip": true, "cancel the run": true} {
		d := newDesk(t)
		d.svc.Sessions.Turns(turns()["review"])
		golden(t, "prompt-review-"+strings.Trim(strings.ReplaceAll(strings.ReplaceAll(word, " ", "_"), ":", "_"), "/"), d.happens(hook.EventPrompt, map[string]any{"prompt": word}))
	}
	d := newDesk(t)
	d.svc.Sessions.Turns(turns()["leaky"])
	golden(t, "prompt-leaky-approve", d.happens(hook.EventPrompt, map[string]any{"prompt": "approve"}))
	d = newDesk(t)
	d.svc.Sessions.Assignment = api.Assignment{Attempt: "backend.r1.a1", Role: "backend-developer", Prompt: "/a/prompt.md", Dir: "/w", In: "/a/in", Out: "/a/out"}
	golden(t, "agent-start", d.happens(hook.EventAgentStart, map[string]any{"agent_id": "a1", "agent_type": "stellwerk:backend-developer", "cwd": "/w"}))
	golden(t, "agent-start-idle", newDesk(t).happens(hook.EventAgentStart, map[string]any{"agent_id": "a1", "agent_type": "stellwerk:backend-developer", "cwd": "/w"}))
	golden(t, "agent-stop", newDesk(t).happens(hook.EventAgentStop, map[string]any{"agent_id": "a1", "agent_type": "stellwerk:backend-developer"}))
	golden(t, "compacting", newDesk(t).happens(hook.EventCompact, map[string]any{"trigger": "auto"}))
	golden(t, "session-end", newDesk(t).happens(hook.EventSessionEnd, map[string]any{"reason": "other"}))
	d = newDesk(t)
	d.svc.Sessions.Leased.Dir = "/state/work/r1/agent-a1"
	golden(t, "worktree", d.happens(hook.EventWorktreeCreate, map[string]any{"name": "agent-a1"}))
	d = newDesk(t)
	d.broken(core.Errorf(core.CodeUnavailable, "no engine answers at /state/engine.sock").WithHint("start one with `stellwerk serve`"))
	golden(t, "stop-trouble", d.happens(hook.EventStop, tasks))
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(file, []byte(got), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
	if len(got) > MaxText+400 { // the frame of JSON, and its escapes
		t.Errorf("%s is %d bytes long", name, len(got))
	}
}
