package api

import (
	"context"
	"io"
)

// Position implements Service.
func (g *guard) Position(ctx context.Context) (string, error) {
	return read(ctx, "", func() (string, error) { return g.svc.Position(ctx) })
}

// Watch implements Service.
func (g *guard) Watch(ctx context.Context, since string, fn func(Moved) error) error {
	if err := may(ctx, RoleViewer, toRead); err != nil {
		return err
	}
	return g.svc.Watch(ctx, since, fn)
}

// RunAt implements Service.
func (g *guard) RunAt(ctx context.Context, id string, seq int64) (RunDetail, error) {
	return read(ctx, "", func() (RunDetail, error) { return g.svc.RunAt(ctx, id, seq) })
}

// Mergeable implements Service.
func (g *guard) Mergeable(ctx context.Context, id string) (Mergeable, error) {
	return read(ctx, "", func() (Mergeable, error) { return g.svc.Mergeable(ctx, id) })
}

// Prompt implements Service.
func (g *guard) Prompt(ctx context.Context, id, attempt string, w io.Writer) error {
	if err := may(ctx, RoleViewer, toRead); err != nil {
		return err
	}
	return g.svc.Prompt(ctx, id, attempt, w)
}

// Document implements Service.
func (g *guard) Document(ctx context.Context, id, digest string, w io.Writer) error {
	if err := may(ctx, RoleViewer, toRead); err != nil {
		return err
	}
	return g.svc.Document(ctx, id, digest, w)
}

// Transcript implements Service.
func (g *guard) Transcript(ctx context.Context, id, attempt string, q TranscriptQuery) (Transcript, error) {
	return read(ctx, "", func() (Transcript, error) { return g.svc.Transcript(ctx, id, attempt, q) })
}
