package cli

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestExitCodeIsHowTheRunEnded(t *testing.T) {
	for _, c := range []struct {
		name string
		last func(*bench)
		want int
		says string
	}{
		{"completed", func(b *bench) { b.ends("1", core.RunCompleted{}, core.StatusCompleted) }, shell.ExitOK, "completed"},
		{"failed", func(b *bench) { b.ends("1", core.RunFailed{Reason: "broken"}, core.StatusFailed) }, shell.ExitFailed, "failed"},
		{"cancelled", func(b *bench) { b.ends("1", core.RunCancelled{}, core.StatusCancelled) }, shell.ExitFailed, "cancelled"},
		{"paused", func(b *bench) { b.ends("1", core.RunPaused{Reason: "3 attempts"}, core.StatusPaused) }, shell.ExitWaiting, "next: "},
		{"waiting", func(b *bench) { b.waits("1") }, shell.ExitWaiting, "next: `stellwerk approve alias-1`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.put("1", "active")
			b.happen("1", core.StageOpened{Stage: "review", Round: 1}, nil)
			b.svc.On = func(apitest.Call) error { c.last(b); return nil }
			b.run(t, c.want, "run", "do it")
			b.said(t, b.out, "run started", "stage opened", c.says)
			if b.closed != 1 {
				t.Errorf("the engine was let go %d times", b.closed)
			}
		})
	}
}

func TestRunSendsWhatTheFlagsSay(t *testing.T) {
	b := newBench(t)
	b.put("1", "active")
	b.ends("1", core.RunCompleted{}, core.StatusCompleted)
	b.run(t, shell.ExitOK, "run", "do", "it", "--playbook", "x.yaml", "--issue", "42", "--title", "T", "--base", "main", "--branch", "b",
		"--preflight", "30s", "--yes", "--trust", "--isolation", "none", "--agent", "command", "--max-cost", "2.5", "--max-tokens", "7", "--max-time", "90m", "--attempts", "2", "--coverage", "80")
	got, ok := b.svc.Calls()[0].Req.(api.StartRun)
	if !ok {
		t.Fatalf("%+v", b.svc.Calls())
	}
	dir, _ := b.Dir()
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
	b := newBench(t).at("a")
	b.put("1", "active")
	b.svc.On = func(apitest.Call) error { b.waits("1"); return nil }
	b.run(t, shell.ExitWaiting, "run", "do it", "--json")
	if got := decode[api.RunDetail](t, b.out.String()); got.Alias != "alias-1" || got.Status != "awaiting_approval" {
		t.Errorf("%+v", got)
	}
	b.asked(t, "start")
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
			b := newBench(t).at(c.lines...)
			b.svc.Documents = map[string]string{"diff": "+\x1b[2Jline\n"}
			b.put("1", "active")
			b.svc.On = func(call apitest.Call) error {
				switch call.Verb {
				case "start":
					b.waits("1")
				case "approve", "feedback", "rollback":
					b.ends("1", core.RunCompleted{}, core.StatusCompleted)
				}
				return nil
			}
			b.run(t, c.want, "run", "do it")
			b.asked(t, c.asked...)
		})
	}
}

func TestApprovalAtTheGateIsBoundToWhatWasShown(t *testing.T) {
	b := newBench(t).at("a")
	b.put("1", "awaiting_approval")
	b.svc.On = func(apitest.Call) error { b.ends("1", core.RunCompleted{}, core.StatusCompleted); return nil }
	b.run(t, shell.ExitOK, "watch")
	req, ok := b.svc.Calls()[0].Req.(api.Approve)
	if !ok || req.Subject == nil || *req.Subject != subject() {
		t.Errorf("%+v", b.svc.Calls()[0].Req)
	}
}

func TestRefusalAtTheGateAsksAgain(t *testing.T) {
	b := newBench(t).at("a", "l")
	b.put("1", "awaiting_approval")
	b.svc.On = func(apitest.Call) error { return core.Errorf(core.CodeConflict, "it changed since you looked") }
	b.run(t, shell.ExitWaiting, "watch")
	b.said(t, b.err, "it changed since you looked")
}

