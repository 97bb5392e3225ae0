package apitest

import (
	"context"
	"io"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Scenes are what a scripted engine shows beside its lists.
type Scenes struct {
	At    string
	Moves chan api.Moved // what Watch tells
}

// Position answers with Scenes.At.
func (s *Service) Position(context.Context) (string, error) { return s.Scenes.At, nil }

// Watch tells what comes through Scenes.Moves.
func (s *Service) Watch(ctx context.Context, _ string, fn func(api.Moved) error) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case m := <-s.Scenes.Moves:
			if err := fn(m); err != nil {
				return err
			}
		}
	}
}

// RunAt answers with the run as it is, where it has had that event.
func (s *Service) RunAt(ctx context.Context, id string, seq int64) (api.RunDetail, error) {
	d, err := s.Run(ctx, id)
	if err == nil && seq > d.Seq {
		err = core.Errorf(core.CodeNotFound, "the run has no event %d", seq)
	}
	return d, err
}

// Prompt writes the document called "prompt/" and the attempt.
func (s *Service) Prompt(_ context.Context, _, attempt string, w io.Writer) error {
	return s.document("prompt/"+attempt, w)
}

// Document writes the document of that name.
func (s *Service) Document(_ context.Context, _, digest string, w io.Writer) error {
	return s.document(digest, w)
}
