// Package storetest is the suite that every store must pass. It speaks only to
// the store.Store contract: no store's files, clock or SQL. It must not rely on
// there being one engine: where it opens a database twice, a store for teams
// stands for two machines.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// Open opens the database that belongs to t, empty at the first call. Another
// call with the same t opens the same database once more, as another engine
// would. The store is closed when t ends.
type Open func(t *testing.T) store.Store

// Run runs the suite.
func Run(t *testing.T, open Open) {
	t.Helper()
	tests := []struct {
		name string
		test func(*testing.T, Open)
	}{
		{"append", testAppend},
		{"append/stale", testStale},
		{"append/given another stream", testGiven},
		{"append/given race", testGivenRace},
		{"append/idle project", testIdle},
		{"append/atomic", testAtomic},
		{"append/bytes", testBytes},
		{"append/chain", testChain},
		{"append/concurrent", testConcurrent},
		{"append/race for one place", testRace},
		{"append/reopened", testReopened},
		{"erase", testErase},
		{"erase/refused", testEraseRefused},
		{"clock", testClock},
		{"cancelled", testCancelled},
		{"hint/once", testHintOnce},
		{"hint/event during a look", testEventDuringLook},
		{"hint/not done before", testOverlooked},
		{"hint/of owned projects", testHintsOfOwner},
		{"hint/without an event", testRaise},
		{"owner/one", testOwnerOne},
		{"owner/lease runs out", testOwnerLease},
		{"owner/same engine again", testOwnerInherits},
		{"owner/leaves", testOwnerLeaves},
		{"owner/piece by piece", testAdriftPieces},
		{"owner/of a project", testOwnerOf},
		{"owner/engines", testEngines},
		{"owner/forgotten", testOwnerForgotten},
		{"owner/yields", testOwnerYields},
		{"owner/idle", testOwnerIdle},
		{"owner/unknown", testOwnerUnknown},
		{"owner/fence", testFence},
		{"owner/race", testOwnerRace},
		{"moves", testMoves},
		{"moves/of a project", testMovedRuns},
		{"moves/concurrent", testMovesConcurrent},
		{"hint/due", testDue},
		{"hint/due again", testDueAgain},
		{"hint/due withdrawn", testDueWithdrawn},
		{"hint/next due", testNextDue},
		{"hint/oldest first", testOldestFirst},
		{"hint/ages", testAges},
		{"hint/time kept", testTimeKept},
		{"hint/signals", testSignals},
		{"hint/attended", testAttended},
		{"hint/hints to others", testHintsToOthers},
		{"hint/nothing swallowed", testNothingSwallowed},
		{"claim/one holder", testClaimOne},
		{"claim/many holders", testClaimMany},
		{"claim/same holder", testClaimSame},
		{"claim/conflict commits nothing", testClaimConflict},
		{"claim/release hints at waiters", testClaimWaiters},
		{"claim/handed over in one commit", testClaimHandOver},
		{"claim/race", testClaimRace},
		{"slots/taken", testSlotsTaken},
		{"slots/handed on", testSlotsHandedOn},
		{"slots/withdrawn", testSlotsWithdrawn},
		{"slots/two pools", testSlotsTwoPools},
		{"slots/at once", testSlotsAtOnce},
		{"slots/first to the queue", testSlotsGoFirstToTheQueue},
		{"slots/at the owner's place", testSlotsAtTheOwner},
		{"slots/moved whole", testSlotsMoveWhole},
		{"slots/race", testSlotsRace},
		{"slots/property", testSlotsProperty},
		{"budget", testBudget},
		{"spending", testSpending},
		{"budget/time", testBudgetTime},
		{"budget/spending hints at the others", testBudgetHints},
		{"budget/race", testBudgetRace},
		{"budget/held", testBudgetHeld},
		{"budget/reserve-race", testBudgetReserveRace},
		{"projection/run", testRunRow},
		{"projection/each column", testColumns},
		{"projection/any text", testAnyText},
		{"projection/runs", testRunFilter},
		{"projection/pages of runs", testRunPages},
		{"projection/filters of runs", testRunFilters},
		{"projection/filters of messages", testMessageFilters},
		{"projection/same moment", testSameMoment},
		{"projection/project", testProjectRow},
		{"projection/totals", testTotals},
		{"projection/totals follow", testTotalsFollow},
		{"projection/progress", testProgress},
		{"projection/standing", testStanding},
		{"projection/tasks", testTaskRows},
		{"projection/messages", testMessages},
		{"projection/conversations", testConversations},
		{"projection/questions", testQuestions},
		{"projection/beginning of a question", testQuestionPrefix},
		{"projection/asked again", testAskedAgain},
		{"heads", testHeads},
		{"snapshot", testSnapshot},
		{"verdict", testVerdict},
		{"document", testDocument},
		{"document/made again", testDocumentAgain},
		{"document/race", testDocumentRace},
		{"document/claimed once", testDocumentClaim},
		{"document/several", testDocuments},
		{"document/list", testDocumentList},
		{"document/bound", testDocumentBound},
		{"document/reopened", testDocumentReopened},
		{"copy", testCopy},
		{"copy/closed", testClosed},
		{"copy/closing", testClosing},
		{"copy/closing race", testClosingRace},
		{"copy/cut short", testCutShort},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.test(t, open) })
	}
}

