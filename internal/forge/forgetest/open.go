package forgetest

import (
	"strings"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
)

func testOnce(t *testing.T, s Setup) {
	commit := s.Other.Push(t, "feature/x")
	req := s.Request("feature/x", commit)
	first := mustAsk(t, s, req)
	req.Title, req.Body = "Do x better", "Second thoughts.\n\nOn *two* lines."
	if again := mustAsk(t, s, req); again != first {
		t.Errorf("asked again: number %d, was %d", again, first)
	}
	if title, body := s.Other.Text(t, first); title != req.Title || body != req.Body {
		t.Errorf("it says %q, %q", title, body)
	}
	next := s.Other.Push(t, "feature/x")
	if again := mustAsk(t, s, s.Request("feature/x", next)); again != first {
		t.Errorf("asked with a new commit: number %d, was %d", again, first)
	}
	await(t, s, first, func(seen forge.Seen) bool { return seen.Head == next })
	if n := s.Other.Count(t); n != 1 {
		t.Errorf("%d pull requests, want 1", n)
	}
}

func testByBranch(t *testing.T, s Setup) {
	one, _ := mustOpen(t, s, "feature/x")
	two, _ := mustOpen(t, s, "feature/x-2")
	three, _ := mustOpen(t, s, "x")
	if one == two || two == three || one == three {
		t.Errorf("numbers %d, %d, %d", one, two, three)
	}
	s.Other.Push(t, "release/1.0")
	commit := s.Other.Push(t, "feature/x")
	req := s.Request("feature/x", commit)
	req.Base = "release/1.0"
	four := mustAsk(t, s, req)
	if again := mustAsk(t, s, req); again != four || four == one {
		t.Errorf("into another branch: numbers %d, %d; into %s: %d", four, again, Base, one)
	}
}

func testAtOnce(t *testing.T, s Setup) {
	commit := s.Other.Push(t, "feature/x")
	numbers, errs := make([]int, 4), make([]error, 4)
	var wait sync.WaitGroup
	for i := range numbers {
		wait.Go(func() { _, numbers[i], errs[i] = s.Forge.Open(t.Context(), s.Request("feature/x", commit)) })
	}
	wait.Wait()
	for i, err := range errs {
		if err != nil {
			t.Error(err)
		}
		if numbers[i] != numbers[0] {
			t.Errorf("numbers %v", numbers)
		}
	}
	if n := s.Other.Count(t); n != 1 {
		t.Errorf("%d pull requests, want 1", n)
	}
}

func testDecided(t *testing.T, s Setup) {
	merged, commit := mustOpen(t, s, "feature/merged")
	s.Other.Merge(t, merged)
	if again := mustAsk(t, s, s.Request("feature/merged", commit)); again != merged {
		t.Errorf("asked after the merge: number %d, was %d", again, merged)
	}
	closed, commit := mustOpen(t, s, "feature/closed")
	s.Other.Close(t, closed)
	req := s.Request("feature/closed", commit)
	req.Title = "Try again"
	if again := mustAsk(t, s, req); again != closed {
		t.Errorf("asked after the close: number %d, was %d", again, closed)
	}
	if title, _ := s.Other.Text(t, closed); title == req.Title {
		t.Error("what was decided on was changed")
	}
	if state := mustLook(t, s, closed, "").State; state != forge.Closed {
		t.Errorf("asking again made it %s", state)
	}
	if more, _ := mustOpen(t, s, "feature/closed"); more == closed {
		t.Error("a new commit went into a pull request that was closed")
	}
	if n := s.Other.Count(t); n != 3 {
		t.Errorf("%d pull requests, want 3", n)
	}
}

func testLong(t *testing.T, s Setup) {
	commit := s.Other.Push(t, "feature/x")
	req := s.Request("feature/x", commit)
	req.Title, req.Body = strings.Repeat("long ", 200), strings.Repeat("A line of many. ", 10_000)
	number := mustAsk(t, s, req)
	if again := mustAsk(t, s, req); again != number {
		t.Errorf("asked again: number %d, was %d", again, number)
	}
}
