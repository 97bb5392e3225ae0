package core_test

import "github.com/stellwerk-dev/stellwerk/internal/core"

func session(id string) core.Actor { return core.Actor{Kind: core.ActorSession, ID: id} }

// atReview is phased with everything written, and a review that hands in.
func atReview(r *core.Run) {
	r.Stages[1].Status = core.StageDone
	r.Stages[2] = &core.Stage{ID: "review", Status: core.StageOpen, Round: 1, Base: "c1", Tasks: []*core.Task{
		{ID: "review.r1", Stage: "review", Status: core.TaskDone, Attempts: []*core.Attempt{passed("review.r1", "c1")}},
	}}
}

// asked has a person asked at the review.
func asked(r *core.Run) {
	s := r.Stages[2]
	r.Status, s.Status = core.StatusAwaiting, core.StageGated
	s.Gate = &core.Gate{Event: "e", Subject: core.GateSubject(r, s)}
}

func approved(r *core.Run) { r.Status, r.Stages[2].Gate.Approved = core.StatusActive, true }

// atPublish is phased with all done but the publication, which is approved.
func atPublish(r *core.Run) {
	r.Stages[1].Status, r.Stages[2].Status = core.StageDone, core.StageDone
	subject := core.Subject{Stage: "publish", Round: 1, Commit: "c1", Remote: "origin", Ref: "refs/heads/feature/x", Base: "main"}
	r.Stages[3] = &core.Stage{
		ID: "publish", Status: core.StageGated, Round: 1, Gate: &core.Gate{Subject: subject, Approved: true},
		Tasks: []*core.Task{{ID: "publish.r1", Stage: "publish", Act: core.ActPullRequest, Status: core.TaskDelivered, Prepared: &core.PublishPrepared{Subject: subject}}},
	}
}

func reviewer(change func(*core.Task)) func(*core.Run) {
	return func(r *core.Run) { change(r.Task("review.r1")) }
}

func at(stage int, change func(*core.Stage)) func(*core.Run) {
	return func(r *core.Run) { change(r.Stages[stage]) }
}

