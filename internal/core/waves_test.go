package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestWhatAWaveKnows: a document, a fact or an answer, by the kind that is asked for or
// by any where none is.
func TestWhatAWaveKnows(t *testing.T) {
	t.Parallel()
	r := waved()
	r.Waves.Documents = []core.Document{{Detail: core.Detail{ID: "d1"}, Name: "schema.md"}}
	r.Waves.Pool = r.Waves.Pool.Merge(
		core.Statement{Claimed: core.Claimed{Key: "db", Content: "postgres"}, Origin: core.OriginDelegation, Source: "d1"},
		core.Statement{Claimed: core.Claimed{Content: "no key"}, Origin: core.OriginDelegation, Source: "d1"},
	)
	r.Answers = []core.Answer{{Question: core.Question{ID: "q1"}}}
	for name, want := range map[string]bool{
		"schema.md": true, "d1": true, "db": true, "f1": true, "f2": true, "q1": true, "detail:schema.md": true, "fact:db": true, "answer:q1": true,
		"fact:schema.md": false, "answer:schema.md": false, "detail:db": false, "answer:db": false, "detail:q1": false, "fact:q1": false,
		"other": false, "": false, "fact:": false, "detail:other": false, "q2": false,
	} {
		if r.Known(name) != want {
			t.Errorf("whether %q is known: %t", name, !want)
		}
	}
}

// TestWhatKeepsAGoalFromBeingMet names all of it.
func TestWhatKeepsAGoalFromBeingMet(t *testing.T) {
	t.Parallel()
	done := with(waved, openWave, first(func(d *core.Delegated) { d.Status = core.DelegationDone }))
	said := func(key, content, source string, wave int) core.Statement {
		return core.Statement{Claimed: core.Claimed{Key: key, Content: content}, Origin: core.OriginDelegation, Source: source, Wave: wave}
	}
	for what, test := range map[string]struct {
		change func(*core.Run)
		says   string
	}{
		"nothing":     {func(*core.Run) {}, ""},
		"work":        {first(func(d *core.Delegated) { d.Status = core.DelegationBlocked }), "delegation d1 is blocked"},
		"a criterion": {first(func(d *core.Delegated) { d.Unmet = []string{"fast"} }), "the criterion is unmet: d1: fast"},
		"a contradiction": {func(r *core.Run) {
			r.Waves.Pool = r.Waves.Pool.Merge(said("db", "a", "d1", 1), said("db", "b", "d2", 1))
		}, "about db is open"},
		"a question that holds up": {func(r *core.Run) { r.Questions = []core.Question{{ID: "q", Text: "Which?", Blocking: true}} }, "question q is open: Which?"},
		"a question that does not": {func(r *core.Run) { r.Questions = []core.Question{{ID: "q"}} }, ""},
	} {
		got := strings.Join(with(done, test.change)().Unfinished(), "\n")
		if test.says == "" && got != "" || !strings.Contains(got, test.says) {
			t.Errorf("%s: %q", what, got)
		}
	}
}

// TestWhatADelegationWaitsFor: everything it depends on is done, and its code is where
// others begin.
func TestWhatADelegationWaitsFor(t *testing.T) {
	t.Parallel()
	for status, want := range map[core.DelegationStatus]struct {
		starts   bool
		hopeless string
	}{
		core.DelegationDone: {true, ""}, core.DelegationWaiting: {}, core.DelegationOpen: {}, core.DelegationBlocked: {},
		core.DelegationPartial: {false, "d1"}, core.DelegationFailed: {false, "d1"}, core.DelegationDropped: {false, "d1"},
	} {
		r := with(waved, first(func(d *core.Delegated) { d.Status = status }))()
		next := &core.Delegated{Brief: core.Brief{ID: "d2", DependsOn: []string{"d1"}}, Status: core.DelegationWaiting}
		r.Waves.Works = append(r.Waves.Works, next)
		if got := r.Startable(next); got != want.starts || r.Hopeless(next) != want.hopeless {
			t.Errorf("after one that is %s: starts %t, hopeless for %q", status, got, r.Hopeless(next))
		}
		resting := !want.starts && status != core.DelegationOpen && status != core.DelegationWaiting // which can be begun itself
		if r.Resting() != resting {
			t.Errorf("after one that is %s the wave rests: %t", status, !resting)
		}
	}
	r := with(waved, first(func(d *core.Delegated) { d.Status = core.DelegationDone }))()
	next := &core.Delegated{Brief: core.Brief{DependsOn: []string{"d1"}}}
	r.Stage("d1").Branch = "feature/x-d1"
	if r.Startable(next) {
		t.Error("it starts before the code it builds on is merged")
	}
	r.Stage("d1").Status = core.StageDone
	if !r.Startable(next) {
		t.Error("it does not start after that")
	}
	next.Brief.DependsOn = []string{"gone"}
	if r.Startable(next) || r.Hopeless(next) != "gone" {
		t.Error("it waits for what is not there")
	}
}

