package toolcall

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/desk"
	planfile "github.com/stellwerk-dev/stellwerk/internal/plan"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Bounds of the plan's documents.
const (
	maxPlanFiles = 16
	maxPlanFile  = 1 << 20
)

// UpdatePlan implements api.Tools.
func (a *Tools) UpdatePlan(ctx context.Context, id string, req api.UpdatePlan) (api.Plan, error) {
	run, err := a.Find.Run(ctx, id)
	if err != nil {
		return api.Plan{}, err
	}
	body := core.PlanProposed{Base: req.Base, Message: a.clean(ctx, run, strings.TrimSpace(req.Message)), Call: callOf(ctx), Voice: req.Voice}
	if run.Heard(core.ToolPlan, body.Call) != nil {
		return a.planned(ctx, run) // its answer was lost
	}
	err = core.Law(run, api.CallerFrom(ctx).Actor, asked(body, req)) // before anything is kept of it
	if err == nil {
		err = checkPlan(run, req)
	}
	if err != nil {
		return api.Plan{}, a.refuse(ctx, run, core.ToolPlan, err)
	}
	if err := a.literal(ctx, run, core.ToolPlan, slices.Sorted(maps.Keys(req.Files))...); err != nil {
		return api.Plan{}, err
	}
	if body.Files, err = a.documents(ctx, run, req); err != nil {
		return api.Plan{}, err
	}
	run, _, err = a.use(ctx, run, core.ToolPlan, body.Call, body)
	if err != nil {
		return api.Plan{}, err
	}
	return a.planned(ctx, run)
}

// documents stores the documents of a change of the plan. It leaves out those that are unchanged, so that a change that
// changes nothing does not count as one.
func (a *Tools) documents(ctx context.Context, run *core.Run, req api.UpdatePlan) ([]core.PlanFile, error) {
	y, err := a.Yards.Yard(ctx, run.Project)
	if err != nil {
		return nil, err
	}
	var files []core.PlanFile
	trial := yard.CommitSpec{Parent: run.Head, Files: map[string][]byte{}, Message: "plan", Identity: yard.Identity(run.Identity), When: run.Now()}
	for _, name := range slices.Sorted(maps.Keys(req.Files)) {
		text := a.clean(ctx, run, req.Files[name])
		if now, err := y.ReadFile(ctx, run.Head, desk.Folder+"/"+name, maxPlanFile); err == nil && string(now) == text {
			continue
		}
		digest, _, err := a.Objects.Put(ctx, strings.NewReader(text), maxPlanFile)
		if err != nil {
			return nil, err
		}
		files = append(files, core.PlanFile{Name: name, Digest: digest})
		trial.Files[desk.Folder+"/"+name] = []byte(text)
	}
	if len(files) == 0 {
		return nil, nil
	}
	// Once proposed, what git refuses (.ai may be a link) would be tried for ever.
	_, err = y.Commit(ctx, trial)
	if errors.Is(err, yard.ErrPath) {
		err = core.Wrap(core.CodeInvalid, err, "the plan's documents cannot be committed", "the repository has something else in their place: have it removed first")
		err = a.refuse(ctx, run, core.ToolPlan, err)
	}
	return files, err
}

// planned waits until a change of the plan is committed, and returns the plan.
func (a *Tools) planned(ctx context.Context, run *core.Run) (api.Plan, error) {
	if err := a.planSettled(ctx, run); err != nil {
		return api.Plan{}, err
	}
	return a.Plan(ctx, run.ID)
}

// asked is a change of the plan before its documents are stored.
func asked(body core.PlanProposed, req api.UpdatePlan) core.PlanProposed {
	for _, name := range slices.Sorted(maps.Keys(req.Files)) {
		body.Files = append(body.Files, core.PlanFile{Name: name})
	}
	return body
}

// checkPlan refuses documents that are too large or too many, and a plan that cannot be read.
func checkPlan(run *core.Run, req api.UpdatePlan) error {
	if len(req.Files) > maxPlanFiles {
		return core.Errorf(core.CodeInvalid, "the plan cannot have %d documents; at most %d are allowed", len(req.Files), maxPlanFiles)
	}
	for name, text := range req.Files {
		if len(text) > maxPlanFile {
			return core.Errorf(core.CodeInvalid, ".ai/%.90s has %d bytes; at most %d are allowed", name, len(text), maxPlanFile)
		}
	}
	text, changed := req.Files[desk.PlanFile]
	if !changed {
		return nil
	}
	doc, err := planfile.Parse([]byte(text))
	if err != nil {
		return core.Errorf(core.CodeInvalid, ".ai/plan.md is not a valid plan: %w", err).WithHint("nothing was committed; correct it and call update-plan again")
	}
	for _, step := range doc.Steps() {
		if _, known := run.Playbook.Roles[step.Role]; step.Role != "" && !known {
			return core.Errorf(core.CodeInvalid, "step %s names the role %q, which does not exist", step.ID, step.Role).
				WithHint("there are %s", strings.Join(slices.Sorted(maps.Keys(run.Playbook.Roles)), ", "))
		}
	}
	return nil
}

// planPatience bounds the wait for a change of the plan, which waits for a merge that is being verified.
const planPatience = 10 * time.Minute

// planSettled waits until a change of the plan is committed.
func (a *Tools) planSettled(ctx context.Context, run *core.Run) error {
	ctx, cancel := context.WithTimeout(ctx, planPatience)
	defer cancel()
	if run.Managing.PlanProposed == nil && run.Driving.PlanWrite == nil {
		return nil
	}
	settled := errors.New("settled")
	err := a.Engine.Follow(ctx, run.ID, run.Stream.Seq, func(e core.Event) error {
		if e.Type == core.TypePlanUpdated {
			return settled
		}
		return nil
	})
	if errors.Is(err, settled) {
		return nil
	}
	if err == nil {
		return core.Errorf(core.CodeConflict, "the run ended before the plan was committed")
	}
	return fmt.Errorf("wait for the plan to be committed: %w", err)
}

// Plan implements api.Tools.
func (a *Tools) Plan(ctx context.Context, id string) (api.Plan, error) {
	run, err := a.Find.Run(ctx, id)
	if err != nil {
		return api.Plan{}, err
	}
	if err := under(ctx, run); err != nil {
		return api.Plan{}, err
	}
	if !run.Drives() || run.Driving.Plan == nil {
		return api.Plan{}, core.Errorf(core.CodeNotFound, "run %s has no plan", run.Alias)
	}
	out := api.Plan{Commit: run.Head, Digest: run.Driving.Plan.Digest, Trouble: run.Driving.Plan.Trouble, Files: map[string]string{}}
	y, err := a.Yards.Yard(ctx, run.Project)
	if err != nil {
		return api.Plan{}, err
	}
	for _, name := range []string{desk.PlanFile, "context.md", "spec.md"} {
		text, err := y.ReadFile(ctx, run.Head, desk.Folder+"/"+name, maxPlanFile)
		var big *yard.TooBigError
		if errors.Is(err, yard.ErrNotFound) || errors.As(err, &big) {
			continue // the tools did not write it
		}
		if err != nil {
			return api.Plan{}, fmt.Errorf("read .ai/%s: %w", name, err)
		}
		out.Files[name] = a.Redactor.String(string(text))
	}
	return out, nil
}
