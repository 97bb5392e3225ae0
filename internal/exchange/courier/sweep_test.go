package courier_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/courier"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }

// left makes the folder of a worker that was killed.
func left(t *testing.T, dir, name, says string) string {
	t.Helper()
	root := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Join(root, "work", "closed"), 0o700); err != nil {
		t.Fatal(err)
	}
	shimtest.Write(t, filepath.Join(root, "work", "closed", "file"), "work")
	if says != "" {
		shimtest.Write(t, filepath.Join(root, "worker.json"), says)
	}
	if err := os.Chmod(filepath.Join(root, "work", "closed"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, "work", "closed"), 0o700) })
	return root
}

// TestSweep removes what a killed worker left of an attempt that is concluded, whatever its agent closed, and nothing else.
func TestSweep(t *testing.T) {
	dir, long := t.TempDir(), t.TempDir()
	over, open := left(t, dir, "attempt-1", `{"run":"r","attempt":"over"}`), left(t, dir, "attempt-2", `{"run":"r","attempt":"open"}`)
	asked, young := left(t, dir, "attempt-3", `{"run":"r","attempt":"unknown"}`), left(t, dir, "attempt-4", "")
	old, other := left(t, dir, "attempt-5", "{"), left(t, dir, "somebody's", `{"run":"r","attempt":"over"}`)
	if at := time.Now().Add(-2 * time.Hour); os.Chtimes(old, at, at) != nil {
		t.Fatal("the folder cannot be made old")
	}
	ended, given := left(t, dir, "attempt-6", `{"run":"r","attempt":"over"}`), left(t, dir, "attempt-7", `{"run":"r","attempt":"over"}`)
	for folder, at := range map[string]time.Time{ended: time.Now(), given: time.Now().AddDate(0, 0, -8)} {
		exit, err := json.Marshal(shim.Exit{Proto: shim.Proto, Reason: shim.ReasonExited, EndedAt: at})
		if err := errors.Join(err, os.WriteFile(filepath.Join(folder, "exit.json"), exit, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	tools, mine := filepath.Join(long, "stellwerk-tools-1"), filepath.Join(long, "mine")
	for link, target := range map[string]string{over: tools, old: mine} {
		if err := errors.Join(os.Mkdir(target, 0o700), os.Symlink(target, filepath.Join(link, wire.ToolsName))); err != nil {
			t.Fatal(err)
		}
	}
	if at := time.Now().Add(-2 * time.Hour); os.Chtimes(old, at, at) != nil {
		t.Fatal("the folder cannot be made old")
	}
	away := errors.New("the store is away")
	err := courier.Sweep(dir, func(id wire.Attempt) (bool, error) {
		if id.Attempt == "unknown" {
			return true, away
		}
		return id.Attempt == "over", nil
	})
	if !errors.Is(err, away) || !strings.Contains(err.Error(), asked) {
		t.Errorf("it says %v", err)
	}
	for path, stays := range map[string]bool{over: false, open: true, asked: true, young: true, old: false, other: true, tools: false, mine: true, ended: true, given: false} {
		if exists(path) != stays {
			t.Errorf("%s is there: %t", path, !stays)
		}
	}
}

// TestLiving counts the workers that live, and neither what killed ones left nor what is no worker's.
func TestLiving(t *testing.T) {
	dir := t.TempDir()
	left(t, dir, "attempt-1", `{"run":"r","attempt":"dead"}`)
	left(t, dir, "attempt-2", "")
	for _, name := range []string{"attempt-3", "attempt-4", "somebody's"} {
		lives, err := os.Open(filepath.Join(left(t, dir, name, `{"run":"r","attempt":"a"}`), "worker.json"))
		if err == nil {
			err = syscall.Flock(int(lives.Fd()), syscall.LOCK_EX)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = lives.Close() }()
	}
	if n, err := courier.Living(dir); err != nil || n != 2 {
		t.Errorf("%d live, %v", n, err)
	}
	if n, err := courier.Living(filepath.Join(dir, "none")); err == nil {
		t.Errorf("%d live where there is no folder", n)
	}
}

// TestSweepLeavesTheLiving: a worker is in its folder while its agent runs, and while it hands in, for which no engine answers.
func TestSweepLeavesTheLiving(t *testing.T) {
	station := exchangetest.NewStation(t)
	e := station.Current()
	station.Prepare(e, sandbox.None, "true")
	sweep := func(during string) {
		if err := courier.Sweep(station.Workers(), func(wire.Attempt) (bool, error) { return true, nil }); err != nil {
			t.Error(err)
		}
		if roots, err := filepath.Glob(filepath.Join(station.Workers(), "attempt-*")); err != nil || len(roots) != 1 {
			t.Errorf("%s its folder is gone: %v, %v", during, roots, err)
		}
	}
	var log strings.Builder
	ran, done := make(chan struct{}), make(chan error, 1)
	o := options(t, station, &log, func(_ context.Context, folder string) error {
		sweep("while its agent runs")
		station.Silence()
		err := shim.WriteStartFailed(folder, errors.New("how it ended"))
		close(ran)
		return err
	})
	go func() { done <- courier.Run(t.Context(), o) }()
	<-ran
	sweep("while it waits for an engine")
	station.Serve(e)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if exit, err := station.Exit(t); err != nil || !strings.Contains(exit.Detail, "how it ended") {
		t.Errorf("it ended as %+v, %v", exit, err)
	}
	if over, err := e.Forgotten(t.Context(), exchangetest.First); err != nil || over {
		t.Errorf("an attempt that nobody collected is forgotten: %v", err)
	}
	if over, err := e.Forgotten(t.Context(), spawn.ID{Run: "r1", Attempt: "none"}); err != nil || !over {
		t.Errorf("an attempt that nobody offers is not forgotten: %v", err)
	}
}