func TestYesDoesNotStopAtGatesThatThePolicyApproves(t *testing.T) {
	b := newBench(t)
	b.svc.Put(api.RunDetail{Run: api.Run{ID: "1", Alias: "alias-1", Status: "active"}})
	b.happen("1", core.RunStarted{Run: "1", Policy: &core.RunPolicy{Approve: true}}, nil)
	b.waits("1")
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		b.happen("1", core.ApprovalGranted{Subject: subject()}, func(d *api.RunDetail) { d.Status = "active" })
		b.ends("1", core.RunCompleted{}, core.StatusCompleted)
	}()
	b.run(t, shell.ExitOK, "run", "do it", "--yes")
	<-shown

	b = newBench(t)
	b.svc.Put(api.RunDetail{Run: api.Run{ID: "1", Alias: "alias-1", Status: "active"}})
	b.happen("1", core.RunStarted{Run: "1", Policy: &core.RunPolicy{Approve: true}}, nil)
	b.happen("1", core.ApprovalRequested{Subject: subject(), Suggestion: "build"}, func(d *api.RunDetail) {
		d.Status, d.Gate = "awaiting_approval", &core.Gate{Subject: subject(), Suggestion: "build"}
	})
	b.run(t, shell.ExitWaiting, "run", "do it", "--yes")
}

func TestInterruptLeavesTheRun(t *testing.T) {
	for _, c := range []struct {
		own  bool
		says []string
	}{
		{true, []string{"Left alias-1", "nothing is lost", "stellwerk watch alias-1"}},
		{false, []string{"Left alias-1", "in the background", "stellwerk watch alias-1"}},
	} {
		b := newBench(t)
		if c.own {
			b.own()
		}
		b.put("1", "active")
		var interrupt context.CancelCauseFunc
		b.Interruptible = func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, interrupt = context.WithCancelCause(ctx)
			return ctx, func() { interrupt(nil) }
		}
		b.svc.On = func(apitest.Call) error { interrupt(shell.ErrInterrupted); return nil }
		b.run(t, shell.ExitWaiting, "run", "do it")
		b.said(t, b.out, c.says...)
		if b.closed != 1 {
			t.Errorf("the engine was let go %d times", b.closed)
		}
	}
}

func TestDetachLeavesTheRunToTheBackground(t *testing.T) {
	b := newBench(t)
	b.put("1", "active")
	b.run(t, shell.ExitOK, "run", "do it", "--detach")
	if b.detached != 1 {
		t.Errorf("detached %d times", b.detached)
	}
	b.said(t, b.out, "alias-1", "stellwerk watch alias-1")
}

func TestUntrustedContent(t *testing.T) {
	refuse := func(b *bench) func(apitest.Call) error {
		trusted := false
		return func(c apitest.Call) error {
			switch req := c.Req.(type) {
			case api.Trust:
				trusted = trusted || req.Confirm == "sha256:abc"
			case api.StartRun:
				if !trusted {
					return core.Errorf(core.CodeUntrusted, "nobody has trusted x.yaml")
				}
				b.ends("1", core.RunCompleted{}, core.StatusCompleted)
			}
			return nil
		}
	}
	t.Run("without a terminal", func(t *testing.T) {
		b := newBench(t)
		b.put("1", "active")
		b.svc.On = refuse(b)
		b.run(t, shell.ExitError, "run", "do it", "--playbook", "my file.yaml", "--base", "main")
		b.said(t, b.err, "try: stellwerk trust --playbook 'my file.yaml' --base main", "--trust")
		b.asked(t, "start")
	})
	t.Run("agreed", func(t *testing.T) {
		b := newBench(t).at("y")
		b.svc.TrustAnswer = api.Trusted{Hash: "sha256:abc", Files: []string{"x.yaml"}, Content: "run: rm -rf \x1b[8m/"}
		b.put("1", "active")
		b.svc.On = refuse(b)
		b.run(t, shell.ExitOK, "run", "do it")
		b.said(t, b.out, `run: rm -rf \x1b[8m/`, "May runs use this?")
		b.asked(t, "start", "trust", "trust", "start")
	})
	t.Run("refused", func(t *testing.T) {
		b := newBench(t).at("")
		b.svc.TrustAnswer = api.Trusted{Hash: "sha256:abc"}
		b.put("1", "active")
		b.svc.On = refuse(b)
		b.run(t, shell.ExitError, "run", "do it")
		b.asked(t, "start", "trust")
	})
}

