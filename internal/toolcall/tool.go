// Package toolcall answers the tool calls of attempts: it removes secrets from what an agent says, submits it once under
// the call's name, and records refusals. Package tool is the agents' side. The law and the deciders say whether a call is
// allowed; this package must not.
package toolcall

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/find"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// Engine carries out calls.
type Engine interface {
	Submit(ctx context.Context, run string, actor core.Actor, body core.Body) (*core.Run, error)
	Follow(ctx context.Context, run string, after int64, fn func(core.Event) error) error
}

// Tools implements api.Tools. All its fields are needed.
type Tools struct {
	Engine   Engine
	Find     *find.Finder
	Yards    dispatch.Yards
	Objects  object.Objects
	Redactor *redact.Redactor
	// Secrets makes a redactor that also knows the named variables, and more.
	Secrets func(names []string, more ...redact.Secret) *redact.Redactor
	// Token is what opens an attempt's tools. No call may repeat it.
	Token func(run, attempt string) string
}

var _ api.Tools = (*Tools)(nil)

// Delegate implements api.Tools.
func (a *Tools) Delegate(ctx context.Context, id string, req core.Proposal) (api.Delegated, error) {
	call := callOf(ctx)
	for {
		run, err := a.Find.Run(ctx, id)
		if err != nil {
			return api.Delegated{}, err
		}
		if err := a.literal(ctx, run, core.ToolDelegate, words(req)...); err != nil {
			return api.Delegated{}, err
		}
		req.Prompt, req.Title = a.clean(ctx, run, req.Prompt), a.clean(ctx, run, req.Title)
		body := core.TaskProposed{Delegation: core.DelegationID(run.Managing.Delegated + 1), Proposal: req, Call: call}
		next, heard, err := a.once(ctx, run, core.ToolDelegate, call, body)
		if err == nil {
			return delegated(next, heard.Subject)
		}
		if now, other := a.Find.Run(ctx, id); other == nil && now.Managing.Delegated > run.Managing.Delegated {
			continue // another call took the number: try the next
		}
		return api.Delegated{}, a.refuse(ctx, run, core.ToolDelegate, err)
	}
}

// words are the parts of a proposal that must stay as they are, letter by letter.
func words(p core.Proposal) []string {
	return append(slices.Concat(p.Checks, p.Inputs, p.Outputs, p.After), p.Line, p.Role, string(p.Kind))
}

// delegated says what became of a proposal.
func delegated(run *core.Run, id string) (api.Delegated, error) {
	d := run.Delegation(id)
	switch {
	case d == nil: // it ended so long ago that the state has forgotten it
		return api.Delegated{ID: id, Status: core.DelegationDone}, nil
	case d.Status == core.DelegationRefused:
		return api.Delegated{}, core.Errorf(core.CodeConflict, "%s", d.Reason).WithHint("nothing was begun")
	}
	out := api.Delegated{ID: d.ID, Status: d.Status, Line: d.Stage}
	if s := run.Stage(d.Stage); s != nil {
		out.Branch, out.Merges = s.Branch, run.Merges(s)
	}
	return out, nil
}

// callOf is the name of a call. A call that its caller did not name cannot be repeated.
func callOf(ctx context.Context) string {
	if name := api.CallFrom(ctx); name != "" {
		return name
	}
	return rand.Text()
}

// once submits what a call asks for, unless an earlier try of the call did: its answer may have been lost with the engine
// that gave it.
func (a *Tools) once(ctx context.Context, run *core.Run, tool core.Tool, call string, body core.Body) (*core.Run, *core.Heard, error) {
	if heard := run.Heard(tool, call); heard != nil {
		return run, heard, nil
	}
	next, err := a.Engine.Submit(ctx, run.ID, api.CallerFrom(ctx).Actor, body)
	if err == nil {
		return next, next.Heard(tool, call), nil
	}
	if now, other := a.Find.Run(ctx, run.ID); other == nil && now.Heard(tool, call) != nil {
		return now, now.Heard(tool, call), nil // two tries ran at the same time
	}
	return run, nil, err
}

