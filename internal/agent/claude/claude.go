// Package claude runs Claude Code headless: it builds the command line and reads
// the stream of JSON lines the program prints. It keeps the person's own set-up
// and the repository's settings out of an attempt, since both can run commands
// of their own. It knows nothing of what a task is for, and it takes the
// program's word for nothing but what the program said.
package claude

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/program"
)

// Keys of agent.Job.Options that only this adapter understands.
const (
	// OptionPermissionMode replaces the permission mode chosen by Launch.
	OptionPermissionMode = "permission_mode"
	// OptionMaxRetries is how often a failed call to the model is repeated.
	OptionMaxRetries = "max_retries"
)

// Agent is the adapter.
type Agent struct{}

var _ agent.Agent = Agent{}

// Name is how playbooks call this agent.
func (Agent) Name() string { return "claude" }

// Program is what the agent is called on a PATH.
const Program = "claude"

// CredentialAdvice says what works inside an attempt, where nothing of the
// person's own home is visible.
const CredentialAdvice = "attempts do not see a login in your home folder: set ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN " +
	"(`claude setup-token` creates one for a subscription), in the environment that starts stellwerk; " +
	"for Bedrock, Vertex or Foundry, give the agent their variables in the playbook, under `env:` or `secrets:`"

// SecretEnv names the variables that carry credentials. Launch never sets them:
// who starts the process passes those it has, and hides their values.
func (Agent) SecretEnv() []string {
	return []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"}
}

// Provider is whose model the program asks, by its name in package broker.
func (Agent) Provider() string { return "anthropic" }

// Lacks says what keeps the program from getting to work: no credential that it
// could see. lookup must know only the variables that an attempt gets. A cloud's
// own sign-in and a helper that an employer has set are not looked into.
func (a Agent) Lacks(lookup func(name string) string) string {
	clouds := []string{"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"}
	for _, name := range append(a.SecretEnv(), clouds...) {
		if lookup(name) != "" {
			return ""
		}
	}
	for _, file := range managedSettings() {
		if data, err := os.ReadFile(file); err == nil && bytes.Contains(data, []byte("apiKeyHelper")) {
			return ""
		}
	}
	return "Claude Code has no credential; " + CredentialAdvice
}

// managedSettings are what an employer sets for Claude Code, and shown inside.
func managedSettings() []string {
	return []string{"/etc/claude-code/managed-settings.json", "/Library/Application Support/ClaudeCode/managed-settings.json"}
}

// Reader reads the output of one run.
func (Agent) Reader() agent.Reader { return newReader() }

// Launch describes a headless run. The prompt arrives on standard input, where
// its length has no limit.
//
// Permissions: nobody is there to answer, so a tool is either allowed or denied.
// With plain tool names, or none, what the role offers is all there is and every
// use of it is allowed: the sandbox is the boundary, not the program's prompts.
// If a tool carries a rule, such as Bash(git log *), only what the rules name
// is allowed and the rest is denied: by the program, and for the shell by a hook
// of ours too, since the program lets pass what it takes for harmless.
//
// Settings: no file of them is read but the employer's. A repository's .claude
// folder may define hooks and helpers that run commands, or name another address
// for the model; the person's own may hold MCP servers, of which those are started
// that the person named for this. Those in the job's private home would be the
// agent's own work: the program obeys them while it runs, and could be sent away
// from its model. The repository's CLAUDE.md is plain instructions and is read.
func (Agent) Launch(job agent.Job) (agent.Launch, error) {
	binary, err := find(job)
	if err != nil {
		return agent.Launch{}, err
	}
	flags, err := flags(job)
	if err != nil {
		return agent.Launch{}, err
	}
	launch := agent.Launch{
		Argv:     append([]string{binary}, flags...),
		Env:      environment(job),
		Stdin:    job.Prompt,
		ReadOnly: []string{binary},
	}
	for _, path := range []string{job.Role.SystemPrompt, job.Options[agent.OptionMCP]} {
		if path != "" {
			launch.ReadOnly = append(launch.ReadOnly, path)
		}
	}
	return launch, nil
}

// find is the path of the native program behind whatever links lead to it,
// so that a sandbox need show that one file only.
func find(job agent.Job) (string, error) {
	if path := job.Options[agent.OptionBinary]; path != "" {
		return path, nil
	}
	path, err := program.Look(os.Getenv("PATH"), Program)
	if err != nil {
		return "", fmt.Errorf("finding Claude Code: %w", err)
	}
	path, err = filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("finding Claude Code: %w", err)
	}
	return path, nil
}

