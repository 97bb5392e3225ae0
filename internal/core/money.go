package core

import (
	"fmt"
	"math"
)

// Amount is a sum of money and tokens.
type Amount struct {
	USD    float64 `json:"usd,omitempty"`
	Tokens int64   `json:"tokens,omitempty"`
}

// InWords is the amount for a person.
func (a Amount) InWords() string { return fmt.Sprintf("%s and %d tokens", Money(a.USD), a.Tokens) }

const perDollar = 1e9

// most is more money than anybody has, and few enough billionths to be added up.
const most = 1e9

// Nanos is money in whole billionths of a dollar, the form in which it is added up
// and compared: sums of fractions drift, and what is left must not depend on the
// order they were added in. What is no number is nothing.
func Nanos(usd float64) int64 {
	if math.IsNaN(usd) {
		return 0
	}
	return int64(math.Round(min(max(usd, -most), most) * perDollar))
}

// Dollars is money as events, files and people have it.
func Dollars(nanos int64) float64 { return float64(nanos) / perDollar }

// SumUSD adds up money exactly, to a billionth of a dollar. Parts may be negative.
// What is a sum of floats already loses the error it came with.
func SumUSD(parts ...float64) float64 {
	total := int64(0)
	for _, usd := range parts {
		total += Nanos(usd)
	}
	return Dollars(total)
}
