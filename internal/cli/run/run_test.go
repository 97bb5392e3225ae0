package run_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestExitCodeIsHowTheRunEnded(t *testing.T) {
	for _, c := range []struct {
		name string
		last func(*clitest.Bench)
		want int
		says string
	}{
		{"completed", func(b *clitest.Bench) { b.Ends("1", core.RunCompleted{}, core.StatusCompleted) }, shell.ExitOK, "completed"},
		{"failed", func(b *clitest.Bench) { b.Ends("1", core.RunFailed{Reason: "broken"}, core.StatusFailed) }, shell.ExitFailed, "failed"},
		{"cancelled", func(b *clitest.Bench) { b.Ends("1", core.RunCancelled{}, core.StatusCancelled) }, shell.ExitFailed, "cancelled"},
		{"paused", func(b *clitest.Bench) { b.Ends("1", core.RunPaused{Reason: "3 attempts"}, core.StatusPaused) }, shell.ExitWaiting, "next: "},
		{"waiting", func(b *clitest.Bench) { b.Waits("1") }, shell.ExitWaiting, "next: `stellwerk approve alias-1`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := clitest.New(t)
			b.Put("1", "active")
			b.Happen("1", core.StageOpened{Stage: "review", Round: 1}, nil)
			b.Svc.On = func(apitest.Call) error { c.last(b); return nil }
			b.Run(t, c.want, "run", "do it")
			b.Said(t, b.Out, "run started", "stage opened", c.says)
			if b.Closed != 1 {
				t.Errorf("the engine was let go %d times", b.Closed)
			}
		})
	}
}

func TestRunSendsWhatTheFlagsSay(t *testing.T) {
	b := clitest.New(t)
	b.Put("1", "active")
	b.Ends("1", core.RunCompleted{}, core.StatusCompleted)
	b.Run(t, shell.ExitOK, "run", "do", "it", "--playbook", "x.yaml", "--issue", "42", "--title", "T", "--base", "main", "--branch", "b",
		"--preflight", "30s", "--yes", "--trust", "--isolation", "none", "--agent", "command", "--max-cost", "2.5", "--max-tokens", "7", "--max-time", "90m", "--attempts", "2", "--coverage", "80")
	got, ok := b.Svc.Calls()[0].Req.(api.StartRun)
	if !ok {
		t.Fatalf("%+v", b.Svc.Calls())
	}
	dir := b.Dir
	want := api.StartRun{
		Dir: dir, Goal: "do it", Title: "T", Issue: "42", Playbook: "x.yaml", Base: "main", Branch: "b", Yes: true, Trust: true,
		Isolation: "none", Agent: "command", Options: core.Options{Coverage: 80}, Preflight: "30s", Ticket: got.Ticket,
	}
	if got.Ticket == "" {
		t.Error("nobody could ask what its preflight is at")
	}
	limits := core.Limits{Attempts: 2, WallTime: 90 * 60e9, CostUSD: 2.5, Tokens: 7}
	if got.Limits == nil || *got.Limits != limits {
		t.Errorf("limits %+v", got.Limits)
	}
	if got.Limits = nil; got != want {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

func TestRunAsJSONPrintsOneDocument(t *testing.T) {
	b := clitest.New(t).At("a")
	b.Put("1", "active")
	b.Svc.On = func(apitest.Call) error { b.Waits("1"); return nil }
	b.Run(t, shell.ExitWaiting, "run", "do it", "--json")
	if got := clitest.Decode[api.RunDetail](t, b.Out.String()); got.Alias != "alias-1" || got.Status != "awaiting_approval" {
		t.Errorf("%+v", got)
	}
	b.Asked(t, "start")
}

func TestPersonIsAskedAtTheGate(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		asked []string
		want  int
	}{
		{"approve", []string{"a"}, []string{"start", "approve"}, shell.ExitOK},
		{"approve in full, after nonsense", []string{"x", "Approve"}, []string{"start", "approve"}, shell.ExitOK},
		{"feedback", []string{"f", "ignore case"}, []string{"start", "feedback"}, shell.ExitOK},
		{"no words", []string{"f", "", "l"}, []string{"start"}, shell.ExitWaiting},
		{"rollback", []string{"r", "plan", "again"}, []string{"start", "rollback"}, shell.ExitOK},
		{"diff, then leave", []string{"d", "l"}, []string{"start", "diff"}, shell.ExitWaiting},
		{"end of input", nil, []string{"start"}, shell.ExitWaiting},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := clitest.New(t).At(c.lines...)
			b.Svc.Documents = map[string]string{"diff": "+\x1b[2Jline\n"}
			b.Put("1", "active")
			b.Svc.On = func(call apitest.Call) error {
				switch call.Verb {
				case "start":
					b.Waits("1")
				case "approve", "feedback", "rollback":
					b.Ends("1", core.RunCompleted{}, core.StatusCompleted)
				}
				return nil
			}
			b.Run(t, c.want, "run", "do it")
			b.Asked(t, c.asked...)
		})
	}
}

