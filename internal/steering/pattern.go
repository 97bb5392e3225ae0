package steering

import (
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Check says what is wrong with a pattern that somebody adds.
func Check(pattern string) error {
	switch {
	case strings.Trim(pattern, "/ ") == "":
		return fmt.Errorf("%q names no file", pattern)
	case strings.HasPrefix(pattern, "!"):
		return fmt.Errorf("%q would take a file away; the list can only grow", pattern)
	case strings.HasPrefix(pattern, "/") || strings.Contains(pattern, ".."):
		return fmt.Errorf("%q is not a path inside the repository; write it from its top, without a leading slash", pattern)
	case !doublestar.ValidatePattern(plain(pattern)):
		return fmt.Errorf("%q is not a pattern", pattern)
	}
	return nil
}
