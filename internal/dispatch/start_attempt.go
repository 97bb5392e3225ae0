package dispatch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/desk"
	"github.com/stellwerk-dev/stellwerk/internal/exchange"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/session"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// startAttempt prepares an attempt and starts its agent. The spec is written
// last: if it exists the preparation is complete and is not repeated, so a
// shim that an earlier engine started finds nothing pulled from under it. The
// prompt is kept when the agent is under way: only the report names it. Nothing
// before awaitWanted may be seen by anybody else.
func (d *Dispatcher) startAttempt(ctx context.Context, run *core.Run, a core.StartAttempt) error {
	id := spawn.ID{Run: run.ID, Attempt: a.Attempt}
	status, err := d.Spawner.Probe(ctx, id)
	if err != nil {
		return err
	}
	folder, err := d.Exchange.Receive(ctx, id)
	if err != nil {
		return err
	}
	var p prepared
	var taken session.Taken
	place := d.Spawner.Capabilities()
	if status == spawn.Absent {
		if status, err = d.side(ctx, id, folder, a.Session); err != nil {
			return err
		}
	}
	if status == spawn.Absent {
		err = suits(place, run, a.Session)
	}
	if a.Session != "" && status == spawn.Absent && err == nil {
		if taken, err = d.offer(ctx, run, a, folder); err != nil {
			return err
		}
	}
	if err == nil {
		p, err = d.prepare(ctx, run, a.Attempt, folder, status, taken)
	}
	if unwanted := d.awaitWanted(ctx, run, a); unwanted != nil {
		return unwanted
	}
	if err != nil {
		return d.notStarted(ctx, run, a.Attempt, err)
	}
	if status == spawn.Absent { // no earlier engine has started it
		if seated, err := d.engine.Seat(ctx, run, fenceOf(ctx), a.Attempt); err != nil || !seated {
			return err
		}
		if err := d.offerWorker(ctx, run, id, p.spec); err != nil {
			return d.notStarted(ctx, run, a.Attempt, err)
		}
		if err := d.mine(ctx, run.Project); err != nil {
			return err
		}
		if err := d.start(ctx, id, p.spec); err != nil {
			return d.notStarted(ctx, run, a.Attempt, err)
		}
		if err := d.claimed(ctx, id); err != nil {
			return err
		}
	}
	digest, _, err := d.Objects.Put(ctx, bytes.NewReader(p.prompt), maxArtifact)
	if err != nil {
		return err
	}
	body := core.AttemptStarted{Attempt: a.Attempt, Agent: p.spec.Agent, Spawner: place.Name, Isolation: run.Isolation, Prompt: digest, Brokered: p.spec.Model != nil}
	if p.spec.Session != "" {
		body.Spawner, body.Session = agent.Session, p.spec.Session
	}
	return d.report(ctx, run, body)
}

// errPlace means that attempts run in a place that cannot do what the run was
// started with: it stays so until somebody starts the engine with another.
var errPlace = errors.New("attempts run in a place that does not offer what this run needs")

// suits refuses a run that needs more than a place offers.
func suits(place spawn.Capabilities, run *core.Run, session string) error {
	var lacks []string
	if !slices.Contains(place.Isolation, run.Isolation) {
		lacks = append(lacks, fmt.Sprintf("no isolation %q, only %q", run.Isolation, place.Isolation))
	}
	if run.Resources != (core.Resources{}) && !place.Resources {
		lacks = append(lacks, "no limits of memory, processes, processor and disk")
	}
	if session != "" && !place.Sessions {
		lacks = append(lacks, "no agents of an interactive session")
	}
	if len(lacks) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s has %s", errPlace, place.Name, strings.Join(lacks, ", "))
}

func (d *Dispatcher) start(ctx context.Context, id spawn.ID, spec shim.Spec) error {
	secrets, err := d.secrets(spec)
	if err != nil {
		return err
	}
	return d.Spawner.Start(ctx, spawn.Order{ID: id, Env: secrets})
}

// notStarted reports that an attempt could not be started. It says nothing
// about the work and is not counted. The attempt is killed first: a start by
// an earlier engine that has not shown yet must not take effect afterwards.
func (d *Dispatcher) notStarted(ctx context.Context, run *core.Run, attempt string, err error) error {
	if err := undecided(ctx, err); err != nil {
		return err
	}
	id := spawn.ID{Run: run.ID, Attempt: attempt}
	if killErr := d.Spawner.Kill(ctx, id); killErr != nil {
		return errors.Join(err, killErr)
	}
	status, probeErr := d.Spawner.Probe(ctx, id)
	if probeErr != nil {
		return errors.Join(err, probeErr)
	}
	if status != spawn.Absent {
		return d.follow(ctx, run, attempt)
	}
	return d.report(ctx, run, core.AttemptExited{
		Attempt: attempt, Kind: core.ExitNoStart, Message: d.redactor(run).String(err.Error()), Hopeless: errors.Is(err, errUnset) || errors.Is(err, errExposed) || errors.Is(err, errPlace),
	})
}

