package sqlite

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/disktest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

func TestFullDisk(t *testing.T) {
	path := filepath.Join(disktest.Mount(t, "size=2m"), "stellwerk.db")
	s, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, s)
	head, acknowledged := core.Head{}, int64(0)
	for err == nil {
		e, after, sealErr := core.Seal("run/a", head, s.now(), core.Engine(), "",
			core.TimerFired{Timer: strings.Repeat("x", 20_000)})
		if sealErr != nil {
			t.Fatal(sealErr)
		}
		if err = s.Commit(t.Context(), store.Commit{Stream: "run/a", After: head.Seq, Events: []core.Event{e}}); err == nil {
			head, acknowledged = after, after.Seq
		}
	}
	wantUnavailable(t, err, "disk is full")
	events, err := s.Events(t.Context(), "run/a", 0, 0)
	if err != nil || int64(len(events)) != acknowledged || acknowledged == 0 {
		t.Fatalf("%d events of %d acknowledged, %v", len(events), acknowledged, err)
	}
}

func TestReadOnlyDisk(t *testing.T) {
	folder := disktest.Mount(t, "size=2m")
	path := filepath.Join(folder, "stellwerk.db")
	if err := openAt(t, path, Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	disktest.ReadOnly(t, folder)
	_, err := Open(t.Context(), path, Options{})
	wantUnavailable(t, err, "cannot be")
	_, err = Open(t.Context(), filepath.Join(folder, "new.db"), Options{})
	wantUnavailable(t, err, "cannot be written")
}
