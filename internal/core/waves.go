package core

import (
	"slices"
	"strings"
	"time"
)

// WaveRules is how a playbook of kind waves goes about its work.
type WaveRules struct {
	Writes      Writes `json:"writes"`      // what workers hand in: documents, or code as well
	Waves       int    `json:"waves"`       // at most
	Delegations int    `json:"delegations"` // of one wave, at most
}

// Delegated is a brief that was admitted, and what became of it. It is no Delegation:
// the two share a status and the reason for it, and nothing that leads there. A
// planner names its work itself and asks for criteria, a manager's work gets a number
// and asks for checks; both are read from documents whose fields are published.
type Delegated struct {
	Brief   Brief            `json:"brief"`
	Wave    int              `json:"wave"` // in which it was admitted
	Status  DelegationStatus `json:"status"`
	Reason  string           `json:"reason,omitempty"` // why it failed or was dropped
	Answer  *WorkerOutput    `json:"answer,omitempty"` // the newest, without its details
	Detail  string           `json:"detail,omitempty"` // under which the whole answer can be had
	Waits   []string         `json:"waits,omitempty"`  // for answers to these questions
	Unmet   []string         `json:"unmet,omitempty"`  // criteria that nobody has taken over
	Touched []string         `json:"touched,omitempty"`
	Stale   string           `json:"stale,omitempty"` // fact it was built on, and which no longer holds
}

// BriefRefusal is a brief that was not admitted.
type BriefRefusal struct {
	ID      string   `json:"delegation_id"`
	Code    string   `json:"code"`
	Reason  string   `json:"reason"`
	Members []string `json:"members,omitempty"` // of a cycle, in its order
	Key     string   `json:"key"`               // of the work, however it is called
}

// Document is something that can be fetched by the id of its detail.
type Document struct {
	Detail
	Name   string `json:"name"`
	Digest string `json:"digest"`
	Wave   int    `json:"wave"`
}

// WaveEnd is what a planner wrote when it closed a wave.
type WaveEnd struct {
	Wave     int    `json:"wave"`
	Reason   string `json:"reason,omitempty"`  // for what it decided then
	Compact  string `json:"compact,omitempty"` // digests
	Detailed string `json:"detailed,omitempty"`
}

// Waves is the state of a run whose work is delegated in waves.
type Waves struct {
	N          int              `json:"n"`              // of the wave that is open or was the last; 0 before the first
	Open       bool             `json:"open,omitempty"` // its delegations are worked on
	Since      time.Time        `json:"since,omitzero"` // when it was opened
	Works      []*Delegated     `json:"works,omitempty"`
	Decision   *PlannerDecision `json:"decision,omitempty"` // handed in and not yet carried out
	Ends       []WaveEnd        `json:"ends,omitempty"`
	Documents  []Document       `json:"documents,omitempty"`
	Pool       Pool             `json:"pool,omitempty"`
	Refused    []BriefRefusal   `json:"refused,omitempty"`  // of the newest decision
	Repeats    map[string]int   `json:"repeats,omitempty"`  // how often the same was refused for the same reason
	Objections []string         `json:"objected,omitempty"` // why the newest decision was not followed
	Idle       int              `json:"idle,omitempty"`     // decisions in a row that led to no work
}

// MaxIdle is how many decisions of a planner may lead to no work before a person
// is asked.
const MaxIdle = 3

// MaxTurns is how often a delegation may go on after an answer before it is given
// up: one that is blocked again and again does not get anywhere.
const MaxTurns = 5

// MaxRefusals is how often the same may be refused for the same reason before a
// person is asked.
const MaxRefusals = 3

// How many questions of a run may be open, so that a person can look at them:
// further ones are asked when these are answered.
const (
	MaxBlocking = 100
	MaxOptional = 50 // if so many are open of either kind, no optional one is asked
)

