package notify

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
)

// Desktop shows notifications of the desktop, where there is one.
type Desktop struct{}

// Name implements Way.
func (Desktop) Name() string { return "desktop" }

// Send implements Way.
func (Desktop) Send(ctx context.Context, m Message) error {
	argv := command(m.Title, m.Text)
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return fmt.Errorf("no desktop notifications on this machine: %w: %w", err, ErrPermanent)
	}
	if out, err := exec.CommandContext(ctx, path, argv[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("show a notification: %w: %s", err, line(string(out), maxTitle))
	}
	return nil
}

// command shows a notification. Texts are arguments, never part of a script.
func command(title, text string) []string {
	if runtime.GOOS == "darwin" {
		return []string{
			"osascript", "-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)", "-e", "end run",
			"--", title, text,
		}
	}
	return []string{"notify-send", "--app-name=stellwerk", "--", title, text}
}
