package service

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

// Position implements api.Service. Every page asks for it first, and is told
// if the engine has lost its database.
func (a *Service) Position(ctx context.Context) (string, error) {
	if _, err := a.store.Now(ctx); err != nil {
		return "", err
	}
	return a.engine.Position(ctx)
}

// Watch implements api.Service.
func (a *Service) Watch(ctx context.Context, since string, fn func(api.Moved) error) error {
	return a.engine.Watch(ctx, since, func(m engine.Moved) error {
		return fn(api.MovedFrom(m.At, m.Streams, m.All))
	})
}

// RunAt implements api.Service.
func (a *Service) RunAt(ctx context.Context, id string, seq int64) (api.RunDetail, error) {
	run, err := a.find.Run(ctx, id)
	if err != nil {
		return api.RunDetail{}, err
	}
	state, err := a.engine.At(ctx, run.ID, seq)
	if err != nil {
		return api.RunDetail{}, err
	}
	return a.detail(ctx, state), nil
}

// Prompt implements api.Service. The attempt's folder has it as long as it is
// kept; what the attempt's start was reported with stays.
func (a *Service) Prompt(ctx context.Context, id, attempt string, w io.Writer) error {
	run, err := a.find.Run(ctx, id)
	if err != nil {
		return err
	}
	digest := ""
	if err := a.references.look(ctx, run.ID, a.eventsOf(run.ID), func(r *references) { digest = r.prompts[attempt] }); err != nil {
		return err
	}
	if digest != "" {
		return a.copyDocument(ctx, digest, w)
	}
	if _, _, under := run.Attempt(attempt); under == nil {
		return noAttempt(run, attempt)
	}
	folder, err := a.exchange.Receive(ctx, spawn.ID{Run: run.ID, Attempt: attempt})
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(folder, "prompt.md"))
	if errors.Is(err, fs.ErrNotExist) {
		return core.Errorf(core.CodeNotFound, "attempt %s has no prompt yet", attempt).WithHint("it is being prepared: ask again")
	}
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// Document implements api.Service. Only what the run's own history names is
// shown: the store of documents is everybody's.
func (a *Service) Document(ctx context.Context, id, digest string, w io.Writer) error {
	run, err := a.find.Run(ctx, id)
	if err != nil {
		return err
	}
	named := false
	if err := a.references.look(ctx, run.ID, a.eventsOf(run.ID), func(r *references) { named = r.names(digest) }); err != nil {
		return err
	}
	if !named {
		return core.Errorf(core.CodeNotFound, "run %s has no document %.80q", run.Alias, digest)
	}
	return a.copyDocument(ctx, digest, w)
}

func (a *Service) copyDocument(ctx context.Context, digest string, w io.Writer) error {
	f, err := a.objects.Open(ctx, digest)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read from
	_, err = io.Copy(w, f)
	return err
}
