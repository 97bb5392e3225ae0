package cli

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/wall"
)

func TestDoctorTriesTheWalls(t *testing.T) {
	b := newBench(t)
	b.env["STELLWERK_STATE"], b.Dial = filepath.Join(t.TempDir(), "state"), refuseConnect
	b.run(t, shell.ExitOK, "doctor")
	b.said(t, b.out, "ok    net wall    nothing is reached")
	unclear := wall.Trial{Wall: "file wall", State: wall.Unclear, Found: "could not tell: why", Advice: "look elsewhere"}
	b.Walls = func(context.Context) ([]wall.Trial, error) { return []wall.Trial{unclear}, nil }
	b.run(t, shell.ExitOK, "doctor")
	b.said(t, b.out, "warn  file wall   could not tell: why\n      look elsewhere\n")
	b.Walls = func(context.Context) ([]wall.Trial, error) {
		return []wall.Trial{unclear, {Wall: "call wall", State: wall.Broken, Found: "a process inside can call setns", Advice: "reinstall bubblewrap"}}, nil
	}
	b.run(t, shell.ExitError, "doctor")
	b.said(t, b.out, "fail  call wall   a process inside can call setns\n      reinstall bubblewrap\n")
	b.Walls = func(context.Context) ([]wall.Trial, error) { return nil, errors.New("no sandbox today") }
	b.run(t, shell.ExitError, "doctor")
	b.said(t, b.out, "fail  walls       cannot test them: no sandbox today")
}
