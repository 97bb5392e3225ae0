package relay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
)

const (
	// maxRewake stays below the time after which the client ends the waiter and
	// wakes nobody.
	maxRewake = 58 * time.Minute
	// oneLook is how long one question to the engine lasts.
	oneLook = time.Minute
	// stepSlack is how much earlier than the waiter the step it belongs to may
	// have ended: both are started at once.
	stepSlack = 10 * time.Second

	stepPoll = 50 * time.Millisecond
)

// Rewake waits beside a session that rests while the engine verifies, and wakes it
// when there is something to do. A session has one waiter.
func (r Relay) Rewake(ctx context.Context, data []byte, errs io.Writer) int {
	c, owned, err := r.read(data)
	switch {
	case err != nil:
		return failed(errs, err)
	case !owned:
		return exitAnswered
	}
	*c.entry = hook.Entry{Session: c.in.Session, Event: "Rewake"}
	ctx, cancel := context.WithTimeout(api.AsSession(ctx, c.in.Session), duration(r.Env("STELLWERK_REWAKE_WAIT"), maxRewake, maxRewake))
	defer cancel()
	line, err := c.awaitTurn(ctx)
	if err != nil {
		c.entry.Error = err.Error()
	}
	code := exitAnswered
	if line != "" {
		c.entry.Did, code = "wake", exitWake
		fmt.Fprintln(errs, line)
	}
	if err := c.note(ctx); err != nil && code == exitAnswered {
		return failed(errs, err)
	}
	return code
}

// awaitTurn returns the line that wakes the session, or none if there is no reason to.
func (c call) awaitTurn(ctx context.Context) (string, error) {
	waiter := flock.New(filepath.Join(c.dir, "rewake.lock"), flock.SetPermissions(0o600))
	held, err := waiter.TryLock()
	if err != nil || !held {
		return "", err
	}
	kind, err := c.awaitStep(ctx)
	if err != nil || kind != api.TurnVerify {
		return "", errors.Join(err, waiter.Unlock())
	}
	turn, err := c.awaitVerified(ctx)
	c.entry.Turn = string(turn.Kind)
	return wakeLine(turn), errors.Join(err, waiter.Unlock())
}

// awaitStep is how the step ended that the same event started.
func (c call) awaitStep(ctx context.Context) (api.TurnKind, error) {
	tick := time.NewTicker(stepPoll)
	defer tick.Stop()
	limit := time.After(c.stopWait() + stepSlack)
	for {
		var s step
		c.recall(stepFile, &s)
		if s.Event == digest(c.data) && s.At.After(c.began.Add(-stepSlack)) {
			return s.Turn, nil
		}
		select {
		case <-ctx.Done():
			return api.TurnNone, ctx.Err()
		case <-limit:
			return api.TurnNone, nil
		case <-tick.C:
		}
	}
}

// awaitVerified asks the engine until it has finished verifying.
func (c call) awaitVerified(ctx context.Context) (api.Turn, error) {
	for {
		turn, err := ask(ctx, c, func(svc api.Sessions) (api.Turn, error) {
			return svc.Turn(ctx, c.in.Session, api.TurnQuery{Wait: oneLook, Peek: true})
		})
		pause := time.Duration(0)
		switch {
		case err != nil: // the engine is gone, and asking has started another, which may need a moment
			pause = time.Second
		case turn.Kind != api.TurnVerify:
			return turn, nil
		}
		select {
		case <-ctx.Done():
			return api.Turn{}, errors.Join(err, ctx.Err())
		case <-time.After(pause):
		}
	}
}

func wakeLine(turn api.Turn) string {
	switch turn.Kind {
	case api.TurnStart, api.TurnGate, api.TurnPaused, api.TurnOver:
		return fmt.Sprintf("Stellwerk has finished checking run %s. End your turn with one short sentence; Stellwerk then says what comes next.", turn.Run.Alias)
	case api.TurnNone, api.TurnWorking, api.TurnVerify:
	}
	return ""
}
