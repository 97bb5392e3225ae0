package measure

import (
	"cmp"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Tracker follows one run. What it holds grows with what is open, not with what
// has happened.
type Tracker struct {
	run      *Piece // nil before it began and after it ended
	over     bool
	playbook playbook
	wave     *Piece            // nil if none is open
	stages   map[string]*Piece // open rounds, by stage
	tasks    map[string]*Piece
	attempts map[string]*Piece
	handed   map[string]Piece     // by task, the newest attempt of it that ended
	asked    map[string]time.Time // when the checks of an attempt were asked for
}

// playbook is what a tracker needs of one. The prompts of all roles would be most of what it holds.
type playbook struct {
	name, kind string
	models     map[string]string // by role
}

func outline(p *core.Playbook) playbook {
	o := playbook{name: p.Name, kind: p.Kind, models: map[string]string{}}
	for role := range p.Roles {
		o.models[role] = p.Model(role)
	}
	return o
}

// NewTracker follows a run from its first event.
func NewTracker() *Tracker {
	return &Tracker{
		stages: map[string]*Piece{}, tasks: map[string]*Piece{}, attempts: map[string]*Piece{},
		handed: map[string]Piece{}, asked: map[string]time.Time{},
	}
}

// Over reports that the run has ended: nothing follows.
func (t *Tracker) Over() bool { return t.over }

// Reads reports the types of events that Next makes something of. The others
// need not be handed to it.
func Reads(t core.Type) bool {
	switch t {
	case core.TypeRunStarted, core.TypePlaybookSwapped, core.TypeStageOpened, core.TypeTaskAdmitted,
		core.TypeAttemptRequested, core.TypeAttemptStarted, core.TypeAttemptExited, core.TypeVerifyRequested, core.TypeVerifyConcluded,
		core.TypePublishPrepared, core.TypePublishConcluded, core.TypeMergeConcluded, core.TypeValidateConcluded,
		core.TypeTeamReduced, core.TypeTaskFailed, core.TypeWaveOpened, core.TypeWaveClosed, core.TypeBriefEnded, core.TypeStagePassed, core.TypeStageSkipped, core.TypeStageDiscarded,
		core.TypeFeedbackGiven, core.TypeRolledBack,
		core.TypeRunCompleted, core.TypeRunFailed, core.TypeRunCancelled:
		return true
	default:
		return false
	}
}

// Next takes in the run's next event and returns what ended by it, the innermost
// first. Events must come in order; what began before the first one that a
// tracker was given is not known to it.
func (t *Tracker) Next(e core.Event) ([]Piece, error) {
	if t.over || !Reads(e.Type) {
		return nil, nil
	}
	body, err := core.Decode(e)
	if err != nil {
		return nil, err
	}
	return t.NextBody(e, body), nil
}

// NextBody is Next for a caller that has the decoded body at hand.
func (t *Tracker) NextBody(e core.Event, body core.Body) []Piece {
	if t.over {
		return nil
	}
	switch b := body.(type) {
	case core.RunStarted:
		t.playbook = outline(&b.Playbook)
		t.run = &Piece{Kind: Run, ID: e.ID, Began: e.At, Run: b.Run, Playbook: b.Playbook.Name, Drive: b.Playbook.Kind}
	case core.PlaybookSwapped:
		t.playbook = outline(&b.Playbook)
	case core.StageOpened:
		ended := t.closeStage(e, b.Stage, Superseded)
		t.stages[b.Stage] = t.begin(e, Stage, t.wave, Piece{Stage: b.Stage, Round: b.Round})
		return ended
	case core.TaskAdmitted:
		t.tasks[b.Task] = t.begin(e, Task, t.stages[b.Stage], Piece{
			Stage: b.Stage, Round: b.Round, Task: b.Task, Role: b.Role, Work: cmp.Or(string(b.Act), string(b.Kind)),
		})
	case core.AttemptRequested:
		t.request(e, b)
	case core.AttemptStarted:
		if a := t.attempts[b.Attempt]; a != nil {
			a.Began, a.Agent = e.At, b.Agent
		}
	case core.AttemptExited:
		return t.exit(e, b)
	case core.VerifyRequested:
		t.asked[b.Attempt] = e.At
	default:
		return t.conclude(e, body)
	}
	return nil
}

// conclude takes in what ends something other than an attempt.
func (t *Tracker) conclude(e core.Event, body core.Body) []Piece {
	switch b := body.(type) {
	case core.VerifyConcluded:
		return t.verified(e, b)
	case core.PublishPrepared:
		return t.checks(e, t.tasks[b.Task], time.Time{}, b.Results, b.Error)
	case core.PublishConcluded:
		return t.ends(e, b.Task, b.OK, nil)
	case core.MergeConcluded:
		return t.ends(e, b.Task, b.Passed, t.checks(e, t.tasks[b.Task], time.Time{}, b.Results, b.Error))
	case core.ValidateConcluded:
		return t.ends(e, b.Task, b.Passed, t.checks(e, t.tasks[b.Task], time.Time{}, b.Results, b.Error))
	case core.TeamReduced:
		var ended []Piece
		for _, task := range b.Dropped {
			ended = append(ended, t.closeTask(e, task, Dropped)...)
		}
		return ended
	case core.TaskFailed:
		return t.closeTask(e, b.Task, NotOK)
	case core.WaveOpened:
		ended := t.closeWave(e, Superseded)
		t.wave = t.begin(e, Wave, t.run, Piece{Wave: b.Wave})
		return ended
	case core.WaveClosed:
		if b.Course == core.CourseAbort {
			return t.closeWave(e, NotOK)
		}
		return t.closeWave(e, OK)
	case core.BriefEnded:
		if b.Status == core.DelegationFailed { // a dropped one ends with its stage
			return t.closeTasks(e, b.Delegation, NotOK)
		}
		return nil
	case core.StagePassed:
		return t.closeStage(e, b.Stage, OK)
	case core.StageSkipped:
		return t.closeStage(e, b.Stage, Skipped)
	case core.StageDiscarded:
		return t.closeStage(e, b.Stage, Discarded)
	case core.FeedbackGiven:
		return t.closeStage(e, b.Stage, SentBack)
	case core.RolledBack:
		return append(t.closeStage(e, b.From, SentBack), t.closeStage(e, b.Target, SentBack)...)
	case core.RunCompleted:
		return t.end(e, OK)
	case core.RunFailed:
		return t.end(e, NotOK)
	case core.RunCancelled:
		return t.end(e, Cancelled)
	default: // says nothing about how long something took
		return nil
	}
}

// begin opens a piece. If what it is part of is not known, it is part of the
// run.
func (t *Tracker) begin(e core.Event, kind Kind, of *Piece, p Piece) *Piece {
	p.Kind, p.ID, p.Began = kind, e.ID, e.At
	if of == nil {
		of = t.run
	}
	if p.Wave == 0 {
		p.Wave = t.Wave()
	}
	if of != nil {
		p.Parent = of.ID
	}
	if t.run != nil {
		p.Run, p.Playbook, p.Drive = t.run.Run, t.playbook.name, t.playbook.kind
	}
	return &p
}

func (t *Tracker) request(e core.Event, b core.AttemptRequested) {
	p := Piece{Task: b.Task, Attempt: b.Attempt, N: b.N}
	task := t.tasks[b.Task]
	if task != nil {
		p.Wave, p.Stage, p.Round, p.Role, p.Work = task.Wave, task.Stage, task.Round, task.Role, task.Work
		p.Model = t.playbook.models[task.Role]
	}
	t.attempts[b.Attempt] = t.begin(e, Attempt, task, p)
}

// closing are the keys of what is open and holds, in the order it began in.
func closing(open map[string]*Piece, holds func(*Piece) bool) []string {
	var keys []string
	for key, p := range open {
		if holds(p) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(open[a].Began.Compare(open[b].Began), cmp.Compare(a, b))
	})
	return keys
}

