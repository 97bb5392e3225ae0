package dispatch

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// TestOnlyTheRunsOwnBranchIsOverwritten: a branch of its name that is there already
// may hold what is nowhere else.
func TestOnlyTheRunsOwnBranchIsOverwritten(t *testing.T) {
	p := newPress(t)
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	commit := func(message, parent string) string {
		return sh(t, p.run.Home, "c=$(git commit-tree -m "+message+" -p "+parent+" HEAD^{tree}); git update-ref refs/heads/x-$c $c; echo $c")
	}
	round, theirs := commit("round", p.run.BaseCommit), commit("theirs", p.run.BaseCommit)
	onTop, others := commit("top", p.run.Head), commit("others", p.run.BaseCommit)
	unknown := sh(t, p.run.Home, "git commit-tree -m unknown 'HEAD^{tree}'")
	if err := y.Fetch(t.Context(), p.run.Home); err != nil {
		t.Fatal(err)
	}
	for ref, at := range map[string]string{yard.Attempts + "run-1/build.r1.a1": round, yard.Attempts + "run-2/build.r1.a1": others} {
		if err := y.Keep(t.Context(), ref, at); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		tip string
		own bool
	}{
		"no branch": {"", true}, "the run's head": {p.run.Head, true}, "what it began from": {p.run.BaseCommit, true},
		"an earlier round": {round, true}, "somebody's work": {theirs, false}, "work on top of the run's": {onTop, false},
		"another run's": {others, false}, "what the yard does not know": {unknown, false},
	} {
		if err := ownTip(t.Context(), p.run, y, c.tip); (err == nil) != c.own {
			t.Errorf("%s: %v", name, err)
		}
	}
}
