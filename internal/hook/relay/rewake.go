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
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
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

// Rewake waits beside a session that rests while the engine verifies, and wakes
// it when there is something to do. There is one waiter per session.
func (r Relay) Rewake(ctx context.Context, data []byte, errs io.Writer) int {
	c := call{Relay: r, data: data, began: r.Now(), entry: &hook.Entry{}}
	session, err := hook.SessionOf(data)
	if err != nil {
		return failed(errs, err)
	}
	if _, err := snapshot.Read(r.State, session); errors.Is(err, snapshot.ErrNone) {
		return exitAnswered
	}
	if c.in, err = hook.Parse(data); err != nil {
		return failed(errs, err)
	}
	*c.entry = hook.Entry{Session: session, Event: "Rewake"}
	ctx, cancel := context.WithTimeout(api.AsSession(ctx, session), duration(r.Env("STELLWERK_REWAKE_WAIT"), maxRewake, maxRewake))
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

// awaitTurn returns the line that wakes the session; none where there is no
// reason to.
func (c call) awaitTurn(ctx context.Context) (string, error) {
	dir, err := snapshot.Dir(c.State, c.in.Session)
	if err != nil {
		return "", err
	}
	waiter := flock.New(filepath.Join(dir, "rewake.lock"), flock.SetPermissions(0o600))
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

// awaitStep is how the step ended that the same event led to.
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

// awaitVerified asks until the engine is not busy any more.
func (c call) awaitVerified(ctx context.Context) (api.Turn, error) {
	for {
		var turn api.Turn
		err := c.engine(ctx, func(svc api.Sessions) (err error) {
			turn, err = svc.Turn(ctx, c.in.Session, api.TurnQuery{Wait: oneLook, Peek: true})
			return err
		})
		if err == nil && turn.Kind != api.TurnVerify {
			return turn, nil
		}
		select {
		case <-ctx.Done():
			return api.Turn{}, errors.Join(err, ctx.Err())
		case <-time.After(pauseAfter(err)):
		}
	}
}

// pauseAfter is how long the waiter rests before it asks again: an engine that
// is gone is started anew by asking, and may need a moment.
func pauseAfter(err error) time.Duration {
	if err != nil {
		return time.Second
	}
	return 0
}

func wakeLine(turn api.Turn) string {
	switch turn.Kind {
	case api.TurnStart, api.TurnGate, api.TurnPaused, api.TurnOver:
		return fmt.Sprintf("Stellwerk has finished checking run %s. End your turn with one short sentence; Stellwerk then says what comes next.", turn.Run.Alias)
	case api.TurnNone, api.TurnWorking, api.TurnVerify:
	}
	return ""
}
