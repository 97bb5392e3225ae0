package mcp

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/desk"
	"github.com/stellwerk-dev/stellwerk/internal/tool"
)

type delegateInput struct {
	Prompt  string   `json:"prompt,omitempty" jsonschema:"what is to be done, where, and how it is known to be done; the kinds merge, discard, validate and pr need none"`
	Branch  string   `json:"branch,omitempty" jsonschema:"short name of the branch it belongs to, such as api; without one it gets its own and is merged once verified"`
	Kind    string   `json:"kind,omitempty" jsonschema:"code, review, fix, merge, discard, validate or pr; usually none"`
	Role    string   `json:"role,omitempty" jsonschema:"role of who does it; the playbook's default without"`
	Title   string   `json:"title,omitempty" jsonschema:"what to call it in a line"`
	Inputs  []string `json:"inputs,omitempty" jsonschema:"names of documents that it is given"`
	Outputs []string `json:"outputs,omitempty" jsonschema:"names of documents that it hands in, such as analysis.md"`
	Checks  []string `json:"checks,omitempty" jsonschema:"commands that must succeed besides the project's own checks"`
	After   []string `json:"after,omitempty" jsonschema:"ids (t1) and branches that are to be merged before it begins"`
}

func (s *server) delegate(ctx context.Context, in delegateInput) (out api.Delegated, text string, err error) {
	err = s.use(ctx, func(k tool.Kit) error {
		out, err = k.Delegate(ctx, k.Run, core.Proposal{
			Prompt: in.Prompt, Line: in.Branch, Kind: core.TaskKind(in.Kind), Role: in.Role, Title: in.Title,
			Inputs: in.Inputs, Outputs: in.Outputs, Checks: in.Checks, After: in.After,
		})
		return err
	})
	return out, tool.SayDelegated(out), err
}

type messageInput struct {
	Content string `json:"content" jsonschema:"what to say, in Markdown"`
	Role    string `json:"role,omitempty" jsonschema:"voice to speak with; an agent has its own, a person is user or blue"`
	In      string `json:"conversation,omitempty" jsonschema:"conversation to say it in, by its name or id; without one that which woke the manager"`
}

func (s *server) message(ctx context.Context, in messageInput) (out api.Told, text string, err error) {
	err = s.use(ctx, func(k tool.Kit) error {
		out, err = k.Tell(ctx, k.Run, api.Tell{Text: in.Content, Voice: core.Voice(in.Role), Conversation: in.In})
		return err
	})
	return out, tool.SayTold(out), err
}

type questionInput struct {
	Question string `json:"question" jsonschema:"what people are to answer"`
	Default  string `json:"default,omitempty" jsonschema:"the answer where nobody gives one; needs after"`
	After    string `json:"after,omitempty" jsonschema:"how long to wait for one, such as 2h"`
}

func (s *server) question(ctx context.Context, in questionInput) (out api.Asked, text string, err error) {
	ask := api.Ask{Text: in.Question, Default: in.Default}
	if in.After != "" {
		if ask.After, err = time.ParseDuration(in.After); err != nil {
			return out, "", core.Errorf(core.CodeInvalid, "%q is no length of time", in.After).WithHint("write it like 90m or 2h")
		}
	}
	err = s.use(ctx, func(k tool.Kit) error {
		out, err = k.Ask(ctx, k.Run, ask)
		return err
	})
	return out, tool.SayAsked(out), err
}

type planInput struct {
	Message string `json:"message" jsonschema:"what was changed; the commit is called plan: MESSAGE"`
}

func (s *server) plan(ctx context.Context, in planInput) (out tool.Updated, text string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.use(ctx, func(k tool.Kit) error {
		k.Base = s.base
		out, err = k.UpdatePlan(ctx, in.Message)
		return err
	})
	if err != nil {
		return out, "", err
	}
	s.base = out.Digest
	return out, tool.SayUpdated(out), nil
}

type showInput struct{}

func (s *server) show(ctx context.Context, _ showInput) (out api.Plan, text string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.use(ctx, func(k tool.Kit) error {
		out, err = k.ShowPlan(ctx)
		return err
	})
	if err != nil {
		return out, "", err
	}
	s.base = out.Digest
	if out.Files == nil {
		out.Files = map[string]string{} // an object on the wire
	}
	text, found := out.Files[desk.PlanFile]
	if !found {
		text = "there is no plan yet"
	}
	return out, text, nil
}

type detailInput struct {
	Name string `json:"name,omitempty" jsonschema:"id, name or key, such as d3; without one everything there is is listed"`
	From int64  `json:"from,omitempty" jsonschema:"byte to begin with, where a part was left out"`
}

// detailOutput is a detail, or the index of all.
type detailOutput struct {
	Detail *api.FetchedDetail `json:"detail,omitempty"`
	Index  *api.DetailIndex   `json:"index,omitempty"`
}

func (s *server) detail(ctx context.Context, in detailInput) (out detailOutput, text string, err error) {
	err = s.use(ctx, func(k tool.Kit) error {
		if in.Name == "" {
			index, err := k.Details(ctx, k.Run)
			out.Index, text = &index, tool.SayDetails(index)
			return err
		}
		detail, err := k.Detail(ctx, k.Run, api.FetchDetail{Name: in.Name, From: in.From})
		out.Detail, text = &detail, tool.SayDetail(detail)
		return err
	})
	if err != nil {
		return detailOutput{}, "", err
	}
	return out, text, nil
}
