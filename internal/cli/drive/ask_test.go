package drive_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestGateThatIsDecidedElsewhereIsNoticed(t *testing.T) {
	for _, c := range []struct{ name, typed, question string }{
		{"at the question", "", "[a]pprove"},
		{"while words are asked for", "f\n", "What should change?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := clitest.New(t)
			keys := clitest.Keyboard(t, b)
			b.Put("1", "awaiting_approval")
			done := make(chan int)
			go func() { done <- cli.Run(t.Context(), b.Program, []string{"watch"}) }()
			clitest.Sees(t, b, "[a]pprove", 1)
			if _, err := io.WriteString(keys, c.typed); err != nil {
				t.Fatal(err)
			}
			clitest.Sees(t, b, c.question, 1)
			b.Happen("1", core.ApprovalGranted{Subject: clitest.Subject()}, func(d *api.RunDetail) { d.Status, d.Gate = "active", nil })
			clitest.Sees(t, b, "Somebody else already decided alias-1", 1)
			clitest.Sees(t, b, "approved", 1)
			b.Ends("1", core.RunCompleted{}, core.StatusCompleted)
			if code := <-done; code != shell.ExitOK {
				t.Errorf("exit code %d\n%s%s", code, b.Out, b.Err)
			}
			b.Asked(t)
		})
	}
}

func TestNextGateIsAskedAfterOneThatWasDecidedElsewhere(t *testing.T) {
	b := clitest.New(t)
	keys := clitest.Keyboard(t, b)
	b.Put("1", "awaiting_approval")
	next := clitest.Subject()
	next.Stage = "publish"
	b.Svc.On = func(apitest.Call) error { b.Ends("1", core.RunCompleted{}, core.StatusCompleted); return nil }
	done := make(chan int)
	go func() { done <- cli.Run(t.Context(), b.Program, []string{"watch"}) }()
	clitest.Sees(t, b, "[a]pprove", 1)
	b.Happen("1", core.ApprovalGranted{Subject: clitest.Subject()}, func(d *api.RunDetail) { d.Status, d.Gate = "active", nil })
	b.Happen("1", core.ApprovalRequested{Subject: next}, func(d *api.RunDetail) {
		d.Status, d.Gate = core.StatusAwaiting, &core.Gate{Subject: next}
	})
	clitest.Sees(t, b, "stage publish, round 1", 1)
	clitest.Sees(t, b, "[a]pprove", 2)
	if _, err := io.WriteString(keys, "f\nlouder\n"); err != nil {
		t.Fatal(err)
	}
	if code := <-done; code != shell.ExitOK {
		t.Errorf("exit code %d\n%s%s", code, b.Out, b.Err)
	}
	b.Asked(t, "feedback")
	req, ok := b.Svc.Calls()[0].Req.(api.Feedback)
	if !ok || req.Text != "louder" || req.Subject == nil || *req.Subject != next {
		t.Errorf("%+v", b.Svc.Calls()[0].Req)
	}
}

// TestAProjectIsNotOfferedAWayBack: it would be refused.
func TestAProjectIsNotOfferedAWayBack(t *testing.T) {
	b := clitest.New(t)
	keys := clitest.Keyboard(t, b)
	b.Put("1", "awaiting_approval")
	b.Happen("1", core.ReviewAwaited{}, func(d *api.RunDetail) { d.Onward = true })
	done := make(chan int)
	go func() { done <- cli.Run(t.Context(), b.Program, []string{"watch"}) }()
	clitest.Sees(t, b, "[a]pprove, [f]eedback, [s]how documents", 1)
	if _, err := io.WriteString(keys, "l\n"); err != nil {
		t.Fatal(err)
	}
	if code := <-done; code != shell.ExitWaiting {
		t.Errorf("exit code %d\n%s%s", code, b.Out, b.Err)
	}
}

// TestOnlyWhatWorksIsOffered: a stage in which the engine acts has nobody who could
// act on feedback, and a refusal says what to do instead.
func TestOnlyWhatWorksIsOffered(t *testing.T) {
	b := clitest.New(t)
	keys := clitest.Keyboard(t, b)
	b.Put("1", "awaiting_approval")
	next := clitest.Subject()
	next.Stage = "publish"
	b.Happen("1", core.ApprovalRequested{Subject: next}, func(d *api.RunDetail) {
		d.Gate = &core.Gate{Subject: next}
		d.Stages = []api.Stage{{ID: "plan", Round: 1}, {ID: "build", Round: 2}, {ID: "publish", Round: 1, Tasks: []api.Task{{Act: "pull-request"}}}, {ID: "later"}}
	})
	b.Svc.On = func(apitest.Call) error {
		return core.Errorf(core.CodeInvalid, "there is no stage bild").WithHint("name one that there is")
	}
	done := make(chan int)
	go func() { done <- cli.Run(t.Context(), b.Program, []string{"watch"}) }()
	clitest.Sees(t, b, "\n[a]pprove, [r]ollback, ", 1)
	if _, err := io.WriteString(keys, "r\nbild\n\n"); err != nil {
		t.Fatal(err)
	}
	clitest.Sees(t, b, "Back to which stage? (plan, build) ", 1)
	clitest.Sees(t, b, "[a]pprove", 2)
	if _, err := io.WriteString(keys, "r\n\nl\n"); err != nil { // nothing is suggested, and nothing was named
		t.Fatal(err)
	}
	if code := <-done; code != shell.ExitWaiting {
		t.Errorf("exit code %d\n%s%s", code, b.Out, b.Err)
	}
	b.Asked(t, "rollback")
	if !strings.Contains(b.Err.String(), "name one that there is") {
		t.Errorf("the refusal says nothing about what to do:\n%s", b.Err)
	}
}

// TestSecretsAreApprovedInWords: a letter does not publish what looks like one.
func TestSecretsAreApprovedInWords(t *testing.T) {
	b := clitest.New(t)
	keys := clitest.Keyboard(t, b)
	b.Put("1", "awaiting_approval")
	b.Happen("1", core.ReviewAwaited{}, func(d *api.RunDetail) { d.Gate.Leaks = []core.Leak{{Rule: "github-token", File: "a.env", Line: 3}} })
	b.Svc.On = func(apitest.Call) error { b.Ends("1", core.RunCompleted{}, core.StatusCompleted); return nil }
	done := make(chan int)
	go func() { done <- cli.Run(t.Context(), b.Program, []string{"watch"}) }()
	clitest.Sees(t, b, "looks like a secret: a.env:3: github-token", 1)
	for i, line := range []string{"a\n", "yes\n", "a\n", "with secrets\n"} {
		if _, err := io.WriteString(keys, line); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			clitest.Sees(t, b, "type: with secrets", 1+i/2)
		} else if i == 1 {
			clitest.Sees(t, b, "[a]pprove", 2)
		}
	}
	if code := <-done; code != shell.ExitOK {
		t.Errorf("exit code %d\n%s%s", code, b.Out, b.Err)
	}
	b.Asked(t, "approve")
	if req, ok := b.Svc.Calls()[0].Req.(api.Approve); !ok || !req.WithSecrets {
		t.Errorf("%+v", b.Svc.Calls()[0].Req)
	}
}
