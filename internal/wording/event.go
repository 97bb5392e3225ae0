// Package wording says in plain words what the engine has to tell, for a terminal or a
// page. It is pure. It repeats what agents and repositories wrote as they wrote it:
// whoever shows its words makes them harmless first. It does not know how they are
// laid out, and reads, asks and decides nothing.
package wording

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Event says what happened, and the details. An event that this version does not know
// is named all the same: people must be able to look at any history.
func Event(e core.Event) (what, detail string) {
	body, err := core.Decode(e)
	if e.Erased() {
		return string(e.Type), "its content was erased"
	}
	if err != nil {
		return string(e.Type), "not known to this version"
	}
	switch b := body.(type) {
	case core.RunStarted:
		where := "on " + b.Branch + " from "
		if b.Playbook.Kind != "" && !b.Playbook.MakesBranch() {
			where = "documents from "
		}
		return "run started", b.Alias + ": " + b.Title + " " + where + b.Base
	case core.ConditionRequested:
		return "condition asked", b.Stage
	case core.ConditionEvaluated:
		return "condition answered", fmt.Sprintf("%s: %s", b.Stage, cmp.Or(b.Error, fmt.Sprint(b.Holds)))
	case core.StageOpened:
		if b.Stage == core.ManagerStage {
			return "turn begins", fmt.Sprintf("manager: turn %d", b.Round)
		}
		if b.Stage == core.PlannerStage && b.Title != "" {
			return "planner begins", b.Title
		}
		if b.Round > 1 {
			return "stage opened", fmt.Sprintf("%s, round %d (%s)", b.Stage, b.Round, b.Reason)
		}
		return "stage opened", b.Stage
	case core.TaskAdmitted:
		return "task admitted", fmt.Sprintf("%s for %s", b.Task, cmp.Or(b.Role, string(b.Act)))
	case core.TeamReduced:
		return "team reduced", b.Reason
	case core.AttemptRequested:
		return "attempt requested", fmt.Sprintf("%s from %s", b.Attempt, Short(b.Base))
	case core.ClaimRefused:
		return "has to wait", Colon(b.Task, Taken(b.Claim, nil))
	case core.ClaimFreed:
		return "may go on", Colon(b.Task, "a slot is free")
	case core.AttemptStarted:
		isolation := b.Isolation
		if isolation == "none" {
			isolation = "unenforced"
		}
		return "attempt started", fmt.Sprintf("%s with %s, %s", b.Attempt, b.Agent, isolation)
	case core.AttemptStopRequested:
		return "attempt stopping", fmt.Sprintf("%s: %s", b.Attempt, b.Reason)
	case core.AttemptExited:
		what, detail = exited(b)
		return what, detail + rejected(b.Delivery)
	case core.UsageObserved:
		return "spent so far", b.Attempt + cost(b.Used())
	case core.AllowanceReserved:
		return allowed(b)
	case core.ProjectSpent:
		return "project spent", fmt.Sprintf("%s, %s, %s of work, %s in other runs", Expense(b.Others.Cost()), Tokens(b.Others.Tokens), Duration(b.Others.Worked), cmp.Or(Count(b.Others.Attempts, "attempt"), "no attempt"))
	case core.VerifyRequested:
		if b.Fresh {
			return "checks begin", b.Task + ", all of them again"
		}
		return "checks begin", cmp.Or(b.Attempt, b.Task)
	case core.VerifyConcluded:
		return verified(b)
	case core.BranchMoved:
		return "branch moved", fmt.Sprintf("%s to %s", b.Ref, Short(b.New))
	case core.ApprovalRequested:
		return "waiting for you", asked(b)
	case core.ApprovalGranted:
		if b.WithLeaks {
			return "approved", Colon(b.Subject.Stage+", with what looks like secrets", b.Comment)
		}
		return "approved", Colon(b.Subject.Stage, b.Comment)
	case core.FeedbackGiven:
		return "feedback", Colon(b.Stage+reset(b.Reset), b.Text)
	case core.RolledBack:
		return "rolled back", Colon(fmt.Sprintf("%s to %s%s", b.From, b.Target, reset(b.Reset)), cmp.Or(b.Text, Count(len(b.Findings), "finding")))
	case core.RefKept:
		return "work kept", Colon(fmt.Sprintf("%s at %s", Short(b.Commit), b.Ref), b.Reason)
	case core.StagePassed:
		if b.Stage == core.ManagerStage {
			return "turn ended", fmt.Sprintf("manager: turn %d", b.Round)
		}
		return "stage passed", fmt.Sprintf("%s at %s", b.Stage, Short(b.Commit))
	case core.StageSkipped:
		return "stage skipped", Colon(fmt.Sprintf("%s by %s", b.Stage, b.Source), b.Reason)
	case core.AttemptsReset:
		if b.Limits != nil {
			return "attempts granted", Colon(b.Stage, AttemptLimits(*b.Limits))
		}
		return "attempts granted", b.Stage
	case core.TargetChosen:
		return "target chosen", b.Base
	case core.PlanRead:
		return planRead(b)
	case core.PlanWriteRequested:
		return "plan to change", b.Message
	case core.PlanUpdated:
		return "plan changed", fmt.Sprintf("%s, %s", Short(b.Plan.Commit), Count(len(b.Plan.Steps), "step"))
	case core.MergeConcluded:
		return merged(b)
	case core.StageDiscarded:
		return "branch given up", Colon(fmt.Sprintf("%s, round %d", b.Stage, b.Round), b.Reason)
	case core.ChangesRequested:
		return "changes wanted", Colon(b.Source, b.Text)
	case core.ReviewAwaited:
		return "waiting for review", ""
	case core.MergeGranted:
		return "merge granted", fmt.Sprintf("%s into %s at %s, as %s", Short(b.Commit), b.Base, Short(b.Tip), Short(b.Merge))
	case core.MergeFailed:
		return "merge failed", b.Reason
	case core.PullRequestSeen:
		return "pull request", stands(b)
	case core.MessageSent:
		return said(b.Voice), b.Text
	case core.QuestionAsked:
		return "asks you", questionAsked(b)
	case core.QuestionAnswered:
		return questionAnswered(b)
	case core.WaveOpened, core.WaveClosed, core.BriefAdmitted, core.BriefRefused, core.BriefEnded, core.CourseRefused:
		return describeWave(b)
	case core.TaskProposed:
		return "delegated", Colon(b.Delegation, b.Proposal.Name())
	case core.TaskRefused:
		return "not taken on", Colon(b.Delegation, b.Reason)
	case core.TaskFailed:
		return "given up", Colon(b.Task, b.Reason)
	case core.PlanProposed:
		return "plan proposed", b.Message
	case core.DetailFetched:
		return "detail read", cmp.Or(b.Name, "the list of all")
	case core.ToolRefused:
		return "tool refused", Colon(string(b.Tool)+" to "+b.Attempt, b.Reason)
	case core.ValidateConcluded:
		return validated(b)
	case core.PlaybookSwapped:
		return "playbook changed", b.Playbook.Name
	case core.PublishPrepared:
		return prepared(b)
	case core.PublishRequested:
		return "publishing", b.Title
	case core.PublishConcluded:
		if b.OK {
			return "published", b.URL
		}
		return "publishing failed", b.Reason
	case core.RunPaused:
		return "paused", listed(b.Reason)
	case core.RunResumed:
		return "resumed", b.Note
	case core.RunCompleted:
		return "run completed", ""
	case core.RunFailed:
		return "run failed", b.Reason
	case core.RunCancelled:
		return "run cancelled", b.Reason
	case core.SessionTook:
		return "taken over", cmp.Or(b.Session, "by the engine")
	case core.WordGiven:
		return "said in session", Colon(b.Session, b.Text)
	case core.TimerFired:
		return "timer", b.Timer
	case core.CommandRefused:
		return "refused", Colon(b.Command, b.Reason)
	case core.RunSwept:
		return "workspaces removed", ""
	case core.PersonNotified:
		_, seq, _ := strings.Cut(b.Event, "#")
		return "notice", "of event " + cmp.Or(seq, b.Event) + " of this run, as your notify settings say"
	case core.ProjectRegistered:
		return "project registered", b.Name
	case core.ContentTrusted:
		return "content trusted", Colon(b.What, Short(b.Hash))
	case core.ProjectNamed, core.PlaybookChosen, core.ProjectPaused, core.ProjectResumed, core.ProjectArchived, core.ProjectErased,
		core.EpicQueued, core.EpicTaken, core.EpicPostponed, core.EpicRefused, core.EpicRequeued, core.EpicDropped,
		core.ConversationOpened, core.ConversationNamed:
		return describeProject(b)
	}
	return string(e.Type), ""
}

