package cockpit_test

import (
	"fmt"
	"math"
	"testing"
)

// contrast is how well one colour can be read on another, as WCAG measures it.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	var channels [3]int
	if _, err := fmt.Sscanf(colour, "#%02x%02x%02x", &channels[0], &channels[1], &channels[2]); err != nil {
		t.Fatalf("%q is no colour: %v", colour, err)
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		c := float64(channels[i]) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
