package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// TestOutcomesOfCalls reads them from a transcript: results may come in any order, or never.
func TestOutcomesOfCalls(t *testing.T) {
	record := func(kind agent.RecordKind, id string, change func(*agent.Record)) agent.Record {
		r := agent.Record{Kind: kind, ToolID: id}
		if kind == agent.KindToolCall {
			r.Tool = "Bash"
		}
		if change != nil {
			change(&r)
		}
		return r
	}
	failed := func(r *agent.Record) { r.Error = true }
	denied := func(text string) func(*agent.Record) {
		return func(r *agent.Record) { r.Error, r.Denied, r.Text = true, true, text }
	}
	var entries []shim.Entry
	for i, r := range []agent.Record{
		record(agent.KindToolCall, "1", nil), record(agent.KindToolCall, "2", nil), record(agent.KindToolResult, "2", failed),
		record(agent.KindToolResult, "1", nil), record(agent.KindToolCall, "3", nil),
		record(agent.KindNotice, "3", denied("denied: it may not. IMPORTANT: You may…")), record(agent.KindToolResult, "3", failed),
		record(agent.KindToolCall, "4", nil), record(agent.KindToolResult, "4", denied("<tool_use_error>Error: none</tool_use_error>")),
		record(agent.KindToolCall, "5", nil), record(agent.KindNotice, "5", failed),
		record(agent.KindToolCall, "6", nil), record(agent.KindToolResult, "6", failed), // a name that comes again
		record(agent.KindToolCall, "6", nil), record(agent.KindToolResult, "6", nil),
		record(agent.KindToolResult, "7", nil), // its call was too long
	} {
		entries = append(entries, shim.Entry{N: int64(i + 1), Record: r})
	}
	var got []string
	for _, c := range CallsOf(entries, runfolder.SideEffect{Attempt: "a", Role: "r", Agent: "claude"}) {
		if c.Attempt != "a" || c.Role != "r" || c.Agent != "claude" || c.Tool != "Bash" && c.N != 16 {
			t.Errorf("%+v", c)
		}
		got = append(got, strings.TrimSpace(fmt.Sprintf("%d %s %s", c.N, c.Outcome, c.Reason)))
	}
	want := []string{"1 ok", "2 error", "5 denied it may not.", "8 denied Error: none", "10 unknown", "12 error", "14 ok", "16 ok the call itself was too long to be kept"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestCallsThatEventsKeep finds those of agents among events, and what was refused.
func TestCallsThatEventsKeep(t *testing.T) {
	manager, worker := core.Actor{Kind: core.ActorAgent, ID: "manager.r1.a1"}, core.Actor{Kind: core.ActorAgent, ID: "t1.r1.a1"}
	var events []core.Event
	for i, e := range []struct {
		actor core.Actor
		body  core.Body
	}{
		{core.Person("ada"), core.MessageSent{Text: "of a person"}},
		{manager, core.TaskProposed{Delegation: "t1", Proposal: core.Proposal{Prompt: "Do it."}}},
		{manager, core.TaskProposed{Delegation: "t2", Proposal: core.Proposal{Prompt: "Do that."}}},
		{core.Engine(), core.TaskRefused{Delegation: "t2", Reason: "there is no plan"}},
		{worker, core.MessageSent{Text: "I am at it."}},
		{manager, core.QuestionAsked{Text: "Why?"}},
		{manager, core.PlanProposed{Message: "the plan", Files: []core.PlanFile{{Name: "plan.md"}}}},
		{core.Engine(), core.ToolRefused{Attempt: worker.ID, Tool: core.ToolPlan, Reason: "only the manager"}},
	} {
		raw, err := json.Marshal(e.body)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, core.Event{Seq: int64(i + 1), At: time.Unix(int64(i), 0), Type: core.TypeOf(e.body), V: 1, Actor: e.actor, Body: raw})
	}
	calls, err := calledTools("run", &cast{}, events, core.Decode)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range calls {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%d %s %s %s %s %s", c.Seq, c.Attempt, c.Tool, c.Input, c.Outcome, c.Reason)))
	}
	want := []string{
		`2 manager.r1.a1 delegate-to-red {"prompt":"Do it."} ok`, `3 manager.r1.a1 delegate-to-red {"prompt":"Do that."} refused there is no plan`,
		`5 t1.r1.a1 send-message {"text":"I am at it."} ok`, `6 manager.r1.a1 request-clarification {"text":"Why?"} ok`,
		`7 manager.r1.a1 update-plan {"files":["plan.md"],"message":"the plan"} ok`, `8 t1.r1.a1 update-plan  refused only the manager`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatWasTooMuchIsNotHidden(t *testing.T) {
	folder := t.TempDir()
	spec := shim.Spec{Proto: shim.Proto, Run: "run", Attempt: "a.r1.a1", Agent: "claude", Timeout: shim.Duration(time.Minute),
		Isolation: sandbox.None, Writes: core.WritesCode, Job: agent.Job{Role: agent.Role{Name: "writer"}, Dir: folder}}
	if err := shim.WriteSpec(folder, spec); err != nil {
		t.Fatal(err)
	}
	for dropped, want := range map[int64]string{0: "", 70 << 20: "unobserved 73400320 bytes of what the agent wrote were too much to be kept; calls in them were not seen"} {
		exit, err := json.Marshal(shim.Exit{Proto: shim.Proto, Attempt: spec.Attempt, EndedAt: time.Unix(9, 0), OutputDropped: dropped})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "exit.json"), exit, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := transcribed(folder, "run", spec.Attempt, true)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, e := range got {
			said += string(e.Outcome) + " " + e.Reason
		}
		if said != want {
			t.Errorf("%d bytes dropped: %q", dropped, said)
		}
	}
}

// TestNoTranscriptWithoutItsCalls: an engine is stopped between the two, and another one collects the attempt.
func TestNoTranscriptWithoutItsCalls(t *testing.T) {
	attempt, root := t.TempDir(), t.TempDir()
	spec := shim.Spec{Proto: shim.Proto, Run: "run", Attempt: "a.r1.a1", Agent: "claude", Timeout: shim.Duration(time.Minute),
		Isolation: sandbox.None, Writes: core.WritesCode, Job: agent.Job{Role: agent.Role{Name: "writer"}, Dir: attempt}}
	exit, err := json.Marshal(shim.Exit{Proto: shim.Proto, Attempt: spec.Attempt, EndedAt: time.Unix(9, 0)})
	path := shim.JournalPath(attempt)
	err = errors.Join(err, shim.WriteSpec(attempt, spec), os.WriteFile(filepath.Join(attempt, "exit.json"), exit, 0o600),
		os.WriteFile(path, []byte(said(spec.Attempt)), 0o600), os.MkdirAll(filepath.Join(root, "run", runfolder.SideEffectsFile), 0o700))
	if err != nil {
		t.Fatal(err)
	}
	j := New(root, nil, slog.New(slog.DiscardHandler))
	defer j.Close()
	if err := j.Transcript("run", spec.Attempt, path, true); err == nil {
		t.Error("calls were noted in a folder")
	}
	err = j.Use("run", func(f *runfolder.Folder) error {
		if f.HasTranscript(spec.Attempt) {
			t.Error("the transcript is there, and its calls are not")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