func gateRulings() map[string]ruling {
	review := with(phased, atReview)
	gate := core.GateSubject(review(), review().Stages[2])
	other := gate
	other.Delivery = "d"
	published := with(phased, atPublish)().Stages[3].Gate.Subject
	elsewhere := published
	elsewhere.Base = "develop"
	skip := func(source core.SkipSource) core.StageSkipped {
		return core.StageSkipped{Stage: "review", Source: source, Plan: "e1"}
	}
	no := false
	left := with(phased, func(r *core.Run) {
		r.Stages[1].Status, r.Stages[2].Condition = core.StageDone, &no
		r.Stages[0].Gate = &core.Gate{Event: "e1", Approved: true, Subject: core.Subject{Round: 1}, Skips: []core.SkipProposal{{Stage: "review"}}}
	})
	paused := func(code core.PauseCode) func() *core.Run {
		return with(phased, func(r *core.Run) {
			r.Status, r.Pause = core.StatusPaused, &core.Pause{Code: code, Reason: "because of " + string(code), Advice: core.Advice{Hint: "do this"}, From: core.StatusActive}
		})
	}
	because := func(code core.PauseCode) func(*core.Run) {
		return func(r *core.Run) { r.Pause.Code, r.Pause.Reason = code, "because of "+string(code) }
	}
	back := core.RolledBack{From: "review", Target: "write", Auto: true}
	return map[string]ruling{
		"an approval is asked for": {
			review, decides, core.ApprovalRequested{Subject: gate}, nil, map[string]refusal{
				"of nothing":                {change: at(2, func(s *core.Stage) { s.Tasks = nil }), says: "has no work in round 1"},
				"of what was not begun":     {change: reviewer(func(t *core.Task) { t.Status = core.TaskWaiting }), says: "whose checks passed"},
				"of what nobody tried":      {change: reviewer(func(t *core.Task) { t.Attempts = nil }), says: "whose checks passed"},
				"of what failed":            {change: reviewer(func(t *core.Task) { t.Last().Verdict = core.VerdictFailed }), says: "whose checks passed"},
				"of what was not handed in": {change: reviewer(func(t *core.Task) { t.Last().Delivery = nil }), says: "whose checks passed"},
				"of an act unprepared":      {change: reviewer(func(t *core.Task) { t.Act = core.ActPullRequest }), says: "is not prepared"},
				"of a merge under way":      {change: reviewer(func(t *core.Task) { t.Act, t.Status = core.ActMerge, core.TaskVerifying }), says: "has not come to its end"},
				"of a look under way":       {change: reviewer(func(t *core.Task) { t.Act, t.Status = core.ActValidate, core.TaskVerifying }), says: "has not come to its end"},
				"of a turn under way":       {change: reviewer(func(t *core.Task) { t.Kind, t.Status = core.KindManage, core.TaskRunning }), says: "has not come to its end"},
				"of something else":         {body: core.ApprovalRequested{Subject: other}, says: "is not about what was handed in"},
				"of what is not the head": {
					change: func(r *core.Run) {
						t := r.Task("review.r1")
						t.Act, t.Prepared = core.ActPullRequest, &core.PublishPrepared{Subject: core.Subject{Stage: "review", Commit: "c9"}}
					},
					body: core.ApprovalRequested{Subject: core.Subject{Stage: "review", Commit: "c9"}}, says: "is not about what was handed in",
				},
				"with stages left out": {body: core.ApprovalRequested{Subject: gate, Skips: []core.SkipProposal{{Stage: "publish"}}}, says: "is not what the plan proposes"},
			},
		},
		"an approval": {
			with(review, asked), core.Person("me"), core.ApprovalGranted{Subject: gate}, nil, map[string]refusal{
				"that nobody waits for":    {change: at(2, func(s *core.Stage) { s.Gate = nil }), says: "is not waiting for an approval"},
				"given twice":              {change: at(2, func(s *core.Stage) { s.Gate.Approved = true }), says: "is not waiting for an approval"},
				"by a policy nobody gave":  {actor: core.Policy("--yes"), says: "no standing instruction approves stage review"},
				"by a policy that says no": {change: func(r *core.Run) { r.Policy = &core.RunPolicy{By: "me"} }, actor: core.Policy("--yes"), says: "no standing instruction approves stage review"},
				"of something else":        {body: core.ApprovalGranted{Subject: other}, says: "changed since you looked at it"},
				"of what is not there any more": {
					change: func(r *core.Run) { r.Task("review.r1").Last().Delivery.Commit = "c7" }, says: "changed since you looked at it",
				},
				"by an agent": {actor: core.Actor{Kind: core.ActorAgent, ID: "x"}, says: "ApprovalGranted is not for agent x to say"},
			},
		},
		"an approval by policy": {
			with(review, asked, func(r *core.Run) { r.Policy = &core.RunPolicy{Approve: true, By: "me"} }), core.Policy("--yes by me"), core.ApprovalGranted{Subject: gate}, nil, nil,
		},
		"a stage passes": {
			with(review, asked, approved), decides, core.StagePassed{Stage: "review", Round: 1, Commit: "c1"}, nil, map[string]refusal{
				"out of order":            {change: at(0, func(s *core.Stage) { s.Status = core.StageStale }), says: "passes out of order"},
				"in another round":        {body: core.StagePassed{Stage: "review", Round: 2}, says: "is in round 1, not 2"},
				"unverified":              {change: reviewer(func(t *core.Task) { t.Last().Verdict = core.VerdictNone }), says: "whose checks passed"},
				"with an act not done":    {change: atPublish, body: core.StagePassed{Stage: "publish", Round: 1}, says: "has unfinished tasks"},
				"with its branch apart":   {change: at(2, func(s *core.Stage) { s.Branch, s.Line = "feature/y", "c2" }), says: "its branch feature/y is not merged"},
				"found done elsewhere":    {change: at(2, func(s *core.Stage) { s.Tasks[0].First, s.Tasks[0].Found = true, "elsewhere" }), says: "was found done at elsewhere"},
				"without being asked":     {change: at(2, func(s *core.Stage) { s.Gate = nil }), says: "waits for an approval"},
				"without an answer":       {change: at(2, func(s *core.Stage) { s.Gate.Approved = false }), says: "waits for an approval"},
				"approved as it was":      {change: at(2, func(s *core.Stage) { s.Gate.Subject = other }), says: "waits for an approval"},
				"where no phase is known": {change: func(r *core.Run) { r.Playbook.Phases[2].ID = "x"; r.Stages[2].Gate = nil }, says: "waits for an approval"},
				"against its review": {
					change: func(r *core.Run) {
						r.Playbook.Phases[2].Gate, r.Stages[2].Gate = "", nil
						r.Task("review.r1").Last().Review = &core.Review{Status: core.ReviewChangesRequested}
					}, says: "waits for an approval",
				},
			},
		},
		"a stage passes without a gate": {
			with(review, func(r *core.Run) { r.Playbook.Phases[2].Gate = "" }), decides, core.StagePassed{Stage: "review", Round: 1, Commit: "c1"}, nil, map[string]refusal{
				"where an act is published": {change: func(r *core.Run) { r.Playbook.Phases[2].Act = core.ActPullRequest }, says: "waits for an approval"},
			},
		},
		"a stage is skipped by a person": {
			with(left, at(2, func(s *core.Stage) { s.Status = core.StageOpen })), core.Person("me"), skip(core.SkipPerson), nil, map[string]refusal{
				"who is none":         {actor: decides, says: "only a person skips a stage"},
				"before its time":     {change: at(0, func(s *core.Stage) { s.Status = core.StageStale }), says: "stage review is not the current stage"},
				"while it is working": {change: func(r *core.Run) { under("write.r1", core.AttemptRunning)(r) }, says: "cannot be skipped while attempt write.r1.a1 is under way"},
				"for no known reason": {body: skip("whim"), says: "unknown reason to skip it"},
			},
		},
		"a stage is skipped by the playbook": {
			left, decides, skip(core.SkipPlaybook), nil, map[string]refusal{
				"that does not say so": {change: func(r *core.Run) { r.Playbook.Phases[2].Skip = false }, says: "is not skipped by the playbook"},
				"that knows it not":    {change: func(r *core.Run) { r.Playbook.Phases[2].ID = "x" }, says: "is not skipped by the playbook"},
			},
		},
		"a stage is skipped by its condition": {
			left, decides, skip(core.SkipWhen), nil, map[string]refusal{
				"of no known phase":     {change: func(r *core.Run) { r.Playbook.Phases[2].ID = "x" }, says: "its condition does not say to skip it"},
				"that it does not have": {change: func(r *core.Run) { r.Playbook.Phases[2].When = "" }, says: "its condition does not say to skip it"},
				"that nobody looked at": {change: at(2, func(s *core.Stage) { s.Condition = nil }), says: "its condition does not say to skip it"},
				"that holds":            {change: at(2, func(s *core.Stage) { yes := true; s.Condition = &yes }), says: "its condition does not say to skip it"},
			},
		},
		"a stage is skipped by a plan": {
			left, decides, skip(core.SkipPlan), nil, map[string]refusal{
				"that nobody approved": {change: at(0, func(s *core.Stage) { s.Gate.Approved = false }), says: "no approved plan leaves it out"},
				"that was never shown": {change: at(0, func(s *core.Stage) { s.Gate = nil }), says: "no approved plan leaves it out"},
				"of the round before":  {change: at(0, func(s *core.Stage) { s.Round = 2 }), says: "no approved plan leaves it out"},
				"that is being redone": {change: at(0, func(s *core.Stage) { s.Status = core.StageStale }), says: "no approved plan leaves it out"},
				"that leaves it in":    {change: at(0, func(s *core.Stage) { s.Gate.Skips = nil }), says: "no approved plan leaves it out"},
				"that was overruled":   {change: at(2, func(s *core.Stage) { s.Insisted = "e1" }), says: "no approved plan leaves it out"},
				"that may not":         {change: func(r *core.Run) { r.Playbook.Phases[2].Skippable = false }, says: "no approved plan leaves it out"},
				"that is another":      {body: core.StageSkipped{Stage: "review", Source: core.SkipPlan, Plan: "e2"}, says: "no approved plan leaves it out"},
				"before its time":      {change: at(1, func(s *core.Stage) { s.Status = core.StageOpen }), says: "no approved plan leaves it out"},
			},
		},
		"feedback": {
			with(review, asked), core.Person("me"), core.FeedbackGiven{Stage: "review", Text: "so", About: &gate}, nil, map[string]refusal{
				"for an earlier stage": {change: at(0, func(s *core.Stage) { s.Status = core.StageOpen }), says: "is not the current stage"},
				"for who is nobody":    {change: func(r *core.Run) { r.Playbook.Phases[2].Act = core.ActPullRequest }, says: "has no agent that could act on feedback"},
				"without words":        {body: core.FeedbackGiven{Stage: "review"}, says: "feedback needs words"},
				"about something else": {body: core.FeedbackGiven{Stage: "review", Text: "so", About: &other}, says: "is not what waits now"},
				"in between":           {change: under("write.r1", core.AttemptRunning), says: "feedback cannot be given while attempt write.r1.a1 is under way"},
			},
		},
		"a rollback": {
			review, decides, back, nil, map[string]refusal{
				"to nowhere":            {body: core.RolledBack{Target: "x", Auto: true}, says: `the run has no stage "x"`},
				"ahead":                 {body: core.RolledBack{Target: "publish", Auto: true}, says: "comes after review, where the run is"},
				"to what was not begun": {change: func(r *core.Run) { r.Stages[2].Status = core.StagePending }, body: core.RolledBack{Target: "review", Auto: true}, says: "has not been reached"},
				"to an act":             {change: func(r *core.Run) { r.Playbook.Phases[1].Act = core.ActPullRequest }, says: "there is nothing to redo"},
				"that asks nobody":      {body: core.RolledBack{Target: "write"}, says: "without asking must say so"},
				"once too often":        {change: func(r *core.Run) { r.AutoRounds = r.Limits.AutoRounds }, says: "times without asking"},
				"in between":            {change: under("write.r1", core.AttemptRunning), says: "cannot be rolled back while attempt write.r1.a1 is under way"},
				"from past the end": {
					change: func(r *core.Run) {
						for _, s := range r.Stages {
							s.Status = core.StageDone
						}
						r.Stages[1].Status = core.StagePending
					}, says: "has not been reached",
				},
			},
		},
		"another target": {
			with(phased, atPublish, at(3, func(s *core.Stage) { s.Gate.Approved = false }), func(r *core.Run) { r.Status = core.StatusAwaiting }),
			core.Person("me"), core.TargetChosen{Base: "develop", About: &published}, nil, map[string]refusal{
				"of nothing":             {change: at(3, func(s *core.Stage) { s.Status = core.StageOpen }), says: "nothing waits to be published"},
				"of what was let go":     {change: at(3, func(s *core.Stage) { s.Gate.Approved = true }), says: "nothing waits to be published"},
				"of what is not pushed":  {change: func(r *core.Run) { r.Task("publish.r1").Act = core.ActMerge }, says: "nothing waits to be published"},
				"that is none":           {body: core.TargetChosen{}, says: `"" cannot be the target`},
				"that is what is pushed": {body: core.TargetChosen{Base: "feature/x"}, says: `"feature/x" cannot be the target`},
				"of something else":      {body: core.TargetChosen{Base: "develop", About: &elsewhere}, says: "is not what waits now"},
			},
		},
		"publishing": {
			with(phased, atPublish), decides, core.PublishRequested{Task: "publish.r1", Subject: published}, nil, map[string]refusal{
				"of no task":               {body: core.PublishRequested{Task: "x", Subject: published}, says: "is not prepared for publishing"},
				"by an agent's task":       {change: func(r *core.Run) { r.Task("publish.r1").Act = "" }, says: "is not prepared for publishing"},
				"unprepared":               {change: func(r *core.Run) { r.Task("publish.r1").Prepared = nil }, says: "is not prepared for publishing"},
				"twice":                    {change: func(r *core.Run) { r.Task("publish.r1").Status = core.TaskRunning }, says: "is not prepared for publishing"},
				"without being asked":      {change: at(3, func(s *core.Stage) { s.Gate = nil }), says: "is not approved"},
				"without an answer":        {change: at(3, func(s *core.Stage) { s.Gate.Approved = false }), says: "is not approved"},
				"of what was not approved": {body: core.PublishRequested{Task: "publish.r1", Subject: elsewhere}, says: "is not approved"},
				"of what is not prepared":  {change: func(r *core.Run) { r.Task("publish.r1").Prepared.Subject = elsewhere }, says: "is not approved"},
				"of an older head":         {change: func(r *core.Run) { r.Head = "c2" }, says: "no longer the head of the run"},
				"of what is not verified":  {change: func(r *core.Run) { r.Verified = "c0" }, says: "no longer the head of the run"},
			},
		},
		"a publication is prepared": {
			with(phased, atPublish, func(r *core.Run) { r.Task("publish.r1").Status = core.TaskVerifying }), core.Engine(), core.PublishPrepared{Task: "publish.r1"}, nil, map[string]refusal{
				"of no task":    {body: core.PublishPrepared{Task: "x"}, says: "task x is not verifying"},
				"of no act":     {change: func(r *core.Run) { r.Task("publish.r1").Act = "" }, says: "is not verifying"},
				"that was done": {change: func(r *core.Run) { r.Task("publish.r1").Status = core.TaskDelivered }, says: "is not verifying"},
				"and concluded": {body: core.PublishConcluded{Task: "publish.r1"}, says: "is not running"},
			},
		},
		"a pause": {
			phased, core.Person("me"), core.RunPaused{Code: core.PausePerson}, nil, map[string]refusal{
				"twice": {change: func(r *core.Run) { r.Status, r.Pause = core.StatusPaused, &core.Pause{Code: core.PausePerson} }, says: "is paused already"},
				"as strict": {change: func(r *core.Run) {
					r.Status, r.Pause = core.StatusPaused, &core.Pause{Code: core.PausePerson, Stop: true}
				}, body: core.RunPaused{Stop: true}, says: "is paused already"},
				"with what is no question": {
					change: func(r *core.Run) { r.Status, r.Pause = core.StatusPaused, &core.Pause{Code: core.PauseBudget} }, body: core.RunPaused{Code: core.PauseProject}, says: "is paused already",
				},
			},
		},
		"a stop after a pause": {
			paused(core.PausePerson), core.Person("me"), core.RunPaused{Code: core.PausePerson, Stop: true}, nil, nil,
		},
		"resuming": {
			paused(core.PausePerson), core.Person("me"), core.RunResumed{}, nil, map[string]refusal{
				"by a policy":             {actor: core.Policy("x"), says: "was not paused with its project"},
				"after too many attempts": {change: because(core.PauseAttempts), says: "because of attempts"},
				"after infrastructure":    {change: because(core.PauseInfra), says: "because of infra"},
				"without what is missing": {change: because(core.PauseInput), says: "because of input"},
				"over its budget":         {change: func(r *core.Run) { because(core.PauseBudget)(r); r.Limits.CostUSD, r.Usage.CostUSD = 1, 2 }, says: "the run has cost $2.00 of its $1.00"},
				"over the project's": {change: func(r *core.Run) {
					because(core.PauseProjectLimit)(r)
					r.Limits.Project.Attempts, r.Others.Attempts = 1, 2
				}, says: "have used 2 of its 1 attempts"},
				"with a question open": {change: func(r *core.Run) {
					because(core.PauseQuestion)(r)
					r.Questions = []core.Question{{ID: "q", Text: "Loud?"}}
				}, says: "waits for an answer: Loud?"},
				"what does not stand still": {change: func(r *core.Run) { r.Status, r.Pause = core.StatusActive, nil }, says: "resuming is not possible now"},
			},
		},
		"cancelling": {
			phased, core.Person("me"), core.RunCancelled{}, nil, map[string]refusal{
				"in the middle of publishing": {change: func(r *core.Run) { atPublish(r); r.Task("publish.r1").Status = core.TaskRunning }, says: "the run is being published"},
				"in the middle of a merge": {change: func(r *core.Run) {
					r.PullRequest = &core.PullRequest{State: core.PullRequestOpen, Grant: core.Grant{Merge: "m", Event: "e1"}}
				}, says: "the run is being merged"},
			},
		},
		"completion": {
			with(phased, atPublish, at(3, func(s *core.Stage) { s.Status = core.StageDone })), decides, core.RunCompleted{}, nil, map[string]refusal{
				"with a stage left": {change: at(3, func(s *core.Stage) { s.Status = core.StageOpen }), says: "stage publish has not passed"},
			},
		},
		"a run is swept": {
			with(phased, func(r *core.Run) { r.Status = core.StatusCancelled }), core.Engine(), core.RunSwept{}, nil, map[string]refusal{
				"that is not over": {change: func(r *core.Run) { r.Status = core.StatusPaused }, says: "is not over, or was swept before"},
				"while one works":  {change: under("write.r1", core.AttemptStopping), says: "is not over, or was swept before"},
				"twice":            {change: func(r *core.Run) { r.Swept = true }, says: "is not over, or was swept before"},
			},
		},
		"attempts are given back": {
			phased, core.Person("me"), core.AttemptsReset{Stage: "write"}, nil, map[string]refusal{
				"in between": {change: under("write.r1", core.AttemptRunning), says: "cannot be reset while attempt write.r1.a1 is under way"},
			},
		},
		"a merge is granted": {
			with(phased, func(r *core.Run) {
				r.Status, r.PullRequest = core.StatusCompleted, &core.PullRequest{Commit: "c1", State: core.PullRequestOpen}
			}), core.Person("me"), core.MergeGranted{Commit: "c1", Base: "main", Tip: "c0", Merge: "m"}, nil, map[string]refusal{
				"of nothing published":        {change: func(r *core.Run) { r.PullRequest = nil }, says: "no pull request waits to be merged"},
				"of what was closed":          {change: func(r *core.Run) { r.PullRequest.State = core.PullRequestClosed }, says: "no pull request waits to be merged"},
				"of another's":                {change: func(r *core.Run) { r.ForgeURL = "https://forge.test" }, says: "its pull request is on https://forge.test"},
				"of another commit":           {body: core.MergeGranted{Commit: "c2", Base: "main", Tip: "c0", Merge: "m"}, says: "another commit was published since"},
				"into nothing":                {body: core.MergeGranted{Commit: "c1", Tip: "c0", Merge: "m"}, says: "names the branch, where it is and what it becomes"},
				"from nowhere":                {body: core.MergeGranted{Commit: "c1", Base: "main", Merge: "m"}, says: "names the branch, where it is and what it becomes"},
				"to nothing":                  {body: core.MergeGranted{Commit: "c1", Base: "main", Tip: "c0"}, says: "names the branch, where it is and what it becomes"},
				"while one is under way":      {change: func(r *core.Run) { r.PullRequest.Grant.Event = "e1" }, says: "the run is being merged"},
				"of a project's that is over": {change: func(r *core.Run) { r.Playbook.Project = &core.Management{} }, says: "nothing waits to be merged now"},
			},
		},
		"a merge fails": {
			with(phased, func(r *core.Run) {
				r.Status, r.PullRequest = core.StatusCompleted, &core.PullRequest{Commit: "c1", State: core.PullRequestOpen, Grant: core.Grant{Merge: "m", Event: "e1"}}
			}), core.Engine(), core.MergeFailed{Merge: "m", Reason: "why"}, nil, map[string]refusal{
				"of nothing published":     {change: func(r *core.Run) { r.PullRequest = nil }, says: "that merge is not under way"},
				"that a person makes":      {change: func(r *core.Run) { r.PullRequest.Grant.Event = "" }, says: "that merge is not under way"},
				"of what the base holds":   {change: func(r *core.Run) { r.PullRequest.State = core.PullRequestMerged }, says: "that merge is not under way"},
				"twice":                    {change: func(r *core.Run) { r.PullRequest.Grant.Failed = &core.MergeFailed{} }, says: "that merge is not under way"},
				"when another was granted": {body: core.MergeFailed{Merge: "m0", Reason: "why"}, says: "that merge is not under way"},
			},
		},
		"a pull request is seen": {
			with(phased, func(r *core.Run) {
				r.Status, r.PullRequest = core.StatusCompleted, &core.PullRequest{Commit: "c1", State: core.PullRequestOpen}
			}), core.Engine(), core.PullRequestSeen{State: core.PullRequestMerged, Commit: "c1"}, nil, map[string]refusal{
				"that is none":            {change: func(r *core.Run) { r.PullRequest = nil }, says: "there is no pull request"},
				"of another commit":       {body: core.PullRequestSeen{State: core.PullRequestMerged, Commit: "c2"}, says: "another commit was published since"},
				"before the end":          {change: func(r *core.Run) { r.Status = core.StatusActive }, says: "is for runs that wait for it"},
				"that is still open":      {body: core.PullRequestSeen{State: core.PullRequestOpen, Commit: "c1"}, says: "the run is over"},
				"that is known":           {change: func(r *core.Run) { r.PullRequest.State = core.PullRequestMerged }, says: "the run is over"},
				"of a project that ended": {change: func(r *core.Run) { r.Playbook.Project = &core.Management{} }, says: "the run is over"},
			},
		},
		"a word for a project": {
			phased, core.Person("me"), core.RunCancelled{}, nil, map[string]refusal{
				"in a run by phases": {actor: decides, body: core.PlanWriteRequested{}, says: "is for runs that drive a project"},
				"to no manager":      {body: core.MessageSent{Voice: core.VoiceUser, Text: "x"}, says: "it has no conversation"},
				"of no waves":        {actor: decides, body: core.WaveClosed{}, says: "is for runs in waves"},
			},
		},
	}
}

