package notify

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"github.com/stellwerk-dev/stellwerk/internal/program"
)

// Desktop shows notifications of the desktop, if there is one.
func Desktop() Way { return Way{"desktop", show} }

func show(ctx context.Context, m Message) error {
	argv := command(runtime.GOOS, m)
	path, err := program.Look(os.Getenv("PATH"), argv[0])
	if err != nil {
		return fmt.Errorf("no desktop notifications on this machine: %w: %w", err, ErrPermanent)
	}
	if out, err := exec.CommandContext(ctx, path, argv[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("show a notification: %w: %s", err, line(string(out), maxTitle))
	}
	return nil
}

// command is the program that shows a notification, with the desktop's sound for its
// kind. Texts are arguments, never part of a script.
func command(system string, m Message) []string {
	waits, over := "message-new-instant", "complete" // of the freedesktop sound themes
	if system == "darwin" {
		waits, over = "Ping", "Glass"
	}
	sound := over
	for _, n := range m.Notices {
		if n.Kind != KindEnded { // of several, what waits is what matters
			sound = waits
		}
	}
	if system == "darwin" {
		return []string{
			"osascript", "-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv) sound name (item 3 of argv)", "-e", "end run",
			"--", m.Title, m.Text, sound,
		}
	}
	return []string{"notify-send", "--app-name=stellwerk", "--hint=string:sound-name:" + sound, "--", m.Title, m.Text}
}
