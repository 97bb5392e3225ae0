package core_test

import (
	"strconv"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// managerDeeds are a manager's turns, its tools, and what it is told.
func managerDeeds() map[string]deed {
	me, engine, boss := core.Person("me"), core.Engine(), core.Actor{Kind: core.ActorAgent, ID: "manager.r1.a1"}
	worker := core.Actor{Kind: core.ActorAgent, ID: "web.r1.a1"}
	long := strings.Repeat("wörd ", 1200)
	turn := core.StageOpened{Stage: core.ManagerStage, Round: 2, Base: "c1", Reason: core.OpenWoken}
	watch := turn
	watch.Reason = core.OpenWatchdog
	woken := with(managed, func(r *core.Run) {
		r.Stages[0].Status, r.Stirred, r.Sterile = core.StageDone, happened.Add(-time.Hour), 2
		r.Managing.Wakes, r.Managing.Missed = []core.Wake{{Kind: core.WakeChanges, Subject: "w1"}, {Kind: core.WakeTask, Subject: "t1"}}, 3
		r.Driving.Changes = []core.Changes{{ID: "w1", Text: "a"}, {ID: "w2", Text: long}}
	})
	ended := core.StagePassed{Stage: core.ManagerStage, Round: 1, Commit: "c1"}
	over := func(kind core.WakeKind, deeds ...core.Deed) func() *core.Run {
		return with(managed, func(r *core.Run) {
			r.Managing.Delegations[0].Status, r.Managing.Barren, r.Sterile = core.DelegationDone, 1, 2
			r.Stages[0].Turn = &core.Turn{Wakes: []core.Wake{{Kind: kind, Subject: "w1"}}, Deeds: deeds}
			r.Driving.Changes = []core.Changes{{ID: "w1"}, {ID: "w2"}}
		})
	}
	verdict := core.VerifyConcluded{Task: "api.r1.t1.fix", Attempt: "api.r1.t1.fix.a1", Passed: true}
	review := verdict
	review.Review = &core.Review{Status: core.ReviewChangesRequested, Reason: "why", Findings: []core.Finding{{File: "a.go", Line: 3, Issue: "i"}}}
	worked := with(managed, delegated, func(r *core.Run) { r.Stage("api").Tasks[2].Attempts[0].ID = "api.r1.t1.fix.a1" })
	own := func(change func(*core.Stage)) func() *core.Run { // a line that nobody gave a name
		return with(worked, func(r *core.Run) {
			s := r.Stage("api")
			s.ID, r.Managing.Delegations[0].Stage = "t1", "t1"
			for _, t := range s.Tasks {
				t.Stage = "t1"
			}
			change(s)
		})
	}
	validating := with(managed, func(r *core.Run) {
		s := r.Stage("api")
		s.Tasks, s.Trouble = append(s.Tasks, &core.Task{ID: "v", Stage: "api", Act: core.ActValidate, Status: core.TaskVerifying}), "x"
	})
	full := func(n int) func() *core.Run {
		return with(managed, func(r *core.Run) {
			for i := range n {
				r.Managing.Wakes = append(r.Managing.Wakes, core.Wake{Kind: core.WakeTask, Subject: strconv.Itoa(i)})
			}
		})
	}
	said := func(n int, where string) func() *core.Run {
		return with(managed, func(r *core.Run) {
			r.Talk = append(r.Talk, core.Message{Event: "other", Conversation: "elsewhere"})
			for i := range n {
				r.Talk = append(r.Talk, core.Message{Event: strconv.Itoa(i), Conversation: where})
			}
		})
	}
	answers := func(n int) func() *core.Run {
		return with(turning, func(r *core.Run) {
			r.Answers = nil
			for i := range n {
				r.Answers = append(r.Answers, core.Answer{Question: core.Question{ID: "q" + strconv.Itoa(i), Text: long, Asker: "x", Conversation: "c"}, Text: long, By: "me", Default: true, Planner: true, At: happened})
			}
			r.Questions = []core.Question{{ID: "a"}, {ID: "q", Text: "x", Conversation: "c"}, {ID: "b"}}
		})
	}
	refused := with(turning, func(r *core.Run) {
		r.Managing.Delegations = []*core.Delegation{{ID: "t1", Status: core.DelegationWaiting, Event: "e-cause"}, {ID: "t2", Status: core.DelegationWaiting, Event: "e0", Proposal: core.Proposal{Kind: core.KindCode}}}
		r.Stages[0].Turn.Deeds = []core.Deed{{Subject: "t1"}, {Subject: "t2"}}
	})
	published := with(managed, func(r *core.Run) {
		r.PullRequest = &core.PullRequest{Commit: "c1", State: core.PullRequestOpen, Checks: "pending"}
	})
	open := with(managed, publishable(core.TaskRunning))
	proposal := core.TaskProposed{Delegation: "t2", Call: "c1", Proposal: core.Proposal{Prompt: "Do\nit", Kind: core.KindCode, Line: "api"}}
	failing := func(change func(*core.Task)) func() *core.Run {
		return with(worked, func(r *core.Run) {
			t := r.Task("api.r1.t1.fix")
			t.Status = core.TaskWaiting
			change(t)
		})
	}
	asIs := func(*core.Task) {}
	paused := func(code core.PauseCode, change func(*core.Run)) func() *core.Run {
		return with(managed, func(r *core.Run) {
			r.Status, r.Pause, r.Managing.Barren = core.StatusPaused, &core.Pause{Code: code, From: core.StatusReview}, 2
			change(r)
		})
	}
	quiet := func(*core.Run) {}
	return map[string]deed{
		"a turn begins":                       {woken, decides, turn},
		"a turn begins by the watchdog":       {woken, decides, watch},
		"a turn ends idle":                    {over(core.WakeChanges), decides, ended},
		"a turn ends with a deed":             {over(core.WakeChanges, core.Deed{Tool: core.ToolDelegate}), decides, ended},
		"a turn ends with a deed refused":     {over(core.WakeChanges, core.Deed{Tool: core.ToolDelegate, Refused: "no"}), decides, ended},
		"a turn ends with words to who waits": {over(core.WakeChanges, core.Deed{Tool: core.ToolMessage}), decides, ended},
		"a turn ends with words to an answer": {over(core.WakeAnswer, core.Deed{Tool: core.ToolMessage}), decides, ended},
		"a turn ends with words to a message": {over(core.WakeMessage, core.Deed{Tool: core.ToolMessage}), decides, ended},
		"a turn ends with words to nobody":    {over(core.WakeTask, core.Deed{Tool: core.ToolMessage}), decides, ended},
		"a turn ends idle beside work":        {with(over(core.WakeTask), func(r *core.Run) { r.Managing.Delegations[0].Status = core.DelegationOpen }), decides, ended},
		"a turn ends idle beside a question":  {with(over(core.WakeTask), func(r *core.Run) { r.Questions = []core.Question{{ID: "q"}} }), decides, ended},
		"a turn ends idle beside a draft":     {with(over(core.WakeTask), func(r *core.Run) { r.Managing.PlanProposed = &core.PlanWrite{} }), decides, ended},
		"a turn ends idle beside the plan":    {with(over(core.WakeTask), func(r *core.Run) { r.Driving.PlanWrite = &core.PlanWrite{} }), decides, ended},
		"a turn ends idle beside a check":     {with(over(core.WakeTask), func(r *core.Run) { r.Stage("api").Tasks[0].Status = core.TaskVerifying }), decides, ended},
		"a turn ends idle beside an agent":    {with(over(core.WakeTask), func(r *core.Run) { r.Stage("api").Tasks[0].Last().Status = core.AttemptRunning }), decides, ended},
		"a turn ends idle, all published":     {with(over(core.WakeTask), closed, func(r *core.Run) { r.Driving.Changes, r.Stages[0].Status = nil, core.StageOpen }), decides, ended},
		"a turn ends idle, a wish is left":    {with(over(core.WakeTask), closed, func(r *core.Run) { r.Stages[0].Status = core.StageOpen }), decides, ended},
		"a turn ends idle, a line is left":    {with(over(core.WakeTask), closed, func(r *core.Run) { r.Driving.Changes, r.Stages[1].Status = nil, core.StageOpen }), decides, ended},
		"a turn ends idle, more is verified":  {with(over(core.WakeTask), closed, func(r *core.Run) { r.Driving.Changes, r.Verified = nil, "c9" }), decides, ended},
		"a turn ends without a turn":          {with(managed, func(r *core.Run) { r.Stages[0].Turn = nil }), decides, ended},
		"a person speaks":                     {managed, me, core.MessageSent{Voice: core.VoiceUser, Text: "hello", Call: "c1", Conversation: "c"}},
		"a person speaks at length":           {managed, me, core.MessageSent{Voice: core.VoiceUser, Text: long}},
		"a person speaks twice":               {with(managed, func(r *core.Run) { r.Managing.Wakes = []core.Wake{{Kind: core.WakeMessage}} }), me, core.MessageSent{Voice: core.VoiceUser, Text: "and"}},
		"a person speaks before publishing":   {with(managed, publishable(core.TaskDelivered)), me, core.MessageSent{Voice: core.VoiceUser, Text: "wait"}},
		"a person speaks to the rules":        {with(ruled, publishable(core.TaskDelivered)), me, core.MessageSent{Voice: core.VoiceUser, Text: "wait"}},
		"the manager speaks":                  {turning, boss, core.MessageSent{Voice: core.VoiceGreen, Text: long, Call: "c1"}},
		"a worker speaks":                     {turning, worker, core.MessageSent{Voice: core.VoiceRed, Text: "hello"}},
		"the 30th message of a conversation":  {said(29, ""), me, core.MessageSent{Voice: core.VoiceUser, Text: "x"}},
		"the 31st message of a conversation":  {said(30, ""), me, core.MessageSent{Voice: core.VoiceUser, Text: "x"}},
		"the manager asks":                    {turning, boss, core.QuestionAsked{ID: "q2", Text: long, Default: "no", After: time.Hour, Call: "c1", From: "d1", Blocking: true, About: "k", Conversation: "c"}},
		"the manager asks without a default":  {turning, boss, core.QuestionAsked{ID: "q2", Text: "x", After: time.Hour}},
		"a person answers":                    {answers(1), me, core.QuestionAnswered{ID: "q", Text: long}},
		"nobody answers":                      {answers(1), decides, core.QuestionAnswered{ID: "q", Text: "x", Default: true}},
		"the 50th answer":                     {answers(49), me, core.QuestionAnswered{ID: "q", Text: "x"}},
		"the 51st answer":                     {answers(50), me, core.QuestionAnswered{ID: "q", Text: "x"}},
		"an answer ends the wait for it": {with(answers(1), func(r *core.Run) {
			r.Status, r.Pause = core.StatusPaused, &core.Pause{Code: core.PauseQuestion, From: core.StatusReview}
			r.Stages[1].Trouble = "x"
		}), me, core.QuestionAnswered{ID: "q", Text: "x"}},
		"an answer in another pause": {with(answers(1), func(r *core.Run) {
			r.Status, r.Pause = core.StatusPaused, &core.Pause{Code: core.PausePerson, From: core.StatusReview}
		}), me, core.QuestionAnswered{ID: "q", Text: "x"}},
		"work is proposed by the manager":        {turning, boss, proposal},
		"work is proposed by a person":           {turning, me, proposal},
		"work is taken up":                       {refused, decides, core.TaskAdmitted{Task: "y", Stage: "api", Round: 1, Kind: core.KindReview, Delegation: "t2", Role: "dev", Prompt: "p", Name: "n", Needs: []string{"n"}, Timeout: 5, Attempts: 2, VerifyFirst: true}},
		"work is taken up on the newest impulse": {with(refused, func(r *core.Run) { r.Impulse = core.Impulse{Event: "e-cause", By: me} }), decides, core.TaskAdmitted{Task: "y", Stage: "api", Round: 1, Kind: core.KindFix, Writes: core.WritesCode}},
		"work is refused at once":                {refused, decides, core.TaskRefused{Delegation: "t1", Reason: "no"}},
		"work is refused later":                  {refused, decides, core.TaskRefused{Delegation: "t2", Reason: "no"}},
		"work fails":                             {failing(asIs), decides, core.TaskFailed{Task: "api.r1.t1.fix", Reason: long}},
		"work fails with nothing left":           {failing(func(t *core.Task) { t.Attempts = nil }), decides, core.TaskFailed{Task: "api.r1.t1.fix", Reason: "why"}},
		"documents fail":                         {failing(func(t *core.Task) { t.Writes = core.WritesArtifacts }), decides, core.TaskFailed{Task: "api.r1.t1.fix", Reason: "why"}},
		"an act fails":                           {failing(func(t *core.Task) { t.Act = core.ActMerge }), decides, core.TaskFailed{Task: "api.r1.t1.fix", Reason: "why"}},
		"work is verified":                       {worked, engine, verdict},
		"work of another line is verified":       {with(worked, func(r *core.Run) { r.Managing.Delegations[0].Stage = "web" }), engine, verdict},
		"work is reviewed":                       {worked, engine, review},
		"work to be merged is verified":          {own(func(*core.Stage) {}), engine, verdict},
		"work that changed nothing is verified":  {own(func(s *core.Stage) { s.Base = "c-t1.fix" }), engine, verdict},
		"documents of a line are verified":       {own(func(s *core.Stage) { s.Tasks[2].Writes = core.WritesArtifacts }), engine, verdict},
		"a resolution is verified":               {with(worked, func(r *core.Run) { r.Task("api.r1.t1.fix").Kind = core.KindResolve }), engine, verdict},
		"a merge is done twice":                  {with(worked, merging(core.TaskVerifying), func(r *core.Run) { r.Managing.Wakes = []core.Wake{{Kind: core.WakeTask, Subject: "t1"}} }), engine, core.MergeConcluded{Task: "api.r1.m", Commit: "m", Passed: true}},
		"the 40th wake":                          {full(39), me, core.MessageSent{Voice: core.VoiceUser, Text: "x"}},
		"the 41st wake":                          {full(40), me, core.MessageSent{Voice: core.VoiceUser, Text: "x"}},
		"the plan is proposed":                   {turning, boss, core.PlanProposed{Files: []core.PlanFile{{Name: "plan.md"}}, Message: "m", Call: "c1"}},
		"a call is refused to the manager":       {turning, engine, core.ToolRefused{Attempt: "manager.r1.a1", Tool: core.ToolPlan, Reason: long}},
		"a call is refused to a worker":          {turning, engine, core.ToolRefused{Attempt: "web.r1.a1", Tool: core.ToolPlan, Reason: "no"}},
		"the branch is looked at":                {validating, engine, core.ValidateConcluded{Task: "v", Passed: true}},
		"the branch is looked at and red":        {validating, engine, core.ValidateConcluded{Task: "v", Results: []core.CheckResult{{Check: "go test"}, {Check: "go vet", Passed: true}, {Check: "lint"}}}},
		"the branch cannot be looked at":         {validating, engine, core.ValidateConcluded{Task: "v", Error: "no disk"}},
		"the forge's checks fail":                {published, engine, core.PullRequestSeen{State: core.PullRequestOpen, Checks: core.ChecksFailed, Cursor: "7"}},
		"the forge's checks still fail":          {with(published, func(r *core.Run) { r.PullRequest.Checks = core.ChecksFailed }), engine, core.PullRequestSeen{State: core.PullRequestOpen, Checks: core.ChecksFailed}},
		"the request is open":                    {open, engine, core.PublishConcluded{Task: "publish.r1", OK: true, URL: "u", Number: 7}},
		"resumed after idle turns":               {paused(core.PauseBarren, quiet), me, core.RunResumed{Note: "go"}},
		"resumed after a loop":                   {paused(core.PauseSterile, quiet), me, core.RunResumed{Note: "go"}},
		"resumed after a pause":                  {paused(core.PausePerson, quiet), me, core.RunResumed{Note: "go"}},
		"resumed with the request closed":        {paused(core.PausePerson, func(r *core.Run) { r.PullRequest = &core.PullRequest{State: core.PullRequestClosed} }), me, core.RunResumed{Note: "go"}},
		"resumed with the request open":          {paused(core.PausePerson, func(r *core.Run) { r.PullRequest = &core.PullRequest{State: core.PullRequestOpen} }), me, core.RunResumed{Note: "go"}},
		"resumed in a turn that was refused":     {paused(core.PausePerson, func(r *core.Run) { r.Stages[0].Turn.Deeds = []core.Deed{{Refused: "no"}} }), me, core.RunResumed{Note: "go"}},
		"resumed in a turn that did something":   {paused(core.PausePerson, func(r *core.Run) { r.Stages[0].Turn.Deeds = []core.Deed{{}} }), me, core.RunResumed{Note: "go"}},
	}
}
