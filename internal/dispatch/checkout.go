package dispatch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// checkout is one clean checkout of a delivery, set up once and shared by its
// checks. Commands in it run agent-written code, so they run under the same
// shim and isolation as an attempt, without a token. It is made when the first
// command needs it.
type checkout struct {
	dispatcher  *Dispatcher
	yard        *yard.Yard
	run         *core.Run
	commit      string
	event, name string
	reuse       bool // caches of this run may serve
	dir         string
	ran         map[string]int // how often a command was run, by its digest
}

const setupTimeout = 30 * time.Minute

// environment names what a verdict depends on in addition to tree, artifacts and check: the
// place where its commands run, which need not be this machine.
func (c *checkout) environment() string {
	place := c.dispatcher.Commands.Capabilities()
	return strings.Join([]string{"2", c.run.ID, place.Name, place.Platform, c.run.Isolation, c.run.Playbook.Setup}, "\x00")
}

// Run implements check.Runner.
func (c *checkout) Run(ctx context.Context, cmd check.Command) (check.Result, error) {
	if err := c.prepare(ctx); err != nil {
		return check.Result{}, err
	}
	return c.execute(ctx, cmd, true)
}

// prepare makes the checkout and runs the playbook's setup, once for a
// verification: an engine that takes over finds both, because commands may be
// running there. A setup that fails fails the check that needed it, with its
// output as the evidence.
func (c *checkout) prepare(ctx context.Context) error {
	if c.dir != "" {
		return nil
	}
	dir := c.dispatcher.Layout.Checkout(c.run.ID, c.event, c.name)
	if c.run.Playbook.Setup == "" { // nothing to share: each command gets a checkout of its own
		c.dir = dir
		return nil
	}
	if _, err := os.Stat(dir + readySuffix); err == nil {
		c.dir = dir
		return nil
	}
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		if err := c.yard.Checkout(ctx, dir, c.commit); err != nil {
			return err
		}
	}
	c.dir = dir
	if err := c.setUp(ctx); err != nil {
		c.dir = ""
		return err
	}
	if err := os.WriteFile(dir+readySuffix, nil, 0o600); err != nil {
		return fmt.Errorf("mark a checkout as set up: %w", err)
	}
	return nil
}

// readySuffix names the mark of a checkout that is set up, beside it.
const readySuffix = ".ready"

// copySuffix begins the name of a copy that one command runs in.
const copySuffix = ".run-"

// cacheSuffix names the build cache of a checkout that has one of its own.
const cacheSuffix = ".cache"

func (c *checkout) setUp(ctx context.Context) error {
	caches := c.caches(ctx)
	restored, err := caches.restore(ctx)
	if err != nil || restored {
		return err
	}
	result, err := c.execute(ctx, check.Command{Shell: c.run.Playbook.Setup, Timeout: setupTimeout, OutputCap: 1 << 20}, false)
	if err != nil {
		return err
	}
	if !result.Passed() {
		return &setupError{command: c.run.Playbook.Setup, result: result}
	}
	return caches.save(ctx)
}

// setupError says that the setup failed on the delivery. That is evidence
// against the delivery, not a fault of the machine: the agent is shown it.
type setupError struct {
	command string
	result  check.Result
}

func (e *setupError) Error() string {
	why := ""
	switch {
	case e.result.Limit != "":
		why = ", " + e.result.Limit
	case len(e.result.Refused) > 0:
		why = ", refused connections to " + strings.Join(e.result.Refused, ", ")
	case check.Offline(e.result.Output):
		why = ", for lack of network"
	}
	return fmt.Sprintf("setup %q failed with exit code %d%s:\n%s", e.command, e.result.ExitCode, why, e.result.Output)
}

func (e *setupError) evidence() core.CheckResult {
	return core.CheckResult{Check: "setup: " + e.command, Kind: core.CheckCommand, Detail: e.Error(), Output: e.result.Digest}
}

