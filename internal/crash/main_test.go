package crash

import (
	"context"
	"os"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/cli"
	"github.com/stellwerk-dev/stellwerk/internal/object/s3/s3test"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

// roleEngine makes the test binary the engine that is killed.
const roleEngine = "crash-engine"

// TestMain lets the test binary be the whole program: the engine, and what
// runs beside agents.
func TestMain(m *testing.M) {
	worker.Intercept()
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case roleEngine:
			os.Exit(runEngine(os.Args[2]))
		case "scripted-agent":
			os.Exit(worker.ScriptedAgent(context.Background(), os.Args[2]))
		case "tool":
			os.Exit(cli.Main())
		}
	}
	code := m.Run()
	s3test.Stop()
	pgtest.Stop()
	os.Exit(code)
}
