package drive

import (
	"io"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// How a person tells by ear what they are rung for: once for what waits for them,
// twice for a run that is over.
const (
	ringWaits = "\a"
	ringOver  = "\a\a"
)

// Ring sounds the terminal, if there is one and the person wants to be told that
// way, now. What keeps the bell from ringing is told and harms nothing else.
func Ring(sh *shell.Shell, sound string) {
	if sh.Console.Bell == nil {
		return
	}
	wanted, err := Rings(sh)
	if wanted && err == nil {
		_, err = io.WriteString(sh.Console.Bell, sound)
	}
	if err != nil {
		sh.Warn([]string{"cannot ring the bell: " + err.Error()})
	}
}

// Rings reads from the person's own settings whether the bell is among the ways
// and no quiet hours are on.
func Rings(sh *shell.Shell) (bool, error) {
	settings, _, err := shell.Settings(sh.Env, nil)
	if err != nil {
		return false, err
	}
	if ways := settings.Notify.V; !slices.Contains(ways, config.NotifyBell) || slices.Contains(ways, config.NotifyOff) {
		return false, nil
	}
	quiet, err := settings.Telling.Quiet()
	if err != nil {
		return false, err
	}
	_, still := quiet.Until(sh.Now())
	return !still, nil
}

// Sound is how an event that beckons sounds.
func Sound(t core.Type) string {
	if t == core.TypeRunCompleted || t == core.TypeRunFailed {
		return ringOver
	}
	return ringWaits
}

// Beckons reports an event that brings a run to a halt of which the person is to
// hear. What they did themselves, they know; a question was rung for when it was
// asked.
func Beckons(e core.Event) bool {
	switch e.Type {
	case core.TypeApprovalRequested, core.TypeReviewAwaited, core.TypeRunCompleted, core.TypeRunFailed:
		return true
	case core.TypeRunPaused:
		body, err := core.Decode(e)
		paused, ok := body.(core.RunPaused)
		return err == nil && ok && paused.Code != core.PausePerson && paused.Code != core.PauseProject && paused.Code != core.PauseQuestion
	default: // goes on, or is the person's own doing
		return false
	}
}

// halts reports an event with which a run comes to rest, or is gone.
func halts(t core.Type) bool {
	return stopping(t) || t == core.TypeRunCompleted || t == core.TypeRunFailed || t == core.TypeRunCancelled
}
