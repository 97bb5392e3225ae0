package core

import "math"

const perDollar = 1e9

// most is more money than anybody has, and few enough billionths to be added up.
const most = 1e9

// nanos is money in whole billionths of a dollar: sums of fractions drift, and
// what is left must not depend on the order they were added in.
func nanos(usd float64) int64 {
	return int64(math.Round(min(max(usd, -most), most) * perDollar))
}

func dollars(nanos int64) float64 { return float64(nanos) / perDollar }

// SumUSD adds up money exactly, to a billionth of a dollar. Parts may be negative.
// What is a sum of floats already loses the error it came with.
func SumUSD(parts ...float64) float64 {
	total := int64(0)
	for _, usd := range parts {
		total += nanos(usd)
	}
	return dollars(total)
}
