package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// median of what was measured.
func median[T cmp.Ordered](samples []T) T {
	sorted := slices.Sorted(slices.Values(samples))
	return sorted[len(sorted)/2]
}

// compare relates two sides that were measured in turns: the ratio is the
// median of the ratios of neighbours, which had the same noise around them.
func compare[T ~int64 | ~float64](measured, base []T, word func(T) string) outcome {
	ratios := make([]float64, len(measured))
	for i := range measured {
		ratios[i] = float64(measured[i]) / float64(base[i])
	}
	return outcome{ratio: median(ratios), measured: word(median(measured)), base: word(median(base))}
}

// timed is how long fn takes.
func timed(fn func() error) (time.Duration, error) {
	began := time.Now()
	err := fn()
	return time.Since(began), err
}

func short(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
