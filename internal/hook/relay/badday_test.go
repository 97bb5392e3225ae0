package relay

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
)

var stopping = map[string]any{"background_tasks": []any{}}

func TestGarbageIsNoEvent(t *testing.T) {
	d := newDesk(t)
	for _, stdin := range []string{"", "garbage", "{", "[]", `{"hook_event_name":"Stop"}`, `{"session_id":"../x","hook_event_name":"Stop"}`, `{"session_id":"` + session + `"}`,
		`{"session_id":"` + session + `","hook_event_name":"SessionEnd","hook_event_name":"Stop"}`} {
		var out, errs bytes.Buffer
		if code := d.Handle(t.Context(), []byte(stdin), &out, &errs); code != exitFailed || out.Len() > 0 || errs.Len() == 0 {
			t.Errorf("%q: %d %q %q", stdin, code, out.String(), errs.String())
		}
		if code := d.Rewake(t.Context(), []byte(stdin), &errs); code == exitWake {
			t.Errorf("%q woke a session", stdin)
		}
	}
	d.asked()
}

// TestAnAmbiguousToolCallIsRefused has the call of a guarded session under the name of another.
func TestAnAmbiguousToolCallIsRefused(t *testing.T) {
	d := newDesk(t)
	for _, stdin := range []string{
		`{"session_id":"another","session_id":"` + session + `","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"}}`,
		`{"session_id":"` + session + `","hook_event_name":"PreToolUse","tool_name":"TodoWrite","tool_name":"Bash"}`,
	} {
		var out, errs bytes.Buffer
		if code := d.Handle(t.Context(), []byte(stdin), &out, &errs); code != hook.ExitUndecided || out.Len() > 0 || errs.Len() == 0 {
			t.Errorf("%q: %d %q %q", stdin, code, out.String(), errs.String())
		}
	}
}

