package shell_test

import (
	"context"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// noticing is an engine that has something to say whatever it is asked.
type noticing struct{ api.Service }

func (noticing) Notice() string { return "this engine has a twin; stop it" }

// TestWhatAnEngineSaysOfItselfIsShown by each command beside its answer, whether or not it gets what it asks for, and doctor finds
// that something is wrong.
func TestWhatAnEngineSaysOfItselfIsShown(t *testing.T) {
	for name, c := range map[string]struct {
		exit int
		args []string
		out  string
	}{
		"a list":        {shell.ExitOK, []string{"status"}, "alias-r1"},
		"JSON":          {shell.ExitOK, []string{"status", "--json"}, `"alias": "alias-r1"`},
		"a refusal":     {shell.ExitError, []string{"status", "nothing"}, ""},
		"what is wrong": {shell.ExitError, []string{"doctor"}, "this engine has a twin; stop it"},
	} {
		t.Run(name, func(t *testing.T) {
			b := clitest.New(t)
			b.Put("r1", core.StatusActive)
			connect := b.Dial
			b.Dial = func(ctx context.Context, o shell.ConnectOptions) (api.Service, func() error, error) {
				svc, end, err := connect(ctx, o)
				return noticing{svc}, end, err
			}
			b.Run(t, c.exit, c.args...)
			b.Said(t, b.Err, "note: this engine has a twin; stop it")
			b.Said(t, b.Out, c.out)
		})
	}
}
