package app_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

func TestDetachWaitsForAnEngineInPassing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me")}), waittest.Limit)
	defer cancel()
	opts := app.Options{State: stateFolder(t), Version: "test"}
	passing, err := app.Open(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	detached := make(chan error, 1)
	go func() { detached <- app.Detach(ctx, opts) }()
	refused(t, filepath.Join(opts.State, "engine.log"))
	if err := passing.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-detached; err != nil {
		t.Fatal(err)
	}
	svc, hangUp, err := app.Dial(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	info, err := svc.Info(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := hangUp(); err != nil {
		t.Error(err)
	}
	if err := syscall.Kill(info.PID, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var again *app.App
	waittest.Until(func() bool { // it lets go of the folder with its last act
		again, err = app.Open(ctx, opts)
		return core.CodeOf(err) != core.CodeConflict
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// refused waits until an engine has said that another one runs.
func refused(t *testing.T, log string) {
	t.Helper()
	if !waittest.Until(func() bool {
		said, err := os.ReadFile(log)
		return err == nil && bytes.Contains(said, []byte("another engine runs"))
	}) {
		t.Fatal("no engine was refused")
	}
}