func flags(job agent.Job) ([]string, error) {
	args := []string{
		"-p", "--output-format", "stream-json", "--verbose",
		"--no-session-persistence",
		"--strict-mcp-config",
		"--setting-sources", "",
	}
	if job.Role.SystemPrompt != "" {
		args = append(args, "--append-system-prompt-file", job.Role.SystemPrompt)
	}
	if path := job.Options[agent.OptionMCP]; path != "" { // beside --strict-mcp-config these are all there are
		args = append(args, "--mcp-config", path)
	}
	if job.Role.Model != "" {
		args = append(args, "--model", job.Role.Model)
	}
	if job.MaxTurns > 0 {
		args = append(args, "--max-turns", strconv.Itoa(job.MaxTurns))
	}
	if job.MaxUSD > 0 {
		args = append(args, "--max-budget-usd", strconv.FormatFloat(job.MaxUSD, 'f', -1, 64))
	}
	args = append(args, "--permission-mode", permissionMode(job), "--add-dir", job.Dir)
	if asksNobody(job) {
		args = append(args, job.In, job.Out)
	}
	args = append(args, toolFlags(job)...)
	hooks, err := keeper(job)
	if err != nil {
		return nil, err
	}
	args = append(args, hooks...)
	for _, word := range slices.Concat([]string{job.Role.Model}, job.Role.Tools, job.Role.DisallowedTools) {
		if strings.HasPrefix(word, "-") {
			return nil, fmt.Errorf("role %s: %q is neither a tool nor a model", job.Role.Name, word)
		}
	}
	return args, nil
}

func permissionMode(job agent.Job) string {
	if mode := job.Options[OptionPermissionMode]; mode != "" {
		return mode
	}
	if slices.ContainsFunc(job.Role.Tools, func(tool string) bool { return strings.Contains(tool, "(") }) { // a rule
		return modeListed
	}
	return modeBypass
}

// The program's permission modes: what no rule allows is denied, or everything
// that exists is allowed.
const (
	modeListed = "dontAsk"
	modeBypass = "bypassPermissions"
)

func asksNobody(job agent.Job) bool { return permissionMode(job) == modeListed }

// toolFlags offers the role's tools. The program takes bare names for what
// exists and rules for what is allowed.
func toolFlags(job agent.Job) []string {
	var args []string
	role := job.Role
	if len(role.Tools) > 0 {
		var names []string
		for _, tool := range role.Tools {
			name, _, _ := strings.Cut(tool, "(")
			names = append(names, strings.TrimSpace(name))
		}
		args = append(args, "--tools", strings.Join(names, ","))
	}
	if asksNobody(job) {
		allowed := role.Tools
		if len(allowed) == 0 {
			allowed = ordinaryTools()
		}
		for _, server := range strings.Fields(job.Options[agent.OptionMCPServers]) {
			allowed = append(slices.Clip(allowed), "mcp__"+server) // by the role's list, or for want of one
		}
		args = append(append(args, "--allowedTools"), allowed...)
	}
	if len(role.DisallowedTools) > 0 {
		args = append(append(args, "--disallowedTools"), role.DisallowedTools...)
	}
	return args
}

// ordinaryTools are what a role without a list may use where everything has to be
// allowed by name.
func ordinaryTools() []string {
	return []string{shellTool, "Edit", "Glob", "Grep", "NotebookEdit", "Read", "Task", "TodoWrite", "WebFetch", "WebSearch", "Write"}
}

func environment(job agent.Job) []string {
	env := []string{
		"HOME=" + job.Home,
		"CLAUDE_CONFIG_DIR=" + job.Home,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1",
		// Makes --add-dir read the workspace's CLAUDE.md, which the absence of
		// project settings would leave out.
		"CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD=1",
	}
	if permissionMode(job) == modeBypass {
		// Without it the program refuses this mode to root, which is who an
		// agent is inside a container.
		env = append(env, "IS_SANDBOX=1")
	}
	if url := job.Options[agent.OptionBaseURL]; url != "" {
		env = append(env, "ANTHROPIC_BASE_URL="+url)
	}
	if retries := job.Options[OptionMaxRetries]; retries != "" {
		env = append(env, "CLAUDE_CODE_MAX_RETRIES="+retries)
	}
	return env
}
