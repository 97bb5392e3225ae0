package dispatch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// startAttempt prepares an attempt and starts its agent. The spec is written
// last: where it exists the preparation is complete and is not repeated, so a
// shim that an earlier engine started finds nothing pulled from under it.
func (d *Dispatcher) startAttempt(ctx context.Context, run *core.Run, a core.StartAttempt) error {
	folder := d.Layout.Attempt(run.ID, a.Attempt)
	status, err := d.Spawner.Probe(ctx, folder)
	if err != nil {
		return err
	}
	body, err := d.prepare(ctx, run, a, folder)
	if err != nil {
		return d.notStarted(ctx, run, a.Attempt, err)
	}
	if status != spawn.Absent { // an earlier engine has started it
		return d.report(ctx, run, body)
	}
	secrets, err := d.secrets(folder)
	if err != nil {
		return d.notStarted(ctx, run, a.Attempt, err)
	}
	if err := d.Spawner.Start(ctx, spawn.Order{Attempt: a.Attempt, Folder: folder, Env: secrets}); err != nil {
		return d.notStarted(ctx, run, a.Attempt, err)
	}
	if err := d.claimed(ctx, folder); err != nil {
		return err
	}
	return d.report(ctx, run, body)
}

// notStarted reports that an attempt could not be started. It says nothing
// about the work and is not counted. The attempt is killed first: a start by
// an earlier engine that has not shown yet must not take effect afterwards.
func (d *Dispatcher) notStarted(ctx context.Context, run *core.Run, attempt string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	folder := d.Layout.Attempt(run.ID, attempt)
	if killErr := d.kill(ctx, folder); killErr != nil {
		return errors.Join(err, killErr)
	}
	status, probeErr := d.Spawner.Probe(ctx, folder)
	if probeErr != nil {
		return errors.Join(err, probeErr)
	}
	if status != spawn.Absent {
		return d.follow(ctx, run, attempt)
	}
	return d.report(ctx, run, core.AttemptExited{
		Attempt: attempt, Kind: core.ExitNoStart, Message: d.redactor(run).String(err.Error()),
	})
}

