package runfolder

import (
	"errors"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/disktest"
)

// Effects follow once the manifest has their events: Append must not say so before
// the disk does. What it could not say is appended by the next.
func TestAppendWaitsForTheDisk(t *testing.T) {
	f := openTemp(t)
	events := history(t, 3, "x")
	appendAll(t, f, events[:1]) // from now on no name is new, and only the content is waited for
	var err error
	if refused := disktest.FailSyncs(func() { err = f.Append(events[:2], core.Decode) }); refused != nil {
		t.Fatal(refused)
	}
	if !errors.Is(err, syscall.EIO) {
		t.Errorf("append what the disk did not take: %v, want EIO", err)
	}
	appendAll(t, f, events)
	wantFile(t, f, ManifestFile, manifest(t, events))
}

// TestSideEffectsWaitForTheDisk: what could not be kept is not taken for kept, and is written by the next who tries.
func TestSideEffectsWaitForTheDisk(t *testing.T) {
	f := openTemp(t)
	var err error
	if refused := disktest.FailSyncs(func() { err = f.SideEffects(calls()...) }); refused != nil {
		t.Fatal(refused)
	}
	if !errors.Is(err, syscall.EIO) {
		t.Errorf("records that the disk did not take: %v, want EIO", err)
	}
	if err := f.SideEffects(calls()...); err != nil {
		t.Fatal(err)
	}
	other := openTemp(t)
	if err := other.SideEffects(calls()...); err != nil {
		t.Fatal(err)
	}
	if got, want := sideEffectLines(t, f.path), sideEffectLines(t, other.path); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
