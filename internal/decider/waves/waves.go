// Package waves decides for playbooks of kind `waves`. An agent, the planner, splits the goal into delegations; this
// package admits or refuses them, drives them to their end, and has the planner close each wave before the next begins. It
// is pure, and must not choose work.
package waves

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

// Decider drives runs of kind `waves`.
type Decider struct{}

var _ core.Decider = Decider{}

// Kind is the playbook kind this decider is for.
func (Decider) Kind() string { return "waves" }

// Version changes when the same state would lead to other decisions.
func (Decider) Version() int { return 5 }

// Decide follows the first of these that has something to say; the rest are asked again afterwards.
func (Decider) Decide(r *core.Run) []core.Body {
	return work.First(r, planning, questions, hopeless, works, merges, publish, reopen, ask, idle, plan)
}

// planning drives the planner's round to its end.
func planning(r *core.Run) []core.Body {
	s := r.Stage(core.PlannerStage)
	if s == nil || s.Status != core.StageOpen {
		return nil
	}
	if s.TasksDone() {
		return conclude(r, s)
	}
	for _, t := range s.Tasks {
		if b := work.Next(r, s, t); b != nil {
			return []core.Body{b}
		}
	}
	return nil
}

// questions asks the workers' questions, each once: blocking ones first, and no more than people can be asked at a time.
func questions(r *core.Run) []core.Body {
	a := asker{run: r, said: map[string]bool{}}
	for _, blocking := range []bool{true, false} {
		for _, d := range r.Waves.Works {
			if d.Answer != nil && d.Status != core.DelegationDropped {
				a.put(d, blocking)
			}
		}
	}
	return a.bodies
}

// asker gathers questions.
type asker struct {
	run    *core.Run
	said   map[string]bool
	bodies []core.Body
}

// put asks those questions of a delegation that nobody has asked yet.
func (a *asker) put(d *core.Delegated, blocking bool) {
	wanted, optional := d.Answer.Questions()
	if !blocking {
		wanted = optional
	}
	for _, q := range wanted {
		id := a.run.QuestionID(q.Text)
		if b := asking(a.run, d.Brief.ID, q, blocking); b != nil && !a.said[id] && a.run.MayAsk(blocking, len(a.bodies)) {
			a.said[id] = true
			a.bodies = append(a.bodies, b)
		}
	}
}

// asking is the event of a new question; nil if somebody asked it before.
func asking(r *core.Run, from string, q core.Asked, blocking bool) core.Body {
	b := core.QuestionAsked{ID: r.QuestionID(q.Text), Text: q.Text, From: from, Blocking: blocking, About: q.About, Default: q.Default, After: q.Patience()}
	if r.Question(b.ID) != nil || r.Answered(b.ID) != nil {
		return nil
	}
	return b
}

// reopen begins the next wave if admitted work, or work that waited for an answer, can go on. After the last allowed wave,
// work whose questions were answered goes on in that one.
func reopen(r *core.Run) []core.Body {
	w := r.Waves
	if w.Open || r.Closing() || r.Resting() {
		return nil
	}
	return []core.Body{core.WaveOpened{Wave: min(w.N+1, r.Playbook.Project.Waves.Waves)}}
}

// ask pauses the run if nothing can go on without an answer.
func ask(r *core.Run) []core.Body {
	if r.Waves.Open || r.Closing() || publishing(r) {
		return nil
	}
	for _, q := range r.Questions {
		if q.Blocking {
			return []core.Body{core.RunPaused{
				Code: core.PauseQuestion, Stage: core.PlannerStage, Reason: who(q) + " asks: " + q.Text,
				Advice: q.Ask(),
			}}
		}
	}
	return nil
}

func who(q core.Question) string {
	if q.From == "" {
		return "the planner"
	}
	return q.From
}

// idle pauses the run if the planner's decisions lead to nothing.
func idle(r *core.Run) []core.Body {
	w := r.Waves
	if w.Idle < core.MaxIdle || w.Open || r.Closing() || publishing(r) {
		return nil
	}
	reason := fmt.Sprintf("the planner made %d decisions in a row that led to nothing", w.Idle)
	switch {
	case len(w.Objections) > 0:
		reason += ": " + w.Objections[0]
	case len(w.Refused) > 0:
		reason += ": " + w.Refused[0].Reason
	}
	return []core.Body{core.RunPaused{
		Code: core.PauseBarren, Stage: core.PlannerStage, Reason: reason,
		Advice: core.Advice{Choices: r.Choices(core.VerbLog, core.VerbResume)},
	}}
}

// plan has the planner close the wave, or look at the goal for the first time.
func plan(r *core.Run) []core.Body {
	if r.Closing() || publishing(r) || r.Waves.Open && (!r.Resting() || !settled(r)) {
		return nil
	}
	m := r.Playbook.Project
	round := r.NextRound(core.PlannerStage)
	return []core.Body{
		core.StageOpened{Stage: core.PlannerStage, Round: round, Reason: core.OpenAdvance, Base: r.Head, Title: title(r)},
		core.TaskAdmitted{
			Task: core.TaskID(core.PlannerStage, round, ""), Stage: core.PlannerStage, Round: round, Kind: core.KindWave,
			Role: m.Roles[core.KindWave], Writes: core.WritesArtifacts, Outputs: documents(r), Done: complete(r),
			Attempts: m.Attempts, Timeout: m.Timeout,
		},
	}
}

func title(r *core.Run) string {
	if r.Waves.N == 0 {
		return "Split the goal"
	}
	return fmt.Sprintf("Close wave %d", r.Waves.N)
}

// documents are what the planner hands in. Before the first wave there is nothing to sum up.
func documents(r *core.Run) []string {
	if r.Waves.N == 0 {
		return []string{core.DecisionArtifact}
	}
	return []string{core.DecisionArtifact, core.CompactArtifact, core.DetailedArtifact}
}

// complete is the check of what the planner hands in.
func complete(r *core.Run) core.Check {
	all := core.Check{Kind: core.CheckAll, Of: []core.Check{{Kind: core.CheckDecision}}}
	for _, name := range documents(r)[1:] {
		all.Of = append(all.Of, core.Check{Kind: core.CheckArtifact, Name: name})
	}
	return all
}
