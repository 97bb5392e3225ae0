package waves

import (
	"fmt"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/admission"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// delegate admits or refuses the planner's briefs. A refusal that repeats too often becomes a question to people.
func (f *following) delegate() {
	rules := f.run.Playbook.Project.Waves
	if f.run.Waves.N >= rules.Waves && len(f.decision.Delegations) > 0 {
		f.say(core.CourseRefused{Course: core.CourseContinue, Reasons: []string{
			fmt.Sprintf("the playbook allows no more than %d waves: finish with what there is, or ask", rules.Waves),
		}})
		return
	}
	wanted := f.replacing()
	verdicts := admission.Judge(f.request(wanted))
	var admitted []core.Brief
	var again []core.BriefRefusal
	for i, v := range verdicts {
		b := wanted[i]
		if v.Admitted() {
			admitted = append(admitted, b)
			continue
		}
		no := core.BriefRefusal{ID: b.ID, Code: string(v.Code), Reason: v.Text, Members: v.Members, Key: admission.Brief(b).Key}
		f.say(core.BriefRefused{BriefRefusal: no})
		if f.run.Waves.Repeats[no.Repeat()]+1 == core.MaxRefusals {
			again = append(again, no)
		}
	}
	if len(again) > 0 {
		f.escalate(again)
	}
	for _, b := range inOrder(f.run, admitted) {
		f.say(core.BriefAdmitted{Brief: b})
	}
}

// request asks admission about the planner's briefs.
func (f *following) request(wanted []core.Brief) admission.Request {
	r := f.run
	q := admission.Request{
		Roles:  admission.Roles(r.Playbook.Roles, r.Playbook.Project.Roles[core.KindWave]),
		Limits: admission.Limits{Pieces: r.Playbook.Project.Waves.Delegations}, Versions: true,
	}
	for _, b := range wanted {
		q.Pieces = append(q.Pieces, admission.Brief(b))
	}
	for _, doc := range r.Waves.Documents {
		q.Known.Documents = append(q.Known.Documents, admission.Document{ID: doc.ID, Name: doc.Name})
	}
	for _, fact := range r.Waves.Pool {
		if fact.SupersededBy == nil && fact.Key != "" {
			q.Known.Facts = append(q.Known.Facts, fact.Key)
		}
	}
	for _, a := range r.Answers {
		q.Known.Answers = append(q.Known.Answers, a.Question.ID)
	}
	for _, d := range r.Waves.Works {
		q.Known.Earlier = append(q.Known.Earlier, f.earlier(d))
	}
	for _, s := range r.Stages { // their names are taken
		if r.Waves.Work(s.ID) == nil {
			q.Known.Earlier = append(q.Known.Earlier, admission.Earlier{ID: s.ID, State: admission.Failed, Reason: "it is no delegation"})
		}
	}
	return q
}

func (f *following) earlier(d *core.Delegated) admission.Earlier {
	p := admission.Brief(d.Brief)
	e := admission.Earlier{ID: p.ID, Key: p.Key, State: admission.Open, Reason: d.Reason, Outputs: p.Outputs}
	switch {
	case d.Status == core.DelegationDone:
		e.State = admission.Done
	case d.Status.Over(), slices.Contains(f.dropped, d.Brief.ID):
		e.State, e.Key = admission.Failed, "" // it may be tried again under another name
	}
	return e
}

// inOrder sorts admitted briefs by their dependencies. Admission made sure that there are no cycles.
func inOrder(r *core.Run, admitted []core.Brief) []core.Brief {
	var placed []core.Brief
	is := func(id string) bool {
		return r.Waves.Work(id) != nil || slices.ContainsFunc(placed, func(b core.Brief) bool { return b.ID == id })
	}
	for len(admitted) > 0 {
		i := slices.IndexFunc(admitted, func(b core.Brief) bool {
			return !slices.ContainsFunc(b.DependsOn, func(id string) bool { return !is(id) })
		})
		if i < 0 {
			return placed
		}
		placed = append(placed, admitted[i])
		admitted = slices.Delete(slices.Clone(admitted), i, i+1)
	}
	return placed
}

// maxReason bounds the reason of a refusal in a question.
const maxReason = 1000

// escalate asks people one question about all refusals that repeat.
func (f *following) escalate(again []core.BriefRefusal) {
	no, more := again[0], ""
	if n := len(again) - 1; n > 0 {
		more = fmt.Sprintf(" The same goes for %d more.", n)
	}
	reason := []rune(no.Reason)
	text := fmt.Sprintf("The planner has asked %d times for delegation %s, which is refused (%s): %s.%s What should be done?",
		core.MaxRefusals, no.ID, no.Code, string(reason[:min(len(reason), maxReason)]), more)
	f.ask([]core.Asked{{Text: text}})
}
