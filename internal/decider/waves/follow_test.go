package waves_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/waves"
)

// decided is a run whose planner has handed a decision in, with work of every status,
// questions of both kinds, an answer, a fact a person gave and an open conflict.
func decided(d core.PlannerDecision) *core.Run {
	said := func(origin core.Origin, key, content, source string) core.Statement {
		return core.Statement{Claimed: core.Claimed{Key: key, Content: content}, Origin: origin, Source: source, Wave: 1}
	}
	r := &core.Run{
		ID: "r", Alias: "r", Status: core.StatusActive, Head: "c1", Limits: core.DefaultLimits(),
		Playbook: &core.Playbook{
			Kind: "waves", Roles: map[string]core.Role{"planner": {}, "dev": {}},
			Project: &core.Management{Roles: map[core.TaskKind]string{core.KindWave: "planner"}, Attempts: 1, Rounds: 1, Waves: &core.WaveRules{Waves: 5, Delegations: 5}},
		},
		Stages: []*core.Stage{{ID: core.PlannerStage, Status: core.StageOpen, Round: 2, Base: "c1", Tasks: []*core.Task{{
			ID: "planner.r2", Stage: core.PlannerStage, Kind: core.KindWave, Status: core.TaskDone, Attempts: []*core.Attempt{{
				ID: "planner.r2.a1", Status: core.AttemptEnded, Verdict: core.VerdictPassed,
				Delivery: &core.Delivery{Artifacts: []core.Artifact{{Name: core.CompactArtifact, Digest: "compact"}, {Name: core.DetailedArtifact, Digest: "detailed"}}},
			}},
		}}}},
		Waves:     &core.Waves{N: 1, Open: true, Decision: &d},
		Questions: []core.Question{{ID: "q-worker", Text: "Which?", From: "blocked"}, {ID: "q-people", Text: "Why?"}},
		Answers:   []core.Answer{{Question: core.Question{ID: "q-old"}, Text: "so"}},
	}
	for _, status := range []core.DelegationStatus{
		core.DelegationWaiting, core.DelegationBlocked, core.DelegationDone, core.DelegationPartial, core.DelegationFailed, core.DelegationDropped,
	} {
		r.Waves.Works = append(r.Waves.Works, &core.Delegated{Brief: core.Brief{ID: string(status), Agent: "dev"}, Wave: 1, Status: status})
	}
	r.Waves.Pool = r.Waves.Pool.Merge(
		said(core.OriginPerson, "lang", "Go", "q-old"), said(core.OriginPlanner, "tool", "make", "wave_0"),
		said(core.OriginDelegation, "db", "postgres", "done"), said(core.OriginDelegation, "db", "sqlite", "partial"),
	)
	return r
}

