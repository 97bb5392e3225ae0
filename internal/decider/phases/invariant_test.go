package phases_test

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// checkInvariants holds the law's promises as properties of every reachable
// state, written independently of the code that enforces them.
func checkInvariants(t *rapid.T, r *core.Run) {
	seenOpen := false
	writers := 0
	for _, s := range r.Stages {
		if seenOpen && (s.Status == core.StageOpen || s.Status == core.StageGated) {
			t.Fatalf("two stages are open: %s", s.ID)
		}
		if !s.Status.Closed() {
			seenOpen = true
		} else if seenOpen && s.Status == core.StageDone {
			t.Fatalf("stage %s passed while an earlier one has not", s.ID)
		}
		if s.Status == core.StageDone {
			checkPassed(t, r, s)
		}
		checkTeam(t, r, s)
		if s.Asked && s.Status != core.StagePending && s.Status != core.StageStale {
			t.Fatalf("stage %s is %s and still asks for its condition", s.ID, s.Status)
		}
		for _, task := range s.Tasks {
			if task.Counted > task.Limit {
				t.Fatalf("task %s: %d attempts counted of %d", task.ID, task.Counted, task.Limit)
			}
			active := 0
			for _, a := range task.Attempts {
				if a.Status.Active() {
					active++
				}
			}
			if active > 1 {
				t.Fatalf("task %s has %d active attempts", task.ID, active)
			}
			if active == 1 && task.Writes == core.WritesCode {
				writers++
			}
		}
	}
	if writers > 1 {
		t.Fatalf("%d writers on one branch", writers)
	}
	checkHeads(t, r)
	if r.Status == core.StatusCompleted && r.Current() != nil {
		t.Fatalf("completed with stage %s open", r.Current().ID)
	}
	if r.Status == core.StatusPaused && (r.Pause == nil || r.Pause.Reason == "") {
		t.Fatalf("paused without a reason")
	}
	if r.Status == core.StatusAwaiting && (r.Current() == nil || r.Current().Gate == nil) {
		t.Fatalf("awaiting an approval nobody asked for")
	}
	if r.Sterile > r.Limits.Sterile {
		t.Fatalf("%d decisions without progress", r.Sterile)
	}
	if r.AutoRounds > r.Limits.AutoRounds {
		t.Fatalf("went back %d times without asking", r.AutoRounds)
	}
}

// checkPassed is law 2: nothing but verified deliveries of the stage's own
// round closes it, and a gate only with an approval of just that.
func checkPassed(t *rapid.T, r *core.Run, s *core.Stage) {
	produced := map[string]bool{}
	for _, task := range s.Tasks {
		if task.Act != "" {
			if !task.Published {
				t.Fatalf("stage %s passed unpublished", s.ID)
			}
			continue
		}
		if task.Status == core.TaskDropped {
			continue
		}
		for _, out := range task.Outputs {
			produced[out] = true
		}
		if task.Found != "" { // nobody worked on it: a look at the branch was enough
			phase := r.Playbook.Phase(s.ID)
			if !phase.VerifyFirst || len(task.Outputs) > 0 || len(task.Attempts) > 0 || s.Hotfix != nil || task.Found != s.Commit || task.Done.Of[0].Kind != core.CheckCommand {
				t.Fatalf("stage %s passed without anybody's work: %+v", s.ID, task)
			}
			continue
		}
		a := task.Last()
		if a == nil || a.Verdict != core.VerdictPassed || a.Delivery == nil {
			t.Fatalf("stage %s passed without a verified delivery of %s", s.ID, task.ID)
		}
	}
	phase := r.Playbook.Phase(s.ID)
	for _, out := range phase.Outputs {
		if !produced[out] {
			t.Fatalf("stage %s passed and nobody answers for %s", s.ID, out)
		}
	}
	if phase.Gate == core.GateApproval && (s.Gate == nil || !s.Gate.Approved) {
		t.Fatalf("stage %s passed its gate without an approval", s.ID)
	}
	if s.Gate != nil && s.Gate.Approved {
		switch s.Gate.By.Kind {
		case core.ActorPerson, core.ActorPolicy, core.ActorSession:
		default:
			t.Fatalf("stage %s was approved by %s", s.ID, s.Gate.By.Kind)
		}
	}
}

// checkStep holds what an event must and must not change.
func checkStep(t *rapid.T, before, after *core.Run, e core.Event, body core.Body) {
	if before == nil {
		return
	}
	if after.Stream.At.Before(before.Stream.At) {
		t.Fatalf("time ran backwards at %s", e.ID)
	}
	if before.Status.Terminal() && after.Status != before.Status {
		t.Fatalf("%s brought a %s run back", e.Type, before.Status)
	}
	checkMachines(t, before, after, e, body)
	if e.Actor.Kind == core.ActorSession {
		checkSession(t, before, after, e, body)
	}
	switch b := body.(type) {
	case core.StageSkipped:
		checkSkip(t, before, b, e.Actor)
	case core.TeamReduced:
		checkReduced(t, before, b)
	case core.RunPaused:
		checkPause(t, before, b)
	default:
	}
	if b, ok := body.(core.RolledBack); ok {
		checkStale(t, after, b.Target)
		if b.Reset && before.Work() != before.BaseCommit && before.Work() != "" {
			held := slices.ContainsFunc(after.Keep, func(k core.HoldRef) bool { return k.Commit == before.Work() })
			if !held {
				t.Fatalf("reset left %s behind without a ref", before.Work())
			}
		}
	}
}

