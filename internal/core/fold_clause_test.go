package core

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestAllOfManyAreLetGo: not only the first.
func TestAllOfManyAreLetGo(t *testing.T) {
	t.Parallel()
	r := lasting()
	var tasks []*Task
	for range keptTasks + 3 {
		tasks = append(tasks, &Task{Status: TaskDone})
	}
	tasks[1] = &Task{ID: "waits", Status: TaskWaiting}
	last := tasks[3]
	s := &Stage{ID: "api", Branch: "x-api-1", Status: StageOpen, Tasks: tasks}
	r.Stages = []*Stage{s}
	if forget(r); len(s.Tasks) != keptTasks+1 || s.Tasks[0].ID != "waits" || s.Tasks[1] != last {
		t.Errorf("%d tasks are kept, first %+v", len(s.Tasks), s.Tasks[0])
	}
	r.Stages = []*Stage{{ID: "api", Status: StageDone, Branch: "x-api-3"}}
	r.Managing.Delegations = []*Delegation{{ID: "t8", Stage: "web"}, {ID: "t9", Stage: "api"}}
	if forget(r); len(r.Stages) != 1 {
		t.Error("a line was let go that the second delegation speaks of")
	}
}

// TestAWishIsGivenToItsStage: to that alone, and what was sent back with it.
func TestAWishIsGivenToItsStage(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]struct {
		wish *Changes
		left []Changes
		to   []string
	}{
		"w2": {&Changes{ID: "w2", Text: "b"}, []Changes{{ID: "w1", Text: "a"}, {ID: "w3", Text: "c"}}, []string{"", "api", "kept"}},
		"w9": {nil, []Changes{{ID: "w1", Text: "a"}, {ID: "w2", Text: "b"}, {ID: "w3", Text: "c"}}, []string{"", "", "kept"}},
		"":   {nil, []Changes{{ID: "w1", Text: "a"}, {ID: "w2", Text: "b"}, {ID: "w3", Text: "c"}}, []string{"", "", "kept"}},
	} {
		r := &Run{Driving: Driving{Changes: []Changes{{ID: "w1", Text: "a"}, {ID: "w2", Text: "b"}, {ID: "w3", Text: "c"}}}, SentBack: []SentBack{{Wish: "w1"}, {Wish: "w2"}, {To: "kept"}}}
		s := &Stage{ID: "api"}
		takeWish(r, s, id)
		var to []string
		for _, b := range r.SentBack {
			to = append(to, b.To)
		}
		if diff := cmp.Diff(want.wish, s.Wish) + cmp.Diff(want.left, r.Driving.Changes) + cmp.Diff(want.to, to); diff != "" {
			t.Errorf("%q: %s", id, diff)
		}
	}
}

