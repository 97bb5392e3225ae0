package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/agent/claude"
	"github.com/stellwerk-dev/stellwerk/internal/agent/command"
	"github.com/stellwerk-dev/stellwerk/internal/agent/scripted"
	"github.com/stellwerk-dev/stellwerk/internal/bridge"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/courier"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
)

// Agents are the programs that this version knows how to run.
func Agents() map[string]agent.Agent {
	all := map[string]agent.Agent{}
	for _, a := range []agent.Agent{command.Agent{}, scripted.Agent{}, claude.Agent{}, claude.Session{}} {
		all[a.Name()] = a
	}
	return all
}

// Words of a worker's command line.
const (
	word     = "worker"
	wordRun  = "run"
	wordSave = "salvage"
	wordHand = "hand-in"
	wordNext = "ahead"
	wordMark = "checkpoint"
)

// Command starts the shim of an attempt; an attempt's folder follows, or what names one that engines hand out.
func Command(program string) []string { return []string{program, word, wordRun} }

// Ahead starts a shim whose attempt is not known yet. It waits for a shim.Order on its standard input, and has a place ready in
// which that attempt of the owner can be bounded.
func Ahead(program, owner string) []string { return []string{program, word, wordNext, owner} }

// Rescue saves what a lost attempt left; the attempt's folder follows.
func Rescue(program string) []string { return []string{program, word, wordSave} }

// carryOut hands in, for a bridge.
func carryOut(ctx context.Context, argv []string) error {
	if len(argv) != 5 || argv[1] != word || argv[2] != wordHand {
		return fmt.Errorf("a bridge does not do %q", argv)
	}
	return HandIn(ctx, argv[3], argv[4])
}

// Intercept makes this process what its arguments ask for, if that is what every attempt starts: a shim, a salvage, a hand-in,
// or a bridge inside the sandbox. It then ends the process. A program that Command or Rescue may start calls it first: nothing
// else is made ready for a worker. It handles signals itself, because it must outlive the interrupt that ends the engine.
func Intercept() {
	bridge.Intercept(carryOut)
	if len(os.Args) < 4 || os.Args[1] != word {
		return
	}
	err := keepPrivate()
	switch rest := os.Args[3:]; {
	case err != nil:
	case os.Args[2] == wordRun && strings.HasPrefix(rest[0], "-"):
		err = runFlags(context.Background(), rest)
	case os.Args[2] == wordRun && len(rest) == 1:
		err = Run(context.Background(), rest[0])
	case os.Args[2] == wordNext && len(rest) == 1:
		err = AwaitOrder(context.Background(), rest[0])
	case os.Args[2] == wordSave && len(rest) == 1:
		err = Salvage(context.Background(), rest[0])
	case os.Args[2] == wordHand && len(rest) == 2:
		err = HandIn(context.Background(), rest[0], rest[1])
	case os.Args[2] == wordMark && len(rest) == 2:
		err = checkpoint(context.Background(), rest[0], rest[1])
	default:
		return
	}
	if errors.Is(err, courier.ErrClaimed) {
		os.Exit(wire.ExitClaimed)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "stellwerk: %v\n", err)
		os.Exit(1)
	}
	os.Exit(0)
}
