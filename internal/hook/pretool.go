package hook

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// PreToolUse decides on a tool call of a session. The data are an event as ReadBytes
// returned it. An error means that nothing could be decided, and that the call must
// not happen. The entry describes the decision; it has no session if the session owns
// no run.
func PreToolUse(state string, data []byte) (Answer, Entry, error) {
	session, err := SessionOf(data)
	if err != nil {
		return Answer{}, Entry{}, err
	}
	snap, err := snapshot.Read(state, session)
	if errors.Is(err, snapshot.ErrOver) {
		return stray(data)
	}
	if errors.Is(err, snapshot.ErrNone) { // agents of the plugin are a person's own then
		return Silent(), Entry{}, nil
	}
	if err != nil && !errors.Is(err, snapshot.ErrDamaged) {
		return Answer{}, Entry{}, err
	}
	entry := Entry{Session: session, Event: EventPreToolUse}
	if err != nil {
		entry.Did, entry.Error = deny, err.Error()
		return denied("%v. Nothing may be done in this session until the engine has written it again: it does so when your turn ends", err), entry, nil
	}
	in, err := Parse(data)
	if err != nil {
		return Answer{}, entry, err
	}
	if in.Session != session {
		return Answer{}, entry, fmt.Errorf("%w: it names two sessions", ErrNoEvent)
	}
	answer := decide(state, snap, in)
	entry.Agent, entry.Tool, entry.Did, entry.Rule = in.Agent, in.Tool, answer.Did(), answer.rule
	return answer, entry, nil
}

// stray decides for a session that no longer owns a run. It leaves the session alone,
// but stops agents of the plugin that outlived their run: nothing isolates them any
// more.
func stray(data []byte) (Answer, Entry, error) {
	if !bytes.Contains(data, []byte(`"stellwerk:`)) {
		return Silent(), Entry{}, nil
	}
	in, err := Parse(data)
	if err != nil {
		return Answer{}, Entry{}, err
	}
	if in.Agent == "" || !strings.HasPrefix(in.AgentType, "stellwerk:") || in.Tool == handback {
		return Silent(), Entry{}, nil
	}
	return denied("this session no longer carries the run of this agent; end now without doing anything"), Entry{}, nil
}

// handback is the tool by which an agent ends if the client runs in its automatic
// mode.
const handback = "SubagentHandback"

func decide(state string, snap snapshot.Snapshot, in Input) Answer {
	if in.Agent == "" {
		return orchestrator{state: state, snap: snap, in: in}.decide()
	}
	agent, ok := snap.Agents[in.Agent]
	if in.Tool == handback {
		return Silent()
	}
	if !ok {
		return denied("this agent was given no work, or its work is handed in; end now without doing anything")
	}
	return worker{Agent: agent, in: in}.decide()
}

// kind is what a tool does, as far as the rules are concerned.
type kind int

const (
	unknown kind = iota
	harmless
	runs
	reads
	writes
	searches
	starts
	asks
)

// kindOf knows the tools of Claude Code. It refuses what it does not know: that may
// reach anywhere, now or in a later version.
func kindOf(tool string) kind {
	switch tool {
	case "Bash":
		return runs
	case "Read", "NotebookRead":
		return reads
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		return writes
	case "Glob", "Grep", "LS":
		return searches
	case "Agent", "Task":
		return starts
	case "AskUserQuestion":
		return asks
	case "WebFetch", "WebSearch", "TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TaskOutput", "TaskStop",
		"BashOutput", "KillShell", "KillBash", "ToolSearch", "Skill", "ListAgents", "ReportFindings", "StructuredOutput",
		"EnterPlanMode", "ExitPlanMode":
		return harmless
	}
	if strings.HasPrefix(tool, "mcp__plugin_stellwerk_") || strings.HasPrefix(tool, "mcp__plugin_stellwerk-docs_") {
		return harmless
	}
	return unknown
}

// file is the path that a tool is to read or write.
func (in Input) file() string {
	for _, field := range []string{"file_path", "notebook_path", "path"} {
		if p := in.text(field); p != "" {
			return p
		}
	}
	return ""
}
