package core

import (
	"fmt"
	"slices"
	"time"
)

// Fold applies an event to a run and returns the new state. It consumes its
// argument: the caller uses only what is returned. r is nil before the first
// event. Fold does not judge; what may happen is Law's business, and an event
// in a store has passed it.
func Fold(r *Run, e Event) (*Run, error) {
	body, err := Decode(e)
	if err != nil {
		return r, err
	}
	return FoldBody(r, e, body), nil
}

// FoldBody is Fold for a caller that has the decoded body at hand.
func FoldBody(r *Run, e Event, body Body) *Run {
	if started, ok := body.(RunStarted); ok {
		r = begin(e, started)
	}
	r.Stream.Seq, r.Stream.At = e.Seq, e.At
	countDecision(r, e)
	if e.Cause == "" {
		r.Impulse = Impulse{Event: e.ID, By: e.Actor}
		r.Others.HeldUSD, r.Others.HeldTokens = 0, 0 // known for one step
	}
	before := r.Status
	apply(r, e, body)
	stir(r, e)
	spend(r, e)
	if to, allowed := RunNext(r.Status, e.Type); allowed && e.Type != TypeRunStarted {
		r.Status = to
	}
	keepTime(r, before)
	return r
}

// keepTime leaves the time in which a run waited for a person out of its wall
// time.
func keepTime(r *Run, before RunStatus) {
	switch {
	case before == StatusActive && r.Status != StatusActive:
		r.WaitsSince = r.Now()
	case before != StatusActive && r.Status == StatusActive && !r.WaitsSince.IsZero():
		r.ClockFrom = r.ClockFrom.Add(r.Now().Sub(r.WaitsSince))
		r.WaitsSince = time.Time{}
	}
}

func begin(e Event, b RunStarted) *Run {
	playbook := b.Playbook
	r := &Run{
		ID: b.Run, Alias: b.Alias, Project: b.Project, Goal: b.Goal, Title: b.Title, Issue: b.Issue,
		Playbook: &playbook, Limits: b.Limits, Base: b.Base, BaseCommit: b.BaseCommit,
		Branch: b.Branch, Remote: b.Remote, Forge: b.Forge, Isolation: b.Isolation,
		ForgeURL: b.ForgeURL, Repository: b.Repository, Home: b.Home,
		Identity: b.Identity, Policy: b.Policy, Options: b.Options, Session: b.Session, Conversation: b.Conversation, Preflight: b.Preflight,
		Network:   b.Network,
		Resources: b.Resources,
		Status:    StatusActive, Head: b.BaseCommit, Verified: b.BaseCommit, StartedAt: e.At, ClockFrom: e.At,
	}
	for _, p := range playbook.Phases {
		r.Stages = append(r.Stages, &Stage{ID: p.ID, Status: StagePending})
	}
	if r.ByWaves() {
		r.Waves = &Waves{}
	}
	wake(r, e, Wake{Kind: WakeEpic})
	return r
}

// countDecision counts the steps that decided something since the last
// progress. Decisions of one step share their cause and count once.
func countDecision(r *Run, e Event) {
	if e.Actor.Kind == ActorPerson && e.Type != TypeCommandRefused {
		r.Sterile, r.AutoRounds, r.Managing.Barren = 0, 0, 0
		if r.Waves != nil {
			r.Waves.Idle = 0
		}
		return
	}
	if e.Actor.Kind != ActorDecider || e.Cause == r.LastDecision {
		return
	}
	switch e.Type {
	case TypeStageOpened:
		if r.Managed() {
			return // a manager may open many at a time; each try of their work counts
		}
		fallthrough
	case TypeAttemptRequested, TypeRolledBack, TypeApprovalRequested:
		r.Sterile++
		r.LastDecision = e.Cause
	default: // not counted: only the above start work, or ask for it, anew
	}
}

