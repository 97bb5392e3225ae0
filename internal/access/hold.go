package access

import (
	"context"
	"time"
)

// lookEvery is how long somebody who was shut out at another engine may go on
// with what is under way at this one.
const lookEvery = time.Second

// hold is somebody who is being served.
type hold struct {
	id     Identity
	cancel context.CancelFunc
}

// Hold returns a context that ends when the identity is no longer let in: its
// token was revoked, it signed out, or its session has ended. What another engine
// was told counts within lookEvery. Whatever lasts longer than a moment is to be
// done with it.
func (s *Store) Hold(ctx context.Context, id Identity) (context.Context, context.CancelFunc) {
	var cancel context.CancelFunc
	if id.Until.IsZero() {
		ctx, cancel = context.WithCancel(ctx)
	} else {
		ctx, cancel = context.WithDeadline(ctx, id.Until)
	}
	h := &hold{id: id, cancel: cancel}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds[h] = struct{}{}
	if s.noLooks == nil {
		var looks context.Context
		looks, s.noLooks = context.WithCancel(context.Background())
		go s.look(looks)
	}
	return ctx, func() { s.let(h) }
}

// let ends a hold, and the looks with the last of them.
func (s *Store) let(h *hold) {
	h.cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.holds, h)
	if len(s.holds) == 0 && s.noLooks != nil {
		s.noLooks()
		s.noLooks = nil
	}
}

func (s *Store) look(ctx context.Context) {
	every := time.NewTicker(lookEvery)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			s.release(ctx)
		}
	}
}

// release ends the holds of who is no longer let in. While the documents cannot be
// read, nobody new is let in, and who is stays.
func (s *Store) release(ctx context.Context) {
	s.mu.Lock()
	of := map[Identity][]*hold{}
	for h := range s.holds {
		of[h.id] = append(of[h.id], h)
	}
	s.mu.Unlock()
	for id, holds := range of {
		if stands, err := s.stands(ctx, id); err != nil || stands {
			continue
		}
		for _, h := range holds {
			s.let(h)
		}
	}
}

// stands reports that what an identity rests on is still there.
func (s *Store) stands(ctx context.Context, id Identity) (bool, error) {
	if id.Session != "" {
		if there, err := s.isThere(ctx, kindSession, id.Session); err != nil || !there {
			return false, err
		}
	}
	return s.valid(ctx, id.holder)
}
