package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// verify runs the checks of a delivery, outside the agent.
func (d *Dispatcher) verify(ctx context.Context, run *core.Run, a core.Verify) error {
	stage, task, attempt := run.Attempt(a.Attempt)
	if attempt == nil {
		return nil
	}
	started := time.Now()
	body := core.VerifyConcluded{Task: a.Task, Attempt: a.Attempt}
	passed, results, err := d.evaluate(ctx, run, evaluation{
		event: a.Event, name: a.Attempt, check: task.Done, base: stage.Base, writes: task.Writes,
		outputs: task.Outputs, delivery: attempt.Delivery, head: headOf(run, stage), remember: true,
	})
	if err == nil && passed {
		err = d.readHandedIn(ctx, run, stage, task, attempt.Delivery, &body)
	}
	if err := undecided(ctx, err); err != nil {
		return err
	}
	if body.Passed, body.Results = passed, results; err != nil {
		body = core.VerifyConcluded{Task: a.Task, Attempt: a.Attempt, Error: d.redactor(run).String(err.Error())}
	}
	body.Duration = time.Since(started)
	return d.conclude(ctx, run, body, a.Event, a.Attempt)
}

// headOf is the newest verified commit of what a stage works on.
func headOf(run *core.Run, stage *core.Stage) string {
	if stage.Branch == "" {
		return run.Head
	}
	return stage.Start()
}

// evaluation is one set of checks on one delivery.
type evaluation struct {
	event, name string
	check       core.Check
	base, head  string
	writes      core.Writes
	outputs     []string
	delivery    *core.Delivery
	remember    bool
}

// evaluate runs a set of checks. At most Options.Checks of them run at once.
// The checkout they ran in stays until the verdict is committed.
func (d *Dispatcher) evaluate(ctx context.Context, run *core.Run, e evaluation) (bool, []core.CheckResult, error) {
	select {
	case d.checks <- struct{}{}:
		defer func() { <-d.checks }()
	case <-ctx.Done():
		return false, nil, ctx.Err()
	}
	y, err := d.Yards.Yard(ctx, run.Project)
	if err != nil {
		return false, nil, err
	}
	subject := check.Subject{
		Delivery: e.delivery, Writes: e.writes, Outputs: e.outputs, Base: e.base, Head: e.head,
		Context: run.Context(e.delivery), Checkpoints: commits(run, func(d *core.Delivery) bool { return d.Checkpoint }), Marks: commits(run, func(d *core.Delivery) bool { return d.Mark }),
	}
	commit := e.head
	if e.delivery != nil && e.delivery.Commit != "" {
		commit = e.delivery.Commit
	} else if subject.HeadTree, err = y.Tree(ctx, e.head); err != nil {
		return false, nil, err
	}
	room := &checkout{dispatcher: d, yard: y, run: run, commit: commit, event: e.event, name: e.name, reuse: e.remember}
	evaluator := check.Evaluator{Tree: y, Artifacts: artifacts{d.Objects}, Runner: room, Environment: room.environment()}
	if e.remember {
		evaluator.Memory = memory{d.Memory, d.Objects}
	}
	passed, results, err := evaluator.Evaluate(ctx, e.check, subject)
	var setup *setupError
	if errors.As(err, &setup) {
		passed, results, err = false, []core.CheckResult{setup.evidence()}, nil
	}
	for i := range results {
		results[i].Detail = d.redactor(run).String(results[i].Detail)
	}
	return passed, results, err
}

// commits are those of the deliveries that own accepts: deliveries that end in a commit that
// Stellwerk itself made.
func commits(run *core.Run, own func(*core.Delivery) bool) []string {
	var commits []string
	for _, s := range run.Stages {
		for _, t := range s.Tasks {
			for _, a := range t.Attempts {
				if a.Delivery != nil && own(a.Delivery) {
					commits = append(commits, a.Delivery.Commit)
				}
			}
		}
	}
	return commits
}

// readHandedIn reads the documents that Stellwerk itself acts on.
func (d *Dispatcher) readHandedIn(ctx context.Context, run *core.Run, stage *core.Stage, task *core.Task, delivery *core.Delivery, body *core.VerifyConcluded) (err error) {
	if body.Review, err = d.review(ctx, run, stage, delivery); err != nil {
		return err
	}
	if body.Touches, err = d.touches(ctx, run, stage, delivery); err != nil {
		return err
	}
	if err := d.readWave(ctx, run, stage, task, delivery, body); err != nil {
		return err
	}
	if !slices.Contains(task.Outputs, core.PlanArtifact) || len(run.Playbook.Skippable(stage.ID)) == 0 {
		return nil
	}
	body.Skips, err = d.skips(ctx, run, delivery)
	return err
}