// apply is the one place where an event changes a run.
func apply(r *Run, e Event, body Body) {
	switch b := body.(type) {
	case RunPaused:
		if r.Pause != nil { // asked to stop what a pause let go on, or paused with its project
			r.Pause.Stop = r.Pause.Stop || b.Stop
			if r.Pause.Code == PauseQuestion { // an answer alone is then no leave to go on
				r.Pause.Code, r.Pause.Reason, r.Pause.Advice = b.Code, b.Reason, b.Advice
			}
			break
		}
		r.Pause = &Pause{Code: b.Code, Stage: b.Stage, Reason: b.Reason, Advice: b.Advice, At: e.At, From: r.Status, Stop: b.Stop}
		r.Tell = append(r.Tell, e.ID)
	case RunResumed:
		resume(r, e, b)
	case RunCompleted:
		end(r, e, "")
	case RunFailed:
		end(r, e, b.Reason)
	case RunCancelled:
		end(r, e, b.Reason)
	case ConditionRequested:
		asked(r.Stage(b.Stage), e)
	case ConditionEvaluated:
		answered(r.Stage(b.Stage), b)
	case StageOpened:
		open(opened(r, b), b)
	case StagePassed:
		passed(r, b)
	case StageSkipped:
		skip(r, e, b)
	case FeedbackGiven:
		sentBack(r, e, SentBack{From: b.Stage, To: b.Stage, Text: b.Text})
		sendBack(r, r.Stage(b.Stage), OpenFeedback, &Hotfix{By: e.Actor, Text: b.Text}, b.Reset)
	case RolledBack:
		rollBack(r, e, b)
	case ApprovalRequested:
		ask(r, e, b)
	case ApprovalGranted:
		approve(r, e, b)
	case AttemptsReset:
		resetAttempts(r, r.Stage(b.Stage))
		if b.Limits != nil {
			r.Limits.Attempt = *b.Limits
		}
	case TaskAdmitted:
		admit(r, e, b)
	case TeamReduced:
		reduce(r.Stage(b.Stage), b)
	case AttemptRequested:
		requested(r, e, b)
	case AttemptStarted:
		started(r, e, b)
	case AttemptStopRequested:
		stopping(r, e, b)
	case UsageObserved:
		metered(r, b)
	case ProjectSpent:
		told(r, b)
	case AllowanceReserved:
		reserved(r, b)
	case AttemptExited:
		exited(r, e, b)
	case VerifyRequested:
		t := r.Task(b.Task)
		t.Status, t.Event = TaskVerifying, e.ID
	case VerifyConcluded:
		verified(r, e, b)
		if t := r.Task(b.Task); t != nil && t.Status == TaskDone {
			workVerified(r, e, t)
			waveVerified(r, t, b)
		}
	case ClaimRefused:
		claim := b.Claim
		r.Task(b.Task).Blocked = &claim
	case ClaimFreed:
		unblock(r, b)
	case TargetChosen:
		r.Target = b.Base
		lapse(r.Gated())
	case SessionTook:
		r.Session, r.Word = b.Session, nil
	case WordGiven:
		r.Word = &Word{Means: b.Means, Text: b.Text, Subject: b.Subject, At: e.At}
	case PublishPrepared:
		prepared(r, b)
	case PublishRequested:
		t := r.Task(b.Task)
		t.Status, t.Event, t.Publishing = TaskRunning, e.ID, &b
	case PublishConcluded:
		published(r, e, b)
	case BranchMoved:
		branchMoved(r, b)
	case PlanRead:
		planRead(r, b)
	case PlanWriteRequested:
		r.Driving.PlanWrite = &PlanWrite{Event: e.ID, Artifact: b.Artifact, Done: b.Done, Files: b.Files, Message: b.Message}
		if len(b.Files) > 0 {
			r.Managing.PlanProposed = nil
		}
	case PlanUpdated:
		planUpdated(r, b)
	case MergeConcluded:
		mergeConcluded(r, e, b)
	case StageDiscarded:
		discard(r, e, b)
		workDiscarded(r, b)
	case ChangesRequested:
		changesRequested(r, e, b)
	case MergeGranted:
		mergeGranted(r, e, b)
	case MergeFailed:
		r.PullRequest.Grant.Failed = &b
	case PullRequestSeen:
		pullRequestSeen(r, e, b)
	case MessageSent:
		messageSent(r, e, b)
	case QuestionAsked:
		questionAsked(r, e, b)
	case QuestionAnswered:
		questionAnswered(r, e, b)
	case TaskProposed:
		taskProposed(r, e, b)
	case TaskRefused:
		taskRefused(r, e, b)
	case TaskFailed:
		taskFailed(r, e, b)
	case PlanProposed:
		planProposed(r, e, b)
	case ToolRefused:
		toolRefused(r, b)
	case DetailFetched:
		detailFetched(r, e)
	case ValidateConcluded:
		validated(r, e, b)
	case PlaybookSwapped:
		swapped(r, e, b)
	case WaveOpened:
		waveOpened(r, e, b)
	case WaveClosed:
		waveClosed(r, b)
	case BriefAdmitted:
		briefAdmitted(r, b)
	case BriefRefused:
		briefRefused(r, b)
	case BriefEnded:
		r.End(b)
	case CourseRefused:
		courseRefused(r, e, b)
	case RefKept:
		r.Keep = slices.DeleteFunc(r.Keep, func(k HoldRef) bool { return k.Ref == b.Ref })
		r.Kept++
	case RunSwept:
		r.Swept = true
	case PersonNotified:
		r.Tell = slices.DeleteFunc(r.Tell, func(id string) bool { return id == b.Event })
	case ReviewAwaited:
		r.Tell = append(r.Tell, e.ID)
	case RunStarted, TimerFired, CommandRefused, ProjectRegistered, ContentTrusted,
		ProjectNamed, PlaybookChosen, ProjectPaused, ProjectResumed, ProjectArchived, ProjectErased,
		EpicQueued, EpicTaken, EpicPostponed, EpicRefused, EpicRequeued, EpicDropped, ConversationOpened, ConversationNamed:
		// They begin, bring the time or leave a trace; nothing more follows here.
	}
}

