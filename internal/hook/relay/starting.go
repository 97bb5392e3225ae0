package relay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// maxReminders is how often a session that was to begin a run is reminded.
const maxReminders = 3

// starts reports a command that begins a run.
func starts(prompt string) bool {
	verb, _, _ := strings.Cut(strings.TrimSpace(prompt), " ")
	return verb == "/stellwerk:feature" || verb == "/stellwerk:fullstack"
}

// startMark marks a session that was asked to begin a run and has not. It lies beside
// the sessions' folders, because a session with a folder owns a run.
func startMark(dir string) string { return dir + ".starting" }

// noteStart remembers that the person asked for a run.
func (c call) noteStart() error {
	if byMachine(c.in) || !starts(c.in.Prompt) {
		return nil
	}
	mark := startMark(c.dir)
	if err := os.MkdirAll(filepath.Dir(mark), 0o700); err != nil {
		return fmt.Errorf("remember the start: %w", err)
	}
	return os.WriteFile(mark, []byte("0"), 0o600)
}

// ForgetStart notes that the start of a run in a session has ended, in success or
// failure: reminders are no longer needed.
func ForgetStart(state, session string) error {
	dir, err := snapshot.Dir(state, session)
	if err != nil {
		return err
	}
	if err := os.Remove(startMark(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget the start: %w", err)
	}
	return nil
}

// incomplete keeps a session from resting, a few times, if it was asked to begin a run
// and has not.
func (c call) incomplete() (reply, error) {
	mark := startMark(c.dir)
	data, err := os.ReadFile(mark)
	if errors.Is(err, fs.ErrNotExist) {
		return reply{}, nil
	}
	if err != nil {
		return reply{}, err
	}
	reminded, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || reminded >= maxReminders {
		return reply{Answer: hook.Tell("Stellwerk: no run has begun. Type /stellwerk:feature again when you want one.")}, ForgetStart(c.State, c.in.Session)
	}
	if err := os.WriteFile(mark, []byte(strconv.Itoa(reminded+1)), 0o600); err != nil {
		return reply{}, fmt.Errorf("remember the start: %w", err)
	}
	text, err := render("incomplete", c.in)
	return reply{Answer: hook.GoOn(text)}, err
}