// TestWhatAPlannerIsToldOfItsDecision: what of it cannot be followed is said, and the rest
// is followed.
func TestWhatAPlannerIsToldOfItsDecision(t *testing.T) {
	t.Parallel()
	conflict := decided(core.PlannerDecision{}).Waves.Pool.Conflicts(1)[0].ID
	for name, test := range map[string]struct {
		decision core.PlannerDecision
		note     string // "" where it is followed
		follows  core.Type
	}{
		"a worker's question":        {core.PlannerDecision{Answers: []core.Answering{{Question: "q-worker", Answer: "a"}}}, "", core.TypeQuestionAnswered},
		"a worker's question, twice": {core.PlannerDecision{Answers: []core.Answering{{Question: "q-worker", Answer: "a"}, {Question: "q-worker", Answer: "b"}}}, "there is no open question q-worker", core.TypeQuestionAnswered},
		"people's question":          {core.PlannerDecision{Answers: []core.Answering{{Question: "q-people", Answer: "a"}}}, "question q-people is for people to answer", ""},
		"a question answered before": {core.PlannerDecision{Answers: []core.Answering{{Question: "q-old", Answer: "a"}}}, "that answer holds: so", ""},
		"a question nobody asked":    {core.PlannerDecision{Answers: []core.Answering{{Question: "q-none", Answer: "a"}}}, "there is no open question q-none", ""},
		"a fact against a person":    {core.PlannerDecision{Facts: []core.Claimed{{Key: "lang", Content: "Rust"}}}, "lang is what a person answered, and that holds: Go", ""},
		"a fact a person gave":       {core.PlannerDecision{Facts: []core.Claimed{{Key: "lang", Content: " go "}}}, "", ""},
		"a fact against its own":     {core.PlannerDecision{Facts: []core.Claimed{{Key: "tool", Content: "just"}}}, "", ""},
		"a new fact":                 {core.PlannerDecision{Facts: []core.Claimed{{Key: "os", Content: "linux"}}}, "", ""},
		"a fact without a key":       {core.PlannerDecision{Facts: []core.Claimed{{Content: "x"}}}, "", ""},
		"a conflict":                 {core.PlannerDecision{Resolutions: []core.Resolution{{Conflict: conflict, Content: "sqlite"}}}, "", ""},
		"a conflict that is none":    {core.PlannerDecision{Resolutions: []core.Resolution{{Conflict: "c-none", Content: "x"}}}, "there is no conflict c-none", ""},
		"work that waits is dropped": {core.PlannerDecision{Dropped: []core.Dropped{{ID: "waiting", Reason: "x"}}}, "", core.TypeBriefEnded},
		"work that is blocked":       {core.PlannerDecision{Dropped: []core.Dropped{{ID: "blocked", Reason: "x"}}}, "", core.TypeBriefEnded},
		"work that failed":           {core.PlannerDecision{Dropped: []core.Dropped{{ID: "failed", Reason: "x"}}}, "", core.TypeBriefEnded},
		"work that is done":          {core.PlannerDecision{Dropped: []core.Dropped{{ID: "done", Reason: "x"}}}, "delegation done cannot be dropped", ""},
		"work that is done in part":  {core.PlannerDecision{Dropped: []core.Dropped{{ID: "partial", Reason: "x"}}}, "delegation partial cannot be dropped", ""},
		"work that was dropped":      {core.PlannerDecision{Dropped: []core.Dropped{{ID: "dropped", Reason: "x"}}}, "delegation dropped cannot be dropped", ""},
		"work that nobody knows":     {core.PlannerDecision{Dropped: []core.Dropped{{ID: "none", Reason: "x"}}}, "delegation none cannot be dropped", ""},
	} {
		test.decision.Decision, test.decision.Reason = core.CourseAsk, "why"
		bodies := waves.Decider{}.Decide(decided(test.decision))
		i := slices.IndexFunc(bodies, func(b core.Body) bool { return core.TypeOf(b) == core.TypeWaveClosed })
		if i < 0 {
			t.Fatalf("%s: the wave is not closed: %v", name, bodies)
		}
		closed, ok := bodies[i].(core.WaveClosed)
		if !ok || closed.Wave != 1 || closed.Course != core.CourseAsk || closed.Reason != "why" || closed.Compact != "compact" || closed.Detailed != "detailed" {
			t.Errorf("%s: the wave is closed with %+v", name, closed)
		}
		if got := strings.Join(closed.Notes, "\n"); !strings.Contains(got, test.note) || test.note == "" && got != "" || len(closed.Notes) > 1 {
			t.Errorf("%s: the planner is told %q", name, got)
		}
		for _, kind := range []core.Type{core.TypeQuestionAnswered, core.TypeBriefEnded} {
			n := 0
			for _, b := range bodies {
				if core.TypeOf(b) == kind {
					n++
				}
			}
			if want := map[bool]int{true: 1}[kind == test.follows]; n != want {
				t.Errorf("%s: %d × %s follow, want %d", name, n, kind, want)
			}
		}
	}
}