func resume(r *Run, e Event, b RunResumed) {
	if r.Pause != nil {
		if resumeWakes(r) {
			r.Managing.Barren = 0
			wake(r, e, Wake{Kind: WakePerson, Text: b.Note})
		}
		r.Status = r.Pause.From
		if r.Pause.Code == PauseWall {
			r.Granted += r.WaitsSince.Sub(r.ClockFrom)
			r.ClockFrom = r.WaitsSince // the same time again, from now on
		}
	}
	if b.Limits != nil {
		r.Limits = *b.Limits
	}
	if r.Driving.Plan != nil && r.Driving.Plan.Trouble != "" && !r.ByManager() {
		r.Driving.Plan = nil // to be read again
	}
	if r.PullRequest != nil && r.PullRequest.State == PullRequestClosed {
		r.PullRequest = nil // to be opened anew
	}
	clearTrouble(r)
}

// clearTrouble lets a run go on after a person's word.
func clearTrouble(r *Run) {
	r.Pause, r.Unfunded = nil, ""
	for _, s := range r.Stages {
		s.Trouble = ""
	}
}

func end(r *Run, e Event, reason string) {
	at := e.At
	r.EndedAt, r.EndReason, r.Pause = &at, reason, nil
	r.Tell = append(r.Tell, e.ID)
}

// abandon notes commit to be held under a ref before anything leaves it behind.
func abandon(r *Run, commit, reason string) {
	if commit == "" || commit == r.BaseCommit {
		return
	}
	n := r.Kept + len(r.Keep) + 1
	r.Keep = append(r.Keep, HoldRef{Ref: fmt.Sprintf("refs/kept/%s/%d", r.ID, n), Commit: commit, Reason: reason})
}
