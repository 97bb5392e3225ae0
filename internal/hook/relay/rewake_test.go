package relay

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestARestingSessionIsWoken plays the two handlers of one Stop event.
func TestARestingSessionIsWoken(t *testing.T) {
	for after, wakes := range map[string]bool{"start": true, "gate": true, "paused": true, "over": true, "working": false} {
		d := newDesk(t)
		d.svc.Sessions.Turns(turns()["verify"], turns()["verify"], turns()[after])
		d.happens(hook.EventStop, stopping)
		var errs bytes.Buffer
		code := d.Rewake(t.Context(), event(t, hook.EventStop, stopping), &errs)
		if (code == exitWake) != wakes || wakes != strings.Contains(errs.String(), "brisk-otter") {
			t.Errorf("then %s: %d %q", after, code, errs.String())
		}
	}
}

func TestAWorkingSessionIsNotWoken(t *testing.T) {
	for _, kind := range []string{"start", "working", "gate", "paused", "over"} {
		d := newDesk(t)
		d.svc.Sessions.Turns(turns()[kind])
		d.happens(hook.EventStop, stopping)
		if code := d.Rewake(t.Context(), event(t, hook.EventStop, stopping), &bytes.Buffer{}); code != exitAnswered {
			t.Errorf("%s: %d", kind, code)
		}
		d.asked("turn")
	}
}

// TestTroubleIsNotWaitedFor ends the waiter with the step that failed.
func TestTroubleIsNotWaitedFor(t *testing.T) {
	d := newDesk(t)
	d.broken(errors.New("the database is gone"))
	d.happens(hook.EventStop, stopping)
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	if code := d.Rewake(ctx, event(t, hook.EventStop, stopping), &bytes.Buffer{}); code != exitAnswered || ctx.Err() != nil {
		t.Errorf("%d, %v", code, ctx.Err())
	}
}

// TestOneWaiterPerSession has one that waits, and another that goes.
func TestOneWaiterPerSession(t *testing.T) {
	d := newDesk(t)
	d.svc.Sessions.Turns(turns()["verify"])
	d.happens(hook.EventStop, stopping)
	h := hanging{Service: d.svc, called: make(chan struct{}, 1)}
	d.Connect = func(context.Context, bool) (api.Sessions, func() error, error) {
		return h, func() error { return nil }, nil
	}
	ctx, end := context.WithCancel(t.Context())
	done := make(chan int, 1)
	go func() { done <- d.Rewake(ctx, event(t, hook.EventStop, stopping), &bytes.Buffer{}) }()
	<-h.called
	if code := d.Rewake(t.Context(), event(t, hook.EventStop, stopping), &bytes.Buffer{}); code != exitAnswered {
		t.Errorf("the second waiter: %d", code)
	}
	end()
	if code := <-done; code == exitWake {
		t.Error("a waiter that was ended woke the session")
	}
}