// touches reports a change of what the playbook wants reviewed.
func (d *Dispatcher) touches(ctx context.Context, run *core.Run, stage *core.Stage, delivery *core.Delivery) (bool, error) {
	if !run.Managed() || len(run.Playbook.Project.Review.Paths) == 0 || delivery.Commit == "" {
		return false, nil
	}
	paths, err := d.changedPaths(ctx, run, stage, delivery)
	return slices.ContainsFunc(paths, func(path string) bool {
		return slices.ContainsFunc(run.Playbook.Project.Review.Paths, func(glob string) bool { return check.Matches(glob, path) })
	}), err
}

// changedPaths are the files that a delivery changed, added or removed since its
// stage began, with their names from before.
func (d *Dispatcher) changedPaths(ctx context.Context, run *core.Run, stage *core.Stage, delivery *core.Delivery) ([]string, error) {
	y, err := d.Yards.Yard(ctx, run.Project)
	if err != nil {
		return nil, err
	}
	changed, err := y.Changed(ctx, stage.Base, delivery.Commit)
	var paths []string
	for _, c := range changed {
		paths = append(paths, c.Path)
		if c.OldPath != "" {
			paths = append(paths, c.OldPath)
		}
	}
	return paths, err
}

// skips reads what a plan proposes to leave out.
func (d *Dispatcher) skips(ctx context.Context, run *core.Run, delivery *core.Delivery) ([]core.SkipProposal, error) {
	artifact := delivery.Artifact(core.PlanArtifact)
	if artifact == nil {
		return nil, nil
	}
	data, err := d.readDocument(ctx, artifact)
	if err != nil {
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	skips, err := check.ReadPlan(data)
	redactAll(reflect.ValueOf(skips), d.redactor(run))
	return skips, err
}

// review reads a reviewer's verdict, if the delivery has one, and says which stage each
// finding belongs to.
func (d *Dispatcher) review(ctx context.Context, run *core.Run, stage *core.Stage, delivery *core.Delivery) (*core.Review, error) {
	artifact := delivery.Artifact(check.ReviewName)
	if artifact == nil {
		return nil, nil
	}
	review, err := d.readReview(ctx, artifact)
	if err != nil {
		return nil, fmt.Errorf("read the review: %w", err)
	}
	redactAll(reflect.ValueOf(review), d.redactor(run))
	if review.Status == core.ReviewRejected && !run.Managed() { // a phase is done again, not given up
		review.Status = core.ReviewChangesRequested
		review.Findings = append(review.Findings, core.Finding{Severity: "high", Issue: review.Reason})
	}
	if phase := run.Playbook.Phase(stage.ID); phase != nil {
		review.Findings = check.Targets(phase.Rollback, review.Findings, order(run))
	}
	return review, nil
}

func (d *Dispatcher) readReview(ctx context.Context, artifact *core.Artifact) (*core.Review, error) {
	data, err := d.readDocument(ctx, artifact)
	if err != nil {
		return nil, err
	}
	return check.ReadReview(data)
}

func (d *Dispatcher) readDocument(ctx context.Context, artifact *core.Artifact) ([]byte, error) {
	f, err := d.Objects.Open(ctx, artifact.Digest)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxReport+1))
	return data, errors.Join(err, f.Close())
}

func order(run *core.Run) []string {
	ids := make([]string, 0, len(run.Stages))
	for _, s := range run.Stages {
		ids = append(ids, s.ID)
	}
	return ids
}

// artifacts opens what attempts handed in, for checks.
type artifacts struct{ objects object.Objects }

func (a artifacts) Open(ctx context.Context, digest string) (io.ReadCloser, error) {
	return a.objects.Open(ctx, digest)
}

// memory remembers verdicts whose outputs are still kept.
type memory struct {
	store   Memory
	objects object.Objects
}

func (m memory) Recall(ctx context.Context, key string) (core.CheckResult, bool, error) {
	var result core.CheckResult
	raw, err := m.store.Recall(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return result, false, nil
	}
	if err != nil {
		return result, false, err
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return core.CheckResult{}, false, nil //nolint:nilerr // written by another version: established anew
	}
	if result.Output == "" {
		return result, true, nil
	}
	kept, err := m.objects.Touch(ctx, result.Output)
	return result, kept, err
}

func (m memory) Remember(ctx context.Context, key string, result core.CheckResult) error {
	return m.store.Remember(ctx, key, encode(result))
}

// encode turns a decoded JSON value back into JSON; such a value always encodes.
func encode(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return raw
}
