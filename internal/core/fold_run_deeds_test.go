package core_test

import (
	"strconv"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// steerDeeds are what happens to a run as a whole, and to the order of its stages.
func steerDeeds() map[string]deed {
	me, engine := core.Person("me"), core.Engine()
	review, raised := with(phased, atReview), core.Limits{Attempts: 9, CostUSD: 5}
	paused := func(state func() *core.Run, change func(*core.Pause)) func() *core.Run {
		return with(state, func(r *core.Run) {
			r.Status, r.Pause = core.StatusPaused, &core.Pause{Code: core.PausePerson, Reason: "lunch", From: core.StatusAwaiting}
			r.WaitsSince, r.ClockFrom, r.Stages[1].Trouble = happened, happened.Add(-3*time.Hour), "no disk"
			change(r.Pause)
		})
	}
	because := func(code core.PauseCode) func(*core.Pause) { return func(p *core.Pause) { p.Code = code } }
	unlike := func(r *core.Run) { // stages of all kinds behind the first
		at := func(status core.StageStatus, skip core.SkipSource) *core.Stage {
			yes := true
			s := &core.Stage{ID: string(status) + string(skip), Status: status, Skip: skip, Round: 2, Before: "b", Commit: "c-" + string(status), Condition: &yes, Asked: true, Gate: &core.Gate{}}
			s.Tasks = []*core.Task{{ID: s.ID + ".r2", Stage: s.ID}}
			return s
		}
		r.Stages = append(r.Stages[:2], at(core.StageDone, ""), at(core.StagePending, ""), at(core.StageStale, ""),
			at(core.StageOmitted, core.SkipPerson), at(core.StageOmitted, core.SkipPlaybook), at(core.StageOmitted, core.SkipWhen), at(core.StageOmitted, core.SkipPlan))
	}
	overruled := with(review, func(r *core.Run) {
		r.Stages[0].Gate = &core.Gate{Event: "e1", Approved: true, Subject: core.Subject{Round: 1}, Skips: []core.SkipProposal{{Stage: "review"}}}
		r.Stages[2].Status, r.Stages[2].Skip = core.StageOmitted, core.SkipPlan
		r.Stages[3].Status = core.StageOpen
	})
	counted := func(by string) func() *core.Run {
		return with(review, func(r *core.Run) { r.Sterile, r.AutoRounds, r.Managing.Barren, r.LastDecision = 2, 1, 1, by })
	}
	unverified := with(phased, handedIn(core.TaskDelivered), func(r *core.Run) { r.Playbook.Phases[1].Writes = core.WritesCode })
	subject := core.GateSubject(review(), review().Stages[2])
	started := core.RunStarted{
		Run: "r", Alias: "a", Project: "p", Goal: "g", Title: "t", Issue: "i", Playbook: *phased().Playbook, Limits: raised, Base: "main", BaseCommit: "c0",
		Branch: "feature/x", Remote: "origin", Forge: "f", ForgeURL: "u", Repository: "o/n", Home: "h", Isolation: "none", Identity: core.Identity{Name: "n", Email: "e"},
		Policy: &core.RunPolicy{Approve: true, By: "me"}, Options: core.Options{}, Session: "s", Conversation: "c", Preflight: &core.Preflight{},
	}
	inWaves, byManager := started, started
	inWaves.Playbook, byManager.Playbook = *waved().Playbook, *managed().Playbook
	none := func() *core.Run { return nil }
	return map[string]deed{
		"a run begins":                    {none, me, started},
		"a run in waves begins":           {none, me, inWaves},
		"a run by a manager begins":       {none, me, byManager},
		"time passes":                     {counted("e0"), engine, core.TimerFired{Timer: "due"}},
		"a command is refused":            {counted("e0"), me, core.CommandRefused{Command: "approve"}},
		"the project spends":              {review, engine, core.ProjectSpent{Others: core.Spent{CostUSD: 2, Tokens: 7, Attempts: 1}, At: happened}},
		"a person is told":                {with(review, func(r *core.Run) { r.Tell = []string{"e1", "e2", "e3"} }), engine, core.PersonNotified{Event: "e2"}},
		"a ref is kept":                   {with(review, func(r *core.Run) { r.Keep, r.Kept = []core.HoldRef{{Ref: "k1"}, {Ref: "k2"}, {Ref: "k3"}}, 4 }), engine, core.RefKept{Ref: "k2"}},
		"the run's branch moves":          {review, engine, core.BranchMoved{Ref: "refs/heads/feature/x", New: "c5"}},
		"another branch moves":            {review, engine, core.BranchMoved{Ref: "refs/heads/other", New: "c5"}},
		"a decision counts":               {counted("e0"), decides, core.ApprovalRequested{Subject: subject, Suggestion: "write", Notices: []string{"n"}, Findings: []core.Finding{{Issue: "i"}}, Leaks: []core.Leak{{Rule: "key"}}}},
		"a decision of the same step":     {counted("e-cause"), decides, core.ApprovalRequested{Subject: subject}},
		"a decision that starts no work":  {counted("e0"), decides, core.TaskAdmitted{Task: "y", Stage: "write", Round: 1}},
		"what was seen is no decision":    {counted("e0"), engine, core.AttemptStarted{Attempt: "write.r1.x.a1"}},
		"a person's word begins anew":     {counted("e0"), me, core.WordGiven{Session: "s", Means: core.MeansSkip, Text: "skip", Subject: &subject}},
		"a session takes the run":         {with(review, func(r *core.Run) { r.Word = &core.Word{Text: "x"} }), me, core.SessionTook{Session: "s"}},
		"a pause":                         {with(review, asked), engine, core.RunPaused{Code: core.PauseAction, Stage: "write", Reason: "why", Advice: core.Advice{Hint: "what"}, Stop: true}},
		"a pause in a pause":              {paused(review, because(core.PausePerson)), me, core.RunPaused{Code: core.PauseBudget, Reason: "why", Advice: core.Advice{Hint: "what"}, Stop: true}},
		"a pause in a wait for an answer": {paused(review, because(core.PauseQuestion)), me, core.RunPaused{Code: core.PauseProject, Reason: "why", Advice: core.Advice{Hint: "what"}}},
		"a pause goes on as strict":       {paused(review, func(p *core.Pause) { p.Code, p.Stop = core.PauseQuestion, true }), me, core.RunPaused{Code: core.PauseProject}},
		"resuming":                        {paused(review, because(core.PausePerson)), me, core.RunResumed{Note: "go"}},
		"resuming with more":              {paused(review, because(core.PauseBudget)), me, core.RunResumed{Limits: &raised}},
		"resuming when time was up":       {paused(review, func(p *core.Pause) { p.Code, p.From = core.PauseWall, core.StatusActive }), me, core.RunResumed{}},
		"resuming what did not pause":     {review, me, core.RunResumed{}},
		"completed":                       {review, decides, core.RunCompleted{}},
		"failed":                          {review, decides, core.RunFailed{Reason: "why"}},
		"cancelled in a pause":            {paused(review, because(core.PauseBudget)), me, core.RunCancelled{Reason: "why"}},
		"a condition is asked for":        {review, decides, core.ConditionRequested{Stage: "publish"}},
		"a condition holds":               {with(review, at(3, func(s *core.Stage) { s.Asked, s.Trouble = true, "x" })), engine, core.ConditionEvaluated{Stage: "publish", Holds: true}},
		"a condition does not hold":       {with(review, at(3, func(s *core.Stage) { s.Asked = true })), engine, core.ConditionEvaluated{Stage: "publish"}},
		"a condition cannot be told":      {with(review, at(3, func(s *core.Stage) { s.Asked = true })), engine, core.ConditionEvaluated{Stage: "publish", Holds: true, Error: "no jq"}},
		"a stage is opened":               {with(counted("e0"), at(3, func(s *core.Stage) { s.Round = 0 })), decides, core.StageOpened{Stage: "publish", Round: 1, Base: "c1", Reason: core.OpenAdvance}},
		"a stage is opened again": {with(review, at(2, func(s *core.Stage) {
			s.Before, s.Next = "c0", &core.Reopen{Hotfix: &core.Hotfix{Text: "better"}}
		})), decides, core.StageOpened{Stage: "review", Round: 2, Base: "c1", Reason: core.OpenFeedback}},
		"feedback":                            {with(phased, handedIn(core.TaskWaiting), unlike), me, core.FeedbackGiven{Stage: "write", Text: "so"}},
		"feedback from the start":             {with(phased, handedIn(core.TaskWaiting), unlike), me, core.FeedbackGiven{Stage: "write", Text: "so", Reset: true}},
		"back":                                {with(unverified, unlike), me, core.RolledBack{From: "write", Target: "plan", Text: "t", Findings: []core.Finding{{Issue: "i"}}}},
		"back, by itself":                     {unverified, decides, core.RolledBack{From: "write", Target: "plan", Findings: []core.Finding{{Issue: "i"}}, Auto: true}},
		"back, for an input":                  {unverified, decides, core.RolledBack{From: "write", Target: "plan", Auto: true}},
		"back, from the start":                {with(phased, unlike, at(1, func(s *core.Stage) { s.Status, s.Commit = core.StageDone, "c1" })), me, core.RolledBack{From: "stale", Target: "stale", Reset: true}},
		"back, from the start, first round":   {with(phased, unlike, at(1, func(s *core.Stage) { s.Status, s.Commit = core.StageDone, "c1" }), at(4, func(s *core.Stage) { s.Before = "" })), me, core.RolledBack{From: "stale", Target: "stale", Reset: true}},
		"back to what the plan left out":      {overruled, me, core.RolledBack{From: "publish", Target: "review"}},
		"back to what a condition left out":   {with(overruled, at(2, func(s *core.Stage) { s.Skip = core.SkipWhen })), me, core.RolledBack{From: "publish", Target: "review"}},
		"skipped with work unverified":        {unverified, me, core.StageSkipped{Stage: "write", Source: core.SkipPerson, Reason: "why"}},
		"skipped with work for documents":     {with(unverified, func(r *core.Run) { r.Playbook.Phases[1].Writes = core.WritesArtifacts }), me, core.StageSkipped{Stage: "write", Source: core.SkipPerson}},
		"skipped with work verified":          {with(unverified, func(r *core.Run) { r.Verified = "c2" }), me, core.StageSkipped{Stage: "write", Source: core.SkipPerson}},
		"a stage passes":                      {with(counted("e0"), at(2, func(s *core.Stage) { s.Trouble = "x" })), decides, core.StagePassed{Stage: "review", Round: 1, Commit: "c1"}},
		"an approval":                         {with(counted("e0"), asked), me, core.ApprovalGranted{Subject: subject, WithLeaks: true}},
		"an approval by policy":               {with(counted("e0"), asked), core.Policy("--yes"), core.ApprovalGranted{Subject: subject}},
		"a team is reduced":                   {phased, decides, core.TeamReduced{Stage: "write", Round: 1, Role: "dev", Dropped: []string{"write.r1"}, Reason: "why"}},
		"a claim is held":                     {phased, engine, core.ClaimRefused{Task: "write.r1", Claim: core.Claim{Kind: core.ClaimSlot, Key: "k"}}},
		"a claim is freed":                    {with(phased, blocked), engine, core.ClaimFreed{Claim: core.Claim{Kind: core.ClaimSlot, Key: "k"}}},
		"a task is handed its slots":          {with(phased, blocked), engine, core.ClaimFreed{Task: "write.r1", Claim: core.Claim{Kind: core.ClaimSlot, Key: "k"}}},
		"another task is handed its slots":    {with(phased, blocked), engine, core.ClaimFreed{Task: "other", Claim: core.Claim{Kind: core.ClaimSlot, Key: "k"}}},
		"a claim of another kind is freed":    {with(phased, blocked), engine, core.ClaimFreed{Claim: core.Claim{Kind: core.ClaimBranch, Key: "k"}}},
		"a claim of another key is freed":     {with(phased, blocked), engine, core.ClaimFreed{Claim: core.Claim{Kind: core.ClaimSlot, Key: "other"}}},
		"attempts are given back":             {with(phased, usedUp, func(r *core.Run) { r.StartedAt = happened }), me, core.AttemptsReset{Stage: "write"}},
		"attempts are given back, rewritten":  {with(phased, usedUp, writer(func(t *core.Task) { t.Last().Delivery.Rewritten = true })), me, core.AttemptsReset{Stage: "write"}},
		"attempts are given back, refused":    {with(phased, usedUp, writer(func(t *core.Task) { t.Last().Delivery.Commit = "" })), me, core.AttemptsReset{Stage: "write"}},
		"attempts are given back, none left":  {with(phased, usedUp, writer(func(t *core.Task) { t.Counted = 2 })), me, core.AttemptsReset{Stage: "write"}},
		"attempts are given back, not failed": {with(phased, usedUp, writer(func(t *core.Task) { t.Last().Verdict = "" })), me, core.AttemptsReset{Stage: "write"}},
		"the base holds what was granted":     {published, engine, core.PullRequestSeen{State: core.PullRequestMerged, Commit: "c1", Merge: "m"}},
		"another merge is seen":               {published, engine, core.PullRequestSeen{State: core.PullRequestMerged, Commit: "c1", Merge: "x", Checks: "passed", Preview: "v", Cursor: "9"}},
		"a closed request is seen":            {published, engine, core.PullRequestSeen{State: core.PullRequestClosed, Commit: "c1", Merge: "m"}},
		"a merge is granted":                  {published, me, core.MergeGranted{Commit: "c2", Base: "main", Tip: "t", Merge: "m2"}},
		"a merge is granted, by hand":         {published, me, core.MergeGranted{Commit: "c2", Base: "main", Tip: "t", Merge: "m2", ByHand: true}},
		"a merge fails":                       {published, engine, core.MergeFailed{Merge: "m", Cause: core.MergeBaseMoved, Reason: "why"}},
	}
}

// blocked has the writer and another wait for a claim.
func blocked(r *core.Run) {
	for _, t := range []string{"write.r1", "plan.r1"} {
		r.Task(t).Blocked = &core.Claim{Kind: core.ClaimSlot, Key: "k"}
	}
}

// usedUp has the writer without a try left, and what it handed in refused.
func usedUp(r *core.Run) {
	handedIn(core.TaskWaiting)(r)
	t := r.Task("write.r1")
	t.Counted, t.Limit, t.Infra, t.Stuck, t.Last().Verdict = 3, 3, 2, true, core.VerdictFailed
	r.Task("write.r1.x").Status = core.TaskDone
}

// published is a run by phases that is over, with a merge granted.
func published() *core.Run {
	r := phased()
	r.Status = core.StatusCompleted
	r.PullRequest = &core.PullRequest{URL: "u", Number: 1, Commit: "c1", State: core.PullRequestOpen, Cursor: "5", Grant: core.Grant{Merge: "m"}}
	return r
}

// attemptDeeds are the tries of a task and how they end.
func attemptDeeds() map[string]deed {
	running := with(phased, under("write.r1", core.AttemptRunning), writer(func(t *core.Task) {
		t.Last().Usage = core.Usage{CostUSD: 1, InputTokens: 10, OutputTokens: 20, CacheTokens: 30, Turns: 2}
	}), func(r *core.Run) {
		r.Usage = core.Usage{CostUSD: 3, InputTokens: 11, OutputTokens: 21, CacheTokens: 31, Turns: 4}
	})
	used := core.Usage{CostUSD: 1.5, InputTokens: 15, OutputTokens: 26, CacheTokens: 37, Turns: 5}
	exit := func(change func(*core.AttemptExited)) core.Body {
		b := core.AttemptExited{Attempt: "write.r1.a1", Kind: core.ExitFinished, Class: "c", Message: "m", Summary: "s", Usage: used, Duration: time.Minute}
		change(&b)
		return b
	}
	left := func(d core.Delivery) func(*core.AttemptExited) {
		return func(b *core.AttemptExited) { b.Delivery = &d }
	}
	lost := func(change func(*core.AttemptExited)) core.Body {
		return exit(func(b *core.AttemptExited) { b.Kind = core.ExitLost; change(b) })
	}
	again := core.AttemptRequested{Task: "write.r1", Attempt: "write.r1.a2", N: 2, Base: "c1"}
	tried := func(n int) func() *core.Run {
		return with(phased, writer(func(t *core.Task) {
			t.Attempts, t.Blocked = nil, &core.Claim{}
			for i := range n {
				t.Attempts = append(t.Attempts, &core.Attempt{ID: "a" + strconv.Itoa(i)})
			}
		}))
	}
	turn := with(turning, func(r *core.Run) { r.Task("manager.r1").Attempts[0].ID = "write.r1.a1" })
	soon, late := happened.Add(41*time.Minute+500*time.Millisecond), happened.Add(2*time.Hour)
	table := map[string]deed{
		"requested":                       {tried(1), decides, again},
		"requested, seven before":         {tried(7), decides, again},
		"requested, eight before":         {tried(8), decides, again},
		"started":                         {with(phased, under("write.r1", core.AttemptPending)), core.Engine(), core.AttemptStarted{Attempt: "write.r1.a1", Agent: "a", Spawner: "s", Isolation: "i", Session: "x"}},
		"started when to be stopped":      {with(phased, under("write.r1", core.AttemptStopping)), core.Engine(), core.AttemptStarted{Attempt: "write.r1.a1", Agent: "a"}},
		"to be stopped":                   {running, decides, core.AttemptStopRequested{Attempt: "write.r1.a1", Reason: "why"}},
		"metered":                         {running, core.Engine(), core.UsageObserved{Attempt: "write.r1.a1", Usage: used}},
		"metered by a broker":             {running, core.Engine(), core.UsageObserved{Attempt: "write.r1.a1", Metered: &core.Usage{CostUSD: 2}, Wants: &core.Want{Seq: 4, Amount: core.Amount{USD: 3}}}},
		"a want answered before":          {running, core.Engine(), core.UsageObserved{Attempt: "write.r1.a1", Metered: &core.Usage{CostUSD: 2}, Wants: &core.Want{Seq: 3, Amount: core.Amount{USD: 3}}}},
		"reserved":                        {running, decides, core.AllowanceReserved{Attempt: "write.r1.a1", Seq: 4, Amount: core.Amount{USD: 3}}},
		"reserved in part":                {running, decides, core.AllowanceReserved{Attempt: "write.r1.a1", Seq: 4, Amount: core.Amount{USD: 3}, Short: &core.Shortage{Reason: "few"}}},
		"reserved nothing more":           {running, decides, core.AllowanceReserved{Attempt: "write.r1.a1", Seq: 4, Amount: core.Amount{USD: 3}, Short: &core.Shortage{Reason: "none"}, Refused: true}},
		"finished with nothing":           {running, core.Engine(), exit(func(*core.AttemptExited) {})},
		"finished with a commit":          {running, core.Engine(), exit(left(core.Delivery{Commit: "c2"}))},
		"finished and changed nothing":    {running, core.Engine(), exit(left(core.Delivery{Empty: true}))},
		"out of time with a commit":       {running, core.Engine(), exit(func(b *core.AttemptExited) { b.Kind = core.ExitTimeout; left(core.Delivery{Commit: "c2"})(b) })},
		"lost with nothing":               {running, core.Engine(), lost(func(*core.AttemptExited) {})},
		"lost with a commit":              {running, core.Engine(), lost(left(core.Delivery{Commit: "c2"}))},
		"lost and changed nothing":        {running, core.Engine(), lost(left(core.Delivery{Empty: true}))},
		"lost with a document":            {running, core.Engine(), lost(left(core.Delivery{Empty: true, Artifacts: []core.Artifact{{Name: "x"}}}))},
		"lost for the third time":         {with(running, writer(func(t *core.Task) { t.Infra = 2 })), core.Engine(), lost(func(*core.AttemptExited) {})},
		"lost for the tenth time":         {with(running, writer(func(t *core.Task) { t.Infra = 9 })), core.Engine(), lost(func(*core.AttemptExited) {})},
		"limited until later":             {running, core.Engine(), exit(func(b *core.AttemptExited) { b.Kind, b.Class, b.RetryAt = core.ExitFailed, "usage_limit", &late })},
		"limited for less than the wait":  {running, core.Engine(), exit(func(b *core.AttemptExited) { b.Kind, b.Class, b.RetryAt = core.ExitFailed, "usage_limit", &soon })},
		"failed until later, by its work": {running, core.Engine(), exit(func(b *core.AttemptExited) { b.Kind, b.RetryAt = core.ExitFailed, &late })},
		"hopeless":                        {running, core.Engine(), exit(func(b *core.AttemptExited) { b.Kind, b.Hopeless = core.ExitFailed, true })},
		"a turn ends":                     {turn, core.Engine(), exit(left(core.Delivery{Commit: "c2"}))},
		"a turn fails":                    {turn, core.Engine(), exit(func(b *core.AttemptExited) { b.Kind = core.ExitFailed; left(core.Delivery{Commit: "c2"})(b) })},
		"ended without a price":           {running, core.Engine(), exit(func(b *core.AttemptExited) { b.Usage.CostUSD = 0 })},
		"of a round that is gone":         {running, core.Engine(), exit(func(b *core.AttemptExited) { b.Attempt = "old" })},
	}
	for _, kind := range []core.ExitKind{core.ExitFinished, core.ExitFailed, core.ExitTimeout, core.ExitCancelled, core.ExitLost, core.ExitNoStart} {
		table["ended: "+string(kind)] = deed{running, core.Engine(), core.AttemptExited{Attempt: "write.r1.a1", Kind: kind}}
	}
	for _, class := range []string{"api_error", "usage_limit", "network", "auth"} {
		table["failed: "+class] = deed{running, core.Engine(), core.AttemptExited{Attempt: "write.r1.a1", Kind: core.ExitFailed, Class: class}}
	}
	return table
}

// verifyDeeds are the verdicts about what was handed in.
func verifyDeeds() map[string]deed {
	engine, results := core.Engine(), []core.CheckResult{{Check: "go test"}, {Check: "go vet", Passed: true}, {Check: "lint"}}
	verifying := with(phased, handedIn(core.TaskVerifying), func(r *core.Run) { r.Sterile = 2 })
	verdict := core.VerifyConcluded{Task: "write.r1", Attempt: "write.r1.a1", Passed: true, Results: results, Review: &core.Review{Status: core.ReviewApproved}, Skips: []core.SkipProposal{{Stage: "review"}}, Touches: true}
	failed, broken, gone := verdict, verdict, verdict
	failed.Passed, broken.Error, broken.Passed, gone.Attempt = false, "no disk", false, "old"
	looking := with(phased, func(r *core.Run) {
		t := r.Task("write.r1")
		t.First, t.Status, t.Trouble, t.Infra, r.Sterile = true, core.TaskVerifying, "x", 1, 2
	})
	saw := core.ValidateConcluded{Task: "write.r1", Commit: "c1", Passed: true, First: true, Results: results}
	missed, blind := saw, saw
	missed.Passed, blind.Error = false, "no disk"
	prepared := with(phased, atPublish, func(r *core.Run) {
		t := r.Task("publish.r1")
		t.Status, t.Prepared = core.TaskVerifying, nil
	})
	ready := core.PublishPrepared{Task: "publish.r1", Subject: core.Subject{Commit: "c1"}, Passed: true, Results: results, Notices: []string{"n"}, Leaks: []core.Leak{{Rule: "key"}}}
	red, unready := ready, ready
	red.Passed, unready.Error = false, "no disk"
	return map[string]deed{
		"asked for":                     {with(phased, handedIn(core.TaskDelivered)), decides, core.VerifyRequested{Task: "write.r1", Attempt: "write.r1.a1"}},
		"code passes":                   {verifying, engine, verdict},
		"code fails":                    {verifying, engine, failed},
		"cannot be told":                {verifying, engine, broken},
		"of a round that is gone":       {verifying, engine, gone},
		"a document passes":             {with(verifying, writer(func(t *core.Task) { t.Writes = core.WritesArtifacts })), engine, verdict},
		"no commit passes":              {with(verifying, writer(func(t *core.Task) { t.Last().Delivery.Commit = "" })), engine, verdict},
		"nothing passes":                {with(verifying, writer(func(t *core.Task) { t.Last().Delivery = nil })), engine, verdict},
		"code of a branch passes":       {with(verifying, at(1, func(s *core.Stage) { s.Branch = "feature/y" })), engine, verdict},
		"found done":                    {looking, engine, saw},
		"found not done":                {looking, engine, missed},
		"not found out":                 {looking, engine, blind},
		"a publication is ready":        {prepared, engine, ready},
		"a publication is not verified": {prepared, engine, red},
		"a publication was red before":  {with(prepared, func(r *core.Run) { r.Preflight = &core.Preflight{Checks: []core.BaseCheck{{Check: "lint"}}} }), engine, red},
		"a publication is not prepared": {prepared, engine, unready},
		"a publication that is gone":    {prepared, engine, core.PublishPrepared{Task: "old", Passed: true}},
	}
}

// publishDeeds are what publishing leads to, where something was published before
// at the same gate.
func publishDeeds() map[string]deed {
	engine := core.Engine()
	publishing := with(phased, atPublish, func(r *core.Run) {
		s := r.Stages[3]
		done := *s.Tasks[0]
		done.ID, done.Status, done.Published = "publish.r1.docs", core.TaskDone, true
		done.Publishing = &core.PublishRequested{Task: done.ID}
		s.Tasks[0].Status, s.Tasks[0].Publishing = core.TaskRunning, &core.PublishRequested{Task: "publish.r1"}
		s.Tasks = append(s.Tasks, &done, &core.Task{ID: "publish.r1.notes", Stage: "publish", Status: core.TaskDone})
		r.Sterile = 2
	})
	before := func(number int) func() *core.Run {
		return with(publishing, func(r *core.Run) {
			r.PullRequest = &core.PullRequest{URL: "old", Number: number, State: core.PullRequestClosed, Cursor: "5", Checks: "failed", Merged: "m"}
		})
	}
	open := core.PublishConcluded{Task: "publish.r1", OK: true, URL: "u", Number: 7}
	waiting := with(publishing, func(r *core.Run) {
		r.Status, r.Stages[3].Gate.Approved, r.Task("publish.r1").Status = core.StatusAwaiting, false, core.TaskDelivered
	})
	return map[string]deed{
		"asked for":               {with(phased, atPublish), decides, core.PublishRequested{Task: "publish.r1", Title: "t"}},
		"opened":                  {publishing, engine, open},
		"updated":                 {before(7), engine, open},
		"opened anew":             {before(6), engine, open},
		"the remote moved":        {publishing, engine, core.PublishConcluded{Task: "publish.r1", Lapsed: true, Reason: "moved"}},
		"refused":                 {publishing, engine, core.PublishConcluded{Task: "publish.r1", Reason: "no right to push"}},
		"of a round that is gone": {publishing, engine, core.PublishConcluded{Task: "old", OK: true}},
		"another target":          {waiting, core.Person("me"), core.TargetChosen{Base: "develop"}},
	}
}
