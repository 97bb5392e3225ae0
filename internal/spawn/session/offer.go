// Package session hands attempts to an interactive session of a coding agent's
// own program, which starts agents itself. An attempt is offered, taken
// when the session has started an agent for it, and handed in when that agent
// has ended. All of it is files in the attempt folder, so that any engine finds
// an offer that another one made. From the taking on a shim holds the attempt
// as it holds any other; in the place of the agent it runs Await. The package
// must not decide who may take what: internal/session, the engine's half of
// interactive sessions, knows which of them owns the run.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// The files of an attempt folder that are the session's.
const (
	offerFile = "offer.json"
	takenFile = "taken.json"
	turnDir   = "turn"
)

// Offer is an attempt that a session may take.
type Offer struct {
	Attempt string    `json:"attempt"`
	Role    string    `json:"role"`
	Type    string    `json:"type"` // of the agent in the session's program
	Model   string    `json:"model,omitempty"`
	N       int       `json:"n"`
	Base    string    `json:"base"` // commit the agent's workspace starts from
	At      time.Time `json:"at"`
}

// Taken is who works on an attempt, and where.
type Taken struct {
	Session string `json:"session"`
	Agent   string `json:"agent"`
	Dir     string `json:"dir"`
}

// ErrTaken means that an attempt has been taken by somebody else, or withdrawn.
var ErrTaken = errors.New("the attempt is not on offer any more")

// Make offers an attempt. Made again it replaces the offer, and a taking by
// another session that never began.
func Make(folder string, o Offer, session string) error {
	if err := os.MkdirAll(filepath.Join(folder, turnDir), 0o700); err != nil {
		return fmt.Errorf("make the attempt's folder: %w", err)
	}
	taken, err := TakenBy(folder)
	if err == nil && taken.Session != session {
		err = os.Remove(filepath.Join(folder, takenFile))
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("offer the attempt again: %w", err)
	}
	return write(filepath.Join(folder, offerFile), o)
}

// Withdraw takes an offer back. Who took it already has it.
func Withdraw(folder string) error {
	err := Take(folder, Taken{})
	if errors.Is(err, ErrTaken) || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// Retract removes an offer, so that the attempt is as if it had never been offered. Who took it must have been refused, or
// ended, before.
func Retract(folder string) error {
	for _, name := range []string{takenFile, offerFile} { // in this order: whatever is cut short can be done again
		if err := os.Remove(filepath.Join(folder, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("take the attempt's offer away: %w", err)
		}
	}
	return nil
}

// Offered reports that an attempt is, or was, on offer.
func Offered(folder string) bool {
	_, err := os.Lstat(filepath.Join(folder, offerFile))
	return err == nil
}

// Read reads the offer of a folder; the error is os.ErrNotExist if there is
// none.
func Read(folder string) (Offer, error) {
	var o Offer
	return o, read(filepath.Join(folder, offerFile), &o)
}

// TakenBy reads who took an attempt; the error is os.ErrNotExist while nobody
// has.
func TakenBy(folder string) (Taken, error) {
	var t Taken
	return t, read(filepath.Join(folder, takenFile), &t)
}

// Take takes an offer: once, whoever asks. Asking again with the same agent
// does no harm; the error is ErrTaken for any other.
func Take(folder string, t Taken) error {
	if _, err := os.Lstat(filepath.Join(folder, offerFile)); err != nil {
		return fmt.Errorf("take the attempt: %w", err)
	}
	temp := filepath.Join(folder, fmt.Sprintf(".%s.%s", takenFile, t.Agent))
	if err := write(temp, t); err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp) }() // a leftover name is harmless
	// A link appears with its content or not at all, and fails when the name is taken.
	err := os.Link(temp, filepath.Join(folder, takenFile))
	if errors.Is(err, os.ErrExist) {
		if by, err := TakenBy(folder); err == nil && by == t {
			return nil
		}
		return ErrTaken
	}
	if err != nil {
		return fmt.Errorf("take the attempt: %w", err)
	}
	return nil
}

// look is how often a file that another process writes is looked for.
const look = 50 * time.Millisecond

// AwaitTaken returns when an offer has been taken.
func AwaitTaken(ctx context.Context, folder string) (Taken, error) {
	return await[Taken](ctx, filepath.Join(folder, takenFile))
}

// await reads a file once it is there.
func await[T any](ctx context.Context, path string) (v T, err error) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		if err = read(path, &v); !errors.Is(err, os.ErrNotExist) {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, ctx.Err()
		case <-tick.C:
		}
	}
}

func write(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", filepath.Base(path), err)
	}
	if err := renameio.WriteFile(path, append(data, '\n'), 0o600, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func read(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := strictjson.Unmarshal(data, v); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
