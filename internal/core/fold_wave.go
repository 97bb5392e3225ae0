package core

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// What the state keeps of a worker's answer, and an index shows of it.
const (
	keptCompact = 4 << 10
	keptSummary = 200
)

func waveOpened(r *Run, e Event, b WaveOpened) {
	w := r.Waves
	w.N, w.Open, w.Since, w.Idle = b.Wave, true, e.At, 0
}

// waveClosed takes the planner's words in. What it wants done is decided upon in
// the same step.
func waveClosed(r *Run, b WaveClosed) {
	w := r.Waves
	w.Rule(w.Decision)
	w.Open, w.Refused, w.Objections = false, nil, b.Notes
	w.Idle++
	w.Ends = slices.DeleteFunc(slices.Clone(w.Ends), func(end WaveEnd) bool { return end.Wave == b.Wave })
	w.Ends = append(w.Ends, WaveEnd{Wave: b.Wave, Reason: clipped(b.Reason, keptWords), Compact: b.Compact, Detailed: b.Detailed})
	w.Decision = nil
}

func briefAdmitted(r *Run, b BriefAdmitted) {
	r.Waves.Works = append(r.Waves.Works, &Delegated{Brief: b.Brief, Wave: r.Waves.N + 1, Status: DelegationWaiting})
}

func briefRefused(r *Run, b BriefRefused) {
	w := r.Waves
	w.Refused = append(w.Refused, b.BriefRefusal)
	if w.Repeats == nil {
		w.Repeats = map[string]int{}
	}
	w.Repeats[b.Repeat()]++
}

// Repeat tells refusals apart: the same work, refused for the same reason.
func (n BriefRefusal) Repeat() string { return n.Code + " " + n.Key }

// End ends a delegation without a result. Of one that failed nothing is met, and
// somebody has to take that over; what was dropped is not wanted any more.
func (r *Run) End(b BriefEnded) {
	d := r.Waves.Work(b.Delegation)
	d.Status, d.Reason, d.Waits = b.Status, clipped(b.Reason, keptWake), nil
	r.Waves.recount(d)
	r.weigh()
}

// workDiscarded: what was done and could not be merged is not done.
func workDiscarded(r *Run, b StageDiscarded) {
	if !r.ByWaves() {
		return
	}
	if d := r.Waves.Work(b.Stage); d != nil && (d.Status == DelegationDone || d.Status == DelegationPartial) {
		r.End(BriefEnded{Delegation: b.Stage, Status: DelegationFailed, Reason: b.Reason})
	}
}

// weigh sees which of the workers' questions somebody waits for: an optional one
// may become blocking by who asks it again, and a blocking one is not any more
// when nobody wants the work.
func (r *Run) weigh() {
	for i := range r.Questions {
		if q := &r.Questions[i]; q.From != "" {
			q.Blocking = slices.ContainsFunc(r.Waves.Works, func(d *Delegated) bool { return slices.Contains(d.Waits, q.ID) })
		}
	}
}

func courseRefused(r *Run, e Event, b CourseRefused) {
	sentBack(r, e, SentBack{From: PlannerStage, To: PlannerStage, Text: string(b.Course) + ": " + strings.Join(b.Reasons, "; ")})
	r.Waves.Objections = append(slices.Clone(r.Waves.Objections), b.Reasons...)
}

// waveVerified takes in what was handed in by those who plan and by those who
// work.
func waveVerified(r *Run, t *Task, b VerifyConcluded) {
	if !r.ByWaves() {
		return
	}
	if t.Kind == KindWave {
		r.Waves.Decision = b.Decision
		return
	}
	workAnswered(r, t, b)
}

// workBegun notes that a delegation is worked on.
func workBegun(r *Run, b TaskAdmitted) {
	if d := r.Waves.Work(b.Stage); d != nil && b.Act == "" && b.Kind != KindResolve {
		d.Status = DelegationOpen
	}
}

// workAnswered takes in a worker's answer that was verified.
func workAnswered(r *Run, t *Task, b VerifyConcluded) {
	d := r.Waves.Work(t.Stage)
	if d == nil || b.Output == nil {
		return
	}
	out := *b.Output
	out.Compact, out.Detailed = clipped(out.Compact, keptCompact), ""
	d.Answer, d.Touched = &out, b.Touched
	for _, name := range t.Outputs {
		r.Waves.index(t.Delivered().Artifact(name), d, &out)
	}
	r.Waves.learn(d, &out)
	blocking, _ := out.Questions()
	d.Waits = nil
	for _, q := range blocking {
		if id := QuestionID(r.asking(), q.Text); r.Answered(id) == nil && !slices.Contains(d.Waits, id) {
			d.Waits = append(d.Waits, id)
		}
	}
	switch out.Status {
	case OutputCompleted:
		d.Status = DelegationDone
	case OutputPartial:
		d.Status = DelegationPartial
	case OutputBlocked:
		d.Status = DelegationBlocked
		if len(d.Waits) == 0 { // what it asks was answered meanwhile
			d.Status = DelegationWaiting
		}
	case OutputFailed:
		r.End(BriefEnded{Delegation: d.Brief.ID, Status: DelegationFailed, Reason: out.Compact})
	}
	r.Waves.recount(d)
	r.weigh()
}