// said is who speaks to whom.
func said(v core.Voice) string {
	switch v {
	case core.VoiceGreen:
		return "manager says"
	case core.VoiceRed:
		return "worker says"
	case core.VoiceBlue:
		return "said for people"
	case core.VoiceUser:
	}
	return "said"
}

func validated(b core.ValidateConcluded) (what, detail string) {
	switch {
	case b.Error != "":
		return "checks failed to run", b.Error
	case b.First && b.Passed:
		return "done already", fmt.Sprintf("%s: its checks hold on %s, nobody is started", b.Task, Short(b.Commit))
	case b.First:
		return "looked first", b.Task + ": its checks do not hold yet"
	case b.Passed:
		return "branch validated", Short(b.Commit)
	}
	return "branch is red", Short(b.Commit)
}

func exited(b core.AttemptExited) (what, detail string) {
	detail = b.Attempt
	if b.Duration > 0 {
		detail += " after " + Duration(b.Duration)
	}
	detail += cost(b.Used())
	if b.Metered != nil && b.Metered.Disputed(b.Usage) {
		detail += ", " + Metered(*b.Metered, b.Usage)
	}
	switch b.Kind {
	case core.ExitFinished:
		return "attempt finished", detail
	case core.ExitFailed:
		return "attempt failed", Colon(detail, cmp.Or(b.Message, fmt.Sprintf("exit status %d", b.Code)))
	case core.ExitTimeout:
		return "attempt timed out", detail
	case core.ExitCancelled:
		return "attempt stopped", Colon(detail, b.Message)
	case core.ExitLost:
		return "attempt lost", Colon(detail, b.Message)
	case core.ExitNoStart:
		return "start failed", Colon(b.Attempt, b.Message)
	}
	return "attempt ended", Colon(detail, b.Message)
}

