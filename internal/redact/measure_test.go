//go:build measure

package redact_test

import (
	"os"
	"strings"
	"testing"
)

// TestRulesSpareFolder searches everything in the folder that MEASURE names but maps, which repeat the source. `make redaction`
// fetches some.
func TestRulesSpareFolder(t *testing.T) {
	spares(t, filesBelow(t, os.Getenv("MEASURE"), func(path string) bool { return !strings.HasSuffix(path, ".map") }))
}
