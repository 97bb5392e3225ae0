package app_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const onePlan = "# Plan: greet\n\n## Steps\n\n### [ ] 1. Say hello\n\nWrite it.\n"

// TestAPlanThatCannotBeCommittedIsRefused: what git would not take must not stand
// in the way of every later change.
func TestAPlanThatCannotBeCommittedIsRefused(t *testing.T) {
	b := newBooth(t)
	b.say("greet the world")
	boss, _ := b.turns(1)
	ctx, cancel := context.WithTimeout(boss, 20*time.Second)
	defer cancel()
	for name, req := range map[string]api.UpdatePlan{
		"a message with a zero byte": {Message: "a\x00b", Files: map[string]string{"plan.md": onePlan}},
		"a name over two lines":      {Message: "x", Files: map[string]string{"a\nb.md": "x"}},
		"a name without an end":      {Message: "x", Files: map[string]string{strings.Repeat("a", 300) + ".md": "x"}},
		"a long message":             {Message: strings.Repeat("m", 100<<10), Files: map[string]string{"plan.md": onePlan}},
	} {
		if _, err := b.app.UpdatePlan(ctx, b.run.ID, req); core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	plan, err := b.app.UpdatePlan(ctx, b.run.ID, api.UpdatePlan{Message: "the plan", Files: map[string]string{"plan.md": onePlan, "Über uns.md": "x"}})
	if err != nil || plan.Files["plan.md"] != onePlan {
		t.Errorf("%+v, %v", plan, err)
	}
}