// rejected names what was handed in and not accepted.
func rejected(d *core.Delivery) string {
	if d == nil || len(d.Rejected) == 0 {
		return ""
	}
	return "; not accepted: " + strings.Join(d.Rejected, "; ")
}

func verified(b core.VerifyConcluded) (what, detail string) {
	if b.Error != "" {
		return "checks failed", Colon(b.Attempt, b.Error)
	}
	if b.Passed {
		return "checks passed", fmt.Sprintf("%s: %d of %d", b.Attempt, len(b.Results), len(b.Results))
	}
	return "checks failed", Colon(b.Attempt, strings.Join(failing(b.Results), "; "))
}

func planRead(b core.PlanRead) (what, detail string) {
	switch {
	case b.Error != "":
		return "plan unreadable", listed(b.Error)
	case !b.Found:
		return "no plan yet", ""
	}
	return "plan found", Count(len(b.Plan.Steps), "step")
}

func merged(b core.MergeConcluded) (what, detail string) {
	switch {
	case b.Error != "":
		return "merge failed", Colon(b.Task, b.Error)
	case len(b.Conflicts) > 0:
		return "merge conflicts", Colon(b.Task, strings.Join(b.Conflicts, ", "))
	case !b.Passed:
		return "merge failed", Colon(b.Task, strings.Join(failing(b.Results), "; "))
	}
	return "merged", fmt.Sprintf("%s as %s", b.Task, Short(b.Commit))
}

