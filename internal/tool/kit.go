// Package tool is the agents' side of their tools: what a call needs before it goes to the engine, what it remembers
// afterwards, the text that explains each tool, and the scripts on PATH. The command line and the MCP server both offer
// these tools. It must not decide whether a call is allowed: the engine does, and its refusals are passed on unchanged.
package tool

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/desk"
)

// Kit is the tools of one attempt, or of a person.
type Kit struct {
	api.Tools
	Run string
	// Dir is the desk: the folder whose .ai holds the plan's documents. Origin is the file that notes which version they
	// were made from; a person has none.
	Dir    string
	Origin string
	// Base is the digest of the plan that a person changed.
	Base string
	// Voice is the voice of every call; "" is the caller's own.
	Voice core.Voice
}

// Delegate implements api.Tools.
func (k Kit) Delegate(ctx context.Context, run string, req core.Proposal) (api.Delegated, error) {
	req.Voice = cmp.Or(req.Voice, k.Voice)
	return k.Tools.Delegate(ctx, run, req)
}

// Tell implements api.Tools.
func (k Kit) Tell(ctx context.Context, run string, req api.Tell) (api.Told, error) {
	req.Voice = cmp.Or(req.Voice, k.Voice)
	return k.Tools.Tell(ctx, run, req)
}

// Ask implements api.Tools.
func (k Kit) Ask(ctx context.Context, run string, req api.Ask) (api.Asked, error) {
	req.Voice = cmp.Or(req.Voice, k.Voice)
	return k.Tools.Ask(ctx, run, req)
}

// Detail implements api.Tools.
func (k Kit) Detail(ctx context.Context, run string, req api.FetchDetail) (api.FetchedDetail, error) {
	req.Voice = cmp.Or(req.Voice, k.Voice)
	return k.Tools.Detail(ctx, run, req)
}

// Updated is a committed change of the plan.
type Updated struct {
	api.Plan
	Sent []string `json:"sent"` // names of the documents
}

// UpdatePlan commits the changed documents of the desk. The engine refuses it if somebody else has changed the plan
// meanwhile. It does not send again what is committed already, such as by a call whose answer was lost.
func (k Kit) UpdatePlan(ctx context.Context, message string) (Updated, error) {
	now, err := k.Plan(ctx, k.Run)
	if err != nil {
		return Updated{}, err
	}
	origin, err := k.origin(now)
	if err != nil {
		return Updated{}, err
	}
	documents, err := desk.Documents(origin.Dir)
	if err != nil {
		return Updated{}, core.Wrap(core.CodeInvalid, err, "the plan's documents cannot be read", "put plain Markdown files into "+desk.Folder)
	}
	changed := origin.Changed(documents)
	if len(changed) > 0 && origin.Plan != now.Digest && contains(now.Files, changed) {
		origin.Committed(changed, now.Digest)
		return Updated{Plan: now, Sent: []string{}}, k.remember(origin)
	}
	plan, err := k.Tools.UpdatePlan(ctx, k.Run, api.UpdatePlan{Files: changed, Base: origin.Plan, Message: message, Voice: k.Voice})
	if err != nil {
		return Updated{}, err
	}
	origin.Committed(changed, plan.Digest)
	return Updated{Plan: plan, Sent: slices.Sorted(maps.Keys(changed))}, k.remember(origin)
}

// Unheard notes that a call was given up because no engine answered: the attempt cannot have done its work.
func (k Kit) Unheard() error {
	if k.Origin == "" {
		return nil
	}
	origin, err := desk.Read(k.Origin)
	if err != nil {
		return err
	}
	origin.Unheard = true
	return k.remember(origin)
}

// contains reports whether a set of documents has all of the parts.
func contains(all, parts map[string]string) bool {
	for name, text := range parts {
		if now, found := all[name]; !found || now != text {
			return false
		}
	}
	return true
}

// ShowPlan reads the plan as it is now. The next UpdatePlan is a change to this version.
func (k Kit) ShowPlan(ctx context.Context) (api.Plan, error) {
	plan, err := k.Plan(ctx, k.Run)
	if err != nil || k.Origin == "" {
		return plan, err
	}
	origin, err := desk.Read(k.Origin)
	if err != nil {
		return plan, err
	}
	origin.Plan = plan.Digest
	return plan, k.remember(origin)
}

// origin is what the documents of the desk were made from. A person's are compared with the plan as it is now.
func (k Kit) origin(now api.Plan) (desk.Origin, error) {
	if k.Origin != "" {
		return desk.Read(k.Origin)
	}
	origin := desk.Origin{Dir: k.Dir}
	origin.Committed(now.Files, k.Base)
	return origin, nil
}

func (k Kit) remember(origin desk.Origin) error {
	if k.Origin == "" {
		return nil
	}
	return origin.Write(k.Origin)
}
