package run_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// words are the commands that are a person's word, each with what it sends.
func words() map[string]struct {
	args []string
	want any
} {
	s := clitest.Subject()
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
		b := clitest.New(t)
		b.Put("1", "awaiting_approval")
		b.Run(t, shell.ExitOK, append([]string{verb}, c.args...)...)
		b.Asked(t, verb)
		call := b.Svc.Calls()[0]
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
		b.Said(t, b.Out, "alias-1")
	}
}

func TestFeedbackJoinsItsWords(t *testing.T) {
	b := clitest.New(t)
	b.Put("1", "awaiting_approval")
	b.Run(t, shell.ExitOK, "feedback", "alias-1", "ignore", "the", "case")
	if req, ok := b.Svc.Calls()[0].Req.(api.Feedback); !ok || req.Text != "ignore the case" || b.Svc.Calls()[0].Run != "alias-1" {
		t.Errorf("%+v", b.Svc.Calls()[0])
	}
	b.Run(t, shell.ExitError, "feedback", "ignore", "the", "case")
	b.Said(t, b.Err, "the first word must name the run", "try: quote the text")
	b.Asked(t, "feedback")
}

func TestResumeOfARunThatHasEnded(t *testing.T) {
	for status, want := range map[core.RunStatus]int{"cancelled": shell.ExitFailed, "failed": shell.ExitFailed, "completed": shell.ExitOK} {
		for _, own := range []bool{true, false} {
			b := clitest.New(t)
			if own {
				b.Own()
			}
			b.Put("1", status)
			b.Run(t, want, "resume", "alias-1")
			b.Said(t, b.Err, "run alias-1 is "+string(status)+"; it cannot be resumed", "try: `stellwerk status alias-1`")
			b.Asked(t)
		}
	}
}

func TestWordsAsJSON(t *testing.T) {
	for verb, c := range words() {
		b := clitest.New(t)
		b.Put("1", "awaiting_approval")
		b.Run(t, shell.ExitOK, append([]string{verb, "--json"}, c.args...)...)
		if got := clitest.Decode[api.Run](t, b.Out.String()); got.ID != "1" {
			t.Errorf("%s: %s", verb, b.Out)
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
		b := clitest.New(t)
		b.Env["STELLWERK_ATTEMPT"] = "build.r1.a1"
		b.Put("1", "awaiting_approval")
		b.Run(t, shell.ExitError, args...)
		b.Said(t, b.Err, "for people only", "build.r1.a1", "try: ")
		if calls := b.Svc.Calls(); len(calls) != 0 {
			t.Errorf("%q reached the engine: %+v", args, calls)
		}
	}
}

func TestNobodyIsAskedInsideAnAttempt(t *testing.T) {
	b := clitest.New(t).At("a")
	b.Env["STELLWERK_ATTEMPT"] = "build.r1.a1"
	b.Put("1", "awaiting_approval")
	b.Run(t, shell.ExitWaiting, "watch")
	b.Asked(t)
}

func TestAWordDrivesTheRunOnWhereNobodyElseDoes(t *testing.T) {
	b := clitest.New(t).Own()
	b.Put("1", "awaiting_approval")
	b.Svc.On = func(apitest.Call) error { b.Ends("1", core.RunCompleted{}, core.StatusCompleted); return nil }
	b.Run(t, shell.ExitOK, "approve")
	b.Said(t, b.Out, "completed")

	b = clitest.New(t).Own()
	b.Put("1", "awaiting_approval")
	b.Svc.On = func(apitest.Call) error {
		b.Happen("1", core.ApprovalGranted{Subject: clitest.Subject()}, func(d *api.RunDetail) { d.Status = "active" })
		b.Waits("1")
		return nil
	}
	b.Run(t, shell.ExitWaiting, "approve")
	b.Said(t, b.Out, "next: ")

	b = clitest.New(t)
	b.Put("1", "awaiting_approval")
	b.Run(t, shell.ExitOK, "approve", "--detach")
	if b.Detached != 1 {
		t.Errorf("detached %d times", b.Detached)
	}
	b.Run(t, shell.ExitUsage, "approve", "--detach", "--follow")
}

func TestWhichRunIsMeant(t *testing.T) {
	b := clitest.New(t)
	b.Run(t, shell.ExitError, "approve")
	b.Said(t, b.Err, "this repository has no runs", "try: stellwerk run")

	b = clitest.New(t)
	b.Put("1", "completed")
	b.Put("2", "awaiting_approval")
	b.Put("3", "failed")
	b.Run(t, shell.ExitOK, "approve")
	if got := b.Svc.Calls()[0].Run; got != "2" {
		t.Errorf("the only open run is 2, not %s", got)
	}

	b = clitest.New(t)
	b.Put("1", "awaiting_approval")
	b.Put("2", "paused")
	b.Run(t, shell.ExitError, "approve")
	b.Said(t, b.Err, "2 runs are open", "alias-1  Title 1, waiting for an approval", "alias-2  Title 2, paused")
	b.Asked(t)

	b = clitest.New(t)
	b.Put("1", "completed")
	b.Svc.Documents = map[string]string{"diff": "x"}
	b.Run(t, shell.ExitOK, "diff")
	if got := b.Svc.Calls()[0].Run; got != "1" {
		t.Errorf("the newest run is 1, not %s", got)
	}
}

func TestFeedbackNeedsWords(t *testing.T) {
	b := clitest.New(t)
	b.Put("1", "awaiting_approval")
	b.Run(t, shell.ExitUsage, "feedback")
	b.Run(t, shell.ExitUsage, "feedback", "  ")
	b.Run(t, shell.ExitUsage, "feedback", "alias-1")
	b.Run(t, shell.ExitUsage, "feedback", "ailas-1")
	b.Said(t, b.Err, `there is no run "ailas-1"`, `stellwerk feedback alias-1 "…"`)
	b.Asked(t)
	b.Console.In = strings.NewReader("from a pipe\n")
	b.Run(t, shell.ExitOK, "feedback", "-")
	if got := b.Svc.Calls()[0].Req.(api.Feedback).Text; got != "from a pipe" {
		t.Errorf("%q", got)
	}
}

func TestResumeOfAFolder(t *testing.T) {
	b := clitest.New(t)
	b.Put("1", "active")
	b.Svc.ImportAnswer = api.Imported{Run: api.Run{ID: "1", Alias: "alias-1"}, Events: 12, Torn: "a torn\x1b[2J line"}
	dir := b.Dir
	folder := filepath.Join(dir, "runs", "1")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	b.Run(t, shell.ExitOK, "resume", filepath.Join("runs", "1"))
	b.Asked(t, "import")
	if got := b.Svc.Calls()[0].Req.(api.Import).Folder; got != folder {
		t.Errorf("%s", got)
	}
	b.Said(t, b.Out, "12 events", `cut off: a torn\x1b[2J line`)
	b.Run(t, shell.ExitError, "resume", "runs/2")
	b.Said(t, b.Err, "no run folder runs/2")
}

func TestCancelWaitsForWhatItStops(t *testing.T) {
	b := clitest.New(t).Own()
	b.Put("1", "active")
	b.Svc.On = func(apitest.Call) error {
		b.Ends("1", core.RunCancelled{}, core.StatusCancelled)
		return nil
	}
	b.Run(t, shell.ExitOK, "cancel")
	b.Said(t, b.Out, "cancelled")
}
