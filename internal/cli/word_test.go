package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// words are the commands that are a person's word, each with what it sends.
func words() map[string]struct {
	args []string
	want any
} {
	s := subject()
	return map[string]struct {
		args []string
		want any
	}{
		"approve":  {[]string{"alias-1", "--comment", "ok", "--base", "develop"}, api.Approve{Subject: &s, Comment: "ok", Base: "develop"}},
		"feedback": {[]string{"alias-1", "ignore case", "--reset"}, api.Feedback{Text: "ignore case", Reset: true}},
		"rollback": {[]string{"alias-1", "--to", "plan", "-m", "again", "--reset"}, api.Rollback{To: "plan", Text: "again", Reset: true}},
		"skip":     {[]string{"alias-1", "--stage", "review", "--reason", "no"}, api.Skip{Stage: "review", Reason: "no"}},
		"retry":    {[]string{"alias-1"}, api.Retry{}},
		"pause":    {[]string{"alias-1", "--stop", "-m", "wait"}, api.Pause{Reason: "wait", Stop: true}},
		"resume":   {[]string{"alias-1", "--max-cost", "3", "--max-tokens", "9", "--max-project-time", "90m"}, api.Resume{MaxCostUSD: 3, MaxTokens: 9, MaxProjectTime: 90 * 60e9}},
		"cancel":   {[]string{"alias-1", "-m", "no"}, api.Cancel{Reason: "no"}},
	}
}

func TestWordsAreSentAsGiven(t *testing.T) {
	for verb, c := range words() {
		b := newBench(t)
		b.put("1", "awaiting_approval")
		b.run(t, shell.ExitOK, append([]string{verb}, c.args...)...)
		b.asked(t, verb)
		call := b.svc.Calls()[0]
		got, err := json.Marshal(call.Req)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(c.want)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s sent %s, want %s", verb, got, want)
		}
		b.said(t, b.out, "alias-1")
	}
}

func TestFeedbackJoinsItsWords(t *testing.T) {
	b := newBench(t)
	b.put("1", "awaiting_approval")
	b.run(t, shell.ExitOK, "feedback", "alias-1", "ignore", "the", "case")
	if req, ok := b.svc.Calls()[0].Req.(api.Feedback); !ok || req.Text != "ignore the case" || b.svc.Calls()[0].Run != "alias-1" {
		t.Errorf("%+v", b.svc.Calls()[0])
	}
	b.run(t, shell.ExitError, "feedback", "ignore", "the", "case")
	b.said(t, b.err, "the first word must name the run", "try: quote the text")
	b.asked(t, "feedback")
}

func TestResumeOfARunThatHasEnded(t *testing.T) {
	for status, want := range map[core.RunStatus]int{"cancelled": shell.ExitFailed, "failed": shell.ExitFailed, "completed": shell.ExitOK} {
		for _, own := range []bool{true, false} {
			b := newBench(t)
			if own {
				b.own()
			}
			b.put("1", status)
			b.run(t, want, "resume", "alias-1")
			b.said(t, b.err, "run alias-1 is "+string(status)+"; it cannot be resumed", "try: `stellwerk status alias-1`")
			b.asked(t)
		}
	}
}

func TestWordsAsJSON(t *testing.T) {
	for verb, c := range words() {
		b := newBench(t)
		b.put("1", "awaiting_approval")
		b.run(t, shell.ExitOK, append([]string{verb, "--json"}, c.args...)...)
		if got := decode[api.Run](t, b.out.String()); got.ID != "1" {
			t.Errorf("%s: %s", verb, b.out)
		}
	}
}

func TestNoWordFromInsideAnAttempt(t *testing.T) {
	all := words()
	commands := [][]string{{"trust", "--yes"}, {"run", "x", "--yes"}, {"run", "x", "--trust"}}
	for verb, c := range all {
		commands = append(commands, append([]string{verb}, c.args...))
	}
	for _, args := range commands {
		b := newBench(t)
		b.env["STELLWERK_ATTEMPT"] = "build.r1.a1"
		b.put("1", "awaiting_approval")
		b.run(t, shell.ExitError, args...)
		b.said(t, b.err, "for people only", "build.r1.a1", "try: ")
		if calls := b.svc.Calls(); len(calls) != 0 {
			t.Errorf("%q reached the engine: %+v", args, calls)
		}
	}
}

