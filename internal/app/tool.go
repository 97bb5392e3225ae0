package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	planfile "github.com/stellwerk-dev/stellwerk/internal/plan"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Delegate implements api.Tools.
func (a *App) Delegate(ctx context.Context, id string, req core.Proposal) (api.Delegated, error) {
	call := callOf(ctx)
	for {
		run, err := a.find(ctx, id)
		if err != nil {
			return api.Delegated{}, err
		}
		if err := a.literal(ctx, run, core.ToolDelegate, words(req)...); err != nil {
			return api.Delegated{}, err
		}
		req.Prompt, req.Title = a.clean(ctx, run, req.Prompt), a.clean(ctx, run, req.Title)
		body := core.TaskProposed{Delegation: core.DelegationID(run.Delegated + 1), Proposal: req, Call: call}
		next, heard, err := a.once(ctx, run, core.ToolDelegate, call, body)
		if err == nil {
			return delegated(next, heard.Subject)
		}
		if now, other := a.find(ctx, id); other == nil && now.Delegated > run.Delegated {
			continue // somebody else was faster: the next number is another
		}
		return api.Delegated{}, errors.Join(err, a.refuse(ctx, run, core.ToolDelegate, err))
	}
}

// words are those of a proposal that mean what they are, letter by letter.
func words(p core.Proposal) []string {
	return append(slices.Concat(p.Checks, p.Inputs, p.Outputs, p.After), p.Line, p.Role, string(p.Kind))
}

// delegated says what became of a proposal.
func delegated(run *core.Run, id string) (api.Delegated, error) {
	d := run.Delegation(id)
	switch {
	case d == nil: // over for so long that only the events have it
		return api.Delegated{ID: id, Status: string(core.DelegationDone)}, nil
	case d.Status == core.DelegationRefused:
		return api.Delegated{}, core.Errorf(core.CodeConflict, "%s", d.Reason).WithHint("nothing was begun")
	}
	out := api.Delegated{ID: d.ID, Status: string(d.Status), Line: d.Stage}
	if s := run.Stage(d.Stage); s != nil {
		out.Branch, out.Merges = s.Branch, run.Merges(s)
	}
	return out, nil
}

// callOf is the name of a call. Nobody can repeat one that its caller did not
// name.
func callOf(ctx context.Context) string {
	if name := api.CallFrom(ctx); name != "" {
		return name
	}
	return rand.Text()
}

// once submits what a call of a tool asks for, unless that was done already: its
// answer may have been lost with the engine that gave it.
func (a *App) once(ctx context.Context, run *core.Run, tool core.Tool, call string, body core.Body) (*core.Run, *core.Heard, error) {
	if heard := run.Heard(tool, call); heard != nil {
		return run, heard, nil
	}
	next, err := a.engine.Submit(ctx, run.ID, CallerOf(ctx), body)
	if err == nil {
		return next, next.Heard(tool, call), nil
	}
	if now, other := a.find(ctx, run.ID); other == nil && now.Heard(tool, call) != nil {
		return now, now.Heard(tool, call), nil // both were under way at once
	}
	return run, nil, err
}

// use is once, and records what is refused to an agent.
func (a *App) use(ctx context.Context, run *core.Run, tool core.Tool, call string, body core.Body) (*core.Run, *core.Heard, error) {
	next, heard, err := a.once(ctx, run, tool, call, body)
	if err != nil {
		return run, nil, errors.Join(err, a.refuse(ctx, run, tool, err))
	}
	return next, heard, nil
}

// refuse records that a tool was refused to an agent.
func (a *App) refuse(ctx context.Context, run *core.Run, tool core.Tool, why error) error {
	actor := CallerOf(ctx)
	if actor.Kind != core.ActorAgent {
		return nil
	}
	reason := clip(a.clean(ctx, run, why.Error()), maxWord)
	_, err := a.engine.Submit(ctx, run.ID, core.Engine(), core.ToolRefused{Attempt: actor.ID, Tool: tool, Reason: reason})
	if core.CodeOf(err) == core.CodeConflict {
		return nil // the attempt or the run is over: there is nothing to leave a trace in
	}
	return err
}

