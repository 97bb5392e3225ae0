package preflight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/check/plain"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// wanted is a command that some task must pass.
type wanted struct {
	command string
	limit   time.Duration
	either  bool // another check may take its place
}

// commands are the commands of a playbook's checks, each once, in the order of the playbook. One that must fail is none
// of them, nor is one whose end is known.
func commands(p *core.Playbook) []wanted {
	var all []wanted
	var walk func(c core.Check, either bool)
	walk = func(c core.Check, either bool) {
		switch c.Kind {
		case core.CheckNot:
			return
		case core.CheckCommand:
			known := c.Run == "true" || c.Run == ":"
			if !known && !slices.ContainsFunc(all, func(w wanted) bool { return w.command == c.Run }) {
				all = append(all, wanted{c.Run, c.Timeout, either})
			}
		default:
			for _, of := range c.Of {
				walk(of, either || c.Kind == core.CheckAny)
			}
		}
	}
	for _, phase := range p.Phases {
		walk(phase.Done, false)
	}
	if p.Project != nil {
		walk(p.Project.Done, false)
	}
	return all
}

// detailLines and detailBytes bound what is kept of a failing command's output: it is part of the run's first event.
const (
	detailLines = 20
	detailBytes = 2 << 10
)

// try runs the commands until the time is up. What is not tried by then is noted as such.
func (in Input) try(ctx context.Context, list []wanted) ([]core.BaseCheck, []problem, error) {
	if len(list) == 0 {
		return nil, nil, nil
	}
	limited, cancel := context.WithTimeout(ctx, in.Limit)
	defer cancel()
	var checks []core.BaseCheck
	var problems []problem
	for i, w := range list {
		name := "command: " + plain.Line(w.command, maxName)
		in.Tell(fmt.Sprintf("%s, on the base commit (%d of %d)", name, i+1, len(list)))
		limit := in.Limit
		if w.limit > 0 {
			limit = min(limit, w.limit)
		}
		out, err := in.Trial.Run(limited, w.command, limit)
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case limited.Err() != nil || errors.Is(err, context.DeadlineExceeded):
			return append(checks, untold(list[i:], fmt.Sprintf("it was not over within the %s of the preflight", in.Limit))...), problems, nil
		case err != nil:
			return nil, nil, fmt.Errorf("try `%s` on the base commit: %w", w.command, err)
		}
		if found := in.read(w, out); found != nil {
			problems = append(problems, *found)
		}
		if out.Setup {
			why := fmt.Sprintf("the setup failed with exit code %d: %s", out.Exit, plain.Tail(out.Output, detailLines, detailBytes))
			return append(checks, failed("setup: "+plain.Line(in.Playbook.Setup, maxName), why)), problems, nil
		}
		checks = append(checks, verdict(name, out, limit))
	}
	return checks, problems, nil
}

const maxName = 200

func verdict(name string, out Outcome, limit time.Duration) core.BaseCheck {
	switch {
	case out.Passed():
		return core.BaseCheck{Check: name, Passed: true}
	case out.TimedOut:
		return core.BaseCheck{Check: name, Untold: fmt.Sprintf("it was not over within %s", limit)}
	}
	return failed(name, fmt.Sprintf("Exit status %d. %s", out.Exit, plain.Tail(out.Output, detailLines, detailBytes)))
}

func failed(name, detail string) core.BaseCheck { return core.BaseCheck{Check: name, Detail: detail} }

func untold(list []wanted, why string) []core.BaseCheck {
	var checks []core.BaseCheck
	for _, w := range list {
		checks = append(checks, core.BaseCheck{Check: "command: " + plain.Line(w.command, maxName), Untold: why})
	}
	return checks
}
