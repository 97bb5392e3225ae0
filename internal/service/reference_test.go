package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestAHistoryIsReadOnce: many documents of a run cost one reading of its history,
// and then what is new.
func TestAHistoryIsReadOnce(t *testing.T) {
	prompt, output := strings.Repeat("a1", 32), strings.Repeat("b2", 32)
	var events []core.Event
	happen := func(body core.Body) {
		head := core.Head{Seq: int64(len(events))}
		e, _, err := core.Seal(core.RunStream("r"), head, time.Unix(1, 0), core.Engine(), "", body)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	reads := 0
	read := func(_ context.Context, after int64) ([]core.Event, error) {
		reads += len(events[after:])
		return events[after:], nil
	}
	r := histories[*references]{begin: newReferences}
	look := func(run string) (named string, prompts int) {
		t.Helper()
		err := r.look(t.Context(), run, read, func(of *references) {
			for _, digest := range []string{prompt, output, strings.Repeat("c3", 32), "", "../x", strings.ToUpper(output)} {
				named += fmt.Sprintf("%t ", of.names(digest))
			}
			prompts = len(of.prompts)
		})
		if err != nil {
			t.Fatal(err)
		}
		return named, prompts
	}
	happen(core.AttemptStarted{Attempt: "a.r1.a1", Prompt: prompt})
	for range 7 {
		if named, prompts := look("r"); named != "true false false false false false " || prompts != 1 {
			t.Errorf("named are %s, %d prompts", named, prompts)
		}
	}
	happen(core.VerifyConcluded{Results: []core.CheckResult{{Output: output, Detail: `a text with "` + strings.Repeat("c3", 32) + `" in it`}}})
	if named, _ := look("r"); named != "true true false false false false " {
		t.Errorf("after another event: %s", named)
	}
	if reads != len(events) {
		t.Errorf("%d events were read, of %d", reads, len(events))
	}
	for n := range 3 * maxHistories {
		look(fmt.Sprint("other", n))
	}
	if len(r.runs) > maxHistories {
		t.Errorf("%d runs are remembered", len(r.runs))
	}
}

// TestWhoLeavesWaitsForNoReader: one that reads slowly holds up nobody who has gone.
func TestWhoLeavesWaitsForNoReader(t *testing.T) {
	r := histories[*references]{begin: newReferences}
	reading, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- r.look(t.Context(), "r", func(context.Context, int64) ([]core.Event, error) { close(reading); <-goOn; return nil, nil }, func(*references) {})
	}()
	<-reading
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := r.look(gone, "r", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone got %v", err)
	}
	close(goOn)
	if err := <-done; err != nil {
		t.Error(err)
	}
}