// Tell implements api.Tools.
func (a *App) Tell(ctx context.Context, id string, req api.Tell) (api.Told, error) {
	run, err := a.find(ctx, id)
	if err != nil {
		return api.Told{}, err
	}
	_, heard, err := a.message(ctx, run, req)
	if err != nil {
		return api.Told{}, err
	}
	return api.Told{Event: heard.Event}, nil
}

// message writes to the conversation of a run. The caller speaks with their own
// voice where they name none.
func (a *App) message(ctx context.Context, run *core.Run, req api.Tell) (*core.Run, *core.Heard, error) {
	body := core.MessageSent{Voice: req.Voice, Text: a.clean(ctx, run, req.Text), Call: callOf(ctx)}
	if body.Voice == "" {
		body.Voice = core.VoiceUser
		if actor := CallerOf(ctx); actor.Kind == core.ActorAgent {
			body.Voice = core.VoiceRed
			if turning := run.Turning(); turning != nil && turning.ID == actor.ID {
				body.Voice = core.VoiceGreen
			}
		}
	}
	return a.use(ctx, run, core.ToolMessage, body.Call, body)
}

// Ask implements api.Tools.
func (a *App) Ask(ctx context.Context, id string, req api.Ask) (api.Asked, error) {
	run, err := a.find(ctx, id)
	if err != nil {
		return api.Asked{}, err
	}
	text := a.clean(ctx, run, req.Text)
	body := core.QuestionAsked{
		ID: core.QuestionID(run.Project, text), Text: text, Default: a.clean(ctx, run, req.Default), After: req.After, Call: callOf(ctx),
	}
	next, heard, err := a.use(ctx, run, core.ToolQuestion, body.Call, body)
	if err != nil {
		return api.Asked{}, err
	}
	asked := api.Asked{ID: heard.Subject}
	if q := next.Question(heard.Subject); q != nil { // it may be answered by now
		asked.Due = q.Due
	}
	return asked, nil
}

// Bounds of the plan's documents.
const (
	maxPlanFiles = 16
	maxPlanFile  = 1 << 20
)

// UpdatePlan implements api.Tools.
func (a *App) UpdatePlan(ctx context.Context, id string, req api.UpdatePlan) (api.Plan, error) {
	run, err := a.find(ctx, id)
	if err != nil {
		return api.Plan{}, err
	}
	body := core.PlanProposed{Base: req.Base, Message: a.clean(ctx, run, strings.TrimSpace(req.Message)), Call: callOf(ctx)}
	if run.Heard(core.ToolPlan, body.Call) != nil {
		return a.planned(ctx, run) // its answer was lost
	}
	err = core.Law(run, CallerOf(ctx), asked(body, req)) // before anything is kept of it
	if err == nil {
		err = checkPlan(run, req)
	}
	if err != nil {
		return api.Plan{}, errors.Join(err, a.refuse(ctx, run, core.ToolPlan, err))
	}
	if err := a.literal(ctx, run, core.ToolPlan, slices.Sorted(maps.Keys(req.Files))...); err != nil {
		return api.Plan{}, err
	}
	y, err := a.yards.Yard(ctx, run.Project)
	if err != nil {
		return api.Plan{}, err
	}
	commit := yard.CommitSpec{Parent: run.Head, Files: map[string][]byte{}, Message: "plan", Identity: yard.Identity(run.Identity), When: run.Now()}
	for _, name := range slices.Sorted(maps.Keys(req.Files)) {
		text := a.clean(ctx, run, req.Files[name])
		if now, err := y.ReadFile(ctx, run.Head, ".ai/"+name, maxPlanFile); err == nil && string(now) == text {
			continue // a change that is none must not count as one
		}
		digest, _, err := a.blobs.Put(ctx, strings.NewReader(text), maxPlanFile)
		if err != nil {
			return api.Plan{}, err
		}
		body.Files = append(body.Files, core.PlanFile{Name: name, Digest: digest})
		commit.Files[".ai/"+name] = []byte(text)
	}
	if _, err := y.Commit(ctx, commit); errors.Is(err, yard.ErrPath) { // as where .ai is a link: once proposed, it would be tried for ever
		err = core.Wrap(core.CodeInvalid, err, "the plan's documents cannot be committed", "something else has their place in the repository: have that removed first")
		return api.Plan{}, errors.Join(err, a.refuse(ctx, run, core.ToolPlan, err))
	}
	run, _, err = a.use(ctx, run, core.ToolPlan, body.Call, body)
	if err != nil {
		return api.Plan{}, err
	}
	return a.planned(ctx, run)
}