func TestApprovalAtTheGateIsBoundToWhatWasShown(t *testing.T) {
	b := clitest.New(t).At("a")
	b.Put("1", "awaiting_approval")
	b.Svc.On = func(apitest.Call) error { b.Ends("1", core.RunCompleted{}, core.StatusCompleted); return nil }
	b.Run(t, shell.ExitOK, "watch")
	req, ok := b.Svc.Calls()[0].Req.(api.Approve)
	if !ok || req.Subject == nil || *req.Subject != clitest.Subject() {
		t.Errorf("%+v", b.Svc.Calls()[0].Req)
	}
}

func TestRefusalAtTheGateAsksAgain(t *testing.T) {
	b := clitest.New(t).At("a", "l")
	b.Put("1", "awaiting_approval")
	b.Svc.On = func(apitest.Call) error { return core.Errorf(core.CodeConflict, "it changed since you looked") }
	b.Run(t, shell.ExitWaiting, "watch")
	b.Said(t, b.Err, "it changed since you looked")
}

func TestYesDoesNotStopAtGatesThatThePolicyApproves(t *testing.T) {
	b := clitest.New(t)
	b.Svc.Put(api.RunDetail{Run: api.Run{ID: "1", Alias: "alias-1", Status: "active"}})
	b.Happen("1", core.RunStarted{Run: "1", Policy: &core.RunPolicy{Approve: true}}, nil)
	b.Waits("1")
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		b.Happen("1", core.ApprovalGranted{Subject: clitest.Subject()}, func(d *api.RunDetail) { d.Status = "active" })
		b.Ends("1", core.RunCompleted{}, core.StatusCompleted)
	}()
	b.Run(t, shell.ExitOK, "run", "do it", "--yes")
	<-shown

	b = clitest.New(t)
	b.Svc.Put(api.RunDetail{Run: api.Run{ID: "1", Alias: "alias-1", Status: "active"}})
	b.Happen("1", core.RunStarted{Run: "1", Policy: &core.RunPolicy{Approve: true}}, nil)
	b.Happen("1", core.ApprovalRequested{Subject: clitest.Subject(), Suggestion: "build"}, func(d *api.RunDetail) {
		d.Status, d.Gate = "awaiting_approval", &core.Gate{Subject: clitest.Subject(), Suggestion: "build"}
	})
	b.Run(t, shell.ExitWaiting, "run", "do it", "--yes")
}

func TestInterruptLeavesTheRun(t *testing.T) {
	for _, c := range []struct {
		own  bool
		says []string
	}{
		{true, []string{"Left alias-1", "nothing is lost", "stellwerk watch alias-1"}},
		{false, []string{"Left alias-1", "in the background", "stellwerk watch alias-1"}},
	} {
		b := clitest.New(t)
		if c.own {
			b.Own()
		}
		b.Put("1", "active")
		var interrupt context.CancelCauseFunc
		b.Interruptible = func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, interrupt = context.WithCancelCause(ctx)
			return ctx, func() { interrupt(nil) }
		}
		b.Svc.On = func(apitest.Call) error { interrupt(shell.ErrInterrupted); return nil }
		b.Run(t, shell.ExitWaiting, "run", "do it")
		b.Said(t, b.Out, c.says...)
		if b.Closed != 1 {
			t.Errorf("the engine was let go %d times", b.Closed)
		}
	}
}

func TestDetachLeavesTheRunToTheBackground(t *testing.T) {
	b := clitest.New(t)
	b.Put("1", "active")
	b.Run(t, shell.ExitOK, "run", "do it", "--detach")
	if b.Detached != 1 {
		t.Errorf("detached %d times", b.Detached)
	}
	b.Said(t, b.Out, "alias-1", "stellwerk watch alias-1")
}

