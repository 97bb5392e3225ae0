package wording_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func TestAdvice(t *testing.T) {
	r := &core.Run{Alias: "calm-fox"}
	raise := core.Choice{Verb: core.VerbRaise, Run: "calm-fox", Limit: core.LimitProjectCost}
	for want, c := range map[string]struct {
		code   core.PauseCode
		advice core.Advice
	}{
		"":                                      {"", core.Advice{}},
		"wait":                                  {"", core.Advice{Hint: "wait"}},
		"see `stellwerk status calm-fox`":       {"", core.Advice{Choices: r.Choices(core.VerbStatus)}},
		"look again: `stellwerk diff calm-fox`": {"", core.Advice{Hint: "look again", Choices: r.Choices(core.VerbDiff)}},
		"`stellwerk approve calm-fox`, or `stellwerk feedback calm-fox \"…\"`": {"", core.Advice{Choices: r.Choices(core.VerbApprove, core.VerbFeedback)}},
		"have it taken out: `stellwerk status calm-fox`; then `stellwerk approve calm-fox --with-secrets`": {
			"", core.Advice{Hint: "have it taken out", Choices: r.Choices(core.VerbStatus, core.VerbApproveLeak)},
		},
		"raise it: `stellwerk resume calm-fox --max-project-cost USD`": {"", core.Advice{Hint: "raise it", Choices: []core.Choice{raise}}},
		"`stellwerk resume calm-fox --max-project-cost USD` raises it for this run, `limits.project.cost_usd` in your settings for later ones": {
			core.PauseBudget, core.Advice{Choices: []core.Choice{raise}},
		},
		"`stellwerk status calm-fox` shows why; then `stellwerk retry calm-fox`, `stellwerk feedback calm-fox \"…\"`, or `stellwerk skip calm-fox`; a higher `resources.memory` in your settings is for new runs": {
			core.PauseAttempts, core.Advice{Choices: append(r.Choices(core.VerbStatus, core.VerbRetry, core.VerbFeedback, core.VerbSkip), core.Choice{Verb: core.VerbRaise, Limit: core.ResourceLimit("memory")})},
		},
		"`stellwerk resume calm-fox` tries again, `stellwerk rollback calm-fox --to STAGE` does that stage again": {core.PausePublish, core.Advice{Choices: r.Choices(core.VerbResume, core.VerbRollback)}},
		"this is a defect: `stellwerk replay calm-fox` shows how it came about":                                   {core.PauseUnlawful, core.Advice{Hint: "this is a defect", Choices: r.Choices(core.VerbReplay)}},
		"say what it is to do: `stellwerk say \"…\"`; `stellwerk resume calm-fox` lets it try again": {
			core.PauseBarren, core.Advice{Hint: "say what it is to do", Choices: append([]core.Choice{{Verb: core.VerbSay}}, r.Choices(core.VerbResume)...)},
		},
	} {
		if got := wording.Advice(c.code, c.advice); got != want {
			t.Errorf("it says\n%s, want\n%s", got, want)
		}
	}
}

// TestEachVerbHasItsOwnCommand: no two verbs, and no two limits, are typed alike.
func TestEachVerbHasItsOwnCommand(t *testing.T) {
	verbs := []core.Verb{
		core.VerbApprove, core.VerbApproveLeak, core.VerbFeedback, core.VerbRollback, core.VerbRetry, core.VerbSkip, core.VerbPause,
		core.VerbStop, core.VerbResume, core.VerbRaise, core.VerbTakeOver, core.VerbJoin, core.VerbHandBack, core.VerbCancel, core.VerbMerge,
		core.VerbFastForward, core.VerbAnswer, core.VerbSay, core.VerbStart, core.VerbStartBranch, core.VerbResumeProject, core.VerbDropEpic,
		core.VerbRequeueEpic, core.VerbRestore, core.VerbRebuild, core.VerbStateFolder, core.VerbStatus, core.VerbLog, core.VerbDiff,
		core.VerbReplay, core.VerbRuns, core.VerbInbox, core.VerbProjects, core.VerbProject, core.VerbQueue, core.VerbConversations,
		core.VerbShowPlan, core.VerbTrust, core.VerbAddProject, core.VerbOpenConversation, core.VerbServe, core.VerbCockpit, core.VerbAddToken,
		core.VerbPlaybooks, core.VerbTokens, core.VerbPrune, core.VerbVerifyHistory, core.VerbWithBase, core.VerbWithBranch, core.VerbWithName, core.VerbWithPlaybook, core.VerbWithProject,
		core.VerbWithRepository, core.VerbWithLocalForge, core.VerbWithSandbox, core.VerbWithoutIsolation, core.VerbWithTrust, core.VerbWithAge,
	}
	var lines []string
	for _, verb := range verbs {
		if verb != core.VerbRaise {
			lines = append(lines, wording.Command(core.Choice{Verb: verb, Run: "r", Question: "q", Project: "p", Session: "s"}))
		}
	}
	for _, limit := range core.KnownLimits() {
		line := wording.Command(core.Choice{Verb: core.VerbRaise, Run: "r", Limit: limit})
		if !strings.Contains(line, " --max-") {
			t.Errorf("%s is raised with %q", limit, line)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	if unique := slices.Compact(slices.Clone(lines)); len(unique) != len(verbs)-1+len(core.KnownLimits()) {
		t.Errorf("%d commands: %q", len(unique), lines)
	}
}