// TestWhenAPlanIsMerged: where it was a stage's document.
func TestWhenAPlanIsMerged(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stages []*Stage
		write  *PlanWrite
		merged string
	}{
		"a document of the stage": {[]*Stage{{ID: PlanStage}}, &PlanWrite{Artifact: "plan.md"}, "c2"},
		"a manager's change":      {[]*Stage{{ID: PlanStage}}, &PlanWrite{}, ""},
		"nobody asked for it":     {[]*Stage{{ID: PlanStage}}, nil, ""},
		"no stage of its own":     {nil, &PlanWrite{Artifact: "plan.md"}, ""},
	} {
		r := &Run{Head: "c1", Verified: "c1", Stages: test.stages, Driving: Driving{PlanWrite: test.write}}
		planUpdated(r, PlanUpdated{Plan: Plan{Commit: "c2"}})
		if r.Head != "c2" || r.Verified != "c2" || r.Driving.PlanWrite != nil || r.Driving.Plan == nil || len(test.stages) > 0 && r.Stages[0].Merged != test.merged {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestWhatIsKeptOfAGivenUpLine: its agents' work, not what the engine made of it.
func TestWhatIsKeptOfAGivenUpLine(t *testing.T) {
	t.Parallel()
	task := func(writes Writes, act Act, commit string) *Task {
		return &Task{Writes: writes, Act: act, Attempts: []*Attempt{{Status: AttemptEnded, Delivery: &Delivery{Commit: commit}}}}
	}
	code, acted, wrote := task(WritesCode, "", "c2"), task(WritesCode, ActMerge, "c3"), task(WritesArtifacts, "", "c4")
	for name, test := range map[string]struct {
		tasks []*Task
		kept  []HoldRef
	}{
		"code":             {[]*Task{code, wrote}, []HoldRef{{Ref: "refs/kept/r/1", Commit: "c2", Reason: "given up: no"}}},
		"code and a merge": {[]*Task{code, acted}, []HoldRef{{Ref: "refs/kept/r/1", Commit: "c2", Reason: "given up: no"}}},
		"a merge alone":    {[]*Task{acted}, nil},
		"documents":        {[]*Task{wrote}, nil},
	} {
		s := &Stage{ID: "api", Base: "c1", Branch: "x-api-1", Status: StageOpen, Tasks: test.tasks}
		r := &Run{ID: "r", BaseCommit: "c0", Stages: []*Stage{s}}
		discard(r, Event{}, StageDiscarded{Stage: "api", Reason: "no"})
		if diff := cmp.Diff(test.kept, r.Keep); diff != "" || s.Status != StageOmitted {
			t.Errorf("%s: the stage is %s, kept: %s", name, s.Status, diff)
		}
	}
}

// TestWhatRulesFindClosed: validations that came to their end and lines that are merged.
func TestWhatRulesFindClosed(t *testing.T) {
	t.Parallel()
	done, waits := []*Task{{Status: TaskDone}}, []*Task{{Status: TaskWaiting}}
	for name, test := range map[string]struct {
		stage Stage
		want  StageStatus
	}{
		"a validation":           {Stage{ID: "t4", Tasks: done}, StageDone},
		"a validation under way": {Stage{ID: "t4", Tasks: waits}, StageOpen},
		"a line with its work":   {Stage{ID: "t4", Tasks: done, Branch: "x-t4-1"}, StageOpen},
		"a line that is merged":  {Stage{ID: "t4", Tasks: done, Branch: "x-t4-1", Merged: "m"}, StageDone},
		"of no delegation":       {Stage{ID: "api", Tasks: done}, StageOpen},
	} {
		test.stage.Status = StageOpen
		r := &Run{Managing: Managing{Delegated: 9}, Head: "c1", Stages: []*Stage{&test.stage, {ID: "t5", Status: StageOmitted, Tasks: done}}}
		closeDone(r)
		if test.stage.Status != test.want || (test.stage.Commit == "c1") != (test.want == StageDone) || r.Stages[1].Status != StageOmitted {
			t.Errorf("%s: it is %s at %q", name, test.stage.Status, test.stage.Commit)
		}
	}
}

// TestWhatAWorkerTeaches: facts as such, assumptions as such, and by whom.
func TestWhatAWorkerTeaches(t *testing.T) {
	t.Parallel()
	w := &Waves{N: 3}
	out := &WorkerOutput{Facts: []Claimed{{Key: "a", Content: "A", Confidence: 0.9}}, Assumptions: []Claimed{{Key: "b", Content: "B", Confidence: 0.5}}}
	w.learn(&Delegated{Brief: Brief{ID: "d1"}}, out)
	want := Pool{
		{ID: "f1", Key: "a", Content: "A", Confidence: 0.9, Origin: OriginDelegation, Source: "d1", Wave: 3},
		{ID: "f2", Key: "b", Content: "B", Confidence: 0.5, Assumption: true, Origin: OriginDelegation, Source: "d1", Wave: 3},
	}
	if diff := cmp.Diff(want, w.Pool, cmpopts.EquateEmpty()); diff != "" || out.Facts != nil || out.Assumptions != nil || w.Objections != nil {
		t.Errorf("%s, left %+v, objections %q", diff, out, w.Objections)
	}
}

// TestThereIsNoRoomForMore: what a worker says beyond the last that there is room for is
// left in its answer, and the planner hears how much.
func TestThereIsNoRoomForMore(t *testing.T) {
	t.Parallel()
	claims := []Claimed{{Key: "a", Content: "A"}, {Key: "b", Content: "B"}, {Key: "c", Content: "C"}}
	for _, test := range []struct {
		known, taken int
		says         []string
	}{
		{MaxClaims - 3, 3, []string{"before"}},
		{MaxClaims - 2, 2, []string{"before", fmt.Sprintf("1 claims of d1 were not taken in: %d facts are known, which is all there is room for; its answer has them", MaxClaims)}},
		{MaxClaims, 0, []string{"before", fmt.Sprintf("3 claims of d1 were not taken in: %d facts are known, which is all there is room for; its answer has them", MaxClaims)}},
	} {
		w := &Waves{Objections: []string{"before"}}
		for n := range test.known {
			w.Pool = append(w.Pool, Fact{ID: factID(n + 1), Content: fmt.Sprint(n), Origin: OriginDelegation, Source: "d0"})
		}
		w.learn(&Delegated{Brief: Brief{ID: "d1"}}, &WorkerOutput{Facts: claims[:2], Assumptions: claims[2:]})
		if diff := cmp.Diff(test.says, w.Objections); diff != "" || len(w.Pool) != test.known+test.taken {
			t.Errorf("%d were known: %d are, %s", test.known, len(w.Pool), diff)
		}
	}
}

// TestWhoseWorkIsStale: of whom something is stale now, and no longer who was.
func TestWhoseWorkIsStale(t *testing.T) {
	t.Parallel()
	w := &Waves{Works: []*Delegated{{Brief: Brief{ID: "d1"}}, {Brief: Brief{ID: "d2"}, Stale: "f9"}, {Brief: Brief{ID: "d3"}}}}
	w.Pool = Pool{{ID: "f1", Source: "d1"}, {ID: "f2", Source: "d1", Stale: "f4"}, {ID: "f3", Source: "d2"}, {ID: "f5", Source: "d3", Stale: "f6"}}
	w.staleness()
	for i, want := range []string{"f4", "", "f6"} {
		if got := w.Works[i].Stale; got != want {
			t.Errorf("the work of %s is stale by %q, want %q", w.Works[i].Brief.ID, got, want)
		}
	}
}

// TestWhatAManagerAnswersToWishes: what it did in the turn that saw them, and what
// it was refused is nothing it did.
func TestWhatAManagerAnswersToWishes(t *testing.T) {
	t.Parallel()
	turn := &Turn{
		Wakes: []Wake{{Kind: WakeChanges, Subject: "w1"}, {Kind: WakeTask, Subject: "w2"}, {Kind: WakeChanges, Subject: "w3"}, {Kind: WakeChanges}},
		Deeds: []Deed{{Tool: ToolDelegate, Subject: "t1", Text: "do it"}, {Tool: ToolPlan, Subject: "p", Text: "x", Refused: "no"}, {Tool: ToolMessage, Subject: "m", Text: "soon"}},
	}
	r := &Run{SentBack: []SentBack{{Wish: "w1"}, {Wish: "w2"}, {Wish: "w3", To: "api"}, {}, {Wish: "w9"}}}
	answerBack(r, turn)
	want := []SentBack{{Wish: "w1", To: ManagerStage, Said: "delegate t1: do it; message m: soon"}, {Wish: "w2"}, {Wish: "w3", To: "api"}, {}, {Wish: "w9"}}
	if diff := cmp.Diff(want, r.SentBack); diff != "" {
		t.Error(diff)
	}
	r = &Run{SentBack: []SentBack{{Wish: "w1"}}}
	answerBack(r, &Turn{Wakes: turn.Wakes})
	if diff := cmp.Diff([]SentBack{{Wish: "w1", To: ManagerStage}}, r.SentBack); diff != "" {
		t.Errorf("nothing was done: %s", diff)
	}
}

// TestWhoInheritsCriteria: at every remove, also where delegations replace one another
// in a circle or name one that is not there.
func TestWhoInheritsCriteria(t *testing.T) {
	t.Parallel()
	criteria := []Criterion{{Text: "fast"}, {Text: "small"}}
	work := func(id string, status DelegationStatus, criteria []Criterion, replaces ...string) *Delegated {
		return &Delegated{Brief: Brief{ID: id, Criteria: criteria, Replaces: replaces}, Status: status}
	}
	unmet := func(w *Waves) map[string][]string {
		all := map[string][]string{}
		for _, d := range w.Works {
			all[d.Brief.ID] = d.Unmet
		}
		return all
	}
	w := &Waves{Works: []*Delegated{
		work("d1", DelegationFailed, criteria), work("d2", DelegationFailed, criteria[:1], "d1", "gone"),
		work("d3", DelegationDone, criteria[:1], "d2", "d5"), work("d4", DelegationFailed, criteria), work("d5", DelegationFailed, criteria[:1]),
	}}
	w.recount(w.Works[2])
	want := map[string][]string{"d1": {"small"}, "d2": nil, "d3": nil, "d4": nil, "d5": nil}
	if diff := cmp.Diff(want, unmet(w), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("in a row: %s", diff)
	}
	w.Works[2].Status = DelegationFailed
	w.recount(w.Works[2])
	want = map[string][]string{"d1": {"fast", "small"}, "d2": {"fast"}, "d3": {"fast"}, "d4": nil, "d5": {"fast"}}
	if diff := cmp.Diff(want, unmet(w), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the last one failed: %s", diff)
	}
	round := &Waves{Works: []*Delegated{
		work("a", DelegationFailed, criteria, "b"), work("b", DelegationFailed, criteria, "c", "a"), work("c", DelegationFailed, criteria[:1], "b"),
	}}
	round.recount(round.Works[0])
	if diff := cmp.Diff(map[string][]string{"a": {"fast", "small"}, "b": {"fast", "small"}, "c": {"fast"}}, unmet(round)); diff != "" {
		t.Errorf("in a circle: %s", diff)
	}
}

// TestWhenARunIsLookedAtAgain: at each moment to come, the first first.
func TestWhenARunIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	state := func(status RunStatus) *Run {
		return &Run{
			Status: status, Stream: Head{At: now}, Playbook: &Playbook{}, ClockFrom: now, Limits: Limits{WallTime: 2 * time.Minute},
			Stages: []*Stage{{Tasks: []*Task{
				{Status: TaskWaiting, NotBefore: now.Add(5 * time.Minute)}, {Status: TaskWaiting, NotBefore: now},
				{Status: TaskRunning, NotBefore: now.Add(9 * time.Minute), Timeout: time.Minute, Attempts: []*Attempt{{Status: AttemptRunning, StartedAt: now}}},
				{Status: TaskDelivered, NotBefore: now.Add(time.Second)},
			}}},
			Questions: []Question{{Default: "no", Due: now.Add(3 * time.Minute)}, {Due: now.Add(time.Minute)}, {Default: "no", Due: now}},
		}
	}
	stops := now.Add(time.Minute + stopGrace + time.Second)
	for status, want := range map[RunStatus][]time.Time{
		StatusActive:    {now.Add(time.Second), now.Add(2 * time.Minute), now.Add(3 * time.Minute), stops, now.Add(5 * time.Minute)},
		StatusAwaiting:  {now.Add(3 * time.Minute), stops},
		StatusCancelled: {stops},
	} {
		if diff := cmp.Diff(want, Timers(state(status))); diff != "" {
			t.Errorf("%s: %s", status, diff)
		}
	}
}

// TestARunsShare compares all that counts of a run for its project.
func TestARunsShare(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	r := &Run{Status: StatusActive, Usage: Usage{CostUSD: 1.5, InputTokens: 10, OutputTokens: 20}, Attempts: 4, Unpriced: 2, ClockFrom: at}
	want := Spent{CostUSD: 1.5, Tokens: 30, Worked: time.Minute, Working: 1, Attempts: 4, Unpriced: 2}
	if diff := cmp.Diff(want, r.ShareAt(at.Add(time.Minute))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Spent{CostUSD: 3, Tokens: 60, Worked: 2 * time.Minute, Working: 2, Attempts: 8, Unpriced: 4}, want.Add(want)); diff != "" {
		t.Errorf("twice: %s", diff)
	}
}
