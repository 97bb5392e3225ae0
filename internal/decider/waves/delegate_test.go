package waves_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/admission"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/waves"
)

// TestWhatABriefIsJudgedBy: names that are taken, work that is done or being done, what
// failed and may be tried again, and what of all that was said still holds.
func TestWhatABriefIsJudgedBy(t *testing.T) {
	t.Parallel()
	like := func(id, other string) core.Brief {
		b := brief(other)
		b.ID = id
		return b
	}
	requires := func(references ...string) core.Brief {
		b := brief("new")
		b.Requires = references
		return b
	}
	for name, c := range map[string]struct {
		brief   core.Brief
		dropped string
		want    admission.Code // "" where it is admitted
	}{
		"new work":                      {brief: brief("new")},
		"its name is taken":             {brief: brief("done"), want: admission.DuplicateID},
		"its name is a stage's":         {brief: brief(core.PlannerStage), want: admission.DuplicateID},
		"what waits":                    {brief: like("new", "waiting"), want: admission.Duplicate},
		"what waits, and is dropped":    {brief: like("new", "waiting"), dropped: "waiting"},
		"what is done":                  {brief: like("new", "done"), want: admission.Duplicate},
		"what failed":                   {brief: like("new", "failed")},
		"what was dropped":              {brief: like("new", "dropped")},
		"after what is done":            {brief: brief("new", "done")},
		"after what waits":              {brief: brief("new", "waiting")},
		"after what is dropped with it": {brief: brief("new", "waiting"), dropped: "waiting", want: admission.FailedDependency},
		"after what failed":             {brief: brief("new", "failed"), want: admission.FailedDependency},
		"after what was done in part":   {brief: brief("new", "partial"), want: admission.FailedDependency},
		"after a stage":                 {brief: brief("new", core.PlannerStage), want: admission.FailedDependency},
		"a fact":                        {brief: requires("fact:lang")},
		"no such fact":                  {brief: requires("fact:none"), want: admission.MissingInput},
		"a fact that holds no more":     {brief: requires("fact:old"), want: admission.MissingInput},
		"an answer":                     {brief: requires("answer:q-old")},
		"a question that is open":       {brief: requires("answer:q-people"), want: admission.MissingInput},
		"a document":                    {brief: requires("notes.md")},
		"no such document":              {brief: requires("other.md"), want: admission.MissingInput},
	} {
		t.Run(name, func(t *testing.T) {
			d := core.PlannerDecision{Decision: core.CourseContinue, Reason: "on", Delegations: []core.Brief{c.brief}}
			if c.dropped != "" {
				d.Dropped = []core.Dropped{{ID: c.dropped, Reason: "x"}}
			}
			r := decided(d)
			for _, old := range r.Waves.Works {
				old.Brief = brief(old.Brief.ID)
			}
			r.Waves.Documents = []core.Document{{Detail: core.Detail{ID: "done/notes.md"}, Name: "notes.md"}}
			r.Waves.Pool = append(r.Waves.Pool, core.Fact{ID: "f9", Key: "old", Content: "x", Origin: core.OriginPlanner, SupersededBy: &r.Waves.Pool[0].ID})
			var got admission.Code
			admitted := false
			for _, b := range (waves.Decider{}).Decide(r) {
				switch b := b.(type) {
				case core.BriefRefused:
					got = admission.Code(b.Code)
				case core.BriefAdmitted:
					admitted = b.Brief.ID == c.brief.ID
				default:
				}
			}
			if got != c.want || admitted != (c.want == "") {
				t.Errorf("admitted: %v, refused with %q, want %q", admitted, got, c.want)
			}
		})
	}
}

