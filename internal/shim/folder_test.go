package shim

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

func TestSecondClaimWaitsForTheFirstToSpeak(t *testing.T) {
	type result struct {
		held *flock.Flock
		err  error
	}
	second := func(folder string) <-chan result {
		out := make(chan result, 1)
		go func() {
			held, err := claim(t.Context(), folder)
			out <- result{held, err}
		}()
		return out
	}
	silent := func(t *testing.T, out <-chan result) {
		t.Helper()
		select {
		case r := <-out:
			t.Fatalf("it did not wait: %v", r.err)
		case <-time.After(5 * claimLook):
		}
	}
	t.Run("who marks", func(t *testing.T) {
		folder := prepared(t)
		first, err := acquire(folder)
		if err != nil {
			t.Fatal(err)
		}
		defer release(first)
		out := second(folder)
		silent(t, out)
		if err := markStarted(folder); err != nil {
			t.Fatal(err)
		}
		if r := <-out; !errors.Is(r.err, ErrAlreadyStarted) {
			t.Errorf("got %v", r.err)
		}
	})
	t.Run("who dies", func(t *testing.T) {
		folder := prepared(t)
		first, err := acquire(folder)
		if err != nil {
			t.Fatal(err)
		}
		out := second(folder)
		silent(t, out)
		release(first)
		r := <-out
		if r.err != nil {
			t.Fatal(r.err)
		}
		release(r.held)
	})
}

// prepared is an attempt folder whose spec is there.
func prepared(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, specFile), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}
