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
	"github.com/stellwerk-dev/stellwerk/internal/patience"
)

// TestAnEngineEndsWithItsStateFolder takes the folder of an engine away, and puts another in its place.
func TestAnEngineEndsWithItsStateFolder(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, lose := range map[string]func(state string) error{
		"moved away": func(state string) error { return os.Rename(state, state+".old") },
		"replaced": func(state string) error {
			return errors.Join(os.Rename(state, state+".old"), os.Mkdir(state, 0o700), os.WriteFile(filepath.Join(state, "engine.lock"), nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			state := filepath.Join(t.TempDir(), "state")
			var errs bytes.Buffer
			cmd := exec.CommandContext(t.Context(), self, "serve", "--state", state)
			cmd.Stderr = &errs
			cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir())
			cmd.WaitDelay = time.Minute
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for {
				if _, err := os.Stat(filepath.Join(state, "engine.sock")); err == nil {
					break
				}
				select {
				case <-t.Context().Done():
					t.Fatal("the engine did not start")
				case <-time.After(20 * time.Millisecond):
				}
			}
			if err := lose(state); err != nil {
				t.Fatal(err)
			}
			// The test's own deadline ends one that lives on.
			if err := cmd.Wait(); err == nil || !strings.Contains(errs.String(), "was deleted or replaced") {
				t.Errorf("ended with %v and said %s", err, errs.String())
			}
		})
	}
}

// TestAnEngineLeavesTheNextOneReachable replaces the state folder under an
// engine, and ends it when the next one runs there already.
func TestAnEngineLeavesTheNextOneReachable(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me")}), patience.Limit)
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
	if err := errors.Join(err, end()); err != nil {
		t.Fatal(err)
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
