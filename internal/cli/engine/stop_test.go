package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

// draining is a bench with an engine that is alone or not, and what it was asked.
func draining(t *testing.T, alone bool) (b *clitest.Bench, asked *[]api.Drain) {
	b, asked = clitest.New(t), &[]api.Drain{}
	b.Drain = func(_ context.Context, _ shell.ConnectOptions, req api.Drain) (api.Drained, func(context.Context) error, error) {
		*asked = append(*asked, req)
		begun := !alone || req.Alone
		return api.Drained{Begun: begun, Alone: alone, PID: 7, Projects: 2, Attempts: 1}, func(context.Context) error { return nil }, nil
	}
	return b, asked
}

func TestDrain(t *testing.T) {
	b, asked := draining(t, false)
	b.Run(t, shell.ExitOK, "stop", "--drain", "--within", "30m", "--state", "/srv/state")
	b.Said(t, b.Out, "Stopped the engine of /srv/state, process 7")
	b.Said(t, b.Err, "waits for 1 attempt", "`stellwerk stop` ends the waiting")
	if len(*asked) != 1 || (*asked)[0] != (api.Drain{Within: 30 * time.Minute}) {
		t.Errorf("it was asked %+v", *asked)
	}
}

// TestDrainAlone is refused to a script, asked of a person, and done for who says so.
func TestDrainAlone(t *testing.T) {
	b, asked := draining(t, true)
	b.Run(t, shell.ExitError, "stop", "--drain")
	b.Said(t, b.Err, "no other engine works on this store", "2 projects will stand still", "--yes")
	if len(*asked) != 1 {
		t.Errorf("it was asked %+v", *asked)
	}
	b, asked = draining(t, true)
	b.At("n").Run(t, shell.ExitError, "stop", "--drain")
	b.Said(t, b.Out, "Drain all the same?", "Nothing was done")
	if len(*asked) != 1 {
		t.Errorf("it was asked %+v", *asked)
	}
	b, asked = draining(t, true)
	b.At("y").Run(t, shell.ExitOK, "stop", "--drain")
	if len(*asked) != 2 || !(*asked)[1].Alone {
		t.Errorf("it was asked %+v", *asked)
	}
	b, asked = draining(t, true)
	b.Run(t, shell.ExitOK, "stop", "--drain", "--yes", "--json")
	b.Said(t, b.Out, `"stopped": true`, `"projects": 2`)
	if len(*asked) != 1 || !(*asked)[0].Alone {
		t.Errorf("it was asked %+v", *asked)
	}
}

func TestDrainUsage(t *testing.T) {
	for _, args := range [][]string{{"stop", "--yes"}, {"stop", "--within", "1m"}, {"stop", "--drain", "--within", "-1m"}} {
		b, asked := draining(t, false)
		if b.Run(t, shell.ExitUsage, args...); len(*asked) != 0 {
			t.Errorf("%v: it was asked %+v", args, *asked)
		}
	}
}