func TestWatchShowsAtOnceHowTheRunStands(t *testing.T) {
	for _, live := range []bool{true, false} {
		b := newBench(t)
		b.Console.Live = live
		b.put("1", "active")
		done := make(chan int)
		go func() { done <- Run(t.Context(), b.Program, []string{"watch"}) }()
		sees(t, b, "[>] review", 1)
		b.ends("1", core.RunCompleted{}, core.StatusCompleted)
		if code := <-done; code != shell.ExitOK {
			t.Errorf("exit code %d", code)
		}
	}
}

func TestChecksAreAnnounced(t *testing.T) {
	b := newBench(t)
	b.put("1", "active")
	checked := func(d *api.RunDetail) {
		d.Stages[1].Tasks = []api.Task{{ID: "review.r1", Status: "verifying", Checks: []string{"changed: x", "command: go test"}}}
	}
	b.happen("1", core.VerifyRequested{Task: "review.r1", Attempt: "review.r1.a1"}, checked)
	b.happen("1", core.VerifyConcluded{Task: "review.r1", Attempt: "review.r1.a1", Passed: true, Results: make([]core.CheckResult, 2)}, nil)
	b.happen("1", core.AttemptExited{Attempt: "review.r1.a1", Kind: core.ExitLost, Message: "gone"}, func(d *api.RunDetail) {
		d.Stages[1].Tasks[0].Status, d.Stages[1].Tasks[0].NotBefore = "waiting", noon.Add(16*time.Second)
	})
	b.ends("1", core.RunPaused{Reason: "enough"}, core.StatusPaused)
	b.svc.On = func(apitest.Call) error { return nil }
	b.run(t, shell.ExitWaiting, "run", "do it")
	b.said(t, b.out, "review.r1.a1, 2 checks: changed: x; command: go test", "review.r1.a1: 2 of 2")
}

func TestLiveViewIsTakenOffTheScreen(t *testing.T) {
	b := newBench(t)
	b.Console.Live, b.Console.Style.Unicode = true, true
	b.Console.Width = func() int { return 80 }
	b.svc.Outputs = map[string]api.Output{"review.r1.a1": {Records: []api.Record{{N: 1, Kind: "text", Text: "thinking\x1b[2J hard"}}, Next: 1}}
	b.put("1", "active")
	b.happen("1", core.AttemptStarted{Attempt: "review.r1.a1", Agent: "claude"}, func(d *api.RunDetail) {
		d.Stages[1].Tasks = []api.Task{{ID: "review.r1", Status: "running", Attempts: []api.Attempt{{ID: "review.r1.a1", N: 1, Status: "running"}}}}
	})
	ended := make(chan struct{})
	b.svc.On = func(apitest.Call) error {
		go func() {
			defer close(ended)
			for !drawn(b) { // the block is drawn before the run ends
				b.happen("1", core.TimerFired{Timer: "x"}, nil)
			}
			b.ends("1", core.RunCompleted{}, core.StatusCompleted)
		}()
		return nil
	}
	b.run(t, shell.ExitOK, "run", "do it")
	<-ended
	b.said(t, b.out, "● plan ─ ◐ review", "attempt 1", `› thinking\x1b[2J hard`, "\x1b[J")
}

func drawn(b *bench) bool {
	return len(b.out.String()) > 0 && containsAll(b.out.String(), "● plan", "› thinking")
}

func containsAll(s string, parts ...string) bool {
	for _, p := range parts {
		if !strings.Contains(s, p) {
			return false
		}
	}
	return true
}
