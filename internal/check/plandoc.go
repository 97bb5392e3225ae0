package check

import (
	"github.com/stellwerk-dev/stellwerk/internal/check/plain"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plan"
)

// plan holds where an artifact is a plan whose steps can be followed.
func (v *evaluation) plan(c core.Check) (core.CheckResult, error) {
	a := v.subject.Delivery.Artifact(c.Name)
	if a == nil {
		return fail("%s", notHandedIn(c.Name, v.subject.Delivery)), nil
	}
	data, err := v.read(*a, maxParsed)
	if err != nil {
		return core.CheckResult{}, err
	}
	doc, err := plan.Parse(data)
	if err != nil {
		return fail("%s is no plan that can be followed:\n%s", show(a.Name), plain.Text(err.Error())), nil
	}
	open := 0
	for _, step := range doc.Steps() {
		if !step.Done {
			open++
		}
	}
	if open == 0 {
		return fail("%s has no step that is still to be done.", show(a.Name)), nil
	}
	return pass("A plan with %s to do.", count(open, "step")), nil
}