// execute runs one command to its end through a shim. The folder's name is
// derived from what asked for it: after a crash, or when the engine stops, the
// same command is found again, running or ended, instead of started twice.
// A check runs in a checkout of its own: the code it runs is the agent's, and
// must not lay out what the next check finds.
func (c *checkout) execute(ctx context.Context, cmd check.Command, apart bool) (check.Result, error) {
	d := c.dispatcher
	if c.ran == nil {
		c.ran = map[string]int{}
	}
	digest := c.digest(cmd, apart)
	c.ran[digest]++
	id := core.CheckID(c.name, digest, c.ran[digest])
	if former := core.CheckID(c.name, c.digest(cmd, true), 1); !apart && c.setsUp(d.Layout.Attempt(c.run.ID, former)) {
		id = former
	}
	command, folder := spawn.ID{Run: c.run.ID, Attempt: id}, d.Layout.Attempt(c.run.ID, id)
	if _, err := os.Stat(filepath.Join(folder, "spec.json")); errors.Is(err, os.ErrNotExist) {
		dir := c.dir
		if apart {
			if dir, err = c.copy(ctx, id); err != nil {
				return check.Result{}, err
			}
		}
		if err := c.order(folder, id, dir, cmd, apart); err != nil {
			return check.Result{}, err
		}
	}
	if err := d.Commands.Start(ctx, spawn.Order{ID: command, Env: d.present(c.run.Playbook.Secrets())}); err != nil {
		return check.Result{}, err
	}
	status, err := d.Commands.Wait(ctx, command)
	if errors.Is(context.Cause(ctx), errUnwanted) {
		return check.Result{}, errors.Join(errUnwanted, d.Commands.Kill(context.WithoutCancel(ctx), command))
	}
	if ctx.Err() != nil {
		return check.Result{}, ctx.Err()
	}
	if err != nil {
		return check.Result{}, errors.Join(err, d.Commands.Kill(context.WithoutCancel(ctx), command))
	}
	if status != spawn.Exited {
		return check.Result{}, fmt.Errorf("the check %q was %s", cmd.Shell, status)
	}
	return c.result(ctx, folder, cmd)
}

// digest names a command of the verification. The setup's is never a check's: an
// engine that takes over does not run the setup, and may run a check that is the
// same command.
func (c *checkout) digest(cmd check.Command, apart bool) string {
	of := c.event + "\x00" + cmd.Shell
	if !apart {
		of = c.event + "\x00\x00" + cmd.Shell
	}
	sum := sha256.Sum256([]byte(of))
	return hex.EncodeToString(sum[:6])
}

// setsUp reports a folder in which an engine of an earlier version has started the
// setup: it named that like a check, and checks run in copies.
func (c *checkout) setsUp(folder string) bool {
	spec, err := shim.ReadSpec(folder)
	return err == nil && spec.Job.Dir == c.dir
}

// copy makes the checkout that one command runs in: a copy of the one that was set up, if there is a setup.
func (c *checkout) copy(ctx context.Context, id string) (string, error) {
	dir := c.dir + copySuffix + id
	for _, leftover := range []string{dir, dir + ".part"} {
		if err := yard.RemoveWorkspace(leftover); err != nil {
			return "", fmt.Errorf("make room for a check: %w", err)
		}
	}
	if c.run.Playbook.Setup == "" {
		return dir, c.yard.Checkout(ctx, dir, c.commit)
	}
	if err := copyTree(ctx, c.dir, dir+".part"); err != nil {
		return "", err
	}
	if err := os.Rename(dir+".part", dir); err != nil {
		return "", fmt.Errorf("make a checkout for a check: %w", err)
	}
	return dir, nil
}

