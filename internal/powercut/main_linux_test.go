package powercut

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// roleWriter makes the test binary the writer that loses its power.
const roleWriter = "powercut-writer"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == roleWriter {
		fmt.Fprintln(os.Stderr, write(context.Background(), os.Args[2]))
		os.Exit(1)
	}
	os.Exit(m.Run())
}
