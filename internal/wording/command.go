package wording

import (
	"cmp"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Command is what a person types to make a choice.
func Command(c core.Choice) string {
	switch c.Verb {
	case core.VerbJoin:
		return "claude --resume " + c.Session
	case core.VerbShowPlan:
		return "update-plan --show" // as agents know it
	default:
	}
	if option := option(c.Verb); option != "" {
		return option
	}
	return "stellwerk " + arguments(c)
}

// option is what a person adds to the command that was refused; "" for a choice
// that is a command of its own.
func option(verb core.Verb) string {
	return map[core.Verb]string{
		core.VerbWithBase:         "--base BRANCH",
		core.VerbWithBranch:       "--branch NAME",
		core.VerbWithName:         "--id NAME",
		core.VerbWithPlaybook:     "--playbook NAME",
		core.VerbWithProject:      "--project NAME",
		core.VerbWithRepository:   "--repository OWNER/NAME",
		core.VerbWithLocalForge:   "--forge local",
		core.VerbWithSandbox:      "--isolation sandbox",
		core.VerbWithoutIsolation: "--isolation none",
		core.VerbWithTrust:        "--trust",
		core.VerbWithAge:          "--older-than 30d",
		core.VerbWithoutLost:      "--incomplete",
		core.VerbStateFolder:      "--state FOLDER",
	}[verb]
}

func arguments(c core.Choice) string {
	switch c.Verb {
	case core.VerbApprove, core.VerbRetry, core.VerbSkip, core.VerbPause, core.VerbResume, core.VerbCancel, core.VerbMerge,
		core.VerbStatus, core.VerbLog, core.VerbDiff:
		return string(c.Verb) + " " + c.Run
	case core.VerbApproveLeak:
		return "approve " + c.Run + " --with-secrets"
	case core.VerbFastForward:
		return "merge " + c.Run + " --fast-forward"
	case core.VerbFeedback:
		return "feedback " + c.Run + ` "…"`
	case core.VerbRollback:
		return "rollback " + c.Run + " --to " + cmp.Or(c.Stage, "STAGE")
	case core.VerbStop:
		return "pause --stop " + c.Run
	case core.VerbRaise:
		return raising(c)
	case core.VerbTakeOver:
		return "resume " + c.Run + " --session"
	case core.VerbHandBack:
		return "resume " + c.Run + " --headless"
	case core.VerbAnswer:
		return "answer " + c.Question + ` "…"`
	case core.VerbSay:
		return strings.TrimSpace("say "+c.Project) + ` "…"`
	case core.VerbStart:
		return "run"
	case core.VerbStartBranch:
		return "run --branch NAME"
	case core.VerbRestore:
		return "restore BACKUP"
	case core.VerbReplay, core.VerbInbox, core.VerbConversations, core.VerbProjects, core.VerbTrust, core.VerbServe,
		core.VerbCockpit, core.VerbPrune:
		return strings.TrimSpace(string(c.Verb) + " " + c.Run)
	case core.VerbVerifyHistory:
		return "audit verify"
	case core.VerbRebuild:
		return "resume FOLDER"
	case core.VerbCheckStore:
		return "store check"
	case core.VerbMoveStore:
		return "store move --to ADDRESS"
	case core.VerbGiveUpMove:
		return "store move --give-up"
	case core.VerbMigrateStore:
		return "store migrate"
	case core.VerbRuns:
		return "status"
	case core.VerbPlaybooks:
		return "playbook list"
	case core.VerbTokens:
		return "tokens list"
	case core.VerbAddToken:
		return "tokens add NAME --role ROLE"
	case core.VerbAddProject:
		return "projects add"
	case core.VerbOpenConversation:
		return "conversations start NAME"
	case core.VerbProject:
		return "projects show " + c.Project
	case core.VerbQueue:
		return "projects queue " + c.Project
	case core.VerbResumeProject:
		return "projects resume " + c.Project
	case core.VerbDropEpic:
		return "projects drop " + c.Project + " " + cmp.Or(c.Epic, "EPIC")
	case core.VerbRequeueEpic:
		return "projects requeue " + c.Project + " " + cmp.Or(c.Epic, "EPIC")
	case core.VerbJoin, core.VerbShowPlan, core.VerbWithBase, core.VerbWithBranch, core.VerbWithName, core.VerbWithPlaybook, core.VerbWithProject,
		core.VerbWithRepository, core.VerbWithLocalForge, core.VerbWithSandbox, core.VerbWithoutIsolation, core.VerbWithTrust, core.VerbWithAge, core.VerbWithoutLost, core.VerbStateFolder:
		// are no commands of ours
	}
	return string(c.Verb)
}

// raising is the command that raises a limit and lets the run go on.
func raising(c core.Choice) string {
	verb := "resume "
	if c.Limit.OfAttempt() {
		verb = "retry "
	}
	return verb + c.Run + " " + map[core.Limit]string{
		core.LimitCost:            "--max-cost USD",
		core.LimitTokens:          "--max-tokens N",
		core.LimitProjectCost:     "--max-project-cost USD",
		core.LimitProjectTokens:   "--max-project-tokens N",
		core.LimitProjectTime:     "--max-project-time D",
		core.LimitProjectAttempts: "--max-project-attempts N",
		core.LimitAttemptCost:     "--max-attempt-cost USD",
		core.LimitAttemptTokens:   "--max-attempt-tokens N",
	}[c.Limit]
}
