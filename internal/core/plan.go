package core

// Plan is .ai/plan.md as it stands on the run's branch.
type Plan struct {
	Commit  string `json:"commit"` // that it was read from
	Digest  string `json:"digest"` // of its text, among the objects
	Steps   []Step `json:"steps,omitempty"`
	Trouble string `json:"trouble,omitempty"` // why what is there cannot be followed
}

// Step is a step of a plan: a piece of work that is merged as a whole.
type Step struct {
	ID     string   `json:"id"` // unique within the plan
	Title  string   `json:"title"`
	Text   string   `json:"text,omitempty"`   // what is to be done, Markdown
	After  []string `json:"after,omitempty"`  // steps that must be merged before
	Role   string   `json:"role,omitempty"`   // who does it, in place of the playbook's choice
	Review string   `json:"review,omitempty"` // always or never, in place of the playbook's choice
	Done   bool     `json:"done,omitempty"`
}

// Step finds a step by its id; nil if there is none.
func (p *Plan) Step(id string) *Step {
	if p == nil {
		return nil
	}
	return find(p.Steps, func(s *Step) bool { return s.ID == id })
}

// StepStage is the stage in which the rules do a step of the plan.
func StepStage(step string) string { return stepPrefix + step }

const stepPrefix = "step-"
