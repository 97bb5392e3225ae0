package waves

import (
	"fmt"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

// conclude closes a wave and follows the planner's decision.
func conclude(r *core.Run, s *core.Stage) []core.Body {
	d := r.Waves.Decision
	t := s.Tasks[len(s.Tasks)-1]
	closed := core.WaveClosed{Wave: r.Waves.N, Course: d.Decision, Reason: d.Reason}
	if a := t.Delivered().Artifact(core.CompactArtifact); a != nil {
		closed.Compact = a.Digest
	}
	if a := t.Delivered().Artifact(core.DetailedArtifact); a != nil {
		closed.Detailed = a.Digest
	}
	follow := &following{run: r, decision: d}
	follow.resolutions()
	follow.facts()
	follow.answers()
	follow.drops()
	follow.course()
	closed.Notes = follow.notes
	return append([]core.Body{core.StagePassed{Stage: s.ID, Round: s.Round, Commit: r.Head}, closed}, follow.bodies...)
}

// following gathers what follows from a planner's decision.
type following struct {
	run      *core.Run
	decision *core.PlannerDecision
	bodies   []core.Body
	notes    []string // parts of the decision that could not be followed
	dropped  []string
}

func (f *following) say(b ...core.Body) { f.bodies = append(f.bodies, b...) }
func (f *following) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// answers takes the planner's answers to open questions of workers.
func (f *following) answers() {
	seen := map[string]bool{}
	for _, a := range f.decision.Answers {
		switch past := f.run.Answered(a.Question); {
		case past != nil:
			f.note("question %s was answered before, and that answer holds: %s", a.Question, past.Text)
		case f.run.Question(a.Question) != nil && f.run.Question(a.Question).From == "":
			f.note("question %s is for people to answer", a.Question)
		case f.run.Question(a.Question) == nil || seen[a.Question]:
			f.note("there is no open question %s", a.Question)
		default:
			seen[a.Question] = true
			f.say(core.QuestionAnswered{ID: a.Question, Text: a.Answer, Planner: true, Sources: a.Sources})
		}
	}
}

// facts tells the planner which of its facts contradict a person's answer: those are not valid.
func (f *following) facts() {
	for _, claim := range f.decision.Facts {
		held := f.run.Waves.Fact(claim.Key)
		if claim.Key != "" && held != nil && held.Origin == core.OriginPerson && core.Plain(held.Content) != core.Plain(claim.Content) {
			f.note("%s is what a person answered, and that holds: %s", claim.Key, held.Content)
		}
	}
}

// resolutions tells the planner which of its resolutions are about no conflict.
func (f *following) resolutions() {
	open := f.run.Waves.Conflicts()
	for _, resolution := range f.decision.Resolutions {
		if !slices.ContainsFunc(open, func(c core.Conflict) bool { return c.ID == resolution.Conflict }) {
			f.note("there is no conflict %s", resolution.Conflict)
		}
	}
}

// drops ends the delegations that the planner drops, failed ones included. The planner must name each of them.
func (f *following) drops() {
	for _, drop := range f.decision.Dropped {
		d := f.run.Waves.Work(drop.ID)
		if d == nil || d.Status.Over() && d.Status != core.DelegationFailed {
			f.note("delegation %s cannot be dropped: it is not open, and did not fail", drop.ID)
			continue
		}
		f.say(core.BriefEnded{Delegation: drop.ID, Status: core.DelegationDropped, Reason: drop.Reason})
		if s := f.run.Stage(drop.ID); s != nil && s.Status == core.StageOpen {
			f.say(core.StageDiscarded{Stage: s.ID, Round: s.Round, Reason: drop.Reason})
		}
		f.dropped = append(f.dropped, drop.ID)
	}
}

func (f *following) course() {
	switch f.decision.Decision {
	case core.CourseContinue:
		f.delegate()
	case core.CourseAsk:
		f.ask(f.decision.Questions)
	case core.CourseFinish:
		if why := f.unfinished(); len(why) > 0 {
			f.say(core.CourseRefused{Course: core.CourseFinish, Reasons: why})
			return
		}
		f.finish()
	case core.CourseAbort:
		f.say(core.RunFailed{Reason: "the planner gave the goal up: " + f.decision.Reason})
	}
}

// ask puts the planner's questions to people.
func (f *following) ask(questions []core.Asked) {
	said := map[string]bool{}
	for _, q := range questions {
		id := f.run.QuestionID(q.Text)
		past := f.run.Answered(id)
		switch b := asking(f.run, "", q, true); {
		case past != nil:
			f.note("%q was asked before, and the answer holds: %s", q.Text, past.Text)
		case b == nil || said[id]:
			f.note("%q is asked already and waits for an answer", q.Text)
		case !f.run.MayAsk(true, len(said)):
			f.note("%d questions wait for people, and this was not asked: %s", core.MaxBlocking, q.Text)
		default:
			said[id] = true
			f.say(b)
		}
	}
}

// unfinished is what keeps the planner from finishing, after what it just dropped and answered.
func (f *following) unfinished() []string {
	r := f.run.Clone()
	r.Waves.Rule(f.decision)
	for _, b := range f.bodies {
		switch b := b.(type) {
		case core.BriefEnded:
			r.End(b)
		case core.QuestionAnswered:
			r.Questions = slices.DeleteFunc(r.Questions, func(q core.Question) bool { return q.ID == b.ID })
		default:
		}
	}
	return r.Unfinished()
}

// finish publishes what there is, or completes a run that changed nothing.
func (f *following) finish() {
	r := f.run
	if r.Playbook.Project.Waves.Writes == core.WritesCode && r.Verified != r.BaseCommit {
		f.say(work.OpenPublish(r, "")...)
		return
	}
	f.say(core.RunCompleted{})
}

func publishing(r *core.Run) bool { return r.Stage(core.PublishStage) != nil }

// publish drives publishing, and completes the run after it.
func publish(r *core.Run) []core.Body {
	if s := r.Stage(core.PublishStage); s != nil && s.Trouble == "" && s.Status == core.StageDone {
		return []core.Body{core.RunCompleted{}}
	}
	return work.Publishing(r, true)
}
