package crash

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/bridge"
	"github.com/stellwerk-dev/stellwerk/internal/cli"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

// roleEngine makes the test binary the engine that is killed.
const roleEngine = "crash-engine"

// TestMain lets the test binary be the whole program: the engine, and what
// runs beside agents.
func TestMain(m *testing.M) {
	bridge.Intercept()
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case roleEngine:
			os.Exit(runEngine(os.Args[2]))
		case "worker", "scripted-agent":
			os.Exit(program(os.Args[1:]))
		case "tool":
			os.Exit(cli.Main())
		}
	}
	os.Exit(m.Run())
}

func program(args []string) int {
	ctx := context.Background()
	var err error
	switch strings.Join(args[:2], " ") {
	case "worker run":
		err = app.Worker(ctx, args[2])
	case "worker salvage":
		err = app.Salvage(ctx, args[2])
	case "worker hand-in":
		err = worker.HandIn(ctx, args[2], args[3])
	default:
		return worker.ScriptedAgent(ctx, args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
