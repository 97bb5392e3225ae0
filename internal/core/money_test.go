package core_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestMoneyIsExact: whatever attempts cost, in whichever order they are counted, the
// sum is the one that whole billionths give, and nothing is left once all is taken
// off again.
func TestMoneyIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.Int64Range(0, 5_000_000_000), 1, 60).Draw(t, "billionths")
		total := int64(0)
		var usage core.Usage
		var spent core.Spent
		cost := core.CostOf(0, 0)
		for _, n := range parts {
			usd := float64(n) / 1e9
			total += n
			usage = usage.Add(core.Usage{CostUSD: usd})
			spent = spent.Add(core.Spent{CostUSD: usd, HeldUSD: usd})
			cost = cost.Plus(core.CostOf(usd, 0))
		}
		want := float64(total) / 1e9
		for _, got := range []float64{usage.CostUSD, spent.CostUSD, spent.HeldUSD, cost.Known()} {
			if got != want {
				t.Fatalf("the sum of %v is %v, not %v", parts, got, want)
			}
		}
		left := []float64{want}
		for _, n := range rapid.Permutation(parts).Draw(t, "order") {
			left = append(left, -float64(n)/1e9)
		}
		if got := core.SumUSD(left...); got != 0 {
			t.Fatalf("of %v is left %v", want, got)
		}
	})
}

// TestMoneyHasNoResidue: what is left of amounts as a person writes them has no more
// digits than they have.
func TestMoneyHasNoResidue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cents := rapid.SliceOfN(rapid.IntRange(0, 100_000), 1, 30).Draw(t, "cents")
		var parts []float64
		for _, c := range cents {
			parts = append(parts, -float64(c)/100)
		}
		left := core.SumUSD(slices.Concat([]float64{30_000}, parts)...)
		_, fraction, _ := strings.Cut(strconv.FormatFloat(left, 'f', -1, 64), ".")
		if len(fraction) > 2 {
			t.Fatalf("$30,000 less %v cents are %v", cents, left)
		}
	})
	if got := core.SumUSD(0.1, 0.2, -0.3); got != 0 {
		t.Errorf("a dime and two and none of them are %v", got)
	}
	if got := core.SumUSD(math.Inf(1), -1); got != 1e9-1 {
		t.Errorf("of all there is, a dollar taken off, is left %v", got)
	}
}
