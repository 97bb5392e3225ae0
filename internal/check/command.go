package check

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// Limits of a command.
const (
	DefaultCommandTimeout = 10 * time.Minute
	MaxCommandTimeout     = 6 * time.Hour
	maxCommandBytes       = 16 << 10
	outputCap             = 16 << 20
)

// command passes if the command exits with status 0 in a clean checkout of the delivery. Only a pass is remembered: the key
// does not name every cause of a failure, such as a missing tool, and a failure must not outlive its cause.
func (v *evaluation) command(ctx context.Context, c core.Check) (core.CheckResult, error) {
	if v.subject.commit() == "" {
		return fail(noCommit), nil
	}
	key := ""
	if v.Memory != nil {
		key = Key(c, v.subject, v.Environment)
		r, ok, err := v.Memory.Recall(ctx, key)
		if err != nil {
			return r, fmt.Errorf("recall a verdict: %w", err)
		}
		if ok && r.Passed {
			r.Reused = true
			return r, nil
		}
	}
	r, err := v.run(ctx, c)
	if err != nil || !r.Passed || v.Memory == nil {
		return r, err
	}
	if err := v.Memory.Remember(ctx, key, r); err != nil {
		return r, fmt.Errorf("remember a verdict: %w", err)
	}
	return r, nil
}

func (v *evaluation) run(ctx context.Context, c core.Check) (core.CheckResult, error) {
	limit := c.Timeout
	if limit <= 0 {
		limit = DefaultCommandTimeout
	}
	started := time.Now()
	res, err := v.Runner.Run(ctx, Command{Shell: c.Run, Timeout: limit, OutputCap: outputCap})
	if err != nil {
		return core.CheckResult{}, err
	}
	r := core.CheckResult{
		Kind: c.Kind, Check: Describe(c), Output: res.Digest, Elapsed: time.Since(started),
		Passed: res.Passed(),
	}
	switch {
	case r.Passed:
		r.Detail = "Exit status 0."
		return r, nil
	case res.TimedOut:
		r.Detail = fmt.Sprintf("Ended by Stellwerk after its time limit of %s.", limit)
	case res.Limit != "":
		r.Detail = fmt.Sprintf("It was %s. Exit status %d.", res.Limit, res.ExitCode)
	default:
		r.Detail = fmt.Sprintf("Exit status %d%s.", res.ExitCode, hint(res.ExitCode))
	}
	if len(res.Refused) > 0 {
		r.Detail += fmt.Sprintf(" It was refused connections to %s: a check reaches only what the playbook names under `network: {checks: […]}`.",
			strings.Join(res.Refused, ", "))
	}
	if tail := plain.Tail(res.Output, tailLines, tailBytes); tail != "" {
		r.Detail += " The end of its output:\n" + tail
	} else {
		r.Detail += " It wrote no output."
	}
	return r, nil
}

// hint explains the exit statuses that a shell gives a special meaning.
func hint(code int) string {
	switch {
	case code == 126:
		return " (found, but not executable)"
	case code == 127:
		return " (a command was not found)"
	case code > 128 && code < 128+65:
		return fmt.Sprintf(" (ended by signal %d)", code-128)
	}
	return ""
}
