package audit_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }
