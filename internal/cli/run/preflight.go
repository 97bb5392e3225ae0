package run

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

// How a preflight is shown: one that is over at once is not worth a word.
const (
	lookPatience = 1500 * time.Millisecond
	lookEvery    = 300 * time.Millisecond
)

// watched makes a start, and says meanwhile what its preflight is at.
func watched[T any](ctx context.Context, sh *shell.Shell, svc api.Service, req *api.StartRun, start func(context.Context, api.StartRun) (T, error)) (T, error) {
	if ticket, err := uuid.NewRandom(); err == nil {
		req.Ticket = ticket.String()
	}
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tellLooks(ctx, sh, svc, req.Ticket, over)
	}()
	answer, err := start(ctx, *req)
	close(over)
	<-done
	return answer, err
}

// tellLooks says each thing that a preflight is at, once, until it is over.
func tellLooks(ctx context.Context, sh *shell.Shell, svc api.Service, ticket string, over <-chan struct{}) {
	told, wait := "", lookPatience
	for {
		select {
		case <-over:
			return
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		wait = lookEvery
		look, err := svc.Looking(ctx, ticket)
		if err != nil {
			return // the start itself will say what is wrong
		}
		if look.At != "" && look.At != told && !sh.JSON {
			told = look.At
			sh.Tell("preflight: ", terminal.Line(told)+" (Ctrl-C stops it, --no-preflight skips it)")
		}
	}
}
