package shim

import (
	"errors"
	"testing"
)

// TestNoLineBeginsAfterTheAgentsEnd, also not the first one of a session: what it writes would not be handed in.
func TestNoLineBeginsAfterTheAgentsEnd(t *testing.T) {
	folder := t.TempDir()
	if _, err := closeLines(folder, Spec{Session: "s"}, nil); err != nil {
		t.Fatal(err)
	}
	if over, err := has(folder, overFile); err != nil || !over {
		t.Errorf("no line is told that the attempt is over: %v", err)
	}
	if _, err := attemptLine(folder, process{}); !errors.Is(err, ErrNotRunning) || !errors.Is(err, errAttemptOver) {
		t.Errorf("a line that begins late: %v", err)
	}
}