func sessionRulings() map[string]ruling {
	review := with(phased, atReview, asked)
	gate := review().Stages[2].Gate.Subject
	other := gate
	other.Round = 2
	said := func(means core.Meaning, about *core.Subject) func(*core.Run) {
		return func(r *core.Run) { r.Word = &core.Word{Means: means, Text: "my words", Subject: about} }
	}
	ours := with(review, func(r *core.Run) { r.Session = "s" }, said(core.MeansApprove, &gate))
	return map[string]ruling{
		"a session approves": {
			ours, session("s"), core.ApprovalGranted{Subject: gate}, nil, map[string]refusal{
				"in another":                     {actor: session("t"), says: "run r belongs to"},
				"without a word":                 {change: func(r *core.Run) { r.Word = nil }, says: "has said nothing since this was asked"},
				"by another word":                {change: said(core.MeansSkip, &gate), says: `did not say "approve": they said "my words"`},
				"by a word without aim":          {change: said(core.MeansApprove, nil), says: "was about something else"},
				"by a word about before":         {change: said(core.MeansApprove, &other), says: "was about something else"},
				"and skips":                      {body: core.StageSkipped{Stage: "review", Source: core.SkipPerson}, says: `did not say "skip"`},
				"and cancels":                    {body: core.RunCancelled{}, says: `did not say "cancel"`},
				"and gives the run away":         {body: core.SessionTook{Session: "t"}, says: "cannot give run r to"},
				"and says a word for the person": {actor: core.Person("me"), body: core.WordGiven{Session: "t"}, says: "session t does not own the run"},
				"and hears a word from nowhere":  {actor: core.Person("me"), body: core.WordGiven{}, says: "does not own the run"},
			},
		},
		"a session gives feedback": {
			ours, session("s"), core.FeedbackGiven{Stage: "review", Text: "x"}, nil, map[string]refusal{
				"without a word": {change: func(r *core.Run) { r.Word = nil }, says: "has said nothing since this was asked"},
			},
		},
		"a session resumes": {
			with(phased, func(r *core.Run) {
				r.Session, r.Status, r.Pause = "s", core.StatusPaused, &core.Pause{Code: core.PausePerson, From: core.StatusActive}
			}), session("s"), core.RunResumed{}, nil, map[string]refusal{
				"what paused by itself": {change: func(r *core.Run) { r.Pause.Code = core.PauseSterile }, says: "has said nothing since this was asked"},
				"with more money":       {body: core.RunResumed{Limits: &core.Limits{}}, says: "has said nothing since this was asked"},
			},
		},
		"a session takes over": {
			with(phased, func(r *core.Run) { r.Session = "t" }), session("s"), core.SessionTook{Session: "s"}, nil, map[string]refusal{
				"a project": {change: func(r *core.Run) { r.Playbook.Project = &core.Management{} }, says: "a project is not driven inside a session"},
			},
		},
	}
}
