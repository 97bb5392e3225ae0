package dispatch

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// code takes over an attempt's code. If that is not possible, the work is kept and the delivery has no commit, so that it
// cannot pass: checks that hold on the base say nothing about work that is not in it.
func (d *Dispatcher) code(ctx context.Context, run *core.Run, stage *core.Stage, a *core.Attempt, folder string, exit shim.Exit, delivery *core.Delivery) error {
	hand := exit.HandIn
	if hand == nil { // nobody could look
		return nil
	}
	for _, note := range hand.Notes {
		delivery.Notes = append(delivery.Notes, d.redactor(run).String(note))
	}
	if hand.Error != "" {
		return d.refuse(ctx, run, a.ID, "", delivery, "the workspace could not be handed in", hand.Error)
	}
	if why := d.gone(run, a, *hand); why != "" {
		delivery.Rejected = append(delivery.Rejected, "there is no work to take over: "+plain.ClipBytes(why, 500))
		return nil
	}
	y, err := d.Yards.Yard(ctx, run.Project)
	if err != nil {
		return err
	}
	delivery.Commit = a.Base
	if !hand.Empty {
		bundle := filepath.Join(folder, hand.Bundle)
		refused, err := d.importCode(ctx, y, run, stage, a, bundle, delivery)
		if err != nil {
			return err
		}
		if refused != nil {
			return d.refuse(ctx, run, a.ID, bundle, delivery, "git refused what was handed in", refused.Error())
		}
		delivery.Checkpoint, delivery.Mark = hand.Checkpoint, hand.Mark
	}
	delivery.Tree, err = y.Tree(ctx, delivery.Commit)
	return err
}

// gone says why there was no workspace to hand in, "" if there was one. A supervisor of the version before, which may still be at
// work after an upgrade, reports a deleted workspace as an empty one, so the engine looks for itself: it removes a workspace only
// after the end of its attempt is recorded. The workspace of a session's agent is the session's own.
func (d *Dispatcher) gone(run *core.Run, a *core.Attempt, hand shim.HandIn) string {
	if hand.Gone != "" || !hand.Empty || a.Session != "" || !d.here(run, a.ID) {
		return hand.Gone
	}
	return yard.WorkspaceGone(d.Layout.Workspace(run.ID, a.ID))
}

// importCode brings an attempt's commits into the yard. refused is why git does not take them.
func (d *Dispatcher) importCode(ctx context.Context, y *yard.Yard, run *core.Run, stage *core.Stage, a *core.Attempt, bundle string, delivery *core.Delivery) (refused, err error) {
	ref := yard.AttemptRef(run.ID, a.ID)
	imported, err := y.Import(ctx, yard.ImportSpec{
		Bundle: bundle, Ref: ref, Base: a.Base, MaxBytes: maxBundle,
		Left: yard.LeftPrefix(run.ID, a.ID), Keep: func(ctx context.Context, bundle io.Reader) (string, error) {
			digest, _, err := packs(d.Objects).Put(ctx, bundle, maxBundle)
			return digest, err
		},
	})
	if refusedBundle(err) {
		return err, nil
	}
	if err != nil {
		return nil, err
	}
	delivery.Commit, delivery.Ref, delivery.Pack, delivery.Left = imported.Commit, ref, imported.Pack, imported.Left
	delivery.Empty = imported.Commit == a.Base
	// Commits of the round may be reshaped by a retry; what was there before may not.
	kept, err := y.IsAncestor(ctx, stage.Base, imported.Commit)
	delivery.Rewritten = !kept
	return nil, err
}

// excuse makes an attempt one that was lost if the yard that its workspace borrowed from was removed under it, so that git failed
// there or nothing could be handed in. A worker elsewhere has what it borrows from with it.
func (d *Dispatcher) excuse(ctx context.Context, run *core.Run, exit shim.Exit, body *core.AttemptExited) error {
	unsaved := exit.HandIn != nil && exit.HandIn.Error != ""
	if !unsaved && body.Kind != core.ExitFailed || body.Infrastructure() || exit.StartedAt.IsZero() || !d.here(run, body.Attempt) {
		return nil
	}
	y, err := d.Yards.Yard(ctx, run.Project)
	if err != nil {
		return err
	}
	made, err := y.Made()
	if err != nil || !made.After(exit.StartedAt) {
		return err
	}
	body.Kind = core.ExitLost
	body.Message = strings.TrimSuffix("the yard was removed while the agent was at work: "+body.Message, ": ")
	return nil
}

func refusedBundle(err error) bool {
	var big *yard.TooBigError
	return errors.Is(err, yard.ErrCorrupt) || errors.Is(err, yard.ErrPrerequisites) || errors.As(err, &big)
}

// refuse makes a delivery one without code, says why, and keeps the work among the objects. What is kept is the workspace, in the
// attempt's folder, too; of one elsewhere there may be only the bundle.
func (d *Dispatcher) refuse(ctx context.Context, run *core.Run, attempt, bundle string, delivery *core.Delivery, what, why string) (err error) {
	kept, note := bundle, ""
	if bundle == "" || d.here(run, attempt) {
		if kept, note, err = d.keepWorkspace(run, attempt); err != nil {
			return err
		}
	}
	digest, notes, err := d.archive(ctx, kept)
	if err != nil {
		return err
	}
	if note != "" {
		notes = append(notes, note)
	}
	delivery.Commit, delivery.Workspace = "", digest
	for _, note := range notes {
		d.Log.Warn(note, "run", run.Alias, "attempt", attempt, "folder", kept)
		delivery.Notes = append(delivery.Notes, d.redactor(run).String(note))
	}
	if kept == bundle && digest != "" {
		what += "; its bundle is kept as object " + digest
	} else if _, err := os.Lstat(kept); err == nil && kept != bundle {
		what += "; the workspace is kept in " + kept
	}
	delivery.Rejected = append(delivery.Rejected, what+": "+why)
	return nil
}
