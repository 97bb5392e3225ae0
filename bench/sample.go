package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// median of what was measured; the samples are sorted in place.
func median[T cmp.Ordered](samples []T) T {
	slices.Sort(samples)
	return samples[len(samples)/2]
}

// compare relates the medians of two sides.
func compare(measured, base []time.Duration) outcome {
	m, b := median(measured), median(base)
	return outcome{ratio: float64(m) / float64(b), measured: short(m), base: short(b)}
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
