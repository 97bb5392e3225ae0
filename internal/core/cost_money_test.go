package core_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestMoneyKeepsTheDigitsThatMatter(t *testing.T) {
	for usd, want := range map[float64]string{0: "$0.00", 0.004: "$0.0040", 0.0199: "$0.02", 3: "$3.00"} {
		if got := core.Money(usd); got != want {
			t.Errorf("%v is said as %s, not %s", usd, got, want)
		}
	}
}
