package journal

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// transcribed are the calls of tools that an attempt's transcript shows. Where
// the agent was not observed to its end, that is a record of its own.
func transcribed(folder, run, attempt string, observed bool) ([]runfolder.SideEffect, error) {
	calls, by, exit, err := seen(folder, run, attempt)
	if err != nil {
		return nil, err
	}
	by.At, by.Outcome = exit.EndedAt, runfolder.OutcomeUnobserved
	switch {
	case !observed:
		by.Reason = Unobserved(by.Agent)
	case exit.OutputDropped > 0:
		by.Reason = fmt.Sprintf("%d bytes of what the agent wrote were too much to be kept; calls in them were not seen", exit.OutputDropped)
	default:
		return calls, nil
	}
	return append(calls, by), nil
}

// seen are the calls and connections in the folder of an attempt, or of a command that
// verifies one. The record by has what they all say; without an attempt it is the spec's.
func seen(folder, run, attempt string) (calls []runfolder.SideEffect, by runfolder.SideEffect, exit shim.Exit, err error) {
	spec, err := shim.ReadSpec(folder)
	if err != nil {
		return nil, by, exit, err
	}
	by = runfolder.SideEffect{Run: run, Attempt: cmp.Or(attempt, spec.Attempt), Role: spec.Job.Role.Name, Agent: spec.Agent}
	entries, err := ToolEntries(folder)
	if err != nil {
		return nil, by, exit, err
	}
	if exit, err = shim.ReadExit(folder); err != nil {
		return nil, by, exit, err
	}
	var last int64
	if len(entries) > 0 {
		last = entries[len(entries)-1].N
	}
	return append(CallsOf(entries, by), unrouted(exit, by, last)...), by, exit, nil
}

// Unobserved says why nothing is known of what an agent did.
func Unobserved(name string) string {
	if agent.Opaque(name) {
		return "the agent " + name + " does not report its tool calls, and cannot be told which to use"
	}
	return "the attempt was lost; what its agent did last is not known"
}

// unseenTool stands for the tool of a call that only its result tells of: its line
// was too long to be kept, and what it said is not known.
const unseenTool = "?"

// CallsOf finds the calls and connections among the entries of a transcript, and
// what became of each. A result is of the newest call of its name.
func CallsOf(entries []shim.Entry, by runfolder.SideEffect) []runfolder.SideEffect {
	var calls []runfolder.SideEffect
	at := map[string]int{} // where the newest call of a name is
	for _, e := range entries {
		if e.Record.Connection != nil {
			if c, ok := connected(e, by); ok {
				calls = append(calls, c)
			}
			continue
		}
		r, call := e.Record, by
		call.N, call.At, call.Outcome = e.N, e.At, runfolder.OutcomeUnknown
		switch {
		case r.Kind == agent.KindToolCall:
			call.Tool, call.Input = runfolder.ShortText(r.Tool), runfolder.ShortArguments(r.Input)
		case r.ToolID == "" || r.Kind != agent.KindToolResult && !r.Denied:
			continue
		default:
			if i, known := at[r.ToolID]; known {
				if calls[i].Outcome != runfolder.OutcomeDenied { // the first word on it stays
					calls[i].Outcome, calls[i].Reason = outcomeOf(r)
				}
				continue
			}
			call.Tool = unseenTool
			call.Outcome, call.Reason = outcomeOf(r)
			if call.Reason == "" {
				call.Reason = "the call itself was too long to be kept"
			}
		}
		if r.ToolID != "" {
			at[r.ToolID] = len(calls)
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
