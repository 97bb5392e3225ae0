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
	Prompt  string   `json:"prompt,omitempty" jsonschema:"what to do, where, and how to tell that it is done; the kinds merge, discard, validate and pr need none"`
	Branch  string   `json:"branch,omitempty" jsonschema:"short name of the branch to work on, such as api; without one the work gets its own branch, which is merged once verified"`
	Kind    string   `json:"kind,omitempty" jsonschema:"code, review, fix, merge, discard, validate or pr; usually left out"`
	Role    string   `json:"role,omitempty" jsonschema:"role that does the work; the playbook's default if left out"`
	Title   string   `json:"title,omitempty" jsonschema:"a title of one line"`
	Inputs  []string `json:"inputs,omitempty" jsonschema:"names of documents to give to the agent"`
	Outputs []string `json:"outputs,omitempty" jsonschema:"names of documents that the agent hands in, such as analysis.md"`
	Checks  []string `json:"checks,omitempty" jsonschema:"commands that must succeed in addition to the project's own checks"`
	After   []string `json:"after,omitempty" jsonschema:"ids (t1) and branches that must be merged before it begins"`
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
	Role    string `json:"role,omitempty" jsonschema:"role to speak in; an agent has its own, a person is user or blue"`
	In      string `json:"conversation,omitempty" jsonschema:"name or id of the conversation; if left out, the one that woke the manager"`
}

func (s *server) message(ctx context.Context, in messageInput) (out api.Told, text string, err error) {
	err = s.use(ctx, func(k tool.Kit) error {
		out, err = k.Tell(ctx, k.Run, api.Tell{Text: in.Content, Voice: core.Voice(in.Role), Conversation: in.In})
		return err
	})
	return out, tool.SayTold(out), err
}

type questionInput struct {
	Question string `json:"question" jsonschema:"what to ask people"`
	Default  string `json:"default,omitempty" jsonschema:"the answer if nobody gives one in time; needs after"`
	After    string `json:"after,omitempty" jsonschema:"how long to wait for an answer, such as 2h"`
}

func (s *server) question(ctx context.Context, in questionInput) (out api.Asked, text string, err error) {
	ask := api.Ask{Text: in.Question, Default: in.Default}
	if in.After != "" {
		if ask.After, err = time.ParseDuration(in.After); err != nil {
			return out, "", core.Errorf(core.CodeInvalid, "%q is not a duration", in.After).WithHint("write it like 90m or 2h")
		}
	}
	err = s.use(ctx, func(k tool.Kit) error {
		out, err = k.Ask(ctx, k.Run, ask)
		return err
	})
	return out, tool.SayAsked(out), err
}

type planInput struct {
	Message string `json:"message" jsonschema:"what you changed; the commit message is plan: MESSAGE"`
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
	Name string `json:"name,omitempty" jsonschema:"id, name or key, such as d3; if left out, everything is listed"`
	From int64  `json:"from,omitempty" jsonschema:"byte to start from, to continue a document that was cut"`
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
