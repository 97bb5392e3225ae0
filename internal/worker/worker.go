// Package worker is the process that runs beside an agent, `stellwerk worker`, and what
// the same program does inside an attempt or a session: hand in, run a line of shell, play
// a script. It is told everything by the attempt's folder, which it fetches from an engine if it has none, and must not know
// more of the engine.
package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/agent/scripted"
	"github.com/stellwerk-dev/stellwerk/internal/broker"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/courier"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/scriptedmodel"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/session"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// attemptRedactor implements shim.Redactor. In a stream that is still to be
// read it looks for exact values only: what the rules find may be structure.
type attemptRedactor struct{ all, exact *redact.Redactor }

func (r attemptRedactor) Redact(text string) string { return r.all.String(text) }

func (r attemptRedactor) Stream(w io.Writer) io.WriteCloser { return r.exact.Writer(w) }

func (r attemptRedactor) PlainStream(w io.Writer) io.WriteCloser { return r.all.Writer(w) }

func (r attemptRedactor) Thread() func(string) string { return r.all.Thread().String }

// prepared is what a worker can have ready before it knows its attempt.
type prepared struct {
	reserved *resource.Reservation // nil for none
	rules    *redact.RuleSet
}

func newPrepared(reserved *resource.Reservation) prepared {
	return prepared{reserved: reserved, rules: redact.DefaultRules()}
}

func (p prepared) close() { p.reserved.Close() }

func (p prepared) redactor(values []string) (shim.Redactor, error) {
	secrets := make([]redact.Secret, 0, len(values))
	for i, v := range values {
		secrets = append(secrets, redact.Secret{Name: fmt.Sprintf("secret-%d", i+1), Value: v})
	}
	return attemptRedactor{
		all:   redact.New(redact.Options{Secrets: secrets, Rules: p.rules}),
		exact: redact.New(redact.Options{Secrets: secrets, Rules: redact.NewRuleSet(nil)}),
	}, nil
}

// options are those of an attempt's shim.
func (p prepared) options(folder string) (shim.Options, error) {
	self, err := os.Executable()
	if err != nil {
		return shim.Options{}, fmt.Errorf("find this program: %w", err)
	}
	opts := shim.Options{
		Agents: Agents(), NewRedactor: p.redactor, Reserved: p.reserved, Self: self,
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
	if spec, err := shim.ReadSpec(folder); err == nil {
		opts.HandIn = []string{self, word, wordHand, spec.Job.Options["yard"]}
		opts.HandInHere = func(ctx context.Context, request string) error { return HandIn(ctx, spec.Job.Options["yard"], request) }
	}
	return opts, nil
}

// supervise does something to an attempt as its shim. The yard that the shim hands in
// to is named by the attempt's spec.
func (p prepared) supervise(ctx context.Context, folder string, do func(context.Context, string, shim.Options) error) error {
	opts, err := p.options(folder)
	if err != nil {
		return err
	}
	err = do(ctx, folder, opts)
	if errors.Is(err, shim.ErrAlreadyStarted) || errors.Is(err, shim.ErrNotLost) { // another was quicker
		return nil
	}
	return err
}

// Run runs beside an agent: it carries out one attempt.
func Run(ctx context.Context, folder string) error {
	return newPrepared(nil).supervise(ctx, folder, shim.Run)
}

// AwaitOrder carries out an attempt that is not known yet, in a folder of this machine or from engines elsewhere. Nothing of an
// attempt is in this process before its order comes, and it carries out one attempt only.
func AwaitOrder(ctx context.Context, owner string) error {
	with := newPrepared(shim.Reserve(owner, "ahead"))
	defer with.close()
	_, _ = broker.Published() // read ahead; an attempt that needs the list reports what is wrong with it
	order, err := shim.Await(os.Stdin)
	if errors.Is(err, shim.ErrNoOrder) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(order.Exchange) == 0 {
		return with.supervise(ctx, order.Folder, shim.Run)
	}
	var far wire.Order
	if err := json.Unmarshal(order.Exchange, &far); err != nil {
		return fmt.Errorf("read where the attempt is: %w", err)
	}
	if err := os.Chdir(far.Dir); err != nil {
		return fmt.Errorf("go to the folder of workers: %w", err)
	}
	return runRemote(ctx, far, with)
}

// lay makes an attempt's workspace. The yard that it borrows from holds the base and nothing else. An attempt without a base, such as a
// manager's, has an empty folder in its place: the sandbox refuses to show what is not there.
func lay(ctx context.Context, root string, base *courier.Base, unpacked func() (shim.Spec, error)) error {
	if base == nil {
		spec, err := unpacked()
		if err == nil {
			err = errors.Join(os.MkdirAll(spec.Job.Dir, 0o700), os.MkdirAll(filepath.Join(root, wire.YardName), 0o700))
		}
		return err
	}
	y, err := yard.OpenBase(ctx, filepath.Join(root, wire.YardName), base.Commit, base.Shallow, base.Pack)
	if err != nil {
		return err
	}
	spec, err := unpacked()
	if err == nil {
		err = y.Workspace(ctx, yard.WorkspaceSpec{
			Dir: spec.Workspace, Commit: base.Commit, Branch: spec.Branch, Identity: yard.Identity(spec.Identity), Index: shim.IndexFile(root),
		})
	}
	return errors.Join(err, y.Close())
}

// Salvage saves what a lost attempt left.
func Salvage(ctx context.Context, folder string) error {
	return newPrepared(nil).supervise(ctx, folder, shim.Salvage)
}

// Await stands in the place of an agent that an interactive session runs.
func Await(ctx context.Context, turn string) error { return session.Await(ctx, turn, os.Stdout) }

// AttemptShell runs a line of shell as a part of an attempt, and returns its
// exit code.
func AttemptShell(folder, line string) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, fmt.Errorf("find this program: %w", err)
	}
	return shim.Shell(folder, line, self)
}

