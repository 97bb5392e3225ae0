package journal

import (
	"encoding/json"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
)

// calledTools are the calls of Stellwerk's own tools that events keep: those that
// agents made, and those that were refused to them.
func calledTools(run string, parts *cast, events []core.Event, read runfolder.Reader) ([]runfolder.SideEffect, error) {
	var calls []runfolder.SideEffect
	at := map[string]int{} // where the call of a delegation is
	for _, e := range events {
		if e.Actor.Kind != core.ActorAgent && e.Type != core.TypeToolRefused && e.Type != core.TypeTaskRefused {
			continue
		}
		body, err := read(e)
		if err != nil {
			return nil, err
		}
		if refused, ok := body.(core.TaskRefused); ok {
			if i, ok := at[refused.Delegation]; ok {
				calls[i].Outcome, calls[i].Reason = runfolder.OutcomeRefused, runfolder.ShortText(refused.Reason)
			}
			continue
		}
		call, err := calledTool(body)
		if err != nil {
			return nil, err
		}
		if call.Tool == "" {
			continue
		}
		if proposed, ok := body.(core.TaskProposed); ok {
			at[proposed.Delegation] = len(calls)
		}
		if call.Attempt == "" {
			call.Attempt = e.Actor.ID
		}
		call.Run, call.Seq, call.At = run, e.Seq, e.At
		p := parts.attempts[call.Attempt]
		call.Role, call.Agent = p.role, p.agent
		calls = append(calls, call)
	}
	return calls, nil
}

// calledTool is the call that an event keeps; without a tool if it keeps
// none.
func calledTool(body core.Body) (runfolder.SideEffect, error) {
	call := runfolder.SideEffect{Outcome: runfolder.OutcomeOK}
	var tool core.Tool
	var input any
	switch b := body.(type) {
	case core.TaskProposed:
		tool, input = core.ToolDelegate, b.Proposal
	case core.MessageSent:
		tool, input = core.ToolMessage, map[string]string{"text": b.Text}
	case core.QuestionAsked:
		tool, input = core.ToolQuestion, map[string]string{"text": b.Text}
	case core.PlanProposed:
		names := make([]string, len(b.Files))
		for i, f := range b.Files {
			names[i] = f.Name
		}
		tool, input = core.ToolPlan, map[string]any{"message": b.Message, "files": names}
	case core.DetailFetched:
		tool, input = core.ToolDetail, map[string]any{"name": b.Name, "from": b.From}
		if b.Name == "" {
			input = map[string]any{"list": true}
		}
	case core.ToolRefused:
		call.Attempt, call.Outcome, call.Reason = b.Attempt, runfolder.OutcomeRefused, runfolder.ShortText(b.Reason)
		tool = b.Tool
	default:
		return runfolder.SideEffect{}, nil
	}
	call.Tool = tool.Command()
	if input == nil {
		return call, nil
	}
	data, err := json.Marshal(input)
	if err != nil {
		return call, fmt.Errorf("encode the call of a tool: %w", err)
	}
	call.Input = runfolder.ShortArguments(data)
	return call, nil
}
