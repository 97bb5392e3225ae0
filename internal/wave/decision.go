package wave

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// ReadDecision reads a planner's decision. The findings note accepted deviations; an *Error holds all mistakes. Admission
// decides whether what it names exists and whether its delegations can be done.
func ReadDecision(data []byte) (core.PlannerDecision, []Finding, error) {
	r := &reader{name: core.DecisionArtifact, form: decisionForm()}
	return read(r, data, func(d *core.PlannerDecision) {
		r.questions("/questions", d.Questions)
		r.distinct(d)
		r.course(d)
	})
}

// distinct reports what is named twice and must not be.
func (r *reader) distinct(d *core.PlannerDecision) {
	delegations, answers, conflicts, dropped := naming{reader: r}, naming{reader: r}, naming{reader: r}, naming{reader: r}
	for i, b := range d.Delegations {
		path := fmt.Sprintf("/delegations/%d", i)
		delegations.add(path+"/delegation_id", b.ID)
		criteria := naming{reader: r}
		for j, c := range b.Criteria {
			criteria.add(fmt.Sprintf("%s/acceptance_criteria/%d", path, j), squeezed(c.Text))
		}
	}
	for i, a := range d.Answers {
		answers.add(fmt.Sprintf("/answers/%d/question_id", i), a.Question)
	}
	for i, c := range d.Resolutions {
		conflicts.add(fmt.Sprintf("/resolutions/%d/conflict_id", i), c.Conflict)
	}
	for i, x := range d.Dropped {
		dropped.add(fmt.Sprintf("/dropped/%d/delegation_id", i), x.ID)
	}
}

// naming finds names that are used a second time.
type naming struct {
	*reader
	first map[string]string // path, by name
}

func (n *naming) add(path, name string) {
	if n.first == nil {
		n.first = map[string]string{}
	}
	switch earlier, again := n.first[name]; {
	case name == "": // reported already
	case again:
		n.problemf(path, "%s is at %s, too; each must be another one", quoted(name), earlier)
	default:
		n.first[name] = path
	}
}

// course reports what a decision lacks, and what it has that would have no effect.
func (r *reader) course(d *core.PlannerDecision) {
	if d.Decision == "" || !r.sound("/delegations", "/questions", "/answers", "/facts", "/resolutions", "/dropped") {
		return
	}
	some := len(d.Delegations) + len(d.Answers) + len(d.Facts) + len(d.Resolutions) + len(d.Dropped)
	switch {
	case d.Decision == core.CourseContinue && some == 0:
		r.problemf("/decision", "is continue, but there is nothing to go on with: name delegations, answers, facts, resolutions or what is dropped; or say ask, finish or abort")
	case d.Decision == core.CourseAsk && len(d.Questions) == 0:
		r.problemf("/decision", "is ask, but there is no question: put one into questions")
	}
	if d.Decision != core.CourseContinue && len(d.Delegations) > 0 {
		r.problemf("/delegations", "there are delegations, but the decision is %s: nothing is delegated then. Leave them out, or say continue", d.Decision)
	}
	if d.Decision != core.CourseAsk && len(d.Questions) > 0 {
		r.problemf("/questions", "there are questions, but the decision is %s: nobody would be asked. Leave them out, or say ask", d.Decision)
	}
}