// checkStale is law 2's second half: leftovers of an earlier round never count.
func checkStale(t *rapid.T, r *core.Run, target string) {
	from := false
	for _, s := range r.Stages {
		from = from || s.ID == target
		if !from {
			continue
		}
		if s.Status == core.StageDone || len(s.Tasks) > 0 && s.Status != core.StageOmitted {
			t.Fatalf("stage %s keeps its round after a rollback to %s", s.ID, target)
		}
		if s.Status == core.StageOmitted && s.Skip == core.SkipPlan {
			t.Fatalf("stage %s is left out by a plan that may not hold after a rollback to %s", s.ID, target)
		}
	}
}

// checkMachines holds Fold to the tables: an event leads where its row says.
func checkMachines(t *rapid.T, before, after *core.Run, e core.Event, body core.Body) {
	to, allowed := core.RunNext(before.Status, e.Type)
	if !allowed {
		t.Fatalf("%s happened to a run that is %s", e.Type, before.Status)
	}
	if e.Type == core.TypeRunResumed {
		to = before.Pause.From
	}
	if after.Status != to {
		t.Fatalf("%s led a run from %s to %s, not to %s", e.Type, before.Status, after.Status, to)
	}
	if id := stageOf(body); id != "" {
		from, now := before.Stage(id).Status, after.Stage(id).Status
		if to, allowed := core.StageNext(from, e.Type); !allowed || now != to {
			t.Fatalf("%s led stage %s from %s to %s", e.Type, id, from, now)
		}
	}
	if id := attemptOf(body); id != "" {
		var from core.AttemptStatus
		if _, _, a := before.Attempt(id); a != nil {
			from = a.Status
		}
		_, _, a := after.Attempt(id)
		if to, allowed := core.AttemptNext(from, e.Type); !allowed || a.Status != to {
			t.Fatalf("%s led attempt %s from %q to %q", e.Type, id, from, a.Status)
		}
	}
}

func stageOf(body core.Body) string {
	switch b := body.(type) {
	case core.StageOpened:
		return b.Stage
	case core.StagePassed:
		return b.Stage
	case core.StageSkipped:
		return b.Stage
	case core.FeedbackGiven:
		return b.Stage
	case core.ApprovalRequested:
		return b.Subject.Stage
	case core.ApprovalGranted:
		return b.Subject.Stage
	case core.TaskAdmitted:
		return b.Stage
	case core.TeamReduced:
		return b.Stage
	default:
		return ""
	}
}

func attemptOf(body core.Body) string {
	switch b := body.(type) {
	case core.AttemptRequested:
		return b.Attempt
	case core.AttemptStarted:
		return b.Attempt
	case core.AttemptStopRequested:
		return b.Attempt
	case core.AttemptExited:
		return b.Attempt
	default:
		return ""
	}
}

// checkRest holds that a run that is active and at rest waits for something: an
// effect, a moment or a claim. Otherwise nothing would ever wake it.
func checkRest(t *rapid.T, r *core.Run) {
	if r.Status != core.StatusActive || len(core.Effects(r)) > 0 {
		return
	}
	for _, s := range r.Stages {
		for _, task := range s.Tasks {
			if task.Blocked != nil || task.NotBefore.After(r.Now()) {
				return
			}
		}
	}
	t.Fatalf("an active run waits for nothing; its stage is %+v", r.Current())
}

// checkHeads holds that what is shown and published was verified: the newest
// commit that a passed stage delivered, or the base.
func checkHeads(t *rapid.T, r *core.Run) {
	if r.Head == "" || r.Verified == "" {
		t.Fatalf("the run lost its head: %q, verified %q", r.Head, r.Verified)
	}
	for _, s := range r.Stages {
		for _, task := range s.Tasks {
			if task.Prepared != nil && s.Gate != nil && s.Gate.Approved && s.Gate.Subject.Commit != r.Verified {
				t.Fatalf("%s is approved for publishing, verified is %s", s.Gate.Subject.Commit, r.Verified)
			}
		}
	}
}

// checkSession is law 13 in an interactive session: what lets something through
// there needs the person's own explicit word, about just that, used once.
func checkSession(t *rapid.T, before, after *core.Run, e core.Event, body core.Body) {
	if _, taking := body.(core.SessionTook); !taking && e.Actor.ID != before.Session {
		t.Fatalf("session %s spoke for the run of %q", e.Actor.ID, before.Session)
	}
	var means core.Meaning
	switch b := body.(type) {
	case core.ApprovalGranted:
		means = core.MeansApprove
		if before.Word == nil || before.Word.Subject == nil || *before.Word.Subject != b.Subject {
			t.Fatalf("approved %+v on a word about something else: %+v", b.Subject, before.Word)
		}
	case core.StageSkipped:
		means = core.MeansSkip
	case core.RunCancelled:
		means = core.MeansCancel
	default:
		return
	}
	if before.Word == nil || core.MeaningOf(before.Word.Text) != means {
		t.Fatalf("%s on the word %+v", e.Type, before.Word)
	}
	if after.Word != nil {
		t.Fatalf("the word for %s can be used again", e.Type)
	}
}
