package preflight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// wanted is a command that some task must pass.
type wanted struct {
	command  string
	limit    time.Duration
	optional bool // a run may succeed without it
}

// commands are the commands of a playbook's checks, each once, in the order of the playbook. Those of a phase that is
// skipped are none of them, nor is one whose end is known. Whether a phase with a condition will run, only the run can tell.
func commands(p *core.Playbook) []wanted {
	var all []wanted
	add := func(done core.Check, conditional bool) {
		for c, either := range done.Commands() {
			if c.Run == "true" || c.Run == ":" {
				continue
			}
			optional := conditional || either
			if i := slices.IndexFunc(all, func(w wanted) bool { return w.command == c.Run }); i >= 0 {
				all[i].optional = all[i].optional && optional
				continue
			}
			all = append(all, wanted{c.Run, c.Timeout, optional})
		}
	}
	for _, phase := range p.Phases {
		if !phase.Skip {
			add(phase.Done, phase.When != "")
		}
	}
	if p.Project != nil {
		add(p.Project.Done, false)
	}
	return all
}

// detailLines and detailBytes bound what is kept of a failing command's output: it is part of the run's first event.
const (
	detailLines = 20
	detailBytes = 2 << 10
)

// try runs the commands until the time of limited is up. What is not tried by then is noted as such.
func (in Input) try(ctx, limited context.Context, list []wanted) ([]core.BaseCheck, []problem, error) {
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
			return append(checks, untold(list[i:], fmt.Sprintf("the preflight's %s were over first", in.Limit))...), problems, nil //nolint:nilerr // that is noted, and stops nothing
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
		return core.BaseCheck{Check: name, Untold: fmt.Sprintf("it took longer than %s", limit)}
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