// TestTheLastWave: no further work is begun than the playbook allows waves for, and a
// planner that wants none is not told so.
func TestTheLastWave(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		n       int
		briefs  []core.Brief
		refused bool
	}{
		"one is left":    {4, []core.Brief{brief("new")}, false},
		"none is left":   {5, []core.Brief{brief("new")}, true},
		"none is wanted": {5, nil, false},
	} {
		r := decided(core.PlannerDecision{Decision: core.CourseContinue, Reason: "on", Delegations: c.briefs})
		r.Waves.N = c.n
		types := strings.Join(outline(waves.Decider{}.Decide(r)), "\n")
		if strings.Contains(types, string(core.TypeCourseRefused)) != c.refused || strings.Contains(types, string(core.TypeBriefAdmitted)) != (!c.refused && len(c.briefs) > 0) {
			t.Errorf("%s:\n%s", name, types)
		}
	}
}

// TestWhatIsRefusedAgainIsAskedOnce: in the planner's words, and with how many more.
func TestWhatIsRefusedAgainIsAskedOnce(t *testing.T) {
	t.Parallel()
	stranger := func(id string) core.Brief {
		b := brief(id)
		b.Agent = "ghost"
		return b
	}
	for name, c := range map[string]struct {
		briefs []core.Brief
		before int // how often each was refused
		want   []string
	}{
		"the second time": {[]core.Brief{stranger("x")}, 1, nil},
		"the third time":  {[]core.Brief{stranger("x")}, 2, []string{". What should be done?"}},
		"the fourth time": {[]core.Brief{stranger("x")}, 3, nil},
		"two of them":     {[]core.Brief{stranger("x"), stranger("y")}, 2, []string{". The same goes for 1 more. What should be done?"}},
	} {
		r := decided(core.PlannerDecision{Decision: core.CourseContinue, Reason: "on", Delegations: c.briefs})
		r.Waves.Repeats = map[string]int{}
		for _, b := range (waves.Decider{}).Decide(r) {
			if no, ok := b.(core.BriefRefused); ok {
				r.Waves.Repeats[no.Repeat()] = c.before
			}
		}
		var got []string
		for _, b := range (waves.Decider{}).Decide(r) {
			if q, ok := b.(core.QuestionAsked); ok {
				_, rest, _ := strings.Cut(q.Text, "dev")
				got = append(got, rest)
				if !strings.HasPrefix(q.Text, "The planner has asked 3 times for delegation x, which is refused (") || !q.Blocking {
					t.Errorf("%s: people are asked %+v", name, q)
				}
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// TestWhatWorkersWantToKnow: each question once, whoever asks it, first what somebody
// waits for; nothing of work that was dropped.
func TestWhatWorkersWantToKnow(t *testing.T) {
	t.Parallel()
	asking := func(id string, status core.DelegationStatus, out core.WorkerOutput) *core.Delegated {
		d := delegated(id, status)
		d.Answer = &out
		return d
	}
	which, when := core.Asked{Text: "Which?"}, core.Asked{Text: "When?"}
	blocked, partly := core.WorkerOutput{Status: core.OutputBlocked, Blocking: []core.Asked{which}}, core.WorkerOutput{Status: core.OutputPartial, Optional: []core.Asked{when, which}}
	for name, c := range map[string]struct {
		works []*core.Delegated
		want  []string
	}{
		"what is waited for first": {[]*core.Delegated{asking("a", core.DelegationPartial, partly), asking("b", core.DelegationBlocked, blocked)}, []string{"QuestionAsked b Which? true", "QuestionAsked a When? false"}},
		"two ask the same":         {[]*core.Delegated{asking("a", core.DelegationBlocked, blocked), asking("b", core.DelegationBlocked, blocked)}, []string{"QuestionAsked a Which? true"}},
		"who was dropped":          {[]*core.Delegated{asking("a", core.DelegationDropped, blocked), asking("b", core.DelegationPartial, partly)}, []string{"QuestionAsked b When? false", "QuestionAsked b Which? false"}},
	} {
		if diff := cmp.Diff(c.want, outline(waves.Decider{}.Decide(wave(core.WritesArtifacts, c.works...)))); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}
