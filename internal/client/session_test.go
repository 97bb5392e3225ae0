package client_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const session = "5f0c1d2e-session"

// TestSessionsSameAnswers holds the client to what the service itself answers
// to the hooks of a session, and to who is noted as asking.
func TestSessionsSameAnswers(t *testing.T) {
	svc := fullService()
	run := api.Run{ID: "0198", Alias: "brisk-otter"}
	svc.Sessions.Turns(api.Turn{
		Kind: api.TurnStart, Run: &run, Stage: "plan", Round: 1, Stages: 8, At: 1,
		Offers: []api.Offer{{Attempt: "plan.r1.a1", Role: "planner", Type: "stellwerk:planner", Prompt: "/p", N: 1}},
	})
	svc.Sessions.Leased.Dir = "/w"
	svc.Sessions.Assignment = api.Assignment{Attempt: "plan.r1.a1", Role: "planner", Prompt: "/p", Dir: "/w", In: "/in", Out: "/out"}
	c := connect(t, svc)
	ctx := api.AsSession(t.Context(), session)
	noted := api.WithCaller(ctx, api.Caller{Actor: core.Actor{Kind: core.ActorSession, ID: session}})
	for name, call := range map[string]func(context.Context, api.Sessions) (any, error){
		"turn": func(ctx context.Context, s api.Sessions) (any, error) {
			return s.Turn(ctx, session, api.TurnQuery{Wait: time.Second, Alive: []string{"a1"}, Idle: true})
		},
		"lease": func(ctx context.Context, s api.Sessions) (any, error) {
			return s.Lease(ctx, session, api.Lease{Agent: "a1"})
		},
		"take": func(ctx context.Context, s api.Sessions) (any, error) {
			return s.Take(ctx, session, api.Take{Agent: "a1", Type: "stellwerk:planner", Dir: "/w"})
		},
		"handin": func(ctx context.Context, s api.Sessions) (any, error) {
			return nil, s.HandIn(ctx, session, api.HandIn{Agent: "a1", Message: "done <&>", Transcript: "/t"})
		},
		"say": func(ctx context.Context, s api.Sessions) (any, error) {
			return s.Say(ctx, session, api.Say{Text: "approve"})
		},
		"begin": func(ctx context.Context, s api.Sessions) (any, error) {
			return s.Begin(ctx, session, api.Begin{Source: "resume", Dir: "/d"})
		},
		"end": func(ctx context.Context, s api.Sessions) (any, error) { return nil, s.End(ctx, session) },
	} {
		before := len(svc.Calls())
		want, werr := call(noted, svc)
		middle := len(svc.Calls())
		got, gerr := call(ctx, c)
		if werr != nil || gerr != nil {
			t.Errorf("%s: %v, %v", name, werr, gerr)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s answers differ:\n%s", name, diff)
		}
		all := svc.Calls()
		if diff := cmp.Diff(all[before:middle], all[middle:]); diff != "" {
			t.Errorf("%s asks differ:\n%s", name, diff)
		}
	}
}

// TestASessionDoesNotSpeakAsThePerson has the same token and another speaker.
func TestASessionDoesNotSpeakAsThePerson(t *testing.T) {
	svc := fullService()
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
