package core_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// starts is a decider that wants attempts, and a word before each but the first.
type starts struct{ n int }

func (starts) Kind() string { return "test" }
func (starts) Version() int { return 4 }
func (s starts) Decide(*core.Run) []core.Body {
	var bodies []core.Body
	for i := range s.n {
		if i > 0 {
			bodies = append(bodies, core.TaskAdmitted{Task: fmt.Sprint("t", i)})
		}
		bodies = append(bodies, core.AttemptRequested{Attempt: fmt.Sprint("a", i)})
	}
	return bodies
}

// situation is a state of a run, and how many attempts its decider wants.
type situation struct {
	state func() *core.Run
	n     int
}

// TestWhatAStateWants holds, for a state of each kind, what is to be done in it, when
// it is to be looked at again, what it holds, and what is decided whoever drives it.
func TestWhatAStateWants(t *testing.T) {
	t.Parallel()
	golden(t, "wants", func(told *strings.Builder) {
		for name, s := range sorted(situations()) {
			r := s.state()
			fmt.Fprintf(told, "# %s\n", name)
			for _, a := range core.Effects(r) {
				fmt.Fprintf(told, "does %s %+v\n", reflect.TypeOf(a).Name(), a)
			}
			for _, at := range core.Timers(r) {
				fmt.Fprintf(told, "looks after %s\n", at.Sub(r.Now()))
			}
			for _, c := range core.Claims(r) {
				fmt.Fprintf(told, "holds %s\n", encoded(t, c))
			}
			for _, s := range core.HeldSlots(r, "here") {
				fmt.Fprintf(told, "holds %+v\n", s)
			}
			for _, s := range core.WantedSlots(r, "here") {
				fmt.Fprintf(told, "waits for %+v\n", s)
			}
			for _, b := range core.Decide(r, starts{s.n}) {
				fmt.Fprintf(told, "decides %s %s by %+v\n", core.TypeOf(b), encoded(t, b), core.ActorFor(r, starts{s.n}, b))
			}
			told.WriteString("\n")
		}
	})
}

// quietly is a run by phases with nothing to be done.
func quietly(changes ...func(*core.Run)) func() *core.Run {
	return with(phased, append([]func(*core.Run){func(r *core.Run) {
		r.BranchAt, r.Project, r.Stream.At, r.StartedAt, r.ClockFrom = "c1", "p", happened, happened.Add(-3*time.Hour), happened.Add(-2*time.Hour)
		r.Limits.WallTime = 0
	}}, changes...)...)
}

func now(r *core.Run) { r.Stream.At = happened }

