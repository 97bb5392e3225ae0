// Package forgetest is the suite that every forge must pass, and what it takes
// to run it: the people on the other side, a line that breaks, and a ledger from
// which doubles of a forge's API answer. It speaks only to the forge.Forge
// contract. It must not rely on anything a forge does not promise.
package forgetest

import (
	"context"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// Base is the branch that every repository of the suite begins with.
const Base = "main"

// Other is the other side of a forge: what people and programs do there.
type Other interface {
	// Push puts a new commit on a branch, which begins at Base if it is new.
	Push(t testing.TB, branch string) (commit string)
	// Count returns how many pull requests there are, in whatever state.
	Count(t testing.TB) int
	// Text returns what a pull request says.
	Text(t testing.TB, number int) (title, body string)
	Merge(t testing.TB, number int) (commit string)
	Close(t testing.TB, number int)
	// Review is by one of the repository's own people; lines have File, Line and
	// Body.
	Review(t testing.TB, number int, kind forge.NoteKind, body string, lines ...forge.Note)
	Comment(t testing.TB, number int, body string)
	// Check posts what a program says of a pull request's newest commit.
	Check(t testing.TB, number int, name string, ci forge.CI, link string)
}

// Drafter is the other side of a forge that has drafts: a review that is begun
// now and sent off later.
type Drafter interface {
	Draft(t testing.TB, number int, body string, line forge.Note) (send func())
}

// Public is the other side of a forge that strangers may write to.
type Public interface {
	CommentAsStranger(t testing.TB, number int, body string)
}

// Setup is a forge with an empty repository of its own.
type Setup struct {
	Forge           forge.Forge
	Other           Other
	Project, Remote string
}

// Request asks for a branch that was pushed.
func (s Setup) Request(head, commit string) forge.PullRequest {
	return forge.PullRequest{
		Run: "run-1", Project: s.Project, Title: "Do " + head, Body: "What it is for.", Remote: s.Remote, Head: head, Base: Base, Commit: commit,
		Diff: func(context.Context) (string, error) { return "+a line\n", nil },
	}
}

// Ref names a pull request of the repository.
func (s Setup) Ref(number int, cursor string) forge.Ref {
	return forge.Ref{Project: s.Project, Remote: s.Remote, Number: number, Cursor: cursor}
}

// Open makes a forge with an empty repository, which lasts as long as t.
type Open func(t *testing.T) Setup

// Run runs the suite.
func Run(t *testing.T, open Open) {
	t.Helper()
	tests := []struct {
		name string
		test func(*testing.T, Setup)
	}{
		{"open/once", testOnce},
		{"open/by branch", testByBranch},
		{"open/at once", testAtOnce},
		{"open/decided", testDecided},
		{"open/long", testLong},
		{"look/state", testState},
		{"look/notes", testNotes},
		{"look/many notes", testManyNotes},
		{"look/draft", testDraft},
		{"look/stranger", testStranger},
		{"look/checks", testChecks},
		{"look/unknown", testUnknown},
		{"cancelled", testCancelled},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.test(t, open(t)) })
	}
}

// mustOpen opens a pull request of a new commit on the branch.
func mustOpen(t *testing.T, s Setup, head string) (number int, commit string) {
	t.Helper()
	commit = s.Other.Push(t, head)
	return mustAsk(t, s, s.Request(head, commit)), commit
}

func mustAsk(t *testing.T, s Setup, req forge.PullRequest) int {
	t.Helper()
	url, number, err := s.Forge.Open(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if url == "" || number == 0 {
		t.Fatalf("opened %q, number %d", url, number)
	}
	return number
}

func mustLook(t *testing.T, s Setup, number int, cursor string) forge.Seen {
	t.Helper()
	seen, err := s.Forge.Look(t.Context(), s.Ref(number, cursor))
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

// await looks until the forge has caught up: some update their pull requests
// after they have answered.
func await(t *testing.T, s Setup, number int, until func(forge.Seen) bool) forge.Seen {
	t.Helper()
	deadline := waittest.Deadline()
	for {
		seen := mustLook(t, s, number, "")
		if until(seen) {
			return seen
		}
		if time.Now().After(deadline) {
			t.Fatalf("still %+v", seen)
		}
		select {
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}
