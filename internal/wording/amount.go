package wording

import (
	"fmt"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Duration is a time span in at most two units.
func Duration(d time.Duration) string {
	switch {
	case d <= 0:
		return "0s"
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd%02dh", int(d.Hours())/24, int(d.Hours())%24)
}

// Age is how long ago something was, or how far ahead it is, in as much detail as is
// useful; empty for now.
func Age(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// Money is an amount of dollars; small amounts keep the digits that matter.
func Money(usd float64) string { return core.Money(usd) }

// Cost is what attempts cost, as far as they reported it: the least that it can be if
// some did not, and unknown if none did.
func Cost(c core.Cost) string {
	switch {
	case c.Unpriced == 0:
		return Money(c.Known())
	case c.CostUSD == nil:
		return "unknown"
	}
	return "at least " + Money(*c.CostUSD)
}

// Expense is a cost in a sentence that does not say what the figure is.
func Expense(c core.Cost) string {
	if c.CostUSD == nil {
		return "cost unknown"
	}
	return Cost(c)
}

// Amount is a large number, rounded.
func Amount(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 10_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%dM", n/1_000_000)
}

// Tokens is a number of tokens, rounded.
func Tokens(n int64) string { return Amount(n) + " tokens" }

// Bytes is a size in binary units.
func Bytes(n uint64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	value, unit := float64(n), 0
	for value >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", value, units[unit])
}

// AttemptLimits says what each attempt may use; empty if nothing limits it.
func AttemptLimits(l core.AttemptLimits) string {
	var parts []string
	if l.CostUSD > 0 {
		parts = append(parts, Money(l.CostUSD))
	}
	if l.Tokens > 0 {
		parts = append(parts, Tokens(l.Tokens))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " and ") + " for each attempt"
}
