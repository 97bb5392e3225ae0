package client_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const session = "5f0c1d2e-session"

// TestASessionDoesNotSpeakAsThePerson has the same token and another speaker.
func TestASessionDoesNotSpeakAsThePerson(t *testing.T) {
	svc := oneRun()
	c := connect(t, svc)
	for _, ctx := range []context.Context{t.Context(), api.AsSession(t.Context(), session), api.AsSession(t.Context(), "")} {
		if _, err := c.Retry(ctx, "0198", api.Retry{}); err != nil {
			t.Fatal(err)
		}
	}
	var who []core.Actor
	for _, call := range svc.Calls() {
		who = append(who, call.Caller.Actor)
	}
	want := []core.Actor{core.Person("ada"), {Kind: core.ActorSession, ID: session}, core.Person("ada")}
	if diff := cmp.Diff(want, who); diff != "" {
		t.Error(diff)
	}
	if _, err := c.Retry(api.AsSession(t.Context(), "no/name"), "0198", api.Retry{}); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("a session that is none: %v", err)
	}
	if _, err := c.Turn(t.Context(), "../x", api.TurnQuery{}); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("a session that is a path: %v", err)
	}
}

func TestNothingOfferedIsAConflict(t *testing.T) {
	c := connect(t, &apitest.Service{})
	if _, err := c.Lease(t.Context(), session, api.Lease{Agent: "a"}); core.CodeOf(err) != core.CodeConflict {
		t.Error(err)
	}
}