func (t *Tracker) closeTask(e core.Event, task, outcome string) []Piece {
	delete(t.handed, task)
	return finish(t.tasks, task, e, outcome)
}

// closeStage ends a round and the tasks of it that are still open. Their
// attempts end by themselves.
func (t *Tracker) closeStage(e core.Event, stage, outcome string) []Piece {
	return append(t.closeTasks(e, stage, Dropped), finish(t.stages, stage, e, outcome)...)
}

func (t *Tracker) closeTasks(e core.Event, stage, outcome string) []Piece {
	var ended []Piece
	for _, task := range closing(t.tasks, func(p *Piece) bool { return p.Stage == stage }) {
		ended = append(ended, t.closeTask(e, task, outcome)...)
	}
	return ended
}

// end closes the run and everything that is open in it.
func (t *Tracker) end(e core.Event, outcome string) []Piece {
	var ended []Piece
	all := func(*Piece) bool { return true }
	for _, attempt := range closing(t.attempts, all) {
		ended = append(ended, finish(t.attempts, attempt, e, string(core.ExitLost))...)
	}
	for _, stage := range closing(t.stages, all) {
		ended = append(ended, t.closeStage(e, stage, Dropped)...)
	}
	for _, task := range closing(t.tasks, all) {
		ended = append(ended, t.closeTask(e, task, Dropped)...)
	}
	ended = append(ended, t.closeWave(e, Dropped)...)
	if t.run != nil {
		ended = append(ended, ending(t.run, e, outcome))
	}
	*t = Tracker{over: true}
	return ended
}

// finish takes a piece out of what is open.
func finish(open map[string]*Piece, key string, e core.Event, outcome string) []Piece {
	p := open[key]
	if p == nil {
		return nil
	}
	delete(open, key)
	return []Piece{ending(p, e, outcome)}
}

func ending(p *Piece, e core.Event, outcome string) Piece {
	p.Ended, p.Seq, p.Outcome = e.At, e.Seq, outcome
	return *p
}
