package service

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/draft"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/retention"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

const (
	minAge      = 24 * time.Hour
	firstRetain = 10 * time.Minute // after an engine began: not in passing
	retainEvery = 24 * time.Hour
)

// Prune implements api.Operations.
func (a *Service) Prune(ctx context.Context, req api.Prune) (api.Pruned, error) {
	if req.OlderThan < minAge {
		return api.Pruned{}, core.Errorf(core.CodeInvalid, "nothing younger than %s can be removed", minAge).Offer(core.Choice{Verb: core.VerbWithAge})
	}
	if !a.pruning.TryLock() {
		return api.Pruned{}, core.Errorf(core.CodeConflict, "the state folder is being pruned already").WithHint("wait a little, then try again")
	}
	defer a.pruning.Unlock()
	now, err := a.store.Now(ctx)
	if err != nil {
		return api.Pruned{}, err
	}
	report, err := a.retain(ctx, retention.Request{Before: now.Add(-req.OlderThan), Transcripts: req.Transcripts, Remove: req.Remove})
	if req.Remove {
		a.log.Info("the state folder was pruned", "removed", len(report.Items), "bytes", report.Bytes, "kept", len(report.Kept))
	}
	out := api.Pruned{Removed: req.Remove, Bytes: report.Bytes}
	for _, i := range report.Items {
		out.Items = append(out.Items, api.PrunedItem(i))
	}
	for _, k := range report.Kept {
		out.Kept = append(out.Kept, api.PrunedKept(k))
	}
	return out, err
}

func (a *Service) retain(ctx context.Context, req retention.Request) (retention.Report, error) {
	return retention.Run(ctx, retention.Options{
		Left:  a.engine.Left,
		State: a.state.Dir, Store: a.store, Objects: a.objects, Drafts: draft.Open(a.store), Yards: a.yards, Log: a.log,
	}, req)
}

// Retain prunes once a day, if the person's settings say after how long, and sweeps. An
// engine that runs only for a command does not come to it.
func (a *Service) Retain(ctx context.Context) {
	for wait := firstRetain; ; wait = retainEvery {
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		settings, err := config.OfPerson(nil)
		if err == nil && settings.Retention.V > 0 {
			_, err = a.Prune(ctx, api.Prune{OlderThan: settings.Retention.V, Remove: true})
		}
		if err != nil && ctx.Err() == nil {
			a.log.Error("the state folder could not be pruned", "error", err, "advice", wording.Advice("", core.Advice{Choices: []core.Choice{{Verb: core.VerbPrune}}}))
		}
		a.sweep(ctx)
	}
}

// sweep frees the space of objects that were discarded, and of those whose storing broke off, if the objects leave that to somebody.
func (a *Service) sweep(ctx context.Context) {
	objects, ok := a.objects.(object.Sweeper)
	if !ok {
		return
	}
	if err := objects.Sweep(ctx); err != nil && ctx.Err() == nil {
		a.log.Error("the space of discarded objects could not be freed; it is tried again tomorrow", "error", err)
	}
}
