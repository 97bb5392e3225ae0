// Package agent defines the contract between Stellwerk and the coding agents it
// runs: how an attempt is turned into a process (Launch), how that process's
// output is turned into records (Reader), and what the agent claims when it ends
// (Outcome). One sub-package implements the contract per program. Nothing here
// starts a process, and nothing here judges the work: an Outcome is a statement
// by the agent, and whether the work is good is decided elsewhere, from evidence.
package agent

import (
	"encoding/json"
	"time"
)

// Session is the name of the agent that a person's own session runs; Command is
// that of any program at all.
const (
	Session = "session"
	Command = "command"
)

// Opaque reports an agent of which Stellwerk knows only that its program runs:
// it cannot be told which tools to use, and no call of one is seen.
func Opaque(name string) bool { return name == Command }

// Role is the part of a task description that shapes how the agent behaves,
// independent of what it is asked to do. Empty fields mean the agent's default.
type Role struct {
	Name string `json:"name,omitempty"`
	// SystemPrompt is the path of a file whose text is added to the agent's own
	// system prompt.
	SystemPrompt string `json:"system_prompt,omitempty"`
	// Tools is the complete list of tools the agent may use; empty means all. A
	// program that is opaque cannot be told.
	Tools []string `json:"tools,omitempty"`
	// DisallowedTools are withheld even when Tools names them.
	DisallowedTools []string `json:"disallowed_tools,omitempty"`
	Model           string   `json:"model,omitempty"`
}

// Job is everything an adapter may know about one attempt. It is stored in the
// attempt's spec.json, so that the supervising process needs nothing else, and
// it therefore never holds a secret.
type Job struct {
	// Dir is the workspace and becomes the working directory; Prompt is the file
	// holding the prompt; In and Out are the artifact folders. Home is a private
	// folder that serves as HOME and as the agent's configuration folder. All
	// are absolute and named as the agent itself sees them.
	Dir    string `json:"dir"`
	Prompt string `json:"prompt"`
	In     string `json:"in"`
	Out    string `json:"out"`
	Home   string `json:"home"`

	Role Role `json:"role,omitzero"`

	// MaxTurns and MaxUSD are limits handed to agents that can keep them; zero
	// means none.
	MaxTurns int     `json:"max_turns,omitempty"`
	MaxUSD   float64 `json:"max_usd,omitempty"`

	// Command is the argv of a `command` agent.
	Command []string `json:"command,omitempty"`
	// Options are settings only one adapter understands; see the Option
	// constants.
	Options map[string]string `json:"options,omitempty"`
}

// Keys of Job.Options.
const (
	// OptionBinary is the path of the agent's program.
	OptionBinary = "binary"
	// OptionScenario is the scenario file of a scripted agent.
	OptionScenario = "scenario"
	// OptionBaseURL is the address of the model API, when not the usual one.
	OptionBaseURL = "base_url"
	// OptionMCP is a file of MCP servers that the agent's program starts, as
	// .mcp.json has them; OptionMCPServers are their names, with spaces between.
	OptionMCP        = "mcp_config"
	OptionMCPServers = "mcp_servers"
	// OptionSelf is the path of the stellwerk program itself.
	OptionSelf = "self"
	// OptionTurn is the folder in which the end of a session's agent is announced.
	OptionTurn = "turn"
	// OptionTask is the task's name in its playbook; OptionRound and
	// OptionAttempt are the numbers of the stage's round and of the attempt in
	// it, both counted from 1. A scripted agent chooses its part by them.
	OptionTask    = "task"
	OptionRound   = "round"
	OptionAttempt = "attempt"
)

// Launch is the process an adapter wants started, in Job.Dir.
type Launch struct {
	Argv []string
	// Env holds the variables the adapter needs, as KEY=value. They come on top
	// of the clean environment the engine makes; nothing else is inherited.
	Env []string
	// Stdin is the path of a file to feed to the process; empty means no input.
	Stdin string
	// ReadOnly and Writable are paths outside Job that must be visible to the
	// process, such as the program itself.
	ReadOnly, Writable []string
}

// RecordKind says what a Record holds.
type RecordKind string

// The kinds of records.
const (
	// KindText is something the agent said.
	KindText RecordKind = "text"
	// KindThinking is reasoning the agent chose to show.
	KindThinking RecordKind = "thinking"
	// KindToolCall is the use of a tool: Tool, ToolID and Input are set.
	KindToolCall RecordKind = "tool_call"
	// KindToolResult is what a tool returned: ToolID and Text are set, and
	// Error when the tool failed.
	KindToolResult RecordKind = "tool_result"
	// KindUsage carries Usage: the running total of the attempt so far.
	KindUsage RecordKind = "usage"
	// KindNotice is a remark by the program rather than by the model.
	KindNotice RecordKind = "notice"
	// KindResult is the agent's closing statement. A program may make several;
	// the last one counts.
	KindResult RecordKind = "result"
	// KindStderr is a line the program wrote to standard error.
	KindStderr RecordKind = "stderr"
	// KindConnection is a connection that a process of the attempt asked for:
	// Connection is set.
	KindConnection RecordKind = "connection"
	// KindRaw is a line the Reader could not understand, unchanged.
	KindRaw RecordKind = "raw"
)

