package app_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

const onePlan = "# Plan: greet\n\n## Steps\n\n### [ ] 1. Say hello\n\nWrite it.\n"

// TestAPlanThatCannotBeCommittedIsRefused: what git would not take must not stand
// in the way of every later change.
func TestAPlanThatCannotBeCommittedIsRefused(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	b.say("greet the world")
	boss, _ := b.turns(1)
	ctx, cancel := context.WithTimeout(boss, waittest.Limit)
	defer cancel()
	for name, req := range map[string]api.UpdatePlan{
		"a message with a zero byte": {Message: "a\x00b", Files: map[string]string{"plan.md": onePlan}},
		"a name over two lines":      {Message: "x", Files: map[string]string{"a\nb.md": "x"}},
		"a name without an end":      {Message: "x", Files: map[string]string{strings.Repeat("a", 300) + ".md": "x"}},
		"a long message":             {Message: strings.Repeat("m", 100<<10), Files: map[string]string{"plan.md": onePlan}},
	} {
		if _, err := b.app.Service.UpdatePlan(ctx, b.run.ID, req); core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	plan, err := b.app.Service.UpdatePlan(ctx, b.run.ID, api.UpdatePlan{Message: "the plan", Files: map[string]string{"plan.md": onePlan, "Über uns.md": "x"}})
	if err != nil || plan.Files["plan.md"] != onePlan {
		t.Errorf("%+v, %v", plan, err)
	}
}

// TestARepeatedTurnFindsThePlanAsItIs: what a manager planned before it was lost
// lies on its desk, and stands in its prompt, when it tries again.
func TestARepeatedTurnFindsThePlanAsItIs(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	b.say("greet the world")
	boss, _ := b.turns(1)
	if _, err := b.app.Service.UpdatePlan(boss, b.run.ID, api.UpdatePlan{Message: "the plan", Files: map[string]string{"plan.md": onePlan}}); err != nil {
		t.Fatal(err)
	}
	first := api.CallerFrom(boss).Actor.ID
	if err := shim.Cancel(filepath.Join(b.state, "attempts", b.run.ID, first)); err != nil {
		t.Fatal(err)
	}
	second := strings.TrimSuffix(first, ".a1") + ".a2"
	b.until(0, "the next try", func(body core.Body) bool {
		started, ok := body.(core.AttemptStarted)
		return ok && started.Attempt == second
	})
	desk, err := os.ReadFile(filepath.Join(b.state, "work", b.run.ID, second, ".ai", "plan.md"))
	if err != nil || string(desk) != onePlan {
		t.Errorf("on the desk lies %q, %v", desk, err)
	}
	prompt, err := os.ReadFile(filepath.Join(b.state, "attempts", b.run.ID, second, "prompt.md"))
	if err != nil || !strings.Contains(string(prompt), "1. Say hello") {
		t.Errorf("%v: the prompt does not have the plan:\n%s", err, prompt)
	}
	if _, err := b.app.Service.UpdatePlan(b.agent(second), b.run.ID, api.UpdatePlan{
		Message: "more", Base: digestOf(desk), Files: map[string]string{"plan.md": onePlan + "\nLoudly.\n"},
	}); err != nil {
		t.Errorf("a change of what lies there: %v", err)
	}
}

func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
