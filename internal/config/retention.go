package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// ParseAge reads an age of at least a day: 30d, or 36h.
func ParseAge(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		d = time.Duration(n) * day
		if n > 36500 {
			d = 0
		}
	}
	if err != nil || d < day {
		return 0, fmt.Errorf("%q is not an age of at least 1d; write 30d", text)
	}
	return d, nil
}

// FormatAge writes an age as ParseAge reads it.
func FormatAge(d time.Duration) string {
	if d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	return d.String()
}
