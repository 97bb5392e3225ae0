// Package ledger keeps the account of one attempt: what its model requests have cost, what is set aside for those under
// way, and how much the engine lets it spend. The account lives in files of the attempt's folder, so it survives the death
// of the supervisor that keeps it and the engine can read it at any time. The package must not know providers or prices,
// and it decides nothing about limits: it asks the engine to raise the grant and obeys the answer.
package ledger

import (
	"math"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Amount is money and tokens, as the engine grants them.
type Amount = core.Amount

// Usage is what a model request consumed, by kind of token. The kinds do not overlap.
type Usage struct {
	Input        int64 `json:"input,omitempty"` // neither read from nor written to a cache
	Output       int64 `json:"output,omitempty"`
	CacheRead    int64 `json:"cache_read,omitempty"`
	CacheWrite   int64 `json:"cache_write,omitempty"`    // kept for five minutes
	CacheWrite1h int64 `json:"cache_write_1h,omitempty"` // kept for an hour
	Searches     int64 `json:"searches,omitempty"`       // web searches that the provider ran and bills one by one
}

// Tokens is what counts against a limit of tokens: input and output without what a cache served or took, as
// core.Usage counts them.
func (u Usage) Tokens() int64 { return plus(u.Input, u.Output) }

// Prompt is everything the model read.
func (u Usage) Prompt() int64 {
	return plus(plus(u.Input, u.CacheRead), plus(u.CacheWrite, u.CacheWrite1h))
}

// Add sums two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: plus(u.Input, v.Input), Output: plus(u.Output, v.Output),
		CacheRead: plus(u.CacheRead, v.CacheRead), CacheWrite: plus(u.CacheWrite, v.CacheWrite),
		CacheWrite1h: plus(u.CacheWrite1h, v.CacheWrite1h), Searches: plus(u.Searches, v.Searches),
	}
}

// Spent is a usage and its price.
type Spent struct {
	Usage Usage   `json:"usage"`
	USD   float64 `json:"usd"`
}

// Amount is what counts against limits.
func (s Spent) Amount() Amount { return Amount{USD: s.USD, Tokens: s.Usage.Tokens()} }

// add sums two; the money in whole units, so that many small sums do not drift.
func (s Spent) add(t Spent) Spent {
	return Spent{Usage: s.Usage.Add(t.Usage), USD: core.Dollars(plus(core.Nanos(s.USD), core.Nanos(t.USD)))}
}

// sum is an amount in whole units: "three times a third" must fit into the whole.
type sum struct{ nano, tokens int64 }

// most is how much there can be of anything. It leaves room to add two without overflow.
const most = int64(math.MaxInt64) / 4

func sumOf(a Amount) sum { return sum{bounded(core.Nanos(a.USD)), bounded(a.Tokens)} }

func (s sum) amount() Amount { return Amount{USD: core.Dollars(s.nano), Tokens: s.tokens} }

func (s sum) add(t sum) sum { return sum{plus(s.nano, t.nano), plus(s.tokens, t.tokens)} }

// less is s without t, never below nothing.
func (s sum) less(t sum) sum { return sum{max(0, s.nano-t.nano), max(0, s.tokens-t.tokens)} }

func (s sum) atMost(t sum) sum { return sum{min(s.nano, t.nano), min(s.tokens, t.tokens)} }

func (s sum) atLeast(t sum) sum { return sum{max(s.nano, t.nano), max(s.tokens, t.tokens)} }

// fits reports that s is within t in both dimensions.
func (s sum) fits(t sum) bool { return s.nano <= t.nano && s.tokens <= t.tokens }

func bounded(n int64) int64 { return min(max(n, 0), most) }

func plus(a, b int64) int64 { return bounded(bounded(a) + bounded(b)) }

// clean is s with nothing below zero and the money in whole units, as the journal keeps it.
func (s Spent) clean() Spent { return Spent{}.add(s) }