func TestNobodyIsAskedInsideAnAttempt(t *testing.T) {
	b := newBench(t).at("a")
	b.env["STELLWERK_ATTEMPT"] = "build.r1.a1"
	b.put("1", "awaiting_approval")
	b.run(t, shell.ExitWaiting, "watch")
	b.asked(t)
}

func TestAWordDrivesTheRunOnWhereNobodyElseDoes(t *testing.T) {
	b := newBench(t).own()
	b.put("1", "awaiting_approval")
	b.svc.On = func(apitest.Call) error { b.ends("1", core.RunCompleted{}, core.StatusCompleted); return nil }
	b.run(t, shell.ExitOK, "approve")
	b.said(t, b.out, "completed")

	b = newBench(t).own()
	b.put("1", "awaiting_approval")
	b.svc.On = func(apitest.Call) error {
		b.happen("1", core.ApprovalGranted{Subject: subject()}, func(d *api.RunDetail) { d.Status = "active" })
		b.waits("1")
		return nil
	}
	b.run(t, shell.ExitWaiting, "approve")
	b.said(t, b.out, "next: ")

	b = newBench(t)
	b.put("1", "awaiting_approval")
	b.run(t, shell.ExitOK, "approve", "--detach")
	if b.detached != 1 {
		t.Errorf("detached %d times", b.detached)
	}
	b.run(t, shell.ExitUsage, "approve", "--detach", "--follow")
}

func TestWhichRunIsMeant(t *testing.T) {
	b := newBench(t)
	b.run(t, shell.ExitError, "approve")
	b.said(t, b.err, "this repository has no runs", "try: stellwerk run")

	b = newBench(t)
	b.put("1", "completed")
	b.put("2", "awaiting_approval")
	b.put("3", "failed")
	b.run(t, shell.ExitOK, "approve")
	if got := b.svc.Calls()[0].Run; got != "2" {
		t.Errorf("the only open run is 2, not %s", got)
	}

	b = newBench(t)
	b.put("1", "awaiting_approval")
	b.put("2", "paused")
	b.run(t, shell.ExitError, "approve")
	b.said(t, b.err, "2 runs are open", "alias-1  Title 1, waiting for an approval", "alias-2  Title 2, paused")
	b.asked(t)

	b = newBench(t)
	b.put("1", "completed")
	b.svc.Documents = map[string]string{"diff": "x"}
	b.run(t, shell.ExitOK, "diff")
	if got := b.svc.Calls()[0].Run; got != "1" {
		t.Errorf("the newest run is 1, not %s", got)
	}
}

func TestFeedbackNeedsWords(t *testing.T) {
	b := newBench(t)
	b.put("1", "awaiting_approval")
	b.run(t, shell.ExitUsage, "feedback")
	b.run(t, shell.ExitUsage, "feedback", "  ")
	b.run(t, shell.ExitUsage, "feedback", "alias-1")
	b.asked(t)
	b.Console.In = strings.NewReader("from a pipe\n")
	b.run(t, shell.ExitOK, "feedback", "-")
	if got := b.svc.Calls()[0].Req.(api.Feedback).Text; got != "from a pipe" {
		t.Errorf("%q", got)
	}
}

func TestResumeOfAFolder(t *testing.T) {
	b := newBench(t)
	b.put("1", "active")
	b.svc.ImportAnswer = api.Imported{Run: api.Run{ID: "1", Alias: "alias-1"}, Events: 12, Torn: "a torn\x1b[2J line"}
	dir, _ := b.Dir()
	folder := filepath.Join(dir, "runs", "1")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	b.run(t, shell.ExitOK, "resume", filepath.Join("runs", "1"))
	b.asked(t, "import")
	if got := b.svc.Calls()[0].Req.(api.Import).Folder; got != folder {
		t.Errorf("%s", got)
	}
	b.said(t, b.out, "12 events", `cut off: a torn\x1b[2J line`)
	b.run(t, shell.ExitError, "resume", "runs/2")
	b.said(t, b.err, "no run folder runs/2")
}

func TestCancelWaitsForWhatItStops(t *testing.T) {
	b := newBench(t).own()
	b.put("1", "active")
	b.svc.On = func(apitest.Call) error {
		b.ends("1", core.RunCancelled{}, core.StatusCancelled)
		return nil
	}
	b.run(t, shell.ExitOK, "cancel")
	b.said(t, b.out, "cancelled")
}