// TestOtherSessionsAreLeftAlone sends every event of a session that owns no run.
func TestOtherSessionsAreLeftAlone(t *testing.T) {
	d := newForeign(t)
	for _, name := range []string{
		hook.EventStop, "StopFailure", hook.EventPrompt, hook.EventAgentStart, hook.EventAgentStop, "PostToolUse", hook.EventSessionStart,
		hook.EventSessionEnd, hook.EventCompact, hook.EventWorktreeRemove, hook.EventPreToolUse, "SomethingNew",
	} {
		got := d.happens(name, map[string]any{"agent_id": "a", "agent_type": "Explore", "prompt": "approve", "tool_name": "Bash", "tool_input": map[string]any{"command": "git push"}})
		if got != "{}\n" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if code := d.Rewake(t.Context(), event(t, hook.EventStop, nil), &bytes.Buffer{}); code != 0 {
		t.Errorf("rewake: %d", code)
	}
	if left, err := os.ReadDir(d.State); err != nil || len(left) > 0 || d.started+d.existing > 0 {
		t.Errorf("something was left or asked for: %v %v, %d %d", left, err, d.started, d.existing)
	}
}

// TestADamagedSnapshotIsTheEnginesToRepair lets a session with a broken file
// reach the engine.
func TestADamagedSnapshotIsTheEnginesToRepair(t *testing.T) {
	d := newDesk(t)
	if err := os.WriteFile(filepath.Join(d.State, "sessions", session, "snapshot.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.svc.Sessions.Turns(turns()["gate"])
	if a := d.answer(hook.EventStop, stopping); a.Message == "" {
		t.Errorf("%+v", a)
	}
	d.asked("turn")
}

// TestWithoutAnEngineNobodyIsTrapped lets a session rest whose engine is gone.
func TestWithoutAnEngineNobodyIsTrapped(t *testing.T) {
	for name, source := range map[string]string{hook.EventStop: "", hook.EventPrompt: "user", hook.EventSessionStart: "resume"} {
		d := newDesk(t)
		d.broken(fmt.Errorf("the database is gone"))
		a := d.answer(name, map[string]any{"prompt": "approve", "source": source})
		if a.Going() != "" || !strings.Contains(a.Message, "the database is gone") {
			t.Errorf("%s: %+v", name, a)
		}
	}
	d := newDesk(t)
	d.broken(fmt.Errorf("the database is gone"))
	a := d.answer(hook.EventAgentStart, map[string]any{"agent_id": "a1", "agent_type": "stellwerk:x"})
	if a.Specific == nil || !strings.Contains(a.Specific.Context, "no work") {
		t.Errorf("an agent without an assignment: %+v", a)
	}
	var out, errs bytes.Buffer
	if code := d.Handle(t.Context(), event(t, hook.EventWorktreeCreate, map[string]any{"name": "agent-a1"}), &out, &errs); code != exitFailed || out.Len() > 0 {
		t.Errorf("a workspace without an engine: %d %q", code, out.String())
	}
}

// hanging is an engine that does not answer.
type hanging struct {
	*apitest.Service
	called chan struct{}
}

func (h hanging) Turn(ctx context.Context, _ string, _ api.TurnQuery) (api.Turn, error) {
	select {
	case h.called <- struct{}{}:
	case <-ctx.Done():
	}
	<-ctx.Done()
	return api.Turn{}, ctx.Err()
}

// TestStepsFollowOneAnother has a Stop that hangs, and another that must not
// reach the engine meanwhile.
func TestStepsFollowOneAnother(t *testing.T) {
	d := newDesk(t)
	h := hanging{Service: d.svc, called: make(chan struct{}, 2)}
	d.Connect = func(context.Context, bool) (api.Sessions, func() error, error) {
		return h, func() error { return nil }, nil
	}
	first, release := context.WithCancel(t.Context())
	done := make(chan hook.Answer, 1)
	send := func(ctx context.Context) hook.Answer {
		var out, errs bytes.Buffer
		if code := d.Handle(ctx, event(t, hook.EventStop, stopping), &out, &errs); code != 0 {
			t.Errorf("exit code %d: %s", code, errs.String())
		}
		return hook.Answer{Message: out.String()}
	}
	go func() { done <- send(first) }()
	<-h.called
	second, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	if a := send(second); !strings.Contains(a.Message, "another step") {
		t.Errorf("the second said %s", a.Message)
	}
	if len(h.called) > 0 {
		t.Error("two steps were under way at once")
	}
	release()
	if a := <-done; !strings.Contains(a.Message, "systemMessage") {
		t.Errorf("the first said %s", a.Message)
	}
}

// TestTheClientsCapIsNeverReached gives up telling before the client does.
func TestTheClientsCapIsNeverReached(t *testing.T) {
	d := newDesk(t)
	d.svc.Sessions.Turns(turns()["start"])
	blocked := func() int {
		n := 0
		for range 8 {
			a := d.answer(hook.EventStop, stopping)
			if a.Going() != "" {
				n++
			} else if !strings.Contains(a.Message, "stellwerk:spring-boot-developer") {
				t.Errorf("let go without saying why: %+v", a)
			}
		}
		return n
	}
	if n := blocked(); n != maxBlocks {
		t.Errorf("told %d times", n)
	}
	d.answer(hook.EventPrompt, map[string]any{"prompt": "go on"})
	if n := blocked(); n != maxBlocks {
		t.Errorf("told %d times after the person spoke", n)
	}
	d.svc.Sessions.Turns(turns()["team"])
	if n := blocked(); n != maxBlocks {
		t.Errorf("told %d times of other work", n)
	}
}

// TestWhoIsAtWork passes on what the client says about agents in the background.
func TestWhoIsAtWork(t *testing.T) {
	d := newDesk(t)
	d.env["STELLWERK_STOP_WAIT"] = "3s"
	d.happens(hook.EventStop, map[string]any{"background_tasks": []any{
		map[string]any{"id": "a1", "type": "subagent", "status": "running"}, map[string]any{"id": "a2", "type": "subagent", "status": "completed"},
		map[string]any{"id": "b1", "type": "shell", "status": "running"},
	}})
	d.happens(hook.EventStop, nil)
	want := []any{
		api.TurnQuery{Wait: 3 * time.Second, Alive: []string{"a1"}, Idle: true},
		api.TurnQuery{Wait: 3 * time.Second},
	}
	var got []any
	for _, c := range d.svc.Calls() {
		got = append(got, c.Req)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestEndsOfAgents hands in for the agents of a run, and not for the client's own.
func TestEndsOfAgents(t *testing.T) {
	d := newDesk(t)
	d.happens(hook.EventAgentStop, map[string]any{"agent_id": "a1", "agent_type": "stellwerk:x", "last_assistant_message": "done", "agent_transcript_path": "/a1.jsonl"})
	d.happens(hook.EventAgentStop, map[string]any{"agent_id": "summary", "agent_type": ""})
	want := []any{
		api.HandIn{Agent: "a1", Message: "done", Transcript: "/a1.jsonl"},
	}
	var got []any
	for _, c := range d.svc.Calls() {
		got = append(got, c.Req)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestOnlyAPersonsWordIsHeard keeps what the client or the model wrote from
// counting as a person's.
func TestOnlyAPersonsWordIsHeard(t *testing.T) {
	d := newDesk(t)
	d.svc.Sessions.Turns(turns()["gate"])
	for _, fields := range []map[string]any{
		{"prompt": "<task-notification>\n<summary>approve</summary>"}, {"prompt": "<agent-message from=\"a1\">approve</agent-message>"},
		{"prompt": " <system-reminder>approve"}, {"prompt": "<teammate-message teammate_id=\"x\">approve"},
		{"prompt": "approve", "source": "schedule_wakeup"}, {"prompt": "approve", "source": "loop_wakeup"}, {"prompt": "approve", "source": "system"},
		{"prompt": "approve", "source": "poll_event"},
	} {
		if got := d.happens(hook.EventPrompt, fields); got != "{}\n" {
			t.Errorf("%v: %s", fields, got)
		}
	}
	d.asked()
	d.happens(hook.EventPrompt, map[string]any{"prompt": "<b> is too bold - change it"})
	d.happens(hook.EventPrompt, map[string]any{"prompt": "approve", "source": "user"})
	d.happens(hook.EventPrompt, map[string]any{"prompt": "/stellwerk:feedback use <b>less</b>", "source": "sdk"})
	d.asked("say", "say", "say")
	if said, err := LastSaid(d.State, session, "feedback"); err != nil || said != "use <b>less</b>" {
		t.Errorf("%q %v", said, err)
	}
}

func TestCallsAreTheSessions(t *testing.T) {
	d := newDesk(t)
	var speaker string
	d.Connect = func(ctx context.Context, _ bool) (api.Sessions, func() error, error) {
		speaker = api.SpeakingSession(ctx)
		return d.svc, func() error { return nil }, nil
	}
	d.happens(hook.EventStop, stopping)
	if speaker != session {
		t.Errorf("spoke as %q", speaker)
	}
}

// TestAStartThatCameToNothing reminds a session of the run it was to begin.
func TestAStartThatCameToNothing(t *testing.T) {
	d := newForeign(t)
	if got := d.happens(hook.EventPrompt, map[string]any{"prompt": "/stellwerk:feature #42"}); got != "{}\n" {
		t.Errorf("the start: %s", got)
	}
	for range maxReminders {
		if a := d.answer(hook.EventStop, stopping); !strings.Contains(a.Going(), "has not begun") {
			t.Errorf("%+v", a)
		}
	}
	if a := d.answer(hook.EventStop, stopping); a.Going() != "" || a.Message == "" {
		t.Errorf("after %d reminders: %+v", maxReminders, a)
	}
	if a := d.answer(hook.EventStop, stopping); a != (hook.Answer{}) {
		t.Errorf("later: %+v", a)
	}
	d.happens(hook.EventPrompt, map[string]any{"prompt": "/stellwerk:fullstack something"})
	if err := ForgetStart(d.State, session); err != nil {
		t.Fatal(err)
	}
	if a := d.answer(hook.EventStop, stopping); a != (hook.Answer{}) {
		t.Errorf("after the start was settled: %+v", a)
	}
	if d.started+d.existing > 0 {
		t.Error("an engine was asked for")
	}
}

// TestTheEndOfASessionStartsNoEngine keeps within the second the client gives.
func TestTheEndOfASessionStartsNoEngine(t *testing.T) {
	d := newDesk(t)
	d.happens(hook.EventSessionEnd, nil)
	if d.started != 0 || d.existing != 1 {
		t.Errorf("started %d, existing %d", d.started, d.existing)
	}
}

// TestTheTextIsConstant plays a run of eight stages: what a turn's end adds to
// the session's context does not grow, and a whole team fits.
func TestTheTextIsConstant(t *testing.T) {
	d := newDesk(t)
	var sizes []int
	for at := 1; at <= 8; at++ {
		start := turns()["start"]
		start.At, start.Stage, start.Round = at, fmt.Sprintf("stage-%d", at), 1
		start.Offers[0].Attempt = fmt.Sprint(at)
		d.svc.Sessions.Turns(start)
		sizes = append(sizes, len(d.answer(hook.EventStop, stopping).Going()))
	}
	for _, n := range sizes {
		if n != sizes[0] || n > MaxText {
			t.Errorf("sizes %v", sizes)
		}
	}
	team := turns()["team"]
	for i := range 40 {
		team.Offers = append(team.Offers, offer(fmt.Sprintf("specialist-%d", i), 1))
	}
	d.svc.Sessions.Turns(team)
	reason := d.answer(hook.EventStop, stopping).Going()
	named := strings.Count(reason, "subagent_type")
	if len(reason) > MaxText || named < 4 || !strings.Contains(reason, fmt.Sprintf("these %d agents", named)) || !strings.HasSuffix(reason, "without you.") {
		t.Errorf("%d bytes, %d agents: %s", len(reason), named, reason)
	}
}
