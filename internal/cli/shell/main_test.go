package shell_test

import (
	"os"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
)

func TestMain(m *testing.M) {
	if os.Getenv("TEST_INTERRUPT") != "" {
		beInterrupted()
	}
	clitest.Main(m)
}
