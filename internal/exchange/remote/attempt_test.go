package remote_test

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/apart"
	"github.com/stellwerk-dev/stellwerk/internal/usertest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// carriedOut has a worker carry out the station's attempt at running a script, and returns how it ended and the folder that an
// engine has of it.
func carriedOut(t *testing.T, station *exchangetest.Station, script string, changes ...func(*apart.Options)) (shim.Exit, string) {
	t.Helper()
	station.Prepare(station.Current(), sandbox.None, script)
	s := station.Engine().Spawner(changes...)
	if err := s.Start(t.Context(), spawn.Order{ID: exchangetest.First, Env: []string{"TOKEN=s3cret-value", shimtest.QuickExit}}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	if status, err := s.Wait(ctx, exchangetest.First); err != nil || status != spawn.Exited {
		t.Fatalf("it is %s, %v", status, err)
	}
	folder, err := station.Engine().Receive(t.Context(), exchangetest.First)
	if err != nil {
		t.Fatal(err)
	}
	exit, err := shim.ReadExit(folder)
	if err != nil {
		t.Fatal(err)
	}
	return exit, folder
}

// TestAShallowBase: a worker gets a history that is cut off, and hands in on top of it.
func TestAShallowBase(t *testing.T) {
	station := exchangetest.NewStation(t)
	station.Shallow = true
	exit, _ := carriedOut(t, station, `git log --format=%s > "$SHARED/log"; git fsck --strict || exit 1; echo work > new.txt`)
	if log, err := os.ReadFile(filepath.Join(station.Shared, "log")); err != nil || string(log) != "second\n" {
		t.Errorf("its history is %q, %v", log, err)
	}
	if exit.ExitCode != 0 || exit.HandIn == nil || exit.HandIn.Error != "" || exit.HandIn.Empty || exit.HandIn.Size == 0 {
		t.Errorf("it ended as %+v, %+v", exit, exit.HandIn)
	}
}

// TestAWorkspaceThatCannotBeHandedIn arrives as an archive: its work is nowhere else.
func TestAWorkspaceThatCannotBeHandedIn(t *testing.T) {
	exit, folder := carriedOut(t, exchangetest.NewStation(t), `echo precious > work.txt; mkdir -p "$STELLWERK_OUT/../out.bundle/in-its-way"`)
	if exit.HandIn == nil || exit.HandIn.Error == "" {
		t.Fatalf("it was handed in: %+v", exit.HandIn)
	}
	file, err := os.Open(filepath.Join(folder, wire.FileWorkspace))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // only read from
	for in := tar.NewReader(file); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			t.Fatal("the archive does not have the work")
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Name != "work.txt" {
			continue
		}
		if data, err := io.ReadAll(in); err != nil || string(data) != "precious\n" {
			t.Errorf("it has %q, %v", data, err)
		}
		return
	}
}

// TestAWorkspaceThatIsTooLarge to be sent stays where it is. The attempt ends all the same, and says so.
func TestAWorkspaceThatIsTooLarge(t *testing.T) {
	station := exchangetest.NewStation(t)
	exit, folder := carriedOut(t, station, `echo work > work.txt; truncate -s 3G work.bin; mkdir -p "$STELLWERK_OUT/../out.bundle/in-its-way"`)
	if exit.Reason != shim.ReasonExited || exit.HandIn == nil || !strings.Contains(exit.HandIn.Error, "stays in "+station.Workers()) {
		t.Errorf("it ended by %s, handed in is %+v", exit.Reason, exit.HandIn)
	}
	if _, err := os.Lstat(filepath.Join(folder, wire.FileWorkspace)); err == nil {
		t.Error("it was sent")
	}
	if left, err := filepath.Glob(filepath.Join(station.Workers(), "attempt-*", wire.WorkName, "work.bin")); err != nil || len(left) != 1 {
		t.Errorf("left are %q, %v", left, err)
	}
}

// TestAWorkerIsPrivate: an agent without isolation, which is the same user, reads neither the memory of its worker, nor the
// variables that it was started with, nor its descriptors.
func TestAWorkerIsPrivate(t *testing.T) {
	if os.Getuid() == 0 { // may read everybody's
		usertest.Again(t, nil, "TestAWorkerIsPrivate")
		return
	}
	station := exchangetest.NewStation(t)
	exit, _ := carriedOut(t, station, `for f in environ mem maps fd/0; do
		if (exec 3< /proc/self/$f) 2>/dev/null; then echo "own $f" >> "$SHARED/found"; fi
		if (exec 3< /proc/$PPID/$f) 2>/dev/null; then echo "$f" >> "$SHARED/found"; fi; done`, func(o *apart.Options) { o.Empty = nil })
	if exit.ExitCode != 0 && exit.Reason != shim.ReasonExited {
		t.Errorf("it ended as %+v", exit)
	}
	if found, err := os.ReadFile(filepath.Join(station.Shared, "found")); err != nil || string(found) != "own environ\nown mem\nown maps\nown fd/0\n" {
		t.Errorf("it reads %q, %v", found, err)
	}
}