// index makes a document of a delegation one that can be asked for.
func (w *Waves) index(a *Artifact, d *Delegated, out *WorkerOutput) {
	if a == nil {
		return
	}
	name := a.Name
	if name == OutputArtifact { // each worker hands one in
		name = d.Brief.ID
	}
	summary, _, _ := strings.Cut(strings.TrimSpace(out.Compact), "\n")
	doc := Document{
		Detail: Detail{ID: "d" + strconv.Itoa(len(w.Documents)+1), Title: name, Summary: clipped(summary, keptSummary), Tags: []string{d.Brief.ID, d.Brief.Agent}},
		Name:   name, Digest: a.Digest, Wave: w.N,
	}
	w.Documents = append(w.Documents, doc)
	if a.Name == OutputArtifact {
		d.Detail = doc.ID
	}
}

// waveAnswered lets those go on that waited for an answer.
func waveAnswered(r *Run, q Question, b QuestionAnswered) {
	if !r.ByWaves() {
		return
	}
	w := r.Waves
	w.Idle = 0
	w.answer(q, b)
	for _, d := range w.Works {
		d.Waits = slices.DeleteFunc(slices.Clone(d.Waits), func(id string) bool { return id == q.ID })
		if d.Status == DelegationBlocked && len(d.Waits) == 0 {
			d.Status = DelegationWaiting
		}
	}
}

func (w *Waves) clone() *Waves {
	if w == nil {
		return nil
	}
	c := *w
	c.Works = copies(w.Works)
	c.Refused, c.Pool, c.Documents = slices.Clone(w.Refused), slices.Clone(w.Pool), slices.Clone(w.Documents)
	c.Repeats = maps.Clone(w.Repeats)
	return &c
}

// learn takes into the pool what a worker holds to be true.
func (w *Waves) learn(d *Delegated, out *WorkerOutput) {
	var said []Statement
	for _, c := range out.Facts {
		said = append(said, Statement{Claimed: c, Origin: OriginDelegation, Source: d.Brief.ID, Wave: w.N})
	}
	for _, c := range out.Assumptions {
		said = append(said, Statement{Claimed: c, Assumption: true, Origin: OriginDelegation, Source: d.Brief.ID, Wave: w.N})
	}
	if room := max(MaxClaims-len(w.Pool), 0); len(said) > room {
		w.Objections = append(slices.Clone(w.Objections), strconv.Itoa(len(said)-room)+" claims of "+d.Brief.ID+" were not taken in: "+
			strconv.Itoa(len(w.Pool)+room)+" facts are known, which is all there is room for; its answer has them")
		said = said[:room]
	}
	w.Pool = w.Pool.Merge(said...)
	w.staleness()
	out.Facts, out.Assumptions = nil, nil // they are in the pool
}

// Rule takes the planner's word in: what it knows, and which side of a conflict
// holds.
func (w *Waves) Rule(d *PlannerDecision) {
	if d == nil {
		return
	}
	source := "wave_" + strconv.Itoa(w.N)
	open := w.Pool.Conflicts(w.N)
	var said []Statement
	for _, c := range d.Facts {
		said = append(said, Statement{Claimed: c, Origin: OriginPlanner, Source: source, Wave: w.N})
	}
	for _, resolution := range d.Resolutions {
		for _, c := range open {
			if c.ID == resolution.Conflict {
				said = append(said, resolution.Settles(c, source, w.N))
			}
		}
	}
	w.Pool = w.Pool.Merge(said...)
	w.staleness()
}

// answer takes an answer into the pool, where it takes the place of what was held
// to be true of the thing that its question was about.
func (w *Waves) answer(q Question, b QuestionAnswered) {
	s := Statement{Claimed: Claimed{Key: q.About, Content: b.Text, Sources: b.Sources}, Origin: OriginPerson, Source: q.ID, Wave: w.N}
	switch {
	case b.Planner:
		s.Origin = OriginPlanner
	case b.Default:
		s.Origin = OriginDefault
	}
	w.Pool = w.Pool.Merge(s)
	w.staleness()
}

// staleness marks the delegations that were built on what no longer holds: those
// whose own claims are stale.
func (w *Waves) staleness() {
	stale := map[string]string{}
	for _, f := range w.Pool.Stale() {
		stale[f.Source] = f.Stale
	}
	for _, d := range w.Works {
		d.Stale = stale[d.Brief.ID]
	}
}
