package engine_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

// TestNoticesFitAScreen of 80 columns, also if there are none.
func TestNoticesFitAScreen(t *testing.T) {
	b := clitest.New(t)
	b.Svc.Operated.Tests = []api.NoticeTest{{Way: "desktop", OK: true}, {Way: "webhook", Error: strings.Repeat("the server does not answer, ", 6)}}
	b.Fits(t, shell.ExitError, "notify", "test")
}