func situations() map[string]situation {
	with1 := func(state func() *core.Run, changes ...func(*core.Run)) situation {
		return situation{with(state, changes...), 0}
	}
	project := func() *core.Run {
		r := managed()
		r.BranchAt, r.Project, r.Stream.At, r.StartedAt, r.Stirred = "c1", "p", happened, happened.Add(-time.Hour), happened.Add(-time.Minute)
		r.Limits.WallTime, r.Stage("api").LineAt = 0, "c2"
		r.Managing.Delegations, r.Stages[0].Status = nil, core.StageDone
		r.Playbook.Project.Watch = &core.Watch{Every: 7 * time.Minute, Silent: 10 * time.Minute}
		return r
	}
	attempt := func(status core.AttemptStatus) func(*core.Run) {
		return func(r *core.Run) {
			under("write.r1", status)(r)
			t := r.Task("write.r1")
			t.Timeout, t.Last().StartedAt, t.Last().Event = time.Hour, happened.Add(-time.Minute), "e"
		}
	}
	task := func(status core.TaskStatus, act core.Act) func(*core.Run) {
		return writer(func(t *core.Task) { t.Status, t.Act, t.Event = status, act, "e" })
	}
	inLine := writer(func(t *core.Task) {
		t.Blocked, t.Requested = &core.Claim{Kind: core.ClaimSlot, Key: core.AttemptSlots("here")}, 2
	})
	gate := func(r *core.Run) { atReview(r); asked(r) }
	yes := func(r *core.Run) { r.Policy = &core.RunPolicy{Approve: true, By: "me"} }
	publish := func(r *core.Run) {
		atPublish(r)
		r.Stages[3].Gate.Approved, r.Status = false, core.StatusAwaiting
	}
	pushes := func(r *core.Run) {
		publishable(core.TaskDelivered)(r)
		r.Pause, r.Managing.Delegations, r.Playbook.Name, r.Playbook.Project.Push = nil, nil, "b", core.PushStanding
	}
	limits := func(change func(*core.Limits)) func(*core.Run) { return func(r *core.Run) { change(&r.Limits) } }
	spent := func(usd float64, tokens int64, attempts int) func(*core.Run) {
		return func(r *core.Run) {
			r.Usage, r.Attempts = core.Usage{CostUSD: usd, InputTokens: tokens, OutputTokens: 1}, attempts
		}
	}
	others := func(s core.Spent) func(*core.Run) { return func(r *core.Run) { r.Others = s } }
	status := func(s core.RunStatus) func(*core.Run) { return func(r *core.Run) { r.Status = s } }
	stop := func(stop bool) func(*core.Run) {
		return func(r *core.Run) { r.Status, r.Pause = core.StatusPaused, &core.Pause{Stop: stop, Reason: "lunch"} }
	}
	question := func(due time.Time, words string) func(*core.Run) {
		return func(r *core.Run) { r.Questions = []core.Question{{ID: "q", Default: words, Due: due}, {ID: "open"}} }
	}
	request := func(state core.PullRequestState) func(*core.Run) {
		return func(r *core.Run) {
			r.PullRequest = &core.PullRequest{Commit: "c0", State: state, Grant: core.Grant{Merge: "m"}}
		}
	}
	granted := func(event string) func(*core.Run) {
		return func(r *core.Run) { r.PullRequest.Grant.Event = event }
	}
	ended := func(stage core.StageStatus, merged, branchAt string) func(*core.Run) {
		return func(r *core.Run) { r.Stage("api").Status, r.Stage("api").Merged, r.BranchAt = stage, merged, branchAt }
	}
	all := map[string]situation{
		"nothing to do":             with1(quietly()),
		"a branch not yet made":     with1(quietly(), func(r *core.Run) { r.BranchAt = "" }),
		"a branch at its base":      with1(quietly(), func(r *core.Run) { r.BranchAt, r.Verified = "", "c0" }),
		"a branch behind":           with1(quietly(), func(r *core.Run) { r.BranchAt = "c0" }),
		"a branch back at its base": with1(quietly(), func(r *core.Run) { r.Verified = "c0" }),
		"work to be held before the branch": with1(quietly(), func(r *core.Run) {
			r.BranchAt, r.Keep = "c0", []core.HoldRef{{Ref: "k1", Commit: "c9", Reason: "why"}, {Ref: "k2"}}
		}),
		"somebody to be told":                with1(quietly(), func(r *core.Run) { r.Tell = []string{"e1", "e2"} }),
		"a condition asked for":              with1(quietly(), at(2, func(s *core.Stage) { s.Asked, s.Event = true, "e" })),
		"a condition asked for, over":        with1(quietly(), at(2, func(s *core.Stage) { s.Asked = true }), status(core.StatusFailed)),
		"over":                               with1(quietly(), status(core.StatusCancelled)),
		"over and swept":                     with1(quietly(), status(core.StatusCancelled), func(r *core.Run) { r.Swept = true }),
		"over with somebody to be told":      with1(quietly(), status(core.StatusCancelled), func(r *core.Run) { r.Tell = []string{"e1"} }),
		"an attempt to be started":           with1(quietly(), attempt(core.AttemptPending), func(r *core.Run) { r.Session = "s" }),
		"an attempt at work":                 with1(quietly(), attempt(core.AttemptRunning)),
		"an attempt to be stopped":           with1(quietly(), attempt(core.AttemptStopping), writer(func(t *core.Task) { t.Last().StopReason = "why" })),
		"an attempt at work, over":           with1(quietly(), attempt(core.AttemptRunning), status(core.StatusCancelled)),
		"an attempt to be started, over":     with1(quietly(), attempt(core.AttemptPending), status(core.StatusCancelled)),
		"an attempt being stopped, over":     with1(quietly(), attempt(core.AttemptStopping), status(core.StatusCancelled)),
		"an attempt at work, paused":         with1(quietly(), attempt(core.AttemptRunning), stop(false)),
		"an attempt at work, stopped":        with1(quietly(), attempt(core.AttemptRunning), stop(true)),
		"an attempt of another session":      with1(quietly(), attempt(core.AttemptRunning), func(r *core.Run) { r.Session = "s" }),
		"an attempt of the session":          with1(quietly(), attempt(core.AttemptRunning), func(r *core.Run) { r.Session, r.Task("write.r1").Last().Session = "s", "s" }),
		"an attempt out of time":             with1(quietly(), attempt(core.AttemptRunning), writer(func(t *core.Task) { t.Last().StartedAt = happened.Add(-62*time.Minute - 1) })),
		"an attempt at the end of its grace": with1(quietly(), attempt(core.AttemptRunning), writer(func(t *core.Task) { t.Last().StartedAt = happened.Add(-62 * time.Minute) })),
		"an attempt without a time limit":    with1(quietly(), attempt(core.AttemptRunning), writer(func(t *core.Task) { t.Timeout, t.Last().StartedAt = 0, happened.Add(-99*time.Hour) })),
		"a project's places":                 with1(quietly(), attempt(core.AttemptRunning), limits(func(l *core.Limits) { l.Project.Parallel = 2 })),
		"a task in line":                     with1(quietly(), inLine, limits(func(l *core.Limits) { l.Project.Parallel = 2 })),
		"a task in line, paused":             with1(quietly(), inLine, stop(false)),
		"a task in line, dropped":            with1(quietly(), inLine, writer(func(t *core.Task) { t.Status = core.TaskDropped })),
		"a task that waits for a branch":     with1(quietly(), inLine, writer(func(t *core.Task) { t.Blocked.Kind = core.ClaimBranch })),
		"a manager's place":                  with1(turning, now, limits(func(l *core.Limits) { l.Project.Parallel = 2 })),
		"work to be verified":                with1(quietly(), handedIn(core.TaskVerifying)),
		"work to be verified, paused":        with1(quietly(), handedIn(core.TaskVerifying), stop(false)),
		"work to be verified, stopped":       with1(quietly(), handedIn(core.TaskVerifying), stop(true)),
		"work to be verified, over":          with1(quietly(), handedIn(core.TaskVerifying), status(core.StatusFailed)),
		"a branch to be looked at":           with1(quietly(), task(core.TaskVerifying, ""), writer(func(t *core.Task) { t.First = true })),
		"a publication to be prepared":       with1(quietly(), task(core.TaskVerifying, core.ActPullRequest)),
		"a publication to be made":           with1(quietly(), task(core.TaskRunning, core.ActPullRequest)),
		"a merge to be made":                 with1(quietly(), task(core.TaskVerifying, core.ActMerge)),
		"a validation to be made":            with1(quietly(), task(core.TaskVerifying, core.ActValidate)),
		"a task that waits until later":      with1(quietly(), writer(func(t *core.Task) { t.NotBefore = happened.Add(time.Minute) })),
		"a task that waits until now":        with1(quietly(), writer(func(t *core.Task) { t.NotBefore = happened })),
		"a verification that waits":          with1(quietly(), handedIn(core.TaskDelivered), writer(func(t *core.Task) { t.NotBefore = happened.Add(time.Minute) })),
		"a task that waits, paused":          with1(quietly(), stop(false), writer(func(t *core.Task) { t.NotBefore = happened.Add(time.Minute) })),
		"a task that is done and waits":      with1(quietly(), writer(func(t *core.Task) { t.Status, t.NotBefore = core.TaskDone, happened.Add(time.Minute) })),
		"a question with a default":          with1(quietly(), question(happened.Add(time.Second), "no")),
		"a question that is due":             with1(quietly(), question(happened, "no")),
		"a question that is due, paused":     with1(quietly(), question(happened, "no"), stop(false)),
		"a question that is due, over":       with1(quietly(), question(happened, "no"), status(core.StatusFailed)),
		"a question to come, over":           with1(quietly(), question(happened.Add(time.Second), "no"), status(core.StatusFailed)),
		"a question without a default":       with1(quietly(), question(happened, "")),
		"a gate":                             with1(quietly(), gate),
		"a gate with a standing yes":         with1(quietly(), gate, yes),
		"a gate with a standing no":          with1(quietly(), gate, func(r *core.Run) { r.Policy = &core.RunPolicy{By: "me"} }),
		"a gate with a yes to changes":       with1(quietly(), gate, yes, reviewer(func(t *core.Task) { t.Last().Review = &core.Review{Status: core.ReviewChangesRequested} })),
		"a gate with a yes given":            with1(quietly(), gate, yes, at(2, func(s *core.Stage) { s.Gate.Approved = true })),
		"a publication with a yes":           with1(quietly(), publish, yes),
		"a secret with a yes":                with1(quietly(), publish, yes, func(r *core.Run) { r.Task("publish.r1").Prepared.Leaks = []core.Leak{{Rule: "key"}} }),
		"a push the playbook lets":           with1(project, pushes),
		"a push the playbook does not let":   with1(project, pushes, func(r *core.Run) { r.Playbook.Project.Push = core.PushAsk }),
		"another gate of such a playbook":    with1(project, pushes, func(r *core.Run) { r.Stages[3].ID = core.PlanStage }),
		"a person's yes in such a playbook":  with1(project, pushes, yes),
		"going in circles":                   with1(quietly(), func(r *core.Run) { r.Sterile = r.Limits.Sterile }),
		"nearly going in circles":            with1(quietly(), func(r *core.Run) { r.Sterile = r.Limits.Sterile - 1 }),
		"circles with agents at work":        with1(turning, now, func(r *core.Run) { r.Sterile = r.Limits.Sterile }),
		"circles with one agent at work":     with1(quietly(), attempt(core.AttemptRunning), func(r *core.Run) { r.Sterile = r.Limits.Sterile }),
		"circles in a review":                with1(quietly(), status(core.StatusReview), func(r *core.Run) { r.Sterile = r.Limits.Sterile }),
		"money used up":                      with1(quietly(), spent(2, 0, 0), limits(func(l *core.Limits) { l.CostUSD = 2 })),
		"money left":                         with1(quietly(), spent(1.99, 0, 0), limits(func(l *core.Limits) { l.CostUSD = 2 })),
		"tokens used up":                     with1(quietly(), spent(0, 9, 0), limits(func(l *core.Limits) { l.Tokens = 10 })),
		"tokens left":                        with1(quietly(), spent(0, 8, 0), limits(func(l *core.Limits) { l.Tokens = 10 })),
		"time used up":                       with1(quietly(), limits(func(l *core.Limits) { l.WallTime = 2 * time.Hour })),
		"time left":                          with1(quietly(), limits(func(l *core.Limits) { l.WallTime = 2*time.Hour + 1 })),
		"time that waits for a person":       with1(quietly(), gate, limits(func(l *core.Limits) { l.WallTime = 3 * time.Hour })),
		"a project's money used up":          with1(quietly(), spent(1, 0, 0), others(core.Spent{CostUSD: 1}), limits(func(l *core.Limits) { l.Project.CostUSD = 2 })),
		"a project's money left":             with1(quietly(), spent(1, 0, 0), others(core.Spent{CostUSD: 0.99}), limits(func(l *core.Limits) { l.Project.CostUSD = 2 })),
		"a project's tokens used up":         with1(quietly(), spent(0, 4, 0), others(core.Spent{Tokens: 5}), limits(func(l *core.Limits) { l.Project.Tokens = 10 })),
		"a project's tokens left":            with1(quietly(), spent(0, 4, 0), others(core.Spent{Tokens: 4}), limits(func(l *core.Limits) { l.Project.Tokens = 10 })),
		"a project's time used up":           with1(quietly(), others(core.Spent{Worked: time.Hour, Working: 1}), limits(func(l *core.Limits) { l.Project.WallTime = 3 * time.Hour })),
		"a project's time left":              with1(quietly(), others(core.Spent{Worked: time.Hour, Working: 1}), func(r *core.Run) { r.ToldAt, r.Limits.Project.WallTime = happened.Add(-10*time.Minute), 10*time.Hour }),
		"a project's time, paused":           with1(quietly(), stop(false), limits(func(l *core.Limits) { l.Project.WallTime = 10 * time.Hour })),
		"no attempt left to the project":     {quietly(spent(0, 0, 2), others(core.Spent{Attempts: 3}), limits(func(l *core.Limits) { l.Project.Attempts = 5 })), 2},
		"one attempt left to the project":    {quietly(spent(0, 0, 2), others(core.Spent{Attempts: 2}), limits(func(l *core.Limits) { l.Project.Attempts = 5 })), 3},
		"attempts without a limit":           {quietly(spent(0, 0, 99)), 2},
		"attempts while paused":              {quietly(stop(false)), 1},
		"attempts in a review":               {quietly(status(core.StatusReview)), 1},
		"a silent manager":                   with1(project),
		"a silent manager, looked at often":  with1(project, func(r *core.Run) { r.Playbook.Project.Watch.Every = 0 }),
		"a silent manager at the very time":  with1(project, func(r *core.Run) { r.Playbook.Project.Watch = &core.Watch{Every: time.Minute, Silent: 2 * time.Minute} }),
		"a manager nobody watches":           with1(project, func(r *core.Run) { r.Playbook.Project.Watch = nil }),
		"a manager in its turn":              with1(project, func(r *core.Run) { r.Stages[0].Status = core.StageOpen }),
		"a manager about to be woken":        with1(project, func(r *core.Run) { r.Managing.Wakes = []core.Wake{{}} }),
		"a manager that waits for work":      with1(project, func(r *core.Run) { r.Managing.Delegations = []*core.Delegation{{Status: core.DelegationOpen}} }),
		"a manager that waits, paused":       with1(project, status(core.StatusPaused)),
		"a project under rules, silent":      with1(project, byRules),
		"a plan to be read":                  with1(project, func(r *core.Run) { r.Driving.Plan = nil }),
		"a plan to be read, over":            with1(project, func(r *core.Run) { r.Driving.Plan, r.Status = nil, core.StatusCancelled }),
		"a plan of waves":                    with1(waved, now),
		"a plan to be written":               with1(project, func(r *core.Run) { r.Driving.PlanWrite = &core.PlanWrite{Event: "e"} }),
		"a line behind":                      with1(project, func(r *core.Run) { r.Stage("api").LineAt = "" }),
		"a line behind, work to be held":     with1(project, func(r *core.Run) { r.Stage("api").LineAt, r.Keep = "", []core.HoldRef{{Ref: "k"}} }),
		"a line at its gate":                 with1(project, func(r *core.Run) { r.Stage("api").Status = core.StageGated }),
		"a line merged":                      with1(project, ended(core.StageDone, "m", "c1")),
		"a line merged, not yet moved":       with1(project, ended(core.StageDone, "m", "c0")),
		"a line given up":                    with1(project, ended(core.StageOmitted, "", "c0")),
		"a branch that is gone":              with1(project, func(r *core.Run) { r.Gone = []core.Line{{Branch: "g", At: "c4"}} }),
		"a branch that is gone, over":        with1(project, func(r *core.Run) { r.Gone, r.Status = []core.Line{{Branch: "g", At: "c4"}}, core.StatusCancelled }),
		"gone, with work to be held":         with1(project, func(r *core.Run) { r.Gone, r.Keep = []core.Line{{Branch: "g"}}, []core.HoldRef{{Ref: "k"}} }),
		"a request in waves":                 with1(waved, now, request(core.PullRequestOpen)),
		"a request of a run by phases":       with1(quietly(), request(core.PullRequestOpen)),
	}
	for _, state := range []core.PullRequestState{core.PullRequestOpen, core.PullRequestMerged, core.PullRequestClosed} {
		all["a request that is "+string(state)] = with1(project, request(state))
		all["a request that is "+string(state)+", with a merge granted"] = with1(project, request(state), granted("e9"))
	}
	all["a merge granted when the run was over"] = with1(quietly(), status(core.StatusCompleted), request(core.PullRequestOpen), granted("e9"))
	all["a merge granted to be made by hand"] = with1(quietly(), status(core.StatusCompleted), request(core.PullRequestOpen), granted(""))
	all["a merge granted that failed"] = with1(quietly(), status(core.StatusCompleted), request(core.PullRequestOpen), granted("e9"), func(r *core.Run) {
		r.PullRequest.Grant.Failed = &core.MergeFailed{Merge: "m", Reason: "why"}
	})
	for _, over := range []core.RunStatus{core.StatusCancelled, core.StatusFailed} {
		all["a merge granted of a run that "+string(over)] = with1(quietly(), status(over), request(core.PullRequestOpen), granted("e9"))
	}
	return all
}
