package view_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// everything is one event of each type, and several of those with variants.
func everything() []core.Body {
	subject := core.Subject{Stage: "review", Round: 1, Delivery: "4be1a90c77aa", Commit: "deadbeefcafe0123", Ref: "refs/heads/feature/x"}
	return []core.Body{
		core.RunStarted{Run: "r", Alias: "brisk-otter", Title: "Add \x1b[31msearch", Branch: "feature/x", Base: "main"},
		core.ConditionRequested{Stage: "docs"},
		core.ConditionEvaluated{Stage: "docs", Holds: true},
		core.ConditionEvaluated{Stage: "docs", Error: "no such key"},
		core.StageOpened{Stage: "plan", Round: 1, Reason: core.OpenAdvance},
		core.StageOpened{Stage: "build", Round: 2, Reason: core.OpenFeedback},
		core.TaskAdmitted{Task: "build.r2", Role: "developer"},
		core.TaskAdmitted{Task: "publish.r1", Act: core.ActPullRequest},
		core.AttemptRequested{Task: "build.r2", Attempt: "build.r2.a1", N: 1, Base: "deadbeefcafe0123"},
		core.ClaimRefused{Task: "build.r2", Claim: core.Claim{Kind: core.ClaimSlot, Key: "attempts@local", Limit: 2}, Holder: "run/01a1/build.r1.a1"},
		core.ClaimFreed{Task: "build.r2", Claim: core.Claim{Kind: core.ClaimSlot, Key: "attempts@local"}},
		core.AttemptStarted{Attempt: "build.r2.a1", Agent: "claude", Isolation: "sandbox"},
		core.AttemptStarted{Attempt: "build.r2.a2", Agent: "claude", Isolation: "none"},
		core.AttemptStopRequested{Attempt: "build.r2.a1", Reason: "past its time limit"},
		core.UsageObserved{Attempt: "build.r2.a1", Usage: core.Usage{CostUSD: 0.05}},
		core.AttemptExited{Attempt: "build.r2.a1", Kind: core.ExitFinished, Duration: time.Minute, Usage: core.Usage{CostUSD: 0.12}},
		core.AttemptExited{Attempt: "build.r2.a1", Kind: core.ExitFailed, Code: 7, Duration: time.Second},
		core.AttemptExited{Attempt: "build.r2.a1", Kind: core.ExitTimeout, Duration: time.Hour},
		core.AttemptExited{Attempt: "build.r2.a1", Kind: core.ExitCancelled, Message: "on request"},
		core.AttemptExited{Attempt: "build.r2.a1", Kind: core.ExitLost},
		core.AttemptExited{Attempt: "build.r2.a1", Kind: core.ExitNoStart, Message: "claude: not found"},
		core.VerifyRequested{Task: "build.r2", Attempt: "build.r2.a1"},
		core.VerifyConcluded{Attempt: "build.r2.a1", Passed: true, Results: make([]core.CheckResult, 2)},
		core.VerifyConcluded{Attempt: "build.r2.a1", Results: []core.CheckResult{{Check: "command: go test"}, {Check: "x", Passed: true}, {Check: "artifact: a.md"}}},
		core.VerifyConcluded{Attempt: "build.r2.a1", Error: "setup failed"},
		core.BranchMoved{Ref: "refs/heads/feature/x", New: "deadbeefcafe0123"},
		core.ApprovalRequested{Subject: subject},
		core.ApprovalRequested{Subject: subject, Suggestion: "build", Findings: make([]core.Finding, 2)},
		core.ApprovalGranted{Subject: subject, Comment: "fine"},
		core.FeedbackGiven{Stage: "build", Text: "ignore\ncase", Reset: true},
		core.RolledBack{From: "review", Target: "build", Findings: make([]core.Finding, 1)},
		core.RefKept{Ref: "refs/kept/1", Commit: "deadbeefcafe0123", Reason: "reset"},
		core.StagePassed{Stage: "build", Round: 2, Commit: "deadbeefcafe0123"},
		core.StageSkipped{Stage: "docs", Source: core.SkipPerson, Reason: "not now"},
		core.AttemptsReset{Stage: "build"},
		core.TargetChosen{Base: "develop"},
		core.PublishPrepared{Task: "publish.r1", Subject: subject, Passed: true},
		core.PublishRequested{Task: "publish.r1", Title: "feat: search"},
		core.PublishConcluded{Task: "publish.r1", OK: true, URL: "https://example.org/pull/7"},
		core.PublishConcluded{Task: "publish.r1", Reason: "the remote moved"},
		core.RunPaused{Code: core.PauseAttempts, Reason: "3 attempts failed"},
		core.RunResumed{Note: "again"},
		core.RunCompleted{},
		core.RunFailed{Reason: "broken"},
		core.RunCancelled{Reason: "not needed"},
		core.TimerFired{Timer: "wall"},
		core.CommandRefused{Command: "approve", Reason: "not waiting"},
		core.RunSwept{},
		core.PersonNotified{Event: "run/r#7"},
		core.ProjectRegistered{Project: "p", Name: "list"},
		core.ContentTrusted{Hash: "sha256:4be1a90c77aa55", What: "feature.yaml"},
		core.ProjectSpent{Others: core.Spent{CostUSD: 4, Tokens: 1200, Worked: 90 * time.Minute, Attempts: 3}},
		core.ProjectNamed{Name: "shop"},
		core.PlaybookChosen{Playbook: "project-rules"},
		core.ProjectPaused{Reason: "release freeze"},
		core.ProjectResumed{},
		core.ProjectArchived{Reason: "done"},
		core.EpicQueued{Epic: core.Epic{ID: "epic-1", Title: "Greet people"}},
		core.EpicTaken{Epic: "epic-1", Run: "0198c1d2-7000"},
		core.EpicRefused{Epic: "epic-2", Reason: "there is no playbook \"x\""},
		core.EpicRequeued{Epic: "epic-2"},
		core.EpicDropped{Epic: "epic-2", Reason: "no longer wanted"},
		core.StageOpened{Stage: core.PlannerStage, Round: 2, Reason: core.OpenAdvance, Title: "Close wave 1"},
		core.WaveClosed{Course: core.CourseContinue, Reason: "two things can be found out at once"},
		core.WaveClosed{Wave: 1, Course: core.CourseFinish, Reason: "all is known", Notes: []string{"there is no open question q-1"}},
		core.BriefAdmitted{Brief: core.Brief{ID: "survey", Agent: "researcher", Task: "See what is there.\nAll of it."}},
		core.BriefRefused{BriefRefusal: core.BriefRefusal{ID: "poem", Code: "agent", Reason: "there is no role \"poet\""}},
		core.WaveOpened{Wave: 1},
		core.BriefEnded{Delegation: "survey", Status: core.DelegationFailed, Reason: "3 attempts failed"},
		core.BriefEnded{Delegation: "prices", Status: core.DelegationDropped, Reason: "nobody pays"},
		core.CourseRefused{Course: core.CourseFinish, Reasons: []string{"delegation survey is open", "a criterion is unmet"}},
		core.QuestionAsked{ID: "q-1", Text: "Which one?"},
		core.QuestionAsked{ID: "q-2", Text: "Which one?", From: "survey", Blocking: true},
		core.QuestionAsked{ID: "q-3", Text: "Which one?", From: "survey"},
		core.QuestionAnswered{ID: "q-1", Text: "this"},
		core.QuestionAnswered{ID: "q-2", Text: "that", Planner: true, Sources: []string{"f1", "d2"}},
		core.EpicPostponed{Epic: "epic-2", Reason: "git.example cannot be reached"},
	}
}

