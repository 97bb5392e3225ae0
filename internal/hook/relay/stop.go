package relay

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
)

const (
	// defaultStopWait is how long a turn's end waits for the engine, so that
	// short checks need no second turn.
	defaultStopWait = 100 * time.Second
	maxStopWait     = 110 * time.Second
	// maxBlocks is how often a session is told the same before it is let go. The
	// client lets go after eight, without a word.
	maxBlocks = 5

	lockPoll = 25 * time.Millisecond
)

func (c call) stopWait() time.Duration {
	return duration(c.Env("STELLWERK_STOP_WAIT"), defaultStopWait, maxStopWait)
}

func duration(given string, or, most time.Duration) time.Duration {
	d, err := time.ParseDuration(given)
	if err != nil || d < 0 {
		return or
	}
	return min(d, most)
}

// stop is one step of the orchestrator: it tells the session what to start, or lets it
// rest and tells the person why. Steps of one session follow one another. If anything
// goes wrong, the session may rest, so that a person can go on with it.
func (c call) stop(ctx context.Context) (reply, error) {
	var turn api.Turn
	err := c.alone(ctx, "step.lock", func() (err error) {
		turn, err = ask(ctx, c, func(svc api.Sessions) (api.Turn, error) { return svc.Turn(ctx, c.in.Session, c.stopQuery()) })
		return err
	})
	if noted := errors.Join(c.record(turn.Kind), ForgetStart(c.State, c.in.Session)); noted != nil {
		c.entry.Error = noted.Error()
	}
	if err != nil {
		c.entry.Error = err.Error()
		return tell("trouble", trouble{Error: err, What: "what comes next"})
	}
	c.entry.Turn = string(turn.Kind)
	answer, err := c.step(turn)
	if err == nil && c.rings(calling(turn, answer.stuck), turn.Kind == api.TurnOver) {
		answer.Answer = answer.Ring(turn.Kind == api.TurnOver)
	}
	return answer, err
}

func (c call) step(turn api.Turn) (reply, error) {
	switch turn.Kind {
	case api.TurnNone:
		return reply{}, c.disarm()
	case api.TurnWorking:
		return reply{}, nil
	case api.TurnStart:
		return c.start(turn)
	case api.TurnOver:
		if err := c.disarm(); err != nil {
			c.entry.Error = err.Error()
		}
		return tell("over", turn)
	case api.TurnVerify:
		return tell("verify", turn)
	case api.TurnGate:
		return tell("gate", turn)
	case api.TurnPaused:
		return tell("paused", turn)
	}
	return reply{}, nil
}

// stopQuery tells the engine which agents are still at work, if the client says so.
func (c call) stopQuery() api.TurnQuery {
	q := api.TurnQuery{Wait: c.stopWait(), Idle: c.in.Tasks != nil}
	if c.in.Tasks == nil {
		return q
	}
	for _, t := range *c.in.Tasks {
		if t.Type == "subagent" && t.Status == "running" {
			q.Alive = append(q.Alive, t.ID)
		}
	}
	return q
}

// start makes the session start what is offered. After being told often enough it is
// let go, and the person is told.
func (c call) start(turn api.Turn) (reply, error) {
	var attempts []string
	for _, o := range turn.Offers {
		attempts = append(attempts, o.Attempt)
	}
	told, err := c.countBlock(strings.Join(attempts, " "))
	if err != nil {
		return reply{}, err
	}
	if told > maxBlocks {
		answer, err := tell("stuck", turn)
		answer.stuck = strings.Join(attempts, " ")
		return answer, err
	}
	text, err := startText(turn)
	return reply{Answer: hook.GoOn(text)}, err
}

// alone runs fn while no other step of the session runs.
func (c call) alone(ctx context.Context, lock string, fn func() error) error {
	held := flock.New(filepath.Join(c.dir, lock), flock.SetPermissions(0o600))
	if _, err := held.TryLockContext(ctx, lockPoll); err != nil {
		return errors.Join(errors.New("another step of this session is still under way"), err)
	}
	return errors.Join(fn(), held.Unlock())
}
