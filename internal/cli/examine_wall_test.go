package cli

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/wall"
)

func TestDoctorTriesTheWalls(t *testing.T) {
	b := newBench(t)
	b.env["STELLWERK_STATE"], b.Connect = filepath.Join(t.TempDir(), "state"), refuseConnect
	b.run(t, ExitOK, "doctor")
	b.said(t, b.out, "ok    walls       tried from inside: network closed")
	b.Walls = func(context.Context) (wall.Report, error) {
		return wall.Report{Network: "a process inside connected to 192.0.2.1:443", Calls: "a process inside may call keyctl"}, nil
	}
	b.run(t, ExitError, "doctor")
	b.said(t, b.out, "fail  walls       a process inside connected to 192.0.2.1:443; a process inside may call keyctl")
	b.Walls = func(context.Context) (wall.Report, error) { return wall.Report{}, errors.New("no sandbox today") }
	b.run(t, ExitError, "doctor")
	b.said(t, b.out, "fail  walls       they cannot be tried: no sandbox today")
}