// TestHowManyQuestionsMayBeOpen: as many as a person can look at.
func TestHowManyQuestionsMayBeOpen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		blocking, optional, beside int
		asksBlocking, asksOptional bool
	}{
		{0, 0, 0, true, true},
		{core.MaxBlocking - 1, 0, 0, true, false},
		{core.MaxBlocking, 0, 0, false, false},
		{core.MaxBlocking - 2, 0, 1, true, false},
		{core.MaxBlocking - 2, 0, 2, false, false},
		{0, core.MaxOptional - 1, 0, true, true},
		{0, core.MaxOptional, 0, true, false},
		{0, core.MaxOptional - 2, 1, true, true},
		{0, core.MaxOptional - 2, 2, true, false},
		{1, core.MaxOptional - 1, 0, true, false},
		{0, core.MaxBlocking, 0, true, false},
	} {
		r := with(waved, questions(test.blocking, true), questions(test.optional, false))()
		if got := r.MayAsk(true, test.beside); got != test.asksBlocking {
			t.Errorf("%+v: one that blocks may be asked: %t", test, got)
		}
		if got := r.MayAsk(false, test.beside); got != test.asksOptional {
			t.Errorf("%+v: one that does not may be asked: %t", test, got)
		}
	}
}

// TestWhatAWorkerAsks holds it up only where it says so; and waits as long as it says.
func TestWhatAWorkerAsks(t *testing.T) {
	t.Parallel()
	for status, want := range map[core.OutputStatus][2]int{core.OutputBlocked: {2, 1}, core.OutputCompleted: {0, 3}, core.OutputPartial: {0, 3}, core.OutputFailed: {0, 3}} {
		out := core.WorkerOutput{Status: status, Blocking: make([]core.Asked, 1), Missing: make([]core.Asked, 1), Optional: make([]core.Asked, 1)}
		if blocking, optional := out.Questions(); len(blocking) != want[0] || len(optional) != want[1] {
			t.Errorf("%s: %d hold it up, %d do not", status, len(blocking), len(optional))
		}
	}
	for asked, want := range map[core.Asked]time.Duration{
		{}: 0, {After: "2h"}: 0, {Default: "no", After: "2h"}: 2 * time.Hour, {Default: "no"}: time.Hour, {Default: "no", After: "soon"}: time.Hour,
		{Default: "no", After: "0s"}: time.Hour, {Default: "no", After: "-1h"}: time.Hour, {Default: "no", After: "1ns"}: 1,
	} {
		if got := asked.Patience(); got != want {
			t.Errorf("%+v waits %s", asked, got)
		}
	}
}

// TestOnlyWhoEndedIsInAConflict: what is still being worked on contradicts nobody yet.
func TestOnlyWhoEndedIsInAConflict(t *testing.T) {
	t.Parallel()
	two := func(change func(a, b *core.Delegated)) *core.Waves {
		work := func(id string) *core.Delegated {
			return &core.Delegated{Brief: core.Brief{ID: id}, Wave: 1, Status: core.DelegationDone, Answer: &core.WorkerOutput{}, Touched: []string{"a.go"}}
		}
		a, b := work("d1"), work("d2")
		change(a, b)
		return &core.Waves{N: 1, Works: []*core.Delegated{a, b}}
	}
	for what, test := range map[string]struct {
		change func(a, b *core.Delegated)
		want   int
	}{
		"both wrote the file":            {func(_, _ *core.Delegated) {}, 1},
		"one after the other":            {func(_, b *core.Delegated) { b.Brief.DependsOn = []string{"d1"} }, 0},
		"one in a wave before":           {func(a, _ *core.Delegated) { a.Wave = 0 }, 0},
		"one has not answered":           {func(a, _ *core.Delegated) { a.Answer = nil }, 0},
		"one by a document of its brief": {func(a, _ *core.Delegated) { a.Touched, a.Brief.Outputs = nil, []string{"a.go"} }, 1},
		"one did not meet a criterion": {func(a, b *core.Delegated) {
			b.Touched, a.Unmet, a.Status = nil, []string{"fast"}, core.DelegationPartial
		}, 1},
		"one has not met it yet": {func(a, b *core.Delegated) { b.Touched, a.Unmet, a.Status = nil, []string{"fast"}, core.DelegationOpen }, 0},
	} {
		if got := two(test.change).Conflicts(); len(got) != test.want {
			t.Errorf("%s: %v", what, told(got))
		}
	}
}
