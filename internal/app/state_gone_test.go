package app_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/network"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestAnEngineEndsWithItsStateFolder takes the folder of an engine away, or puts
// another in its place: under one that serves, and under one in a command.
func TestAnEngineEndsWithItsStateFolder(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(state string) error{
		"deleted":    deleted,
		"moved away": func(state string) error { return os.Rename(state, state+".old") },
		"replaced": func(state string) error {
			return errors.Join(os.Rename(state, state+".old"), os.Mkdir(state, 0o700), os.WriteFile(filepath.Join(state, "engine.lock"), nil, 0o600))
		},
	} {
		for _, engine := range []string{"serve", "host"} {
			t.Run(engine+" "+name, func(t *testing.T) {
				t.Parallel()
				endsWithoutState(t, engine, lose)
			})
		}
	}
}

// deleted deletes a folder that somebody may still write to.
func deleted(folder string) error {
	var err error
	waittest.Until(func() bool { err = os.RemoveAll(folder); return err == nil })
	return err
}

// endsWithoutState starts this binary as an engine, loses its state folder and
// expects it to end and to say why.
func endsWithoutState(t *testing.T, engine string, lose func(state string) error) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	state := filepath.Join(t.TempDir(), "state")
	var errs bytes.Buffer
	cmd := exec.CommandContext(ctx, self, engine, "--state", state)
	cmd.Stderr = &errs
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir())
	cmd.WaitDelay = time.Minute
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	started := waittest.Until(func() bool { return answering(ctx, state) })
	if err := lose(state); err != nil || !started {
		cancel()
		t.Fatalf("started: %v, lost: %v, ended: %v, said %s", started, err, cmd.Wait(), errs.String())
	}
	if err := cmd.Wait(); ctx.Err() != nil || err == nil || !strings.Contains(errs.String(), "was deleted or replaced") {
		t.Errorf("ended with %v and said %s", err, errs.String())
	}
}

// answering reports an engine that has come up altogether.
func answering(ctx context.Context, state string) bool {
	svc, hangUp, err := app.Dial(ctx, app.Options{State: state})
	if err != nil {
		return false
	}
	_, err = svc.Info(api.WithCaller(ctx, api.Caller{Actor: core.Person("me")}))
	return errors.Join(err, hangUp()) == nil
}

// TestAnEngineLeavesTheNextOneReachable replaces the state folder under an
// engine, and ends it when the next one runs there already.
func TestAnEngineLeavesTheNextOneReachable(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me")}), waittest.Limit)
	defer cancel()
	state := filepath.Join(t.TempDir(), "state")
	opts := app.Options{State: state, Version: "test", Metrics: "127.0.0.1:0", Network: &network.Config{Listen: "127.0.0.1:0"}}
	_, end, err := app.Connect(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(state, state+".old"); err != nil {
		t.Fatal(errors.Join(err, end()))
	}
	_, endNext, err := app.Connect(ctx, opts)
	if err != nil {
		t.Fatal(errors.Join(err, end()))
	}
	if err := end(); err != nil && !strings.Contains(err.Error(), "was deleted or replaced") { // as it says if it has looked meanwhile
		t.Error(err)
	}
	for _, name := range []string{"engine.sock", "tools/tool.sock", "network.url", "metrics.addr"} {
		if _, err := os.Stat(filepath.Join(state, name)); err != nil {
			t.Errorf("of the next engine: %v", err)
		}
	}
	svc, hangUp, err := app.Dial(ctx, opts)
	if err == nil {
		_, err = svc.Info(ctx)
		err = errors.Join(err, hangUp())
	}
	if err := errors.Join(err, endNext()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(state, "engine.sock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an engine that ends leaves its socket behind: %v", err)
	}
}
