package core

import (
	"errors"
	"slices"
)

// maxQueue bounds a queue that a person is to keep an overview of.
const maxQueue = 200

// LawProject judges one event of a project before it is committed: whether this
// actor may say it, and whether it can happen now. p is the state before the
// event, nil before the first.
func LawProject(p *Project, actor Actor, body Body) error {
	if err := actorMay(actor, body); err != nil {
		return err
	}
	_, first := body.(ProjectRegistered)
	if first != (p == nil) {
		if first {
			return Errorf(CodeConflict, "the project is registered already, as %s", p.Name)
		}
		return Errorf(CodeNotFound, "there is no such project").Offer(Choice{Verb: VerbProjects})
	}
	switch b := body.(type) {
	case ProjectNamed:
		return lawName(b.Name)
	case ProjectRegistered:
		return lawName(b.Name)
	case ProjectPaused:
		if p.Pause != nil || p.Archived != nil {
			return Errorf(CodeConflict, "project %s is %s already", p.Name, p.still())
		}
	case ProjectArchived:
		if p.Archived != nil {
			return Errorf(CodeConflict, "project %s is archived already", p.Name)
		}
	case ProjectResumed:
		if p.Pause == nil && p.Archived == nil {
			return Errorf(CodeConflict, "project %s is neither paused nor archived", p.Name).Offer(Choice{Verb: VerbProject, Project: p.Name})
		}
	case EpicQueued:
		return lawQueue(p, b.Epic)
	case EpicTaken:
		e, err := p.waits(b.Epic)
		if err == nil && e.Run != b.Run {
			err = unlawful("epic %s becomes run %s, not %s", e.ID, e.Run, b.Run)
		}
		return err
	case EpicPostponed:
		_, err := p.waits(b.Epic)
		return err
	case EpicRefused:
		_, err := p.waits(b.Epic)
		return err
	case EpicRequeued:
		if e := p.Epic(b.Epic); e == nil {
			return noEpic(p, b.Epic)
		} else if e.Refused == nil {
			return Errorf(CodeConflict, "epic %s waits for its turn already, at place %d", e.ID, p.Place(e.ID))
		}
	case ConversationOpened:
		return lawConverse(p, b)
	case ConversationNamed:
		return lawRename(p, b)
	case EpicDropped:
		if p.Epic(b.Epic) == nil {
			return noEpic(p, b.Epic)
		}
	default:
	}
	return nil
}

func lawName(name string) error {
	if ProjectName(name) {
		return nil
	}
	return Errorf(CodeInvalid, "%.80q cannot be the name of a project", name).
		WithHint("use small letters, digits, dots, dashes and underscores, at most %d bytes, beginning with a letter or digit", MaxProjectName)
}

func lawQueue(p *Project, e Epic) error {
	switch {
	case p.Archived != nil:
		return p.Still()
	case e.ID != EpicID(p.Epics+1):
		return unlawful("epic %s is not the next of project %s", e.ID, p.Name)
	case e.Run == "" || e.Goal == "" || e.Playbook == "" || e.Base == "":
		return unlawful("epic %s does not say what is to be started", e.ID)
	case len(p.Queue) >= maxQueue:
		return Errorf(CodeConflict, "%d epics are in the queue of project %s, and it holds no more", len(p.Queue), p.Name).
			WithHint("take one out").Offer(Choice{Verb: VerbDropEpic, Project: p.Name})
	}
	return nil
}

// waits is an epic that waits for its turn.
func (p *Project) waits(id string) (*QueuedEpic, error) {
	e := p.Epic(id)
	if e == nil {
		return nil, noEpic(p, id)
	}
	if e.Refused != nil {
		return nil, Errorf(CodeConflict, "epic %s was refused", id)
	}
	return e, nil
}

func noEpic(p *Project, id string) error {
	return Errorf(CodeNotFound, "project %s has no epic %q in its queue", p.Name, id).Offer(Choice{Verb: VerbQueue, Project: p.Name})
}

// LawWithin judges what starts a run, sets a paused one going or pauses one with
// its project, by the state of the project. Whatever else ends a pause as it
// happens, such as an answer, is allowed: the run then pauses with its project
// in the same step (PausedWith).
func LawWithin(p *Project, body Body) error {
	switch b := body.(type) {
	case RunStarted:
		if err := p.standstill(); err != nil {
			return err.Because(ErrBusy)
		}
		next := p.Waiting()
		if b.Epic != "" && !slices.ContainsFunc(next, func(e QueuedEpic) bool { return e.ID == b.Epic }) {
			return Errorf(CodeConflict, "%s no longer waits in the queue of project %s", b.Epic, p.Name).Because(ErrBusy)
		}
		if b.Playbook.Drives() && len(next) > 0 && next[0].Run != b.Run {
			return Errorf(CodeConflict, "%d epics wait for their turn in project %s", len(next), p.Name).
				WithHint("let the goal wait in the queue behind them").Offer(Choice{Verb: VerbQueue, Project: p.Name}).Because(ErrBusy)
		}
	case RunPaused:
		if b.Code == PauseProject && p.Still() == nil {
			return Errorf(CodeConflict, "project %s does not stand still", p.Name)
		}
	case RunResumed, FeedbackGiven, RolledBack, StageSkipped, AttemptsReset:
		return p.Still()
	default:
	}
	return nil
}

// ErrBusy is why a run cannot begin that would drive its project: the project
// stands still, another run drives it, or others wait already. It can be queued.
var ErrBusy = errors.New("the project is not free")

// Still is why nothing begins in the project, nil if something can.
func (p *Project) Still() error {
	if err := p.standstill(); err != nil {
		return err
	}
	return nil
}

// PausedWith is how a run is paused while its project stands still.
func (p *Project) PausedWith() RunPaused {
	return RunPaused{
		Code: PauseProject, Reason: p.Still().Error(), Advice: Advice{Choices: []Choice{{Verb: VerbResumeProject, Project: p.Name}}},
	}
}

func (p *Project) standstill() *Error {
	s, word := p.Archived, p.still()
	if s == nil {
		s = p.Pause
	}
	if s == nil {
		return nil
	}
	why := ""
	if s.Reason != "" {
		why = ": " + s.Reason
	}
	return Errorf(CodeConflict, "project %s is %s%s", p.Name, word, why).
		WithHint("let it go on").Offer(Choice{Verb: VerbResumeProject, Project: p.Name})
}

func (p *Project) still() string {
	if p.Archived != nil {
		return "archived"
	}
	return "paused"
}
