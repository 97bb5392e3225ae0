package rules_test

import (
	"time"

	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// drawLimits are the usual ones, and now and then some of the project.
func drawLimits(t *rapid.T) core.Limits {
	l := core.DefaultLimits()
	l.Project = core.ProjectLimits{
		Tokens:   rapid.SampledFrom([]int64{0, 0, 500}).Draw(t, "project tokens"),
		WallTime: rapid.SampledFrom([]time.Duration{0, 0, time.Hour}).Draw(t, "project time"),
		Attempts: rapid.SampledFrom([]int{0, 0, 9}).Draw(t, "project attempts"),
		Parallel: rapid.SampledFrom([]int{0, 0, 2}).Draw(t, "project parallel"),
	}
	return l
}

// othersSpend draws that other runs of the project have used more.
func (w *world) othersSpend() core.Body {
	others := w.run.Others.Add(core.Spent{
		Tokens: rapid.Int64Range(0, 300).Draw(w.t, "others tokens"), Attempts: rapid.IntRange(0, 4).Draw(w.t, "others attempts"),
		Worked: time.Duration(rapid.IntRange(0, 20).Draw(w.t, "others time")) * time.Minute,
	})
	others.Working = rapid.IntRange(0, 3).Draw(w.t, "others working")
	return core.ProjectSpent{Others: others, At: w.run.Now()}
}

// raised are the limits that a person gives a run that one of the project's
// paused; nil where something else did.
func (w *world) raised(code core.PauseCode) *core.Limits {
	if code != core.PauseBudget && code != core.PauseProjectLimit {
		return nil
	}
	l, spent := w.run.Limits, w.run.Others.Add(w.run.Share())
	l.Project.Tokens, l.Project.Attempts, l.Project.WallTime = 2*spent.Tokens+500, 2*spent.Attempts+5, 2*spent.Worked+time.Hour
	return &l
}

// checkAllowance is law 10 of a project while attempts run: a run that is active
// has some of the tokens and the time left, and no more attempts at once than it may have.
func checkAllowance(t *rapid.T, r *core.Run) {
	l, spent := r.Limits.Project, r.Others.Add(r.Share())
	if r.Status == core.StatusActive && (l.Tokens > 0 && spent.Tokens >= l.Tokens || l.WallTime > 0 && spent.Worked >= l.WallTime) {
		t.Fatalf("the run is active with %+v spent of %+v", spent, l)
	}
	if l.Parallel > 0 && len(r.Active()) > l.Parallel {
		t.Fatalf("%d attempts at once, %d are allowed", len(r.Active()), l.Parallel)
	}
}

// checkStart is law 10 before a start.
func checkStart(t *rapid.T, before *core.Run, body core.Body) {
	l, spent := before.Limits.Project, before.Others.Add(before.Share())
	if _, starts := body.(core.AttemptRequested); starts && l.Attempts > 0 && spent.Attempts >= l.Attempts {
		t.Fatalf("an attempt was started with %+v spent of %+v", spent, l)
	}
}
