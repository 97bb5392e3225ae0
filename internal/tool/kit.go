// Package tool is the agents' side of their tools: what a call needs before the
// engine is asked, what is remembered afterwards, the words that explain each
// tool, and the scripts that stand for them on PATH. The command line and the MCP
// server both offer what is here. It must not decide whether a call is allowed:
// the engine does, and its refusals are passed on as they are.
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
	Run string // that they are for
	// Dir is the desk: the folder whose .ai holds the plan's documents. Origin is
	// the file that notes what those were made from; a person has none.
	Dir    string
	Origin string
	// Base is the digest of the plan that a person changed.
	Base string
	// Voice is whose part the caller speaks in every call; their own where empty.
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

// Updated is a change of the plan that was committed.
type Updated struct {
	api.Plan
	Sent []string `json:"sent"` // names of the documents
}

// UpdatePlan commits the documents of the desk that were changed. The engine
// refuses it where the plan is another meanwhile. What is committed already, as by
// a call whose answer was lost, is not sent again.
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

// Unheard notes that a call was given up because no engine answered: whoever made
// it cannot have done what it was begun for.
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

// contains reports that all of the parts are in a set of documents.
func contains(all, parts map[string]string) bool {
	for name, text := range parts {
		if now, found := all[name]; !found || now != text {
			return false
		}
	}
	return true
}

// ShowPlan reads the plan as it is. Whoever was shown it can change it.
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

// origin is what the documents of the desk were made from. A person's are
// compared with what is there now.
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
