package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Status is where an attempt stands as far as its worker has said: Absent until one claimed it, Lost when that one has been
// silent for too long.
func (x *Exchange) Status(ctx context.Context, id spawn.ID) (spawn.Status, error) {
	if ended, err := x.document(ctx, kindEnd, id, nil); err != nil {
		return "", fmt.Errorf("look at attempt %s: %w", id, err)
	} else if ended {
		return spawn.Exited, nil
	}
	heard, err := x.Store.Document(ctx, kindClaim, id.String())
	if errors.Is(err, store.ErrNotFound) {
		return spawn.Absent, nil
	}
	if err != nil {
		return "", fmt.Errorf("look at attempt %s: %w", id, err)
	}
	beat, err := x.Store.Document(ctx, kindBeat, id.String())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", fmt.Errorf("look at attempt %s: %w", id, err)
	}
	if beat.At.After(heard.At) {
		heard = beat
	}
	now, err := x.Store.Now(ctx)
	if err != nil {
		return "", fmt.Errorf("look at attempt %s: %w", id, err)
	}
	// The two clocks are compared each with itself: the store's for the silence, this process's for how long it could have
	// heard anything.
	if could := x.answered(now); now.Sub(heard.At) <= x.Silence || could <= x.Silence {
		return spawn.Running, nil
	}
	return spawn.Lost, nil
}

// contact is since when the store has answered this engine without a break. While it does not, no worker can be heard.
type contact struct {
	since, last time.Time
	clock       time.Time // the store's, at last
}

func newContact() contact { now := time.Now(); return contact{since: now, last: now} }

// answered notes that the store answers, and what its clock says, and returns for how long it has without a break. Not having
// asked is a break, too, and so is a clock that jumped: workers were heard by the time before.
func (x *Exchange) answered(clock time.Time) time.Duration {
	x.mu.Lock()
	defer x.mu.Unlock()
	const share = 2 // of the silence: workers speak several times in the rest of it
	now, last := time.Now(), x.heard
	longest := max(x.Silence/share, share*look)
	jumped := !last.clock.IsZero() && clock.Sub(last.clock)-now.Sub(last.last) > longest
	if now.Sub(last.last) > longest || jumped {
		x.heard.since = now
	}
	x.heard.last, x.heard.clock = now, clock.Round(0) // the wall clock, which is what jumps
	return now.Sub(x.heard.since)
}

// Wait returns when an attempt's status is final, or with the context's error. Probe is the place's: it may know more than
// the worker has said, and its channel is closed when it does.
func (x *Exchange) Wait(ctx context.Context, id spawn.ID, probe func() (spawn.Status, <-chan struct{}, error)) (spawn.Status, error) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		changed := x.Changed(id)
		status, news, err := probe()
		if err != nil || status.Final() {
			return status, err
		}
		select {
		case <-ctx.Done():
			return status, fmt.Errorf("wait for attempt %s: %w", id, ctx.Err())
		case <-changed:
		case <-news:
		case <-tick.C:
		}
	}
}

// GiveUp closes an attempt whose worker is lost: what has arrived is what there is, and its worker is refused from now on.
// Of one that has ended, or that nobody claimed, it changes nothing.
func (x *Exchange) GiveUp(ctx context.Context, id spawn.ID) error {
	claim, err := x.Store.Document(ctx, kindClaim, id.String())
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("give up attempt %s: %w", id, err)
	}
	now, err := x.Store.Now(ctx)
	if err != nil {
		return fmt.Errorf("give up attempt %s: %w", id, err)
	}
	end, exit, err := x.saved(ctx, id)
	if err != nil {
		return fmt.Errorf("give up attempt %s: %w", id, err)
	}
	exit.StartedAt, exit.EndedAt = claim.At, now
	if end.Exit, err = json.Marshal(exit); err != nil {
		return fmt.Errorf("give up attempt %s: %w", id, err)
	}
	data, err := json.Marshal(end)
	if err != nil {
		return fmt.Errorf("give up attempt %s: %w", id, err)
	}
	if err := x.insert(ctx, kindEnd, id.String(), data); err != nil && !errors.Is(err, store.ErrStale) {
		return fmt.Errorf("give up attempt %s: %w", id, err)
	}
	x.tell(id)
	return nil
}

// saved is how an attempt ends of which nothing more is heard: with its last checkpoint, if it made one.
func (x *Exchange) saved(ctx context.Context, id spawn.ID) (end wire.End, exit shim.Exit, err error) {
	found, err := x.document(ctx, kindSaved, id, &end)
	if found && err == nil {
		err = json.Unmarshal(end.Exit, &exit)
	}
	if err != nil {
		return end, exit, err
	}
	exit.Proto, exit.Attempt, exit.Reason, exit.ExitCode, exit.Hopeless = shim.Proto, id.Attempt, shim.ReasonLost, -1, false
	exit.Outcome = agent.Outcome{Class: agent.ClassCrashed, Message: "the attempt was interrupted"}
	if exit.Detail = "nothing was heard of its worker any more; its last checkpoint was kept"; !found {
		exit.Detail = "nothing was heard of its worker any more; what it had said was kept"
	}
	return end, exit, nil
}
