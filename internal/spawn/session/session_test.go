package session_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/stellwerk-dev/stellwerk/internal/spawn/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func offered(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := session.Make(folder, session.Offer{Attempt: "build.r1.a1", Type: "worker", N: 1}, "s1"); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestAnOfferIsTakenOnce(t *testing.T) {
	folder := offered(t)
	var wait sync.WaitGroup
	results := make([]error, 8)
	for i := range results {
		wait.Go(func() {
			results[i] = session.Take(folder, session.Taken{Session: "s1", Agent: string(rune('a' + i)), Dir: "/w"})
		})
	}
	wait.Wait()
	won := 0
	for _, err := range results {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, session.ErrTaken):
			t.Error(err)
		}
	}
	if won != 1 {
		t.Fatalf("%d agents have it", won)
	}
	taken, err := session.AwaitTaken(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Take(folder, taken); err != nil {
		t.Errorf("asked again by the same: %v", err)
	}
}

func TestNothingIsTakenThatWasNotOffered(t *testing.T) {
	if err := session.Take(t.TempDir(), session.Taken{Agent: "a"}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestAWithdrawnOfferIsTakenByNobodyUntilItIsMadeAgain(t *testing.T) {
	folder := offered(t)
	mine := session.Taken{Session: "s1", Agent: "a", Dir: "/w"}
	if err := session.Withdraw(folder); err != nil {
		t.Fatal(err)
	}
	if err := session.Take(folder, mine); !errors.Is(err, session.ErrTaken) {
		t.Errorf("taken after it was withdrawn: %v", err)
	}
	if err := session.Make(folder, session.Offer{Attempt: "build.r1.a1"}, "s1"); err != nil {
		t.Fatal(err)
	}
	if err := session.Take(folder, mine); err != nil {
		t.Error(err)
	}
	if err := session.Withdraw(folder); err != nil {
		t.Fatal(err)
	}
	if got, err := session.TakenBy(folder); err != nil || got != mine {
		t.Errorf("who took it has %+v, %v", got, err)
	}
}

func TestAnOfferToAnotherSessionIsFreeAgain(t *testing.T) {
	folder := offered(t)
	if err := session.Take(folder, session.Taken{Session: "s1", Agent: "a"}); err != nil {
		t.Fatal(err)
	}
	if err := session.Make(folder, session.Offer{}, "s1"); err != nil {
		t.Fatal(err)
	}
	if _, err := session.TakenBy(folder); err != nil {
		t.Errorf("an engine that comes back finds who took it: %v", err)
	}
	if err := session.Make(folder, session.Offer{}, "s2"); err != nil {
		t.Fatal(err)
	}
	if _, err := session.TakenBy(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old session still has it: %v", err)
	}
}

func TestAwaitReturnsWhatTheAgentLeft(t *testing.T) {
	folder := offered(t)
	var out bytes.Buffer
	done := make(chan error, 1)
	go func() { done <- session.Await(t.Context(), session.TurnDir(folder), &out) }()
	if session.Ended(folder) {
		t.Error("ended before its end")
	}
	if err := session.HandIn(folder, `all "done"`, strings.NewReader("{\"type\":\"assistant\"}")); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	want := "{\"type\":\"assistant\"}\n{\"is_error\":false,\"result\":\"all \\\"done\\\"\",\"subtype\":\"success\",\"terminal_reason\":\"completed\",\"type\":\"result\"}\n"
	if out.String() != want || !session.Ended(folder) {
		t.Errorf("got %q", out.String())
	}
	if err := session.HandIn(folder, "again", nil); err != nil {
		t.Errorf("announced again: %v", err)
	}
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := session.Await(ctx, session.TurnDir(offered(t)), &bytes.Buffer{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestAnOfferThatIsTakenAway leaves nothing, whether somebody has it or not.
func TestAnOfferThatIsTakenAway(t *testing.T) {
	for name, prepare := range map[string]func(folder string) error{
		"free":      func(string) error { return nil },
		"taken":     func(folder string) error { return session.Take(folder, session.Taken{Session: "s1", Agent: "a"}) },
		"withdrawn": session.Withdraw,
		"half gone": func(folder string) error { return os.Remove(filepath.Join(folder, "offer.json")) },
		"gone":      session.Retract,
	} {
		folder := offered(t)
		if err := prepare(folder); err != nil {
			t.Fatal(err)
		}
		if err := session.Retract(folder); err != nil || session.Offered(folder) {
			t.Errorf("%s: it is on offer, or %v", name, err)
		}
		if _, err := session.TakenBy(folder); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: somebody has it: %v", name, err)
		}
	}
}