// MayAsk reports that one more question can be asked in a run in waves, beside so
// many further ones of the kind.
func (r *Run) MayAsk(blocking bool, beside int) bool {
	if !blocking {
		return len(r.Questions)+beside < MaxOptional
	}
	for _, q := range r.Questions {
		if q.Blocking {
			beside++
		}
	}
	return beside < MaxBlocking
}

// ByWaves reports a run whose work is delegated in waves.
func (r *Run) ByWaves() bool { return r.Managed() && r.Playbook.Project.Waves != nil }

// Shelf names the folder of a task's documents in the run's folder. In waves each delegation has its own, because documents
// from before an answer can still be asked for.
func (r *Run) Shelf(t *Task) string {
	if r.ByWaves() && t.Name != "" {
		return t.Stage + "." + t.Name
	}
	return t.Stage
}

// Drives reports a run that drives its project: there is one at a time, and it
// stays until what it published was taken in.
func (r *Run) Drives() bool { return r.Managed() && !r.ByWaves() }

// Drives reports a playbook whose runs drive their project.
func (p *Playbook) Drives() bool { return p.Project != nil && p.Project.Waves == nil }

// Work finds a delegation by its id; nil if there is none.
func (w *Waves) Work(id string) *Delegated {
	if w == nil {
		return nil
	}
	return first(w.Works, func(d *Delegated) bool { return d.Brief.ID == id })
}

// Whole is the newest answer of a delegation as it was handed in; nil if there
// is none.
func (w *Waves) Whole(d *Delegated) *Document {
	if d.Detail == "" {
		return nil
	}
	return w.Document(d.Detail)
}

// Resting reports that of the open wave nothing is worked on and nothing can be
// begun: what is left waits for answers, or for what failed.
func (r *Run) Resting() bool {
	for _, d := range r.Waves.Works {
		if d.Status == DelegationOpen || d.Status == DelegationWaiting && r.Startable(d) {
			return false
		}
	}
	return true
}

// Closing reports that the planner looks at the open wave. What is answered
// meanwhile goes on in the next: the planner has not been told of it.
func (r *Run) Closing() bool {
	s := r.Stage(PlannerStage)
	return s != nil && s.Status == StageOpen
}

// Working reports that a delegation is worked on.
func (w *Waves) Working() bool {
	return slices.ContainsFunc(w.Works, func(d *Delegated) bool { return d.Status == DelegationOpen })
}

// Startable reports that a delegation has all it depends on: it is done, and its
// code is in the run's branch.
func (r *Run) Startable(d *Delegated) bool {
	for _, id := range d.Brief.DependsOn {
		if dep := r.Waves.Work(id); dep == nil || dep.Status != DelegationDone || !r.taken(id) {
			return false
		}
	}
	return true
}

// taken reports that what a delegation wrote is where others begin.
func (r *Run) taken(id string) bool {
	s := r.Stage(id)
	return s == nil || s.Branch == "" || s.Status.Closed()
}

// Hopeless is the delegation that d depends on and that will not be done any
// more; "" if there is none.
func (r *Run) Hopeless(d *Delegated) string {
	for _, id := range d.Brief.DependsOn {
		if dep := r.Waves.Work(id); dep == nil || dep.Status.Over() && dep.Status != DelegationDone {
			return id
		}
	}
	return ""
}

// Questions that a worker's answer raises: those that hold it up, and the others.
func (o *WorkerOutput) Questions() (blocking, optional []Asked) {
	if o.Status == OutputBlocked {
		return slices.Concat(o.Blocking, o.Missing), o.Optional
	}
	return nil, slices.Concat(o.Blocking, o.Missing, o.Optional)
}

// Known reports an input that is there: a document, a fact or an answer.
func (r *Run) Known(reference string) bool {
	kind, name := Reference(reference)
	document := kind == RefersDetail || kind == ""
	return document && r.Waves.Document(name) != nil ||
		(kind == RefersFact || kind == "") && r.Waves.Fact(name) != nil ||
		(kind == RefersAnswer || kind == "") && r.Answered(name) != nil
}

