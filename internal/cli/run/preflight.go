package run

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

// When to show what a preflight does: a short one is not worth a line.
const (
	lookPatience = 1500 * time.Millisecond
	lookEvery    = 300 * time.Millisecond
)

// watched starts a run and meanwhile prints what its preflight does.
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

// tellLooks prints each step of a preflight once, until it is over.
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
