package dispatch

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// TestABranchThatACrashedEngineMoved is moved on and removed all the same, and what
// was there is kept.
func TestABranchThatACrashedEngineMoved(t *testing.T) {
	const ref = "refs/heads/feature/x-api-1"
	for name, to := range map[string]func(p *press) string{
		"moved":   func(p *press) string { return p.run.BaseCommit },
		"removed": func(*press) string { return "" },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPress(t)
			y, err := p.Yards.Yard(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			found, want := p.run.Head, to(p)
			told := sh(t, p.run.Home, "git commit-tree -m told HEAD^{tree}") // where the state has it
			if err := y.Move(t.Context(), ref, "", found); err != nil {
				t.Fatal(err)
			}
			move := core.MoveBranch{Ref: ref, Old: told, New: want}
			if err := p.moveBranch(t.Context(), p.run, move); err != nil {
				t.Fatal(err)
			}
			for ref, want := range map[string]string{ref: want, yard.Kept + "run-1/found-" + found[:12]: found} {
				if have, err := y.Resolve(t.Context(), ref); have != want {
					t.Errorf("%s is at %q (%v), not %q", ref, have, err, want)
				}
			}
			if body := <-p.engine.news; body != core.BranchMoved(move) {
				t.Errorf("%+v was reported", body)
			}
		})
	}
}

// TestARefIsHeldBeforeThatIsSaid: where it cannot be, nothing is.
func TestARefIsHeldBeforeThatIsSaid(t *testing.T) {
	p := newPress(t)
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	hold := core.HoldRef{Ref: yard.Kept + "run-1/build", Commit: p.run.Head, Reason: "rolled back"}
	for range 2 { // as after a crash
		if err := p.holdRef(t.Context(), p.run, hold); err != nil {
			t.Fatal(err)
		}
		if body := <-p.engine.news; body != core.RefKept(hold) {
			t.Errorf("%+v was reported", body)
		}
	}
	other := core.HoldRef{Ref: hold.Ref, Commit: p.run.BaseCommit}
	if err := p.holdRef(t.Context(), p.run, other); err == nil || len(p.engine.news) > 0 {
		t.Errorf("another commit in its place: %v, %d reports", err, len(p.engine.news))
	}
	if at, err := y.Resolve(t.Context(), hold.Ref); err != nil || at != hold.Commit {
		t.Errorf("it is at %s, %v", at, err)
	}
}
