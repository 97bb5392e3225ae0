package core

import "slices"

// FoldProject applies an event to a project and returns the new state. p is
// nil before the first event, and again once the project was erased.
func FoldProject(p *Project, e Event) (*Project, error) {
	if e.Erased() {
		return nil, nil
	}
	body, err := Decode(e)
	if err != nil {
		return p, err
	}
	if p == nil {
		p = &Project{}
	}
	switch b := body.(type) {
	case ProjectRegistered:
		p.ID, p.Name, p.Path, p.URL = b.Project, b.Name, b.Path, b.URL
	case ContentTrusted:
		if !slices.Contains(p.Trusted, b.Hash) {
			p.Trusted = append(p.Trusted, b.Hash)
		}
	case ProjectNamed:
		p.Name = b.Name
	case PlaybookChosen:
		p.Playbook = b.Playbook
	case ProjectPaused:
		p.Pause = &Standstill{By: e.Actor.ID, Reason: b.Reason, At: e.At}
	case ProjectArchived:
		p.Archived = &Standstill{By: e.Actor.ID, Reason: b.Reason, At: e.At}
	case ProjectResumed:
		p.Pause, p.Archived, p.Resumed = nil, nil, e.Actor.ID
	case EpicQueued:
		p.Epics++
		p.Queue = append(p.Queue, QueuedEpic{Epic: b.Epic, By: e.Actor.ID, At: e.At})
	case EpicTaken:
		p.leave(b.Epic)
	case EpicDropped:
		p.leave(b.Epic)
	case EpicPostponed:
		p.Queue = slices.Clone(p.Queue)
		epic, at := p.Epic(b.Epic), e.At
		epic.Tries, epic.TriedAt = epic.Tries+1, &at
	case EpicRefused:
		p.Queue = slices.Clone(p.Queue)
		p.Epic(b.Epic).Refused = &Refusal{Reason: b.Reason, Advice: b.Advice, At: e.At}
	case EpicRequeued:
		again := *p.Epic(b.Epic)
		again.Refused, again.Tries, again.TriedAt = nil, 0, nil
		p.leave(b.Epic)
		p.Queue = append(p.Queue, again)
	case ProjectErased:
		return nil, nil
	case ConversationOpened:
		p.Conversations = append(slices.Clone(p.Conversations), Conversation{ID: b.ID, Name: b.Name, By: e.Actor.ID, At: e.At})
	case ConversationNamed:
		p.Conversations = slices.Clone(p.Conversations)
		p.Conversation(b.ID).Name = b.Name
	default:
		return p, Errorf(CodeInvalid, "event %s: %s does not belong to a project", e.ID, e.Type)
	}
	p.Stream.Seq, p.Stream.At = e.Seq, e.At
	return p, nil
}

// leave takes an epic out of the queue. The queue is made anew: a copy of the
// state may share the old one.
func (p *Project) leave(epic string) {
	p.Queue = slices.DeleteFunc(slices.Clone(p.Queue), func(e QueuedEpic) bool { return e.ID == epic })
}
