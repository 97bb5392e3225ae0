package wording_test

import (
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func TestAmounts(t *testing.T) {
	for want, got := range map[string]string{
		"0s": wording.Duration(-1), "250ms": wording.Duration(250 * time.Millisecond), "59s": wording.Duration(59 * time.Second),
		"1m05s": wording.Duration(65 * time.Second), "2h03m": wording.Duration(123 * time.Minute), "3d02h": wording.Duration(74 * time.Hour),
		"$0.00": wording.Money(0), "cost unknown": wording.Expense(core.CostOf(0, 2)), "unknown": wording.Cost(core.CostOf(0, 2)), "at least $1.00": wording.Cost(core.CostOf(1, 2)), "$1.00": wording.Cost(core.CostOf(1, 0)), "$0.0042": wording.Money(0.0042), "$12.30": wording.Money(12.3),
		"999 tokens": wording.Tokens(999), "182k tokens": wording.Tokens(182_400), "12M tokens": wording.Tokens(12_345_678),
		"": wording.Age(-1) + wording.Count(0, "fact"), "0 s": wording.Age(time.Millisecond), "59 min": wording.Age(time.Hour - 1),
		"2 h 3 min": wording.Age(123 * time.Minute), "3 days": wording.Age(74 * time.Hour),
		"9999": wording.Amount(9999), "1500k": wording.Amount(1_500_000), "1 fact": wording.Count(1, "fact"), "2 facts hold": wording.Number(2, "fact holds", "facts hold"),
		"512 B": wording.Bytes(512), "1.5 GiB": wording.Bytes(3 << 29),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
