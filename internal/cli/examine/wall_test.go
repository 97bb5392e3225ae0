package examine_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/wall"
)

func TestDoctorTriesTheWalls(t *testing.T) {
	b := clitest.New(t)
	b.Env["STELLWERK_STATE"], b.Dial = filepath.Join(t.TempDir(), "state"), clitest.NoEngine
	b.Run(t, shell.ExitOK, "doctor")
	b.Said(t, b.Out, "ok    net wall    nothing is reached")
	unclear := wall.Trial{Wall: "file wall", State: wall.Unclear, Found: "could not tell: why", Advice: "look elsewhere"}
	b.Walls = func(context.Context) ([]wall.Trial, error) { return []wall.Trial{unclear}, nil }
	b.Run(t, shell.ExitOK, "doctor")
	b.Said(t, b.Out, "warn  file wall   could not tell: why\n      look elsewhere\n")
	b.Walls = func(context.Context) ([]wall.Trial, error) {
		return []wall.Trial{unclear, {Wall: "call wall", State: wall.Broken, Found: "a process inside can call setns", Advice: "reinstall bubblewrap"}}, nil
	}
	b.Run(t, shell.ExitError, "doctor")
	b.Said(t, b.Out, "fail  call wall   a process inside can call setns\n      reinstall bubblewrap\n")
	b.Walls = func(context.Context) ([]wall.Trial, error) { return nil, errors.New("no sandbox today") }
	b.Run(t, shell.ExitError, "doctor")
	b.Said(t, b.Out, "fail  walls       cannot test them: no sandbox today")
}
