// Package preflight finds out before a run begins what would keep every attempt at it from succeeding: an agent's program
// or credential is missing, or a check needs a program that the isolation does not have. It also notes which checks fail
// before anybody has worked, and which tools are other ones inside. It calls no model and no network of its own, is bounded
// in time, and leaves nothing behind. It must not decide about a run: it reports, or says why one should not start.
package preflight

import (
	"context"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Input is what a run would begin with.
type Input struct {
	Playbook *core.Playbook
	// Agents are the playbook's agents that the engine starts itself; none where an interactive session does.
	Agents map[string]core.Agent
	Place  Place
	// Files are the paths of the base commit with git's octal mode; Head reads the beginning of one.
	Files map[string]string
	Head  func(ctx context.Context, path string) (string, error)
	// Lacks says what an agent's program lacks to get to work, given the variables it would have; empty for nothing known.
	Lacks func(use string, lookup func(name string) string) string
	// Handed names the variables that attempts get from the engine's environment because their agent's program knows them.
	Handed func(use string) []string
	// Detected is the setup that the files of the repository suggest.
	Detected string
	// Trial tries commands on the base commit; nil if nothing is to be tried.
	Trial Trial
	// Limit bounds the whole of it; zero for no limit, if nothing is tried.
	Limit time.Duration
	// Tell, if set, is told what is being looked at.
	Tell func(what string)
}

// Trial runs the commands of a playbook in a clean checkout of the base commit, isolated as the checks of a delivery are.
type Trial interface {
	// Run runs one command. A setup that fails is the result of the first.
	Run(ctx context.Context, command string, limit time.Duration) (Outcome, error)
}

// Outcome is how a command ended.
type Outcome struct {
	Setup    bool // it is the setup that failed, and the command was not run
	Exit     int
	TimedOut bool
	Output   string
	Refused  []string // hosts that a closed network kept it from
}

// Passed reports a command that did what it should.
func (o Outcome) Passed() bool { return o.Exit == 0 && !o.TimedOut && !o.Setup }

// problem is what keeps a run from starting, and what helps.
type problem struct{ what, help string }

// Run looks at everything, the cheapest first. The error has CodeUnavailable where the run should not be started, and the
// context's if it was ended.
func Run(ctx context.Context, in Input) (*core.Preflight, error) {
	started := time.Now()
	if in.Tell == nil {
		in.Tell = func(string) {}
	}
	limited, cancel := in.within(ctx)
	defer cancel()
	problems := in.agents(limited)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := refusal(problems); err != nil {
		return nil, err
	}
	found := &core.Preflight{}
	if in.Trial == nil {
		return found, nil
	}
	wanted := commands(in.Playbook)
	found.Tools, found.Uncompared = in.tools(limited, wanted)
	checks, problems, err := in.try(ctx, limited, wanted)
	if err != nil {
		return nil, err
	}
	if err := refusal(problems); err != nil {
		return nil, err
	}
	found.Checks, found.Took = checks, time.Since(started)
	return found, nil
}

// within is the time that a preflight has.
func (in Input) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if in.Limit == 0 { // only what costs nothing is looked at
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, in.Limit)
}

// NoPreflight is how a person leaves it all out.
const NoPreflight = "--no-preflight"

// refusal says all that is in the way at once.
func refusal(problems []problem) error {
	if len(problems) == 0 {
		return nil
	}
	var what, help []string
	for _, p := range problems {
		what = append(what, p.what)
		if p.help != "" {
			help = append(help, p.help)
		}
	}
	return core.Errorf(core.CodeUnavailable, "%s", strings.Join(what, "; ")).WithHint("%s", strings.Join(help, "; "))
}