// Record is one entry of an attempt's transcript.
type Record struct {
	Kind   RecordKind      `json:"kind"`
	Text   string          `json:"text,omitempty"`
	Tool   string          `json:"tool,omitempty"`
	ToolID string          `json:"tool_id,omitempty"`
	Input  json.RawMessage `json:"input,omitempty"`
	Error  bool            `json:"error,omitempty"`
	// Denied says that the call was not carried out, because it may not be: of a
	// result, or of a notice that names the call.
	Denied     bool        `json:"denied,omitempty"`
	Usage      *Usage      `json:"usage,omitempty"`
	Connection *Connection `json:"connection,omitempty"`
}

// Usage counts what an attempt consumed so far. Subscription plans report no
// dollars; the tokens are counted all the same.
type Usage struct {
	ModelUsage // of all models together
	// Model splits the totals above by model name.
	Model map[string]ModelUsage `json:"model,omitempty"`
}

// ModelUsage is the share of one model in a Usage.
type ModelUsage struct {
	InputTokens      int64   `json:"input_tokens,omitempty"`
	OutputTokens     int64   `json:"output_tokens,omitempty"`
	CacheReadTokens  int64   `json:"cache_read_tokens,omitempty"`
	CacheWriteTokens int64   `json:"cache_write_tokens,omitempty"`
	CostUSD          float64 `json:"cost_usd,omitempty"`
}

// Class sorts the ways an agent can fail by what is to be done about them. The
// empty class belongs to an Outcome that is OK.
type Class string

// The classes of failure.
const (
	// ClassAPIError is an error of the model's service; trying again may help.
	ClassAPIError Class = "api_error"
	// ClassUsageLimit means the account has nothing left until RetryAt.
	ClassUsageLimit Class = "usage_limit"
	// ClassAuth means the credentials are missing or were refused.
	ClassAuth Class = "auth"
	// ClassMissing means that a program which the agent needs is not there, or
	// may not be started.
	ClassMissing Class = "missing"
	// ClassNetwork means the model's service could not be reached.
	ClassNetwork Class = "network"
	// ClassBudget means Job.MaxUSD was used up.
	ClassBudget Class = "budget"
	// ClassMaxTurns means Job.MaxTurns was used up.
	ClassMaxTurns Class = "max_turns"
	// ClassRefused means the model declined the request.
	ClassRefused Class = "refused"
	// ClassCrashed means the program ended on its own account, with an exit code
	// or by a signal, without saying why.
	ClassCrashed Class = "crashed"
	// ClassProtocol means the program ended as if all was well but never said
	// what its contract requires.
	ClassProtocol Class = "protocol"
)

// Outcome is what the agent claims about its own run. OK is that claim and no
// more: it is never evidence that the task is done.
type Outcome struct {
	OK    bool  `json:"ok"`
	Class Class `json:"class,omitempty"`
	// Message explains a failure in one sentence; Summary is the agent's own
	// closing text, whatever it is worth.
	Message   string `json:"message,omitempty"`
	Summary   string `json:"summary,omitempty"`
	SessionID string `json:"session_id,omitempty"`

	Turns   int     `json:"turns,omitempty"`
	CostUSD float64 `json:"cost_usd,omitempty"`
	Usage   Usage   `json:"usage,omitzero"`
	// Observed tells whether the adapter can see tool calls and usage. If it
	// is false, zeros above mean unknown.
	Observed bool `json:"observed"`
	// RetryAt is when a usage limit ends, where the service said so.
	RetryAt *time.Time `json:"retry_at,omitempty"`
}

// Reader turns the output of one run into records. It is fed every line of
// standard output, without its newline, in order, and then closed exactly once
// with the exit code of the process (128 plus the number of the signal for one
// that was killed). A Reader keeps no reference to line after Line returns, never
// panics whatever it is fed, and is used by one goroutine.
type Reader interface {
	Line(line []byte) []Record
	Close(exitCode int) Outcome
}

// Agent is an adapter: it knows one program's command line and output. An Agent
// holds no state of its own; one value serves any number of attempts at once.
type Agent interface {
	Name() string
	// Launch describes the process for job. It fails when job lacks what this
	// adapter needs; it starts nothing.
	Launch(job Job) (Launch, error)
	Reader() Reader
}
