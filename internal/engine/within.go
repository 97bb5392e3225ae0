package engine

import (
	"context"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// within holds a step that starts a run, ends its pause or pauses it with its
// project to what the project's stream says, and has it committed only while the
// project stands there. It reports false if the step is to be built anew,
// because the run pauses with its project, or no longer has to.
func (e *Engine) within(ctx context.Context, in input, b *batch, no *refusals) (settled bool, err error) {
	paused, _ := in.body.(core.RunPaused)
	if !b.going && no.still == nil && paused.Code != core.PauseProject {
		return true, nil
	}
	p, head, err := e.project(ctx, b.run.Project)
	if err != nil {
		return false, err
	}
	given := store.Position{Stream: core.ProjectStream(b.run.Project)}
	b.commit.Given = []store.Position{given}
	if p == nil && head.Seq > 0 {
		return false, core.Errorf(core.CodeNotFound, "the project was erased").Offer(core.Choice{Verb: core.VerbProjects})
	}
	if p == nil { // a run of a folder that was imported, without its project
		return true, nil
	}
	b.commit.Given[0].Seq = p.Stream.Seq
	if err := core.LawWithin(p, in.body); err != nil {
		return false, e.behind(ctx, p, err)
	}
	still := p.Still() != nil && (b.going || no.still != nil)
	if still == (no.still != nil) {
		return true, nil
	}
	if no.still = nil; still {
		pause := p.PausedWith()
		no.still = &pause
	}
	return false, nil
}

// behind says of a run that would have to wait behind others which one drives
// the project meanwhile: that one can be spoken to.
func (e *Engine) behind(ctx context.Context, p *core.Project, refused error) error {
	if !errors.Is(refused, core.ErrBusy) || p.Still() != nil {
		return refused
	}
	driver, err := e.Driver(ctx, p.ID)
	if err != nil || driver == "" {
		return errors.Join(refused, err)
	}
	return e.held(ctx, &store.ClaimHeld{Claim: core.ProjectClaim(p.ID, ""), Holder: core.RunStream(driver)})
}

// unbegun holds a word about a project to what has begun in it: nobody puts a
// project aside that has an open run, or an epic that has become one.
func (e *Engine) unbegun(ctx context.Context, p *core.Project, body core.Body, c *store.Commit) error {
	var epic string
	switch b := body.(type) {
	case core.ProjectArchived:
		c.Idle = p.ID
		return nil
	case core.EpicDropped:
		epic = b.Epic
	case core.EpicPostponed:
		epic = b.Epic
	case core.EpicRefused:
		epic = b.Epic
	default:
		return nil
	}
	run := p.Epic(epic).Run
	c.Given = []store.Position{{Stream: core.RunStream(run)}}
	head, err := e.store.Head(ctx, core.RunStream(run))
	if err != nil || head.Seq == 0 {
		return err
	}
	if row, err := e.store.Run(ctx, run); err == nil {
		run = row.Alias
	}
	return core.Errorf(core.CodeConflict, "epic %s has become run %s", epic, run).WithHint("end it").Offer(core.Choice{Verb: core.VerbCancel, Run: run})
}