// LookShell runs a line of shell for a session itself, and returns its exit
// code: it sees the checkout at root, read-only, and nothing else of the
// person's. Limits are those that package session wrote; without any, nothing is bounded.
func LookShell(limits, root, dir, line string) (int, error) {
	var bounds shim.Resources
	if limits != "" {
		if err := json.Unmarshal([]byte(limits), &bounds); err != nil {
			return 0, fmt.Errorf("read the limits of a session's commands: %w", err)
		}
	}
	return shim.ReadOnlyShell(root, dir, line, bounds)
}

// HandIn bundles a workspace. It runs inside the isolation.
func HandIn(ctx context.Context, yardDir, requestPath string) error {
	request, err := shim.ReadHandInRequest(requestPath)
	if err != nil {
		return err
	}
	handed, err := yard.HandIn(ctx, yard.HandInSpec{
		Yard: yardDir, Dir: request.Workspace, Base: request.Base, Index: request.Index, Message: request.Message, Mark: request.Mark,
		Identity: yard.Identity(request.Identity), Bundle: request.Bundle, MaxBytes: cmp.Or(request.MaxBytes, 1<<30),
		When: request.When, Live: request.Live,
	})
	if err != nil {
		return err
	}
	return request.WriteResult(shim.HandInResult{
		Commit: handed.Commit, Empty: handed.Empty, Gone: handed.Gone, Checkpoint: handed.Checkpointed, Mark: handed.Marked,
		Left: handed.Left, Notes: handed.Notes,
	})
}

// ScriptedAgent plays a scenario as an agent.
func ScriptedAgent(ctx context.Context, scenario string) int {
	return scripted.Run(ctx, scenario, os.Getenv, os.Stdout, os.Stderr)
}

// ScriptedModel serves a scenario over the model's API, on loopback.
func ScriptedModel(ctx context.Context, scenario, listen, record string, out io.Writer) error {
	return scriptedmodel.Run(ctx, scenario, listen, record, out)
}
