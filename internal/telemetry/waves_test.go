package telemetry_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// inWaves is a run with one wave: the planner looks at the goal, one delegation is
// refused, one is done, and the planner closes the wave.
func inWaves() []core.Body {
	turn := func(stage, task, role string, kind core.TaskKind, round int, check core.CheckKind) []core.Body {
		attempt := task + ".a1"
		return []core.Body{
			core.StageOpened{Stage: stage, Round: round},
			core.TaskAdmitted{Task: task, Stage: stage, Round: round, Role: role, Kind: kind},
			core.AttemptRequested{Task: task, Attempt: attempt, N: 1},
			core.AttemptStarted{Attempt: attempt, Agent: "claude"},
			core.AttemptExited{Attempt: attempt, Kind: core.ExitFinished, Duration: time.Second, Usage: core.Usage{InputTokens: 10, OutputTokens: 2}},
			core.VerifyRequested{Task: task, Attempt: attempt},
			core.VerifyConcluded{Task: task, Attempt: attempt, Passed: true, Results: []core.CheckResult{{Kind: check, Passed: true}}},
			core.StagePassed{Stage: stage, Round: round},
		}
	}
	playbook := core.Playbook{
		Name: "research", Kind: "waves", Project: &core.Management{Waves: &core.WaveRules{}, Roles: map[core.TaskKind]string{core.KindWave: "thinker"}},
		Agents: map[string]core.Agent{"a": {Use: "claude", Model: "opus"}},
		Roles:  map[string]core.Role{"thinker": {Name: "thinker", Agent: "a"}, "scout": {Name: "scout", Agent: "a"}},
	}
	bodies := []core.Body{core.RunStarted{Run: runID, Alias: "a", Goal: "g", Playbook: playbook}}
	bodies = append(bodies, turn(core.PlannerStage, "planner.r1", "thinker", core.KindWave, 1, core.CheckDecision)...)
	bodies = append(bodies, core.WaveClosed{Course: core.CourseContinue},
		core.BriefRefused{BriefRefusal: core.BriefRefusal{ID: "paint", Code: "unknown_role", Reason: "nobody paints, hunter2", Key: "k"}},
		core.BriefAdmitted{Brief: core.Brief{ID: "survey", Agent: "scout"}}, core.WaveOpened{Wave: 1})
	bodies = append(bodies, turn("survey", "survey.r1", "scout", "", 1, core.CheckOutput)...)
	bodies = append(bodies, turn(core.PlannerStage, "planner.r2", "thinker", core.KindWave, 2, core.CheckDecision)...)
	return append(bodies, core.WaveClosed{Wave: 1, Course: core.CourseFinish}, core.RunCompleted{})
}

func TestARunInWavesIsATrace(t *testing.T) {
	w, r := newWorld(t), newReceiver(t)
	w.open(r.export())
	w.happens(inWaves()...)
	spans := r.await(t, 14)
	byID := map[string]int{}
	for i, s := range spans {
		byID[string(s.GetSpanId())] = i
	}
	var got []string // each below what it is part of
	for _, s := range spans {
		line := s.GetName()
		for s.GetParentSpanId() != nil {
			s = spans[byID[string(s.GetParentSpanId())]]
			line = s.GetName() + " → " + line
		}
		got = append(got, line)
	}
	const run = "invoke_workflow research"
	first, delegated, closing := run+" → stage planner → task planner.r1", run+" → wave 1 → stage survey → task survey.r1", run+" → wave 1 → stage planner → task planner.r2"
	want := []string{
		first + " → invoke_agent thinker", first + " → invoke_agent thinker → check decision", first, run + " → stage planner",
		delegated + " → invoke_agent scout", delegated + " → invoke_agent scout → check output", delegated, run + " → wave 1 → stage survey",
		closing + " → invoke_agent thinker", closing + " → invoke_agent thinker → check decision", closing, run + " → wave 1 → stage planner",
		run + " → wave 1", run,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{
		"gen_ai.operation.name": "invoke_agent", "gen_ai.provider.name": "anthropic", "gen_ai.agent.name": "scout", "gen_ai.request.model": "opus",
		"gen_ai.usage.input_tokens": int64(10), "gen_ai.usage.output_tokens": int64(2), "stellwerk.agent": "claude", "stellwerk.run.id": runID,
		"stellwerk.wave": int64(1), "stellwerk.stage": "survey", "stellwerk.round": int64(1), "stellwerk.task": "survey.r1",
		"stellwerk.attempt": "survey.r1.a1", "stellwerk.outcome": "finished",
	}, attributes(spans[4])); diff != "" {
		t.Errorf("an attempt (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"stellwerk.run.id": runID, "stellwerk.wave": int64(1), "stellwerk.outcome": "OK"}, attributes(spans[12])); diff != "" {
		t.Errorf("a wave (-want +got)\n%s", diff)
	}
}

func TestFiguresOfWaves(t *testing.T) {
	w := newWorld(t)
	w.open(nil)
	w.happens(inWaves()...)
	until(t, func() bool {
		return w.scrape().value(t, "stellwerk_runs_ended_total", "kind", "waves", "outcome", "OK") == 1
	})
	got := w.scrape()
	for name, labels := range map[string][]string{
		"stellwerk_wave_duration_seconds": {"outcome", "OK"},
		"stellwerk_refusals_total":        {"code", "unknown_role"},
		"stellwerk_checks_total":          {"check", "output", "outcome", "OK"},
	} {
		if v := got.value(t, name, labels...); v != 1 {
			t.Errorf("%s%v is %v", name, labels, v)
		}
	}
	if v := got.value(t, "stellwerk_attempts_total", "agent", "claude", "outcome", "finished"); v != 3 {
		t.Errorf("%v attempts", v)
	}
}
