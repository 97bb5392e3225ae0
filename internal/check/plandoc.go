package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/plan"
)

// plan passes if an artifact is a plan whose steps Stellwerk can follow.
func (v *evaluation) plan(ctx context.Context, c core.Check) (core.CheckResult, error) {
	a := v.subject.Delivery.Artifact(c.Name)
	if a == nil {
		return fail("%s", notHandedIn(c.Name, v.subject.Delivery)), nil
	}
	data, err := v.read(ctx, *a, maxParsed)
	if err != nil {
		return core.CheckResult{}, err
	}
	doc, err := plan.Parse(data)
	if err != nil {
		return fail("Stellwerk cannot follow the plan %s:\n%s", show(a.Name), plain.Text(err.Error())), nil
	}
	var wrong []string
	for _, step := range doc.Steps() {
		if step.Done {
			wrong = append(wrong, fmt.Sprintf("%s marks step %s as done, but the plan is new: nothing is done yet.", show(a.Name), step.ID))
		}
		if step.Role != "" && !slices.Contains(c.Names, step.Role) {
			wrong = append(wrong, fmt.Sprintf("%s gives step %s to the role %s, which does not exist; there are %s.", show(a.Name), step.ID, show(step.Role), strings.Join(c.Names, ", ")))
		}
	}
	if len(wrong) > 0 {
		return fail("%s", strings.Join(wrong, "\n")), nil
	}
	return pass("A plan with %s to do.", count(len(doc.Steps()), "step")), nil
}