func prepared(b core.PublishPrepared) (what, detail string) {
	switch {
	case b.Error != "":
		return "checks failed", Colon(b.Task, b.Error)
	case !b.Passed:
		return "checks failed", Colon(b.Task, strings.Join(failing(b.Results), "; "))
	}
	detail = fmt.Sprintf("%s to %s", Short(b.Subject.Commit), b.Subject.Ref)
	if n := len(b.Results); n > 0 {
		detail += ", " + Count(n, "check") + " passed"
	}
	if n := core.Places(b.Leaks); n > 0 {
		detail += ", " + Count(n, "place") + " to look at for secrets"
	}
	return "ready to publish", detail
}

func failing(results []core.CheckResult) []string {
	var failed []string
	for _, r := range results {
		switch {
		case r.Passed:
		case r.Kind == core.CheckOutput, r.Kind == core.CheckDecision:
			failed = append(failed, mistake(r))
		default:
			failed = append(failed, r.Check)
		}
	}
	return failed
}

// mistake is the first thing that is wrong with a document of a run in waves: the name
// of the check alone says nothing.
func mistake(r core.CheckResult) string {
	first, rest, _ := strings.Cut(r.Detail, "\n")
	second, _, _ := strings.Cut(rest, "\n")
	switch {
	case first == "":
		return r.Check
	case second == "":
		return first
	case strings.HasSuffix(first, ":"):
		return first + " " + strings.TrimPrefix(second, "- ")
	}
	return first + ". " + second
}

func asked(b core.ApprovalRequested) string {
	detail := b.Subject.Stage
	var skips []string
	for _, s := range b.Skips {
		skips = append(skips, s.Stage)
	}
	if len(skips) > 0 {
		detail += ": would skip " + strings.Join(skips, ", ")
	}
	if n := len(b.Findings); n > 0 {
		detail += ": " + Count(n, "finding")
	}
	if n := core.Places(b.Leaks); n > 0 {
		detail += ": " + Count(n, "place") + " may be a secret"
	}
	if b.Suggestion != "" {
		detail += ", suggests going back to " + b.Suggestion
	}
	return detail
}

// stands says how a pull request stands on its forge.
func stands(b core.PullRequestSeen) string {
	parts := []string{cmp.Or(string(b.State), "seen")}
	if b.Merge != "" {
		parts[0] += " as " + Short(b.Merge)
	}
	if b.Checks != "" {
		parts = append(parts, "checks "+b.Checks)
	}
	if b.Preview != "" {
		parts = append(parts, "preview "+b.Preview)
	}
	return strings.Join(parts, ", ")
}

func reset(on bool) string {
	if on {
		return " (from before the stage)"
	}
	return ""
}

// allowed says what an attempt may spend, and which limit keeps it from more.
func allowed(b core.AllowanceReserved) (what, detail string) {
	var parts []string
	if b.USD > 0 {
		parts = append(parts, Money(b.USD))
	}
	if b.Tokens > 0 {
		parts = append(parts, Tokens(b.Tokens))
	}
	detail = b.Attempt + " may spend " + cmp.Or(strings.Join(parts, " and "), "nothing")
	switch {
	case b.Returned:
		return "allowance given back", detail
	case b.Refused:
		return "allowance refused", detail + " and no more: " + b.Short.Reason
	case b.Short != nil:
		return "allowance reserved", detail + ", less than it wants: " + b.Short.Reason
	}
	return "allowance reserved", detail
}

// Metered is what a broker metered of an attempt whose agent claims something else.
func Metered(metered, claimed core.Usage) string {
	return fmt.Sprintf("metered %s and %s, claimed %s and %s", Money(metered.CostUSD), Tokens(metered.Tokens()), Money(claimed.CostUSD), Tokens(claimed.Tokens()))
}

func cost(u core.Usage) string {
	if u.CostUSD == 0 {
		return ""
	}
	return ", " + Money(u.CostUSD)
}

// listed joins the lines of a text.
func listed(text string) string { return strings.ReplaceAll(text, "\n", "; ") }
