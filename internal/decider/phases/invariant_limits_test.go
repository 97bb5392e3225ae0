package phases_test

import (
	"time"

	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func drawProjectLimits(t *rapid.T) core.ProjectLimits {
	return core.ProjectLimits{
		CostUSD:  rapid.SampledFrom([]float64{0, 0, 8}).Draw(t, "project budget"),
		Tokens:   rapid.SampledFrom([]int64{0, 0, 200}).Draw(t, "project tokens"),
		WallTime: rapid.SampledFrom([]time.Duration{0, 0, 2 * time.Hour}).Draw(t, "project time"),
		Attempts: rapid.SampledFrom([]int{0, 0, 6}).Draw(t, "project attempts"),
	}
}

// othersSpend draws that other runs of the project have used more.
func (w *world) othersSpend() core.Body {
	others := w.run.Others.Add(core.Spent{
		CostUSD:  rapid.SampledFrom([]float64{0, 1, 4}).Draw(w.t, "others cost"),
		Tokens:   rapid.Int64Range(0, 90).Draw(w.t, "others tokens"),
		Worked:   time.Duration(rapid.IntRange(0, 40).Draw(w.t, "others time")) * time.Minute,
		Attempts: rapid.IntRange(0, 2).Draw(w.t, "others attempts"),
	})
	others.Working = rapid.IntRange(0, 3).Draw(w.t, "others working")
	others.HeldUSD, others.HeldTokens = rapid.SampledFrom([]float64{0, 2}).Draw(w.t, "others hold"), rapid.Int64Range(0, 60).Draw(w.t, "tokens held")
	return core.ProjectSpent{Others: others, At: w.run.Now()}
}

// observed draws what an attempt is seen to use: what its agent claims, or what
// its broker meters, which spends no more than is reserved, and what it wants.
func (w *world) observed(a *core.Attempt) core.Body {
	if !a.Brokered {
		return core.UsageObserved{Attempt: a.ID, Usage: core.Usage{CostUSD: 3}}
	}
	seen := core.UsageObserved{Attempt: a.ID, Metered: &core.Usage{}}
	if a.Reserved != nil {
		seen.Metered = &core.Usage{CostUSD: a.Reserved.USD, OutputTokens: a.Reserved.Tokens}
	}
	seen.Wants = &core.Want{Seq: a.Answered + 1, Amount: core.Amount{
		USD: seen.Metered.CostUSD + rapid.SampledFrom([]float64{0, 1, 4}).Draw(w.t, "usd"), Tokens: seen.Metered.OutputTokens + rapid.Int64Range(0, 90).Draw(w.t, "wanted"),
	}}
	return seen
}

// checkTime: a run has worked for as long as it was active, whatever happened.
func checkTime(t *rapid.T, before, after *core.Run) {
	if before == nil {
		return
	}
	want := before.Share().Worked
	if before.Status == core.StatusActive {
		want += after.Now().Sub(before.Now())
	}
	if got := after.Share().Worked; got != want {
		t.Fatalf("from %s to %s the run has worked %s, want %s", before.Status, after.Status, got, want)
	}
}

// checkStart is law 10 before a start: the project has something left, of each
// of its limits.
func checkStart(t *rapid.T, before *core.Run, body core.Body) {
	if _, starts := body.(core.AttemptRequested); !starts {
		return
	}
	l, spent := before.Limits.Project, before.Others.Add(before.Share())
	if l.CostUSD > 0 && spent.CostUSD >= l.CostUSD || l.Tokens > 0 && spent.Tokens >= l.Tokens ||
		l.WallTime > 0 && spent.Worked >= l.WallTime || l.Attempts > 0 && spent.Attempts >= l.Attempts {
		t.Fatalf("an attempt was started with %+v spent of %+v", spent, l)
	}
}

// checkAllowance is law 10 while attempts run: where the project's money,
// tokens or time are used up, a run is not active, and nothing of it goes on that
// a broker does not hold.
func checkAllowance(t *rapid.T, r *core.Run) {
	l, spent := r.Limits.Project, r.Others.Add(r.Share())
	if r.Status.Terminal() || (l.CostUSD == 0 || spent.CostUSD < l.CostUSD) && (l.Tokens == 0 || spent.Tokens < l.Tokens) && (l.WallTime == 0 || spent.Worked < l.WallTime) {
		return
	}
	if r.Status == core.StatusActive {
		t.Fatalf("the run is active with %+v spent of %+v", spent, l)
	}
	for _, a := range r.Active() {
		if r.Pause != nil && r.Pause.Code == core.PauseBudget && a.Status != core.AttemptStopping && !a.Brokered {
			t.Fatalf("attempt %s is %s with %+v spent of %+v", a.ID, a.Status, spent, l)
		}
	}
}