func TestUntrustedContent(t *testing.T) {
	refuse := func(b *clitest.Bench) func(apitest.Call) error {
		trusted := false
		return func(c apitest.Call) error {
			switch req := c.Req.(type) {
			case api.Trust:
				trusted = trusted || req.Confirm == "sha256:abc"
			case api.StartRun:
				if !trusted {
					return core.Errorf(core.CodeUntrusted, "nobody has trusted x.yaml")
				}
				b.Ends("1", core.RunCompleted{}, core.StatusCompleted)
			}
			return nil
		}
	}
	t.Run("without a terminal", func(t *testing.T) {
		b := clitest.New(t)
		b.Put("1", "active")
		b.Svc.On = refuse(b)
		b.Run(t, shell.ExitError, "run", "do it", "--playbook", "my file.yaml", "--base", "main")
		b.Said(t, b.Err, "try: stellwerk trust --playbook 'my file.yaml' --base main", "--trust")
		b.Asked(t, "start")
	})
	t.Run("agreed", func(t *testing.T) {
		b := clitest.New(t).At("y")
		b.Svc.TrustAnswer = api.Trusted{Hash: "sha256:abc", Files: []string{"x.yaml"}, Content: "run: rm -rf \x1b[8m/"}
		b.Put("1", "active")
		b.Svc.On = refuse(b)
		b.Run(t, shell.ExitOK, "run", "do it")
		b.Said(t, b.Out, `run: rm -rf \x1b[8m/`, "May runs use this?")
		b.Asked(t, "start", "trust", "trust", "start")
	})
	t.Run("refused", func(t *testing.T) {
		b := clitest.New(t).At("")
		b.Svc.TrustAnswer = api.Trusted{Hash: "sha256:abc"}
		b.Put("1", "active")
		b.Svc.On = refuse(b)
		b.Run(t, shell.ExitError, "run", "do it")
		b.Asked(t, "start", "trust")
	})
}

func TestWatchShowsAtOnceHowTheRunStands(t *testing.T) {
	for _, live := range []bool{true, false} {
		b := clitest.New(t)
		b.Console.Live = live
		b.Put("1", "active")
		done := make(chan int)
		go func() { done <- cli.Run(t.Context(), b.Program, []string{"watch"}) }()
		clitest.Sees(t, b, "[>] review", 1)
		b.Ends("1", core.RunCompleted{}, core.StatusCompleted)
		if code := <-done; code != shell.ExitOK {
			t.Errorf("exit code %d", code)
		}
	}
}

func TestChecksAreAnnounced(t *testing.T) {
	b := clitest.New(t)
	b.Put("1", "active")
	checked := func(d *api.RunDetail) {
		d.Stages[1].Tasks = []api.Task{{ID: "review.r1", Status: "verifying", Checks: []string{"changed: x", "command: go test"}}}
	}
	b.Happen("1", core.VerifyRequested{Task: "review.r1", Attempt: "review.r1.a1"}, checked)
	b.Happen("1", core.VerifyConcluded{Task: "review.r1", Attempt: "review.r1.a1", Passed: true, Results: make([]core.CheckResult, 2)}, nil)
	b.Happen("1", core.AttemptExited{Attempt: "review.r1.a1", Kind: core.ExitLost, Message: "gone"}, func(d *api.RunDetail) {
		d.Stages[1].Tasks[0].Status, d.Stages[1].Tasks[0].NotBefore = "waiting", clitest.Noon.Add(16*time.Second)
	})
	b.Ends("1", core.RunPaused{Reason: "enough"}, core.StatusPaused)
	b.Svc.On = func(apitest.Call) error { return nil }
	b.Run(t, shell.ExitWaiting, "run", "do it")
	b.Said(t, b.Out, "review.r1.a1, 2 checks: changed: x; command: go test", "review.r1.a1: 2 of 2")
}

func TestLiveViewIsTakenOffTheScreen(t *testing.T) {
	b := clitest.New(t)
	b.Console.Live, b.Console.Style.Unicode = true, true
	b.Console.Width = func() int { return 80 }
	b.Svc.Outputs = map[string]api.Output{"review.r1.a1": {Records: []api.Record{{N: 1, Kind: "text", Text: "thinking\x1b[2J hard"}}, Next: 1}}
	b.Put("1", "active")
	b.Happen("1", core.AttemptStarted{Attempt: "review.r1.a1", Agent: "claude"}, func(d *api.RunDetail) {
		d.Stages[1].Tasks = []api.Task{{ID: "review.r1", Status: "running", Attempts: []api.Attempt{{ID: "review.r1.a1", N: 1, Status: "running"}}}}
	})
	ended := make(chan struct{})
	b.Svc.On = func(apitest.Call) error {
		go func() {
			defer close(ended)
			for !drawn(b) { // the block is drawn before the run ends
				b.Happen("1", core.TimerFired{Timer: "x"}, nil)
			}
			b.Ends("1", core.RunCompleted{}, core.StatusCompleted)
		}()
		return nil
	}
	b.Run(t, shell.ExitOK, "run", "do it")
	<-ended
	b.Said(t, b.Out, "● plan ─ ◐ review", "attempt 1", `› thinking\x1b[2J hard`, "\x1b[J")
}

func drawn(b *clitest.Bench) bool {
	return len(b.Out.String()) > 0 && containsAll(b.Out.String(), "● plan", "› thinking")
}

func containsAll(s string, parts ...string) bool {
	for _, p := range parts {
		if !strings.Contains(s, p) {
			return false
		}
	}
	return true
}
