package view_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

func TestEffects(t *testing.T) {
	call := func(second int, attempt, tool, input, outcome, reason string) api.Effect {
		return api.Effect{
			At: start.Add(time.Duration(second) * time.Second), Attempt: attempt, Tool: tool, Input: json.RawMessage(input), Outcome: outcome, Reason: reason,
		}
	}
	lines := plain().Effects(api.Effects{LeftOut: 1200, Total: 1210, Effects: []api.Effect{
		call(-90000, "plan.r1.a1", "Read", `{"file_path":"/w/README.md"}`, api.EffectOK, ""),
		call(1, "build.r1.a1", "Bash", `{"command":"go test ./... \\\n  -race -count=1 -run 'TestSomethingWithAVeryLongName'"}`, api.EffectError, ""),
		call(2, "build.r1.a1", "Write", `{"file_path":"\u001b[2Ja.go","content":"x"}`, api.EffectDenied, "Write is not among the role's tools; it has Read, Grep, Glob and Bash, and nothing else at all"),
		call(3, "build-with-a-very-long-name.r1.a1", "mcp__plugin_stellwerk-docs_context7__query", `{"depth":3}`, api.EffectUnknown, ""),
		call(4, "manager.r4.a1", "delegate-to-red", `{"title":"Add search","prompt":"Do it"}`, api.EffectRefused, "the line api is taken"),
		call(5, "build.r2.a1", "Bash", `{"command":"make"}`, api.EffectRunning, ""),
		call(6, "write.r1.a1", "", ``, api.EffectUnobserved, "the agent command does not report its tool calls, and cannot be told which to use"),
		call(7, "build.r2.a1", "Bash", `"{\"command\": cut"`, api.EffectOK, ""),
		call(8, "build.r2.a1", "ListAgents", `{}`, api.EffectOK, ""),
	}})
	lines = append(append(lines, ""), plain().Effects(api.Effects{})...)
	lines = append(append(lines, ""), plain().Effects(api.Effects{Total: 3})...)
	golden(t, "effects", strings.Join(lines, "\n")+"\n")
	for _, l := range lines {
		if terminal.Width(l) > 80 || strings.ContainsRune(l, 0x1b) {
			t.Errorf("%d columns: %q", terminal.Width(l), l)
		}
	}
}