// What a reference may say that it is to. Without any of them, it may be to any.
const (
	RefersDetail = "detail:"
	RefersFact   = "fact:"
	RefersAnswer = "answer:"
)

// Reference takes a reference apart: what it is to, "" if it does not say, and
// how that is called.
func Reference(reference string) (kind, name string) {
	for _, kind := range []string{RefersDetail, RefersFact, RefersAnswer} {
		if name, ok := strings.CutPrefix(reference, kind); ok {
			return kind, name
		}
	}
	return "", reference
}

// Fact finds the newest fact that holds for a key, or the one with an id; nil
// where there is none.
func (w *Waves) Fact(called string) *Fact {
	key := FactKey(called)
	for i := len(w.Pool) - 1; i >= 0; i-- {
		if f := &w.Pool[i]; f.Valid() && (f.Key == key && key != "" || f.ID == called) {
			return f
		}
	}
	return nil
}

// Conflicts are the contradictions that code can find: in what is known, between
// those who wrote the same file in this wave, and between what was asked for and
// what was done.
func (w *Waves) Conflicts() []Conflict {
	var written []Written
	var short []Conflict
	for _, d := range w.Works {
		if d.Wave == w.N && d.Answer != nil {
			written = append(written, Written{ID: d.Brief.ID, After: d.Brief.DependsOn, Paths: append(slices.Clone(d.Touched), d.Brief.Outputs...)})
		}
		if d.Status.Over() {
			short = append(short, d.shortfalls()...)
		}
	}
	return slices.Concat(w.Pool.Conflicts(w.N), FileConflicts(written), short)
}

// Unmet are the criteria that nobody has met or taken over, each with the
// delegation it is of.
func (w *Waves) Unmet() []string {
	var open []string
	for _, d := range w.Works {
		for _, text := range d.Unmet {
			open = append(open, d.Brief.ID+": "+text)
		}
	}
	return open
}

// Unfinished says what keeps a planner from finishing; empty if nothing does.
func (r *Run) Unfinished() []string {
	var why []string
	for _, d := range r.Waves.Works {
		if !d.Status.Over() {
			why = append(why, "delegation "+d.Brief.ID+" is "+string(d.Status)+": let it end, or drop it with the reason")
		}
	}
	for _, text := range r.Waves.Unmet() {
		why = append(why, "the criterion is unmet: "+text+"; delegate the rest of it with \"replaces\"; one that failed can be dropped with the reason")
	}
	for _, c := range r.Waves.Pool.Conflicts(r.Waves.N) {
		if c.Kind == ConflictValues {
			why = append(why, "the conflict "+c.ID+" about "+c.Subject+" is open: say which side holds, in \"resolutions\" or \"facts\"")
		}
	}
	for _, q := range r.Questions {
		if q.Blocking {
			why = append(why, "question "+q.ID+" is open: "+q.Text)
		}
	}
	return why
}

// Differently is how a person says that an answer they gave is to be another. An
// answer in waves is a fact that work was built on: there is no taking it back.
func (r *Run) Differently() Advice {
	switch {
	case !r.ByWaves():
		return Advice{Hint: "say what is different now", Choices: []Choice{{Verb: VerbSay}}}
	case r.Status.Terminal():
		return Advice{Hint: "say it in the goal of a new run"}
	}
	return Advice{Hint: "let it stand, or cancel the run and say it in the goal of a new one", Choices: r.Choices(VerbCancel)}
}

// Title is what a brief is called in a line of text.
func (b Brief) Title() string {
	first, _, _ := strings.Cut(strings.TrimSpace(b.Task), "\n")
	return clipped(first, 80)
}

// defaultPatience is how long a question waits for its default answer if it
// does not say.
const defaultPatience = time.Hour

// Patience is how long a question with a default waits for an answer.
func (q Asked) Patience() time.Duration {
	if q.Default == "" {
		return 0
	}
	if d, err := time.ParseDuration(q.After); err == nil && d > 0 {
		return d
	}
	return defaultPatience
}
