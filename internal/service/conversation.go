package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/show"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Speak implements api.Conversation.
func (a *Service) Speak(ctx context.Context, req api.Speak) (api.Spoken, error) {
	spoken, err := a.speak(ctx, req)
	if core.CodeOf(err) == core.CodeConflict && req.Start != nil {
		// Somebody else may have begun a run this moment, or this one has ended.
		return a.speak(ctx, req)
	}
	return spoken, err
}

func (a *Service) speak(ctx context.Context, req api.Speak) (api.Spoken, error) {
	project, run, err := a.addressed(ctx, req.Project, req.Dir)
	if err != nil {
		return api.Spoken{}, err
	}
	if req.Conversation, err = a.find.Conversation(ctx, project, req.Conversation); err != nil {
		return api.Spoken{}, err
	}
	if run == nil {
		return a.open(ctx, project, req)
	}
	if run.ByWaves() {
		return api.Spoken{}, core.Errorf(core.CodeUnsupported, "run %s works in waves: its planner reads answers, not messages", run.Alias).
			WithHint("look at what it asks").Offer(core.Choice{Verb: core.VerbInbox})
	}
	gated, seq := run.Status == core.StatusAwaiting, run.Stream.Seq
	run, said, err := a.tools.Message(ctx, run, api.Tell{Text: req.Text, Voice: req.Voice, Conversation: cmp.Or(req.Conversation, project)})
	if err != nil {
		return api.Spoken{}, err
	}
	spoken := api.Spoken{Run: show.Run(run), Event: said.Event, Seq: seq, Next: heard(run, said.Event)}
	if gated && run.Status != core.StatusAwaiting {
		spoken.Next = "what was about to be published is held back; " + spoken.Next
	}
	return spoken, nil
}

// open begins a run for what was said.
func (a *Service) open(ctx context.Context, project string, req api.Speak) (api.Spoken, error) {
	if req.Start == nil {
		return api.Spoken{}, core.Errorf(core.CodeNotFound, "no run drives the project: nobody would read it").
			WithHint("begin one").Offer(core.Choice{Verb: core.VerbSay})
	}
	start := *req.Start
	start.Goal, start.Dir, start.NoQueue, start.Conversation = req.Text, req.Dir, true, req.Conversation // words in a queue are not heard
	known, err := a.engine.Project(ctx, project)
	if err != nil {
		return api.Spoken{}, err
	}
	if here, err := a.find.ProjectAt(ctx, req.Dir); err != nil || here != project {
		start.Project = project
	}
	if known != nil {
		start.Playbook = cmp.Or(start.Playbook, known.Playbook)
	}
	start.Playbook = cmp.Or(start.Playbook, playbook.Project)
	run, err := a.startRun(ctx, start, listens)
	if err != nil {
		return api.Spoken{}, err
	}
	return api.Spoken{
		Run: run, Started: true,
		Next: fmt.Sprintf("no run was open: %s begins with your words as its goal", run.Alias),
	}, nil
}

// listens refuses a playbook for words that nobody of its run would read on.
func listens(p *core.Playbook) error {
	if p.Project == nil || p.Drives() {
		return nil
	}
	return core.Errorf(core.CodeInvalid, "the playbook %s works in waves: its planner reads answers, not messages", p.Name).
		WithHint("begin it as a run, or name a playbook whose manager you can talk with, such as %s", playbook.Project).
		Offer(core.Choice{Verb: core.VerbStart}, core.Choice{Verb: core.VerbWithPlaybook})
}

// addressed finds the project that a person names, and the open run that drives
// it; run is nil if none does.
func (a *Service) addressed(ctx context.Context, name, dir string) (project string, run *core.Run, err error) {
	project, run, err = a.find.ProjectOf(ctx, name, dir)
	if err != nil || run != nil && !run.Status.Terminal() {
		return project, run, err
	}
	open, err := a.store.Runs(ctx, store.Filter{Project: project, Open: true})
	if err != nil {
		return "", nil, err
	}
	for _, row := range open {
		run, err := a.engine.Load(ctx, row.ID)
		if err != nil || run.Drives() {
			return project, run, err
		}
	}
	return project, nil, nil
}

// heard says what happens after a person has spoken.
func heard(r *core.Run, event string) string {
	switch {
	case r.ByWaves():
		return heardInWaves(r)
	case r.Pause != nil && r.Pause.Code == core.PauseQuestion && len(r.Questions) > 0:
		return fmt.Sprintf("the project waits for the answer to %s: %s; the manager reads your message after that", r.Questions[0].ID, wording.Next(r))
	case r.Pause != nil:
		return fmt.Sprintf("the project is paused (%s); the manager reads your message when it goes on: %s", r.Pause.Reason, wording.Next(r))
	case !r.InTurn() || len(r.Managing.Wakes) == 0 && r.Managing.Missed == 0:
		return "the manager is woken"
	case slices.ContainsFunc(r.Manager().Turn.Wakes, func(w core.Wake) bool { return w.Event == event }):
		return "the manager is woken"
	}
	return fmt.Sprintf("the manager is at work (turn %d) and reads your message when that has ended", r.Manager().Round)
}

// heardInWaves says what happens after an answer to a run in waves.
func heardInWaves(r *core.Run) string {
	for _, q := range r.Questions {
		if q.Blocking {
			return fmt.Sprintf("%s waits for an answer, too: %s", show.Asker(r, q), wording.Advice("", q.Ask()))
		}
	}
	if r.Pause != nil {
		return fmt.Sprintf("the run is paused (%s): %s", r.Pause.Reason, wording.Next(r))
	}
	return "who waited for it goes on"
}

// Messages implements api.Conversation.
func (a *Service) Messages(ctx context.Context, q api.MessageQuery) ([]api.Message, error) {
	project, _, err := a.find.ProjectOf(ctx, q.Project, q.Dir)
	if err != nil {
		return nil, err
	}
	if q.Limit <= 0 || q.Limit > maxMessages {
		q.Limit = maxMessages
	}
	in := q.Conversation
	if in != "" {
		if in, err = a.find.Conversation(ctx, project, in); err != nil {
			return nil, err
		}
		in = cmp.Or(in, project)
	}
	rows, err := a.store.Messages(ctx, store.MessageFilter{Project: project, Conversation: in, After: q.After, Last: q.Last, Limit: q.Limit})
	if errors.Is(err, store.ErrNotFound) {
		return nil, core.Errorf(core.CodeNotFound, "the project has no message %q", q.After)
	}
	list := make([]api.Message, len(rows))
	for i, m := range rows {
		list[i] = api.Message{Said: m.Said, Run: m.Run, Seq: m.Seq, Event: m.Event, At: m.At}
	}
	return list, err
}

// maxMessages bounds one piece of a conversation.
const maxMessages = 1000