// claimed waits until the shim has claimed the attempt: from then on it is
// running whatever becomes of the engine.
func (d *Dispatcher) claimed(ctx context.Context, folder string) error {
	deadline := time.Now().Add(30 * time.Second)
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		status, err := d.Spawner.Probe(ctx, folder)
		if err != nil {
			return err
		}
		if status != spawn.Starting && status != spawn.Absent {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the attempt's supervisor did not come up in time: see %s", filepath.Join(folder, "shim.log"))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// prepare makes the folders of an attempt: the workspace, the inputs, the
// prompt and the spec.
func (d *Dispatcher) prepare(ctx context.Context, run *core.Run, a core.StartAttempt, folder string) (core.AttemptStarted, error) {
	stage, task, attempt := run.Attempt(a.Attempt)
	started := core.AttemptStarted{Attempt: a.Attempt, Spawner: "local", Isolation: run.Isolation}
	def, err := agentFor(run, task)
	if err != nil {
		return started, err
	}
	started.Agent = def.Use
	_, err = shim.ReadSpec(folder)
	if err == nil {
		started.Prompt, err = d.prompted(ctx, folder)
		return started, err
	}
	if !errors.Is(err, os.ErrNotExist) {
		return started, err
	}
	y, err := d.Yards.Yard(ctx, run.Project)
	if err != nil {
		return started, err
	}
	room := attemptRoom{d: d, run: run, stage: stage, task: task, attempt: attempt, def: def, folder: folder, yard: y}
	if started.Prompt, err = room.furnish(ctx); err != nil {
		return started, err
	}
	return started, shim.FinishSpec(folder)
}

// prompted is the digest of the prompt that an earlier engine wrote.
func (d *Dispatcher) prompted(ctx context.Context, folder string) (string, error) {
	text, err := os.Open(filepath.Join(folder, promptFile))
	if err != nil {
		return "", fmt.Errorf("read the attempt's prompt: %w", err)
	}
	digest, _, err := d.Blobs.Put(ctx, text, maxArtifact)
	return digest, errors.Join(err, text.Close())
}

// agentFor is the agent that a task's role is played by.
func agentFor(run *core.Run, task *core.Task) (core.Agent, error) {
	role := run.Playbook.Roles[task.Role]
	def, ok := run.Playbook.Agents[role.Agent]
	if !ok {
		return def, core.Errorf(core.CodeInvalid, "role %s names the agent %q, which the playbook does not define", task.Role, role.Agent)
	}
	return def, nil
}

// secrets reads from the engine's environment the variables that a spec names,
// to be handed over in memory.
func (d *Dispatcher) secrets(folder string) ([]string, error) {
	spec, err := shim.ReadSpec(folder)
	if err != nil {
		return nil, err
	}
	var pairs []string
	for _, name := range spec.Secrets {
		value, ok := d.Environ(name)
		if !ok {
			return nil, fmt.Errorf("the environment has no %s, which the agent %s needs", name, spec.Agent)
		}
		pairs = append(pairs, name+"="+value)
	}
	return pairs, nil
}

// attemptRoom is an attempt under preparation.
type attemptRoom struct {
	d       *Dispatcher
	run     *core.Run
	stage   *core.Stage
	task    *core.Task
	attempt *core.Attempt
	def     core.Agent
	folder  string
	yard    *yard.Yard
}

func (r attemptRoom) dir() string { return r.d.Layout.Workspace(r.run.ID, r.attempt.ID) }
func (r attemptRoom) in() string  { return filepath.Join(r.folder, "in") }
func (r attemptRoom) out() string { return filepath.Join(r.folder, "out") }

// furnish makes the workspace, and meanwhile lays out everything else: neither
// looks at the other, and git takes longer than the rest. It returns the
// prompt's digest.
func (r attemptRoom) furnish(ctx context.Context) (string, error) {
	made := make(chan error, 1)
	go func() { made <- r.workspace(ctx) }()
	digest, err := r.papers(ctx)
	return digest, errors.Join(<-made, err)
}

// papers lays out inputs, prompt and the draft of the spec.
func (r attemptRoom) papers(ctx context.Context) (string, error) {
	if err := renew(r.in(), r.out()); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Join(r.folder, "home"), 0o700); err != nil {
		return "", fmt.Errorf("make the attempt's folders: %w", err)
	}
	digest, err := r.inputs(ctx)
	if err != nil {
		return "", err
	}
	spec, err := r.spec(ctx)
	if err != nil {
		return "", err
	}
	return digest, shim.DraftSpec(r.folder, spec)
}

// workspace makes the clone an attempt works in. Tasks that only hand in
// documents get one as well: a planner or reviewer reads the code, and what
// they change there is handed in by nobody.
func (r attemptRoom) workspace(ctx context.Context) error {
	if err := renew(r.dir()); err != nil {
		return err
	}
	return r.yard.Workspace(ctx, yard.WorkspaceSpec{
		Dir: r.dir(), Commit: r.attempt.Base, Branch: r.run.Branch, Identity: yard.Identity(r.run.Identity),
	})
}

// renew makes folders that are empty whatever an earlier try left in them.
func renew(dirs ...string) error {
	for _, dir := range dirs {
		if err := yard.RemoveWorkspace(dir); err != nil {
			return fmt.Errorf("make room for the attempt: %w", err)
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make the attempt's folders: %w", err)
		}
	}
	return nil
}

func (r attemptRoom) message() string {
	where := r.stage.ID
	if r.run.Issue != "" {
		where = "#" + strings.TrimPrefix(r.run.Issue, "#") + "/" + r.stage.ID
	}
	return fmt.Sprintf("wip(%s): %s", where, r.run.Title)
}

// copyBlob writes a blob to a path.
func (d *Dispatcher) copyBlob(digest, path string, mode os.FileMode) error {
	from, err := d.Blobs.Open(digest)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // only read from
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("lay out an artifact: %w", err)
	}
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return fmt.Errorf("lay out an artifact: %w", err)
	}
	_, err = to.ReadFrom(from)
	if err = errors.Join(err, to.Close()); err != nil {
		return fmt.Errorf("lay out an artifact: %w", err)
	}
	return nil
}