// errUnset means that the engine's environment lacks what an agent needs: it
// stays so until somebody starts the engine with it.
var errUnset = errors.New("is not set")

// claimed waits until the shim has claimed the attempt: from then on it is
// running whatever becomes of the engine. It waits for as long as the shim's
// process lives, which takes its time on a busy machine.
func (d *Dispatcher) claimed(ctx context.Context, id spawn.ID) error {
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		status, err := d.Spawner.Probe(ctx, id)
		if err != nil {
			return err
		}
		switch status {
		case spawn.Starting:
		case spawn.Absent:
			return fmt.Errorf("the attempt's supervisor ended before it began: see %s", filepath.Join(d.Layout.Attempt(id.Run, id.Attempt), shim.LogFile))
		case spawn.Running, spawn.Exited, spawn.Lost:
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// prepared is an attempt that can be started.
type prepared struct {
	spec   shim.Spec
	prompt []byte
}

// prepare makes the folders of an attempt: the workspace, the inputs, the
// prompt and the spec. As long as no shim has claimed it, a spec that cannot be
// read, which a machine that failed has left, and one for another place or
// state folder are made again.
func (d *Dispatcher) prepare(ctx context.Context, run *core.Run, id, folder string, status spawn.Status, taken session.Taken) (prepared, error) {
	spec, err := shim.ReadSpec(folder)
	fits := err == nil && !spec.Copied && spec.Session == taken.Session && (taken.Dir == "" || spec.Job.Dir == taken.Dir)
	if err == nil && (status != spawn.Absent || fits) {
		text, err := os.ReadFile(filepath.Join(folder, promptFile))
		if err != nil {
			return prepared{}, fmt.Errorf("read the attempt's prompt: %w", err)
		}
		return prepared{spec, text}, nil
	}
	if status != spawn.Absent {
		return prepared{}, err
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		d.Log.Warn("an attempt's spec is unreadable and is made again", "folder", folder, "error", err)
	}
	stage, task, attempt := run.Attempt(id)
	def, err := agentFor(run, task)
	if err != nil {
		return prepared{}, err
	}
	y, err := d.Yards.Yard(ctx, run.Project)
	if err != nil {
		return prepared{}, err
	}
	room := attemptRoom{d: d, run: run, stage: stage, task: task, attempt: attempt, def: def, folder: folder, yard: y, taken: taken}
	p, err := room.prepare(ctx)
	if err != nil {
		return prepared{}, err
	}
	return p, shim.FinishSpec(folder)
}

// offerWorker lets the attempt's worker have what was prepared. Nothing of it is looked at if the worker shares this machine.
func (d *Dispatcher) offerWorker(ctx context.Context, run *core.Run, id spawn.ID, spec shim.Spec) error {
	if spec.Session != "" || d.Exchange.Shared() {
		return nil
	}
	y, err := d.Yards.Yard(ctx, run.Project)
	if err != nil {
		return err
	}
	offer := exchange.Offer{ID: id, Places: []exchange.Place{
		{Path: d.Layout.Workspace(run.ID, id.Attempt), Name: wire.WorkName}, {Path: y.Dir(), Name: wire.YardName},
		{Path: d.Tools.Folder, Name: wire.ToolsName}, {Path: d.Self, Name: wire.SelfName},
		{Path: d.Layout.Resources(), Name: wire.ResourceName}, {Path: d.Prices, Name: wire.PricesName}, {Path: d.Layout.State},
	}}
	if spec.Writes != core.WritesPlan {
		_, task, _ := run.Attempt(id.Attempt)
		offer.Base, offer.Also = spec.Base, merges(task.Done)
		offer.Pack = func(ctx context.Context, w io.Writer) error {
			return y.WriteBase(ctx, append([]string{spec.Base}, offer.Also...), w)
		}
		if offer.Shallow, err = y.Shallow(); err != nil {
			return fmt.Errorf("look where the history begins: %w", err)
		}
	}
	return d.Exchange.Offer(ctx, offer)
}

// merges are the commits that a check wants to be merged.
func merges(c core.Check) (commits []string) {
	if c.Kind == core.CheckMerge && c.Into != "" {
		commits = append(commits, c.Into)
	}
	for _, part := range c.Of {
		commits = append(commits, merges(part)...)
	}
	return commits
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
func (d *Dispatcher) secrets(spec shim.Spec) ([]string, error) {
	var pairs []string
	names := spec.Secrets
	if spec.Model != nil && spec.Model.Secret != "" {
		names = append(slices.Clone(names), spec.Model.Secret)
	}
	for _, name := range names {
		if name == agent.EnvToken {
			pairs = append(pairs, name+"="+d.Tools.Token(spec.Run, spec.Attempt))
			continue
		}
		value, ok := d.Environ(name)
		if !ok {
			return nil, fmt.Errorf("%s, which the agent %s needs, %w in the environment that the engine was started from", name, spec.Agent, errUnset)
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
	taken   session.Taken // by an agent of a session, which has its workspace already
}

func (r attemptRoom) dir() string {
	if r.taken.Dir != "" {
		return r.taken.Dir
	}
	return r.d.Layout.Workspace(r.run.ID, r.attempt.ID)
}
func (r attemptRoom) in() string  { return filepath.Join(r.folder, "in") }
func (r attemptRoom) out() string { return filepath.Join(r.folder, "out") }

// prepare makes the workspace and, while git works on that, writes the attempt's
// other files: neither needs more of the other than the folder, where the workspace's
// index is kept, too.
func (r attemptRoom) prepare(ctx context.Context) (p prepared, err error) {
	if err := os.MkdirAll(r.folder, 0o700); err != nil {
		return p, fmt.Errorf("make the attempt's folders: %w", err)
	}
	laid := make(chan error, 1)
	go func() {
		var err error
		p, err = r.writeFiles(ctx)
		laid <- err
	}()
	err = r.workspace(ctx)
	// A return statement may read p before it receives, while the files are still being written.
	err = errors.Join(err, <-laid)
	return p, err
}

// writeFiles writes inputs, prompt and the draft of the spec.
func (r attemptRoom) writeFiles(ctx context.Context) (prepared, error) {
	if err := renew(r.in(), r.out()); err != nil {
		return prepared{}, err
	}
	if err := os.MkdirAll(filepath.Join(r.folder, "home"), 0o700); err != nil {
		return prepared{}, fmt.Errorf("make the attempt's folders: %w", err)
	}
	text, err := r.inputs(ctx)
	if err != nil {
		return prepared{}, err
	}
	spec, err := r.spec(ctx)
	if err != nil {
		return prepared{}, err
	}
	if spec.Model != nil {
		if err := ledger.WriteGrant(r.folder, grantOf(r.run, r.attempt)); err != nil {
			return prepared{}, err
		}
	}
	return prepared{spec, text}, shim.DraftSpec(r.folder, spec)
}

// workspace makes the clone an attempt works in. Tasks that only hand in
// documents get one as well: a planner or reviewer reads the code, and what
// they change there is handed in by nobody.
func (r attemptRoom) workspace(ctx context.Context) error {
	if r.taken.Dir != "" {
		return nil
	}
	if err := renew(r.dir()); err != nil {
		return err
	}
	if r.task.Writes == core.WritesPlan {
		return r.planDesk(ctx)
	}
	if !r.d.Exchange.Shared() { // its worker makes one
		return nil
	}
	return r.yard.Workspace(ctx, yard.WorkspaceSpec{
		Dir: r.dir(), Commit: r.attempt.Base, Branch: branchOf(r.run, r.stage), Identity: yard.Identity(r.run.Identity),
		Index: shim.IndexFile(r.folder),
	})
}

// planDesk lays out the plan's documents and nothing else: an agent that writes the plan sees
// no code and has no repository.
func (r attemptRoom) planDesk(ctx context.Context) error {
	folder := filepath.Join(r.dir(), desk.Folder)
	err := r.yard.Extract(ctx, r.attempt.Base, desk.Folder, folder)
	if errors.Is(err, yard.ErrNotFound) {
		err = os.MkdirAll(folder, 0o700)
	}
	if err != nil {
		return fmt.Errorf("lay out the plan: %w", err)
	}
	return r.noteOrigin()
}

// branchOf is the branch that a stage's tasks work on.
func branchOf(run *core.Run, stage *core.Stage) string {
	if stage.Branch != "" {
		return stage.Branch
	}
	return run.Branch
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

// marks reports work that ends in a checkpoint even if its agent committed everything: that of
// a phase, so that the history shows each.
func (r attemptRoom) marks() bool { return r.run.Playbook.Phase(r.stage.ID) != nil }

// message is the subject of the attempt's checkpoint: of a phase by its number.
func (r attemptRoom) message() string {
	where, what := r.stage.ID, r.run.Title
	if phase := r.run.Playbook.Phase(r.stage.ID); phase != nil {
		where, what = "phase-"+r.run.Playbook.Number(r.stage.ID), cmp.Or(phase.Title, phase.ID)+" - "+r.run.Title
	}
	if r.run.Issue != "" {
		where = "#" + core.IssueNumber(r.run.Issue) + "/" + where
	}
	return fmt.Sprintf("wip(%s): %s", where, what)
}

// copyObject writes an object to a path.
func (d *Dispatcher) copyObject(ctx context.Context, digest, path string, mode os.FileMode) error {
	from, err := d.Objects.Open(ctx, digest)
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
