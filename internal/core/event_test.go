package core_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// sealed are three events of a stream, each after the one before.
func sealed(t *testing.T) []core.Event {
	t.Helper()
	var events []core.Event
	head, now := core.Head{}, happened
	for _, reason := range []string{"a", "b", "c"} {
		e, next, err := core.Seal("run/r", head, now, core.Person("me"), "", core.RunCancelled{Reason: reason})
		if err != nil {
			t.Fatal(err)
		}
		events, head = append(events, e), next
		now = now.Add(-time.Hour) // a clock that is put back
	}
	return events
}

// TestAHistoryThatWasTouchedIsNoHistory: whatever is changed, left out, put in or swapped
// shows at the place where it was done.
func TestAHistoryThatWasTouchedIsNoHistory(t *testing.T) {
	t.Parallel()
	events := sealed(t)
	head, err := core.VerifyChain(core.Head{}, events)
	if hash, _ := events[2].Hash(); err != nil || head.Seq != 3 || head.Hash != hash || !head.At.Equal(events[2].At) {
		t.Fatalf("untouched, it ends at %+v: %v", head, err)
	}
	for what, touch := range map[string]func([]core.Event) []core.Event{
		"a word changed":     func(all []core.Event) []core.Event { all[0].Body = []byte(`{"reason":"x"}`); return all },
		"an actor changed":   func(all []core.Event) []core.Event { all[1].Actor.ID = "you"; return all },
		"a time changed":     func(all []core.Event) []core.Event { all[1].At = all[1].At.Add(time.Second); return all },
		"the first left out": func(all []core.Event) []core.Event { return all[1:] },
		"one left out":       func(all []core.Event) []core.Event { return []core.Event{all[0], all[2]} },
		"one left out, and numbered anew": func(all []core.Event) []core.Event {
			all[2].Seq = 2
			return []core.Event{all[0], all[2]}
		},
		"a number changed alone": func(all []core.Event) []core.Event { all[2].Seq = 4; return all },
		"two swapped":            func(all []core.Event) []core.Event { return []core.Event{all[0], all[2], all[1]} },
		"one twice":              func(all []core.Event) []core.Event { return []core.Event{all[0], all[1], all[1], all[2]} },
		"one of another stream":  func(all []core.Event) []core.Event { all[2].Stream = "run/x"; return all },
	} {
		if _, err := core.VerifyChain(core.Head{}, touch(sealed(t))); core.CodeOf(err) != core.CodeForked {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestTimeNeverRunsBackwards, whatever the clock says; and is kept as exactly as a
// database keeps it.
func TestTimeNeverRunsBackwards(t *testing.T) {
	t.Parallel()
	for _, e := range sealed(t) {
		if !e.At.Equal(happened) {
			t.Errorf("event %d is of %s", e.Seq, e.At)
		}
	}
	e, head, err := core.Seal("run/r", core.Head{}, happened.Add(1999*time.Nanosecond).In(time.FixedZone("x", 3600)), core.Engine(), "c", core.RunCompleted{})
	if err != nil || !e.At.Equal(happened.Add(time.Microsecond)) || e.At.Location() != time.UTC || !head.At.Equal(e.At) || e.Cause != "c" {
		t.Errorf("%+v, head %+v: %v", e, head, err)
	}
}

// TestAnEventFitsALine: one that does not is refused, and the stream stays where it was.
func TestAnEventFitsALine(t *testing.T) {
	t.Parallel()
	before := core.Head{Seq: 4, Hash: "h"}
	room := core.MaxBody - len(`{"reason":""}`)
	for extra, fine := range map[int]bool{0: true, 1: false} {
		_, head, err := core.Seal("run/r", before, happened, core.Engine(), "", core.RunFailed{Reason: strings.Repeat("x", room+extra)})
		if (err == nil) != fine || !fine && (head != before || core.CodeOf(err) != core.CodeInvalid) {
			t.Errorf("%d bytes too many: head %+v, %v", extra, head, err)
		}
	}
}

// TestWhatAnErrorSays to a person, and to the code that decides by it.
func TestWhatAnErrorSays(t *testing.T) {
	t.Parallel()
	disk := errors.New("no disk")
	inner := core.Errorf(core.CodeConflict, "it is taken: %w", disk).WithHint("wait")
	outer := core.Wrap(core.CodeInvalid, inner, "cannot start", "")
	for what, test := range map[string]struct {
		err        error
		says, hint string
		code       core.Code
	}{
		"one of ours":           {inner, "it is taken: no disk", "wait", core.CodeConflict},
		"one in another":        {outer, "cannot start: it is taken: no disk", "wait", core.CodeInvalid},
		"one in somebody's":     {fmt.Errorf("x: %w", outer), "x: cannot start: it is taken: no disk", "wait", core.CodeInvalid},
		"its own hint first":    {core.Wrap(core.CodeInvalid, inner, "cannot", "stop"), "cannot: it is taken: no disk", "stop", core.CodeInvalid},
		"somebody's":            {disk, "no disk", "", core.CodeInternal},
		"one of ours, no hint":  {core.Wrap(core.CodeNotFound, disk, "gone", ""), "gone: no disk", "", core.CodeNotFound},
		"one of ours, no cause": {core.Errorf(core.CodeNotFound, "gone"), "gone", "", core.CodeNotFound},
	} {
		if test.err.Error() != test.says || wording.Hint(test.err) != test.hint || core.CodeOf(test.err) != test.code {
			t.Errorf("%s: %q, hint %q, code %s", what, test.err, wording.Hint(test.err), core.CodeOf(test.err))
		}
	}
	if !errors.Is(outer, disk) || core.CodeOf(nil) != "" || wording.Hint(nil) != "" {
		t.Error("the cause is lost, or nothing is an error")
	}
}
