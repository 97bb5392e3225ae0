//go:build measure

package redact_test

import (
	"os"
	"strings"
	"testing"
)

// TestRulesSpareFolder redacts the source below the folder that MEASURE names: `make redaction` fetches some.
func TestRulesSpareFolder(t *testing.T) {
	spares(t, filesBelow(t, os.Getenv("MEASURE"), func(path string) bool {
		return !strings.HasSuffix(path, ".map") && !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, ".pem")
	}))
}