// planned is the plan once a change of it is committed.
func (a *App) planned(ctx context.Context, run *core.Run) (api.Plan, error) {
	if err := a.planSettled(ctx, run); err != nil {
		return api.Plan{}, err
	}
	return a.Plan(ctx, run.ID)
}

// asked is a change of the plan as far as it is known before its documents are
// stored.
func asked(body core.PlanProposed, req api.UpdatePlan) core.PlanProposed {
	for _, name := range slices.Sorted(maps.Keys(req.Files)) {
		body.Files = append(body.Files, core.PlanFile{Name: name})
	}
	return body
}

// checkPlan refuses documents that are none, and a plan that could not be read.
func checkPlan(run *core.Run, req api.UpdatePlan) error {
	if len(req.Files) > maxPlanFiles {
		return core.Errorf(core.CodeInvalid, "%d documents are too many, at most %d are possible", len(req.Files), maxPlanFiles)
	}
	for name, text := range req.Files {
		if len(text) > maxPlanFile {
			return core.Errorf(core.CodeInvalid, ".ai/%.90s has %d bytes, at most %d are possible", name, len(text), maxPlanFile)
		}
	}
	text, changed := req.Files["plan.md"]
	if !changed {
		return nil
	}
	doc, err := planfile.Parse([]byte(text))
	if err != nil {
		return core.Errorf(core.CodeInvalid, ".ai/plan.md is no plan: %w", err).WithHint("nothing was committed; put it right and call update-plan again")
	}
	for _, step := range doc.Steps() {
		if _, known := run.Playbook.Roles[step.Role]; step.Role != "" && !known {
			return core.Errorf(core.CodeInvalid, "step %s is for the role %q, which there is not", step.ID, step.Role).
				WithHint("there are %s", strings.Join(slices.Sorted(maps.Keys(run.Playbook.Roles)), ", "))
		}
	}
	return nil
}

// planPatience is how long a change of the plan may take: a merge that is being
// verified comes first.
const planPatience = 10 * time.Minute

// planSettled waits until a change of the plan is committed.
func (a *App) planSettled(ctx context.Context, run *core.Run) error {
	ctx, cancel := context.WithTimeout(ctx, planPatience)
	defer cancel()
	if run.Draft == nil && run.PlanWrite == nil {
		return nil
	}
	settled := errors.New("settled")
	err := a.engine.Follow(ctx, run.ID, run.Stream.Seq, func(e core.Event) error {
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
func (a *App) Plan(ctx context.Context, id string) (api.Plan, error) {
	run, err := a.find(ctx, id)
	if err != nil {
		return api.Plan{}, err
	}
	if err := under(ctx, run); err != nil {
		return api.Plan{}, err
	}
	if !run.Managed() || run.Plan == nil {
		return api.Plan{}, core.Errorf(core.CodeNotFound, "run %s has no plan", run.Alias)
	}
	out := api.Plan{Commit: run.Head, Digest: run.Plan.Digest, Trouble: run.Plan.Trouble, Files: map[string]string{}}
	y, err := a.yards.Yard(ctx, run.Project)
	if err != nil {
		return api.Plan{}, err
	}
	for _, name := range []string{"plan.md", "context.md", "spec.md"} {
		text, err := y.ReadFile(ctx, run.Head, ".ai/"+name, maxPlanFile)
		var big *yard.TooBigError
		if errors.Is(err, yard.ErrNotFound) || errors.As(err, &big) {
			continue // it is none that the tools could have written
		}
		if err != nil {
			return api.Plan{}, fmt.Errorf("read .ai/%s: %w", name, err)
		}
		out.Files[name] = a.redactor.String(string(text))
	}
	return out, nil
}