func (c *checkout) order(folder, id, dir string, cmd check.Command, apart bool) error {
	d := c.dispatcher
	visible, err := d.shown(c.run, c.yard)
	if err != nil {
		return err
	}
	home, cache := c.home(folder)
	prompt := filepath.Join(folder, "command")
	for _, dir := range []string{folder, home, cache} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make a folder for a check: %w", err)
		}
	}
	if err := os.WriteFile(prompt, []byte(cmd.Shell+"\n"), 0o600); err != nil {
		return fmt.Errorf("write a check's command: %w", err)
	}
	in := filepath.Join(folder, "in")
	if err := os.MkdirAll(in, 0o700); err != nil {
		return fmt.Errorf("make a folder for a check: %w", err)
	}
	return shim.WriteSpec(folder, shim.Spec{
		Project: c.run.Project, Run: c.run.ID, Task: c.name, Attempt: id, Agent: "command",
		Job: agent.Job{
			Dir: dir, Prompt: prompt, In: in, Out: filepath.Join(folder, "out"), Home: home,
			Command: []string{"sh", "-c", cmd.Shell},
		},
		Writes: core.WritesArtifacts, Isolation: isolation(c.run), Timeout: shim.Duration(cmd.Timeout),
		Env: toolCaches(cache), Writable: []string{cache},
		OutputBytes: cmd.OutputCap, ReadOnly: visible, Masked: masked(c.run, d.Layout), Private: d.private(c.run), Bubblewrap: d.bubblewrap(c.run),
		Identity: c.run.Identity, Redact: c.run.Playbook.Secrets(), Network: c.reach(apart),
		Settings: settings(c.run), Resources: Resources(c.run, d.Layout),
	})
}

// home is the home folder of a verification's command, and its build cache. Each command has a
// home of its own, so that nothing one delivery's code leaves there affects the next. Build
// caches last for the run, because builds take long without them, except for what is
// published: that is verified from scratch.
func (c *checkout) home(folder string) (home, cache string) {
	if !c.reuse {
		return filepath.Join(folder, "home"), c.dir + cacheSuffix
	}
	return filepath.Join(folder, "home"), c.dispatcher.Layout.BuildCache(c.run.ID)
}

// masked hides the state folder from isolated processes, even if a folder above it is shown to
// them.
func masked(run *core.Run, l Layout) []string {
	if isolation(run) == sandbox.None {
		return nil
	}
	return []string{l.State}
}

// result reads how a command ended, and keeps its whole output as an object.
func (c *checkout) result(ctx context.Context, folder string, cmd check.Command) (check.Result, error) {
	exit, err := shim.ReadExit(folder)
	if err != nil {
		return check.Result{}, err
	}
	if exit.Reason == shim.ReasonStartFailed || exit.Reason == shim.ReasonLost || exit.Reason == shim.ReasonCancelled {
		return check.Result{}, fmt.Errorf("the check %q could not be run: %s", cmd.Shell, cmp.Or(exit.Detail, string(exit.Reason)))
	}
	if exit.Traffic != nil && !strings.HasPrefix(c.run.ID, trialPrefix) { // a trial has no folder to keep them in
		if err := c.dispatcher.Folder.Connections(c.run.ID, folder); err != nil {
			return check.Result{}, err
		}
	}
	output, err := outputOf(folder)
	if err != nil {
		return check.Result{}, err
	}
	digest, _, err := c.dispatcher.Objects.Put(ctx, strings.NewReader(output), maxTranscript)
	if err != nil {
		return check.Result{}, err
	}
	return check.Result{
		ExitCode: exit.ExitCode, TimedOut: exit.Reason == shim.ReasonTimeout,
		Output: tail(output, 64<<10), Digest: digest, Limit: breach(exit), Refused: refused(exit.Traffic),
	}, nil
}

// outputOf joins what a command wrote to its two streams.
func outputOf(folder string) (string, error) {
	entries, err := shim.Tail(folder, 0)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, e := range entries {
		if e.Record.Text != "" {
			b.WriteString(e.Record.Text)
			b.WriteByte('\n')
		}
	}
	return b.String(), nil
}

func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[len(s)-n:]
}

// conclude reports what a verification found and removes its checkout; the commit is
// in the yard.
func (d *Dispatcher) conclude(ctx context.Context, run *core.Run, body core.Body, event, name string) error {
	if err := d.report(ctx, run, body); err != nil {
		return err
	}
	dir := d.Layout.Checkout(run.ID, event, name)
	copies, err := filepath.Glob(dir + copySuffix + "*")
	if err != nil {
		d.Log.Warn("copies of a checkout could not be listed", "path", dir, "error", err)
	}
	for _, path := range append(copies, dir+readySuffix, dir, dir+cacheSuffix) {
		if err := yard.RemoveWorkspace(path); err != nil {
			d.Log.Warn("a checkout could not be removed", "path", path, "error", err)
		}
	}
	return nil
}
