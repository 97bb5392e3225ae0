package shim

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestFirstProcessIsAskedToEnd if it is the command itself, which has no other process to hear it from.
func TestFirstProcessIsAskedToEnd(t *testing.T) {
	if kind, reason := sandbox.Detect(t.Context()); kind != sandbox.Sandbox {
		tooltest.Unisolated(t, reason)
	}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		waittest.Until(func() bool {
			_, err := os.Stat(filepath.Join(dir, "ready"))
			return err == nil
		})
		cancel()
	}()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	end, err := process{
		kind: sandbox.Sandbox, stdout: out, stderr: out, limit: waittest.Limit, grace: waittest.Limit, started: func() {},
		box: sandbox.Spec{
			Argv: []string{"/bin/sh", "-c", `trap 'exit 7' TERM; : > ready; while :; do :; done`}, First: true,
			Dir: dir, Writable: []string{dir}, Private: []string{}, Env: []string{"PATH=/usr/bin:/bin"},
		},
	}.run(ctx)
	if err != nil || end.reason != ReasonCancelled || end.code != 7 {
		t.Errorf("it ended with %+v, %v", end, err)
	}
}