// use is once, and records a refusal.
func (a *Tools) use(ctx context.Context, run *core.Run, tool core.Tool, call string, body core.Body) (*core.Run, *core.Heard, error) {
	next, heard, err := a.once(ctx, run, tool, call, body)
	if err != nil {
		return run, nil, a.refuse(ctx, run, tool, err)
	}
	return next, heard, nil
}

// refuse returns why a tool was refused. If an agent called it, the refusal is recorded.
func (a *Tools) refuse(ctx context.Context, run *core.Run, tool core.Tool, why error) error {
	actor := api.CallerFrom(ctx).Actor
	if actor.Kind != core.ActorAgent {
		return why
	}
	reason := plain.Clip(a.clean(ctx, run, why.Error()), maxReason)
	_, err := a.Engine.Submit(ctx, run.ID, core.Engine(), core.ToolRefused{Attempt: actor.ID, Tool: tool, Reason: reason})
	if core.CodeOf(err) == core.CodeConflict {
		return why // the attempt or the run is over, and takes no more events
	}
	return errors.Join(why, err)
}

// Tell implements api.Tools.
func (a *Tools) Tell(ctx context.Context, id string, req api.Tell) (api.Told, error) {
	run, err := a.Find.Run(ctx, id)
	if err != nil {
		return api.Told{}, err
	}
	_, heard, err := a.Message(ctx, run, req)
	if err != nil {
		return api.Told{}, err
	}
	return api.Told{Event: heard.Event}, nil
}

// Message writes to the conversation of a run, in the caller's own voice unless they name another.
func (a *Tools) Message(ctx context.Context, run *core.Run, req api.Tell) (*core.Run, *core.Heard, error) {
	in, err := a.saidIn(ctx, run, req.Conversation)
	if err != nil {
		return run, nil, a.refuse(ctx, run, core.ToolMessage, err)
	}
	body := core.MessageSent{Voice: req.Voice, Text: a.clean(ctx, run, req.Text), Call: callOf(ctx), Conversation: in}
	if body.Voice == "" {
		body.Voice = core.VoiceUser
		if actor := api.CallerFrom(ctx).Actor; actor.Kind == core.ActorAgent {
			body.Voice = core.VoiceRed
			if turning := run.Turning(); turning != nil && turning.ID == actor.ID {
				body.Voice = core.VoiceGreen
			}
		}
	}
	return a.use(ctx, run, core.ToolMessage, body.Call, body)
}

// saidIn is the conversation that a caller speaks in. If they name none, a manager answers in the one that woke it; a
// worker and a person speak in the one that the run was started in.
func (a *Tools) saidIn(ctx context.Context, run *core.Run, called string) (string, error) {
	if called != "" {
		return a.Find.Conversation(ctx, run.Project, called)
	}
	if turning := run.Turning(); turning != nil && turning.ID == api.CallerFrom(ctx).Actor.ID && api.CallerFrom(ctx).Actor.Kind == core.ActorAgent {
		return run.Addressed(), nil
	}
	return run.Conversation, nil
}

// Ask implements api.Tools.
func (a *Tools) Ask(ctx context.Context, id string, req api.Ask) (api.Asked, error) {
	run, err := a.Find.Run(ctx, id)
	if err != nil {
		return api.Asked{}, err
	}
	in, err := a.saidIn(ctx, run, req.Conversation)
	if err != nil {
		return api.Asked{}, a.refuse(ctx, run, core.ToolQuestion, err)
	}
	text := a.clean(ctx, run, req.Text)
	body := core.QuestionAsked{
		ID: core.QuestionID(run.Project, text), Text: text, Default: a.clean(ctx, run, req.Default), After: req.After, Call: callOf(ctx), Voice: req.Voice, Conversation: in,
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

// maxReason bounds the recorded reason of a refusal.
const maxReason = 2000
