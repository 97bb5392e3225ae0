package shim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// ErrNotLost means there is nothing to salvage: the attempt never started, still runs, or has its exit.json.
var ErrNotLost = errors.New("the attempt is not lost")

// Salvage closes an attempt whose shim died: it ends what is left of the attempt's processes, hands in its workspace, reads
// its output folder, and writes exit.json with the reason lost. It does not start the agent again.
func Salvage(ctx context.Context, folder string, opts Options) error {
	ctx, stop := ownSignals(ctx)
	defer stop()
	state, err := Look(folder)
	if err != nil {
		return err
	}
	if state != StateLost {
		return fmt.Errorf("%w: it is %s", ErrNotLost, state)
	}
	held, err := acquire(folder)
	if errors.Is(err, ErrAlreadyStarted) {
		return fmt.Errorf("%w: another process is salvaging it", ErrNotLost)
	}
	if err != nil {
		return err
	}
	defer release(held)
	// Another salvage may have finished between the look and the lock.
	if done, err := has(folder, exitFile); err != nil || done {
		return errors.Join(err, ErrNotLost)
	}
	exit, err := salvaged(ctx, folder, opts)
	if err != nil {
		return err
	}
	return writeExit(folder, exit)
}

func salvaged(ctx context.Context, folder string, opts Options) (Exit, error) {
	now := time.Now().UTC()
	exit := Exit{
		Proto: Proto, Reason: ReasonLost, ExitCode: -1, StartedAt: now,
		Detail:  "the shim died while the agent ran; its work was saved",
		Outcome: agent.Outcome{Class: agent.ClassCrashed, Message: "the attempt was interrupted"},
	}
	spec, err := ReadSpec(folder)
	if err != nil {
		exit.Detail, exit.EndedAt = "nothing could be saved: "+err.Error(), now
		return exit, nil //nolint:nilerr // the exit says it: an attempt that cannot be read is lost all the same
	}
	// This process may no longer have the secrets: the engine removes them once more from what it takes over.
	secrets, err := takePresent(append(spec.Secrets, spec.Redact...))
	if err != nil {
		return Exit{}, err
	}
	redactor, err := opts.NewRedactor(values(secrets))
	if err != nil {
		return Exit{}, fmt.Errorf("prepare the removal of secrets: %w", err)
	}
	exit.Attempt, exit.Isolation = spec.Attempt, spec.Isolation
	endMarked(spec.Job.Out)
	exit.Outputs, exit.Refused = collect(spec.Job.Out, spec.limits(), redactor)
	if spec.Writes == core.WritesCode {
		exit.HandIn = handIn(ctx, folder, spec, opts)
	}
	exit.redact(redactor)
	exit.EndedAt = time.Now().UTC()
	return exit, nil
}