func TestEvents(t *testing.T) {
	v := plain()
	v.Width = 0
	var lines []string
	var head core.Head
	for i, body := range everything() {
		actor := []core.Actor{core.Engine(), core.Person("ada"), core.Policy("--yes by ada")}[i%3]
		e, next, err := core.Seal("run/r", head, start.Add(time.Duration(i)*time.Second), actor, "", body)
		if err != nil {
			t.Fatal(err)
		}
		head = next
		lines = append(lines, v.Event(e))
	}
	golden(t, "events", strings.Join(lines, "\n")+"\n")
}

func TestEventsOfOtherDaysAndVersions(t *testing.T) {
	v := plain()
	e := core.Event{Type: "Unheard", V: 9, At: start.AddDate(0, 0, -1), Actor: core.Engine(), Body: json.RawMessage(`{}`)}
	if got := v.Event(e); got != "2026-02-28 12:00:00  Unheard             engine    not known to this version" {
		t.Errorf("%q", got)
	}
}

func TestOnlyTheMachineryIsLeftOutOfALiveView(t *testing.T) {
	seen := 0
	for _, body := range everything() {
		if view.Notable(core.TypeOf(body)) {
			seen++
		}
	}
	if seen < 25 || seen == len(everything()) {
		t.Errorf("%d of %d are notable", seen, len(everything()))
	}
	for _, t2 := range []core.Type{core.TypeApprovalRequested, core.TypeRunPaused, core.TypeRunFailed, core.TypeCommandRefused} {
		if !view.Notable(t2) {
			t.Errorf("%s is not shown", t2)
		}
	}
}