func seal(t *testing.T, s store.Store, stream string, head core.Head, bodies ...core.Body) ([]core.Event, core.Head) {
	t.Helper()
	now, err := s.Now(t.Context())
	if err != nil {
		t.Fatalf("now: %v", err)
	}
	var events []core.Event
	for _, b := range bodies {
		var e core.Event
		e, head, err = core.Seal(stream, head, now, core.Engine(), "", b)
		if err != nil {
			t.Fatalf("seal: %v", err)
		}
		events = append(events, e)
	}
	return events, head
}

// tick is a small event that says nothing.
func tick(n int) core.Body { return core.TimerFired{Timer: fmt.Sprint(n)} }

// push commits one event to a stream, wherever it stands.
func push(t *testing.T, s store.Store, stream string, change ...func(*store.Commit)) core.Head {
	t.Helper()
	head, err := s.Head(t.Context(), stream)
	if err != nil {
		t.Fatalf("head: %v", err)
	}
	events, next := seal(t, s, stream, head, tick(int(head.Seq)+1))
	c := store.Commit{Stream: stream, After: head.Seq, Events: events}
	for _, f := range change {
		f(&c)
	}
	if err := s.Commit(t.Context(), c); err != nil {
		t.Fatalf("commit to %s: %v", stream, err)
	}
	return next
}

// claim takes every project without an owner for engine, and returns the hints that are the
// engine's then.
func claim(t *testing.T, s store.Store, engine string, lease time.Duration) []store.Hint {
	t.Helper()
	_, err := s.Renew(t.Context(), engine, lease)
	if errors.Is(err, store.ErrNotFound) {
		_, err = s.Enlist(t.Context(), store.Engine{ID: engine, Host: "host of " + engine}, lease)
	}
	if err != nil {
		t.Fatalf("lease of %s: %v", engine, err)
	}
	takeAll(t, s, engine, lease)
	hints, err := s.Hints(t.Context(), engine, 100)
	if err != nil {
		t.Fatalf("hints for %s: %v", engine, err)
	}
	return hints
}

// takeAll takes every project without an owner.
func takeAll(t *testing.T, s store.Store, engine string, lease time.Duration) []store.Owner {
	t.Helper()
	adrift, err := s.Adrift(t.Context(), "", 0)
	if err != nil {
		t.Fatalf("adrift: %v", err)
	}
	var projects []string
	for _, o := range adrift {
		projects = append(projects, o.Project)
	}
	taken, err := s.Take(t.Context(), engine, lease, projects)
	if err != nil {
		t.Fatalf("take %q for %s: %v", projects, engine, err)
	}
	return taken
}

func claimOne(t *testing.T, s store.Store, engine, stream string) store.Hint {
	t.Helper()
	hints := claim(t, s, engine, waittest.Limit)
	if len(hints) != 1 || hints[0].Stream != stream {
		t.Fatalf("%s sees %+v, want the hint of %s alone", engine, hints, stream)
	}
	return hints[0]
}

func claimNone(t *testing.T, s store.Store, engine string) {
	t.Helper()
	if hints := claim(t, s, engine, waittest.Limit); len(hints) != 0 {
		t.Fatalf("%s sees %+v, want nothing", engine, hints)
	}
}

func rest(t *testing.T, s store.Store, engine string, w store.Hint) {
	t.Helper()
	if err := s.Rest(t.Context(), w); err != nil {
		t.Fatalf("rest of %s by %s: %v", w.Stream, engine, err)
	}
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got error %v, want %v", err, want)
	}
}

// eventually repeats a look at the store until it holds. It is for what only
// the passing of time brings about.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	for !holds() {
		select {
		case <-again.C:
		case <-ctx.Done():
			t.Fatalf("not within %s: %s", waittest.Limit, what)
		}
	}
}
