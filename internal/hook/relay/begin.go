package relay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/pushlock"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// compacted is the source of a session that begins again after its history was
// summarised.
const compacted = "compact"

// sessionStart tells a session that owns a run how far it is. After a compaction the
// model has forgotten how to behave, but the session goes on; after a start or resume
// nothing goes on until the person speaks.
func (c call) sessionStart(ctx context.Context) (reply, error) {
	if err := c.prepareShell(); err != nil {
		c.entry.Error = err.Error()
	}
	turn, err := ask(ctx, c, func(svc api.Sessions) (api.Turn, error) {
		return svc.Begin(ctx, c.in.Session, api.Begin{Source: c.in.Source, Dir: c.in.Dir})
	})
	if err != nil {
		c.entry.Error = err.Error()
		return tell("trouble", trouble{Error: err, What: "where the run stands"})
	}
	c.entry.Turn = string(turn.Kind)
	if turn.Run == nil {
		return reply{}, c.disarm()
	}
	name := "recover"
	if c.in.Source == compacted {
		name = "compacted"
	}
	text, err := render(name, turn)
	answer := hook.Context(hook.EventSessionStart, text)
	if c.in.Source != compacted && err == nil {
		answer.Message, err = render("welcome", turn)
	}
	return reply{Answer: answer}, err
}

// compact puts into the summary what the session is for.
func (c call) compact() (reply, error) {
	snap, err := snapshot.Read(c.State, c.in.Session)
	if err != nil {
		return reply{}, err
	}
	text, err := render("compact", snap)
	return reply{text: text}, err
}

// shellFile is what the shells of a session that owns a run begin with.
const shellFile = "shell.sh"

// prepareShell makes the shells of a session read shellFile, if it exists. The client
// keeps this for the whole session, so it is written for every session: a run may
// begin later.
func (c call) prepareShell() error {
	file := c.Env("CLAUDE_ENV_FILE")
	if file == "" {
		return nil
	}
	path := plain.ShellQuote(filepath.Join(c.dir, shellFile))
	line := fmt.Sprintf("if [ -r %s ]; then . %s; fi\n", path, path)
	if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
		return fmt.Errorf("prepare the session's shells: %w", err)
	}
	return nil
}

// LockDir is where the push lock of the sessions of a state folder is kept.
func LockDir(state string) string { return filepath.Join(state, "pushlock") }

// arm keeps the shells of the session from publishing anything. An existing file is
// written anew only when the session starts.
func (c call) arm(ctx context.Context) error {
	path := filepath.Join(c.dir, shellFile)
	if _, err := os.Lstat(path); err == nil && c.in.Event != hook.EventSessionStart {
		return nil
	}
	lock, err := pushlock.Write(ctx, LockDir(c.State))
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(path, []byte(lock.Script()), 0o600, renameio.WithTempDir(c.dir)); err != nil {
		return fmt.Errorf("keep the session's shells from pushing: %w", err)
	}
	return nil
}

// disarm gives the shells of a session back to the person.
func (c call) disarm() error {
	return errors.Join(c.forget(shellFile), c.forget(saidFile), c.forget(blocksFile))
}
