package shim_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
)

// TestAgentEndsWithItsShim, even if nobody salvages the attempt, and without isolation: the kernel ends the agent's own process.
func TestAgentEndsWithItsShim(t *testing.T) {
	for name, change := range map[string]func(*shim.Spec){"free": func(*shim.Spec) {}, "bounded": bounded(t, resource.Limits{Processes: 500, Memory: 2 << 30})} {
		t.Run(name, func(t *testing.T) {
			eachKind(t, func(t *testing.T, kind sandbox.Kind) {
				mark := "7" + strconv.FormatInt(time.Now().UnixNano(), 10)
				a := shimtest.New(t, kind, `trap "" TERM HUP; echo r > "$STELLWERK_OUT/ready"; exec sleep `+mark, change)
				cmd := a.Command(t, shimtest.RoleWorker)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				a.AwaitOutput(t, "ready")
				shimtest.Await(t, "the agent", func() bool { return shimtest.ProcessesWith(t, "sleep "+mark) > 0 })
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				_ = cmd.Wait() // killed
				shimtest.Await(t, "the agent's end", func() bool { return shimtest.ProcessesWith(t, mark) == 0 })
			})
		})
	}
}
