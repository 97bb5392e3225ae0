package drive

import (
	"io"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// The bell rings once if something waits for the person, twice if a run is over.
const (
	ringWaits = "\a"
	ringOver  = "\a\a"
)

// Ring rings the terminal's bell if the person's settings allow it now. If it
// cannot, it prints a note.
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

// Rings reports that the person's settings list the bell and that these are no
// quiet hours.
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

// Sound is how the bell rings for an event.
func Sound(t core.Type) string {
	if t == core.TypeRunCompleted || t == core.TypeRunFailed {
		return ringOver
	}
	return ringWaits
}

// Beckons reports an event that halts a run and that the person should hear of. It
// leaves out what they did themselves, and a pause for a question, which rang when
// it was asked.
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

// halts reports an event that halts or ends a run.
func halts(t core.Type) bool {
	return stopping(t) || t == core.TypeRunCompleted || t == core.TypeRunFailed || t == core.TypeRunCancelled
}
