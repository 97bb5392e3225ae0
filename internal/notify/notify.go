// Package notify tells a person that something waits for them, in the ways
// they chose. It must not know what waits, or why.
package notify

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"time"
)

// Notifier tells a person.
type Notifier struct{ ways []string }

// New makes a notifier for the chosen ways: "desktop" shows a notification of
// the desktop where there is one. The bell is rung by whoever holds the
// terminal, and "off" is silence.
func New(ways []string) *Notifier { return &Notifier{ways: ways} }

// patience is how long a desktop may take to show a notification.
const patience = 5 * time.Second

// Notify implements dispatch.Notifier.
func (n *Notifier) Notify(ctx context.Context, title, text string) error {
	if slices.Contains(n.ways, "off") || !slices.Contains(n.ways, "desktop") {
		return nil
	}
	argv := command(title, text)
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return fmt.Errorf("no desktop notifications on this machine: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if out, err := exec.CommandContext(ctx, path, argv[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("show a notification: %w: %s", err, out)
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
