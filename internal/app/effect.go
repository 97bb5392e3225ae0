package app

import (
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// transcribed are the calls of tools that an attempt's transcript shows. Where
// the agent was not observed to its end, that is a record of its own.
func transcribed(folder, run, attempt string, observed bool) ([]runfolder.SideEffect, error) {
	spec, err := shim.ReadSpec(folder)
	if err != nil {
		return nil, err
	}
	by := runfolder.SideEffect{Run: run, Attempt: attempt, Role: spec.Job.Role.Name, Agent: spec.Agent}
	entries, err := shim.Tail(folder, 0)
	if err != nil {
		return nil, err
	}
	calls := callsOf(entries, by)
	if observed {
		return calls, nil
	}
	exit, err := shim.ReadExit(folder)
	if err != nil {
		return nil, err
	}
	by.At, by.Outcome, by.Reason = exit.EndedAt, runfolder.OutcomeUnobserved, unobserved(by.Agent)
	return append(calls, by), nil
}

// unobserved says why nothing is known of what an agent did.
func unobserved(name string) string {
	if agent.Opaque(name) {
		return "the agent " + name + " does not report its tool calls, and cannot be told which to use"
	}
	return "the attempt was lost; what its agent did last is not known"
}

// opaque are the agents of a run whose tool calls cannot be seen. Where a session
// drives it, its agents are the session's own.
func opaque(run *core.Run) []string {
	var names []string
	for name, def := range run.Playbook.Agents {
		if run.Session == "" && agent.Opaque(def.Use) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// callsOf finds the calls among the entries of a transcript, and what became of
// each.
func callsOf(entries []shim.Entry, by runfolder.SideEffect) []runfolder.SideEffect {
	results := map[string]agent.Record{}
	for _, e := range entries {
		r := e.Record
		if r.ToolID == "" || r.Kind == agent.KindToolCall || r.Kind != agent.KindToolResult && !r.Denied {
			continue
		}
		if results[r.ToolID].Denied { // the first word on it stays
			continue
		}
		results[r.ToolID] = r
	}
	var calls []runfolder.SideEffect
	for _, e := range entries {
		if e.Record.Kind != agent.KindToolCall {
			continue
		}
		call := by
		call.N, call.At, call.Tool, call.Input = e.N, e.At, runfolder.ShortText(e.Record.Tool), runfolder.ShortArguments(e.Record.Input)
		call.Outcome = runfolder.OutcomeUnknown
		if result, ok := results[e.Record.ToolID]; ok {
			call.Outcome, call.Reason = outcomeOf(result)
		}
		calls = append(calls, call)
	}
	return calls
}

func outcomeOf(result agent.Record) (runfolder.Outcome, string) {
	switch {
	case result.Denied:
		return runfolder.OutcomeDenied, reasonIn(result.Text)
	case result.Error:
		return runfolder.OutcomeError, ""
	}
	return runfolder.OutcomeOK, ""
}

// reasonIn is the first sentence or line of an agent's program on a denial; what
// follows it tells a model how to behave.
func reasonIn(text string) string {
	text = strings.TrimPrefix(strings.TrimSuffix(text, "</tool_use_error>"), "<tool_use_error>")
	text, _, _ = strings.Cut(strings.TrimPrefix(text, "denied: "), "\n")
	text, _, _ = strings.Cut(text, " IMPORTANT: ")
	return runfolder.ShortText(text)
}
