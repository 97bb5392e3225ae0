package waves

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// delegate lets the planner's briefs through the gate, or says why not. The same
// refusal again and again becomes a question to people.
func (f *following) delegate() {
	rules := f.run.Playbook.Project.Waves
	if f.run.Waves.N >= rules.Waves && len(f.decision.Delegations) > 0 {
		f.say(core.CourseRefused{Course: core.CourseContinue, Reasons: []string{
			fmt.Sprintf("%d waves are all that the playbook allows: finish with what there is, or ask", rules.Waves),
		}})
		return
	}
	admitted, refused := gate(f.run, f.decision.Delegations, f.dropped)
	for _, no := range refused {
		f.say(core.BriefRefused{BriefRefusal: no})
		if f.run.Waves.Repeats[no.Repeat()]+1 == core.MaxRefusals {
			f.escalate(no)
		}
	}
	for _, b := range admitted {
		f.say(core.BriefAdmitted{Brief: b})
	}
}

// escalate asks people about what the planner wants and cannot have.
func (f *following) escalate(no core.BriefRefusal) {
	text := fmt.Sprintf("The planner has asked %d times for delegation %s, and it is refused (%s): %s What is to be done?", core.MaxRefusals, no.ID, no.Code, no.Reason)
	if b := asking(f.run, "", core.Asked{Text: text}, true); b != nil {
		f.say(b)
	}
}
