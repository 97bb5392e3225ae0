// Package config settles what holds on this machine for this run: isolation, limits, the default agent and model, how to
// tell a person, where pull requests are opened. A value comes from a flag, the environment, the person's file, the repository's file
// or the defaults, in this order, and remembers which. A repository may tighten limits and isolation, never loosen them.
// The package reads no file of a repository itself: its caller hands over the bytes of the base commit, so that an agent
// cannot change the settings it works under.
package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// ProjectFile is the repository's settings file, relative to its root.
const ProjectFile = ".stellwerk/config.yaml"

// Level is where a value comes from.
type Level string

// The levels, from the weakest to the strongest.
const (
	LevelDefault     Level = "default"
	LevelProject     Level = "project"
	LevelUser        Level = "user"
	LevelEnvironment Level = "environment"
	LevelFlag        Level = "flag"
)

// Source says where a value comes from: the level, and the flag, variable or place in a file.
type Source struct {
	Level Level
	Where string
}

func (s Source) String() string {
	if s.Where == "" {
		return string(s.Level)
	}
	return fmt.Sprintf("%s (%s)", s.Level, s.Where)
}

// Value is a setting's value and where it comes from.
type Value[T any] struct {
	V    T
	From Source
}

// Settings are what holds.
type Settings struct {
	Isolation  Value[string]
	Agent      Value[string]   // of roles for which nothing else is said
	Model      Value[string]   // of agents for which nothing else is said
	Permits    Value[string]   // how Claude Code is let use its tools without a person
	MCP        Value[string]   // file of MCP servers for Claude Code without a person
	ReadOnly   Value[[]string] // paths of this machine that agents may read, such as toolchains
	Approvals  Value[[]string] // messages with which the person approves in a session, beside the known ones
	Steering   Value[[]string] // files that are named before they are published, beside the known ones
	Notify     Value[[]string]
	Attempts   Value[int]
	Infra      Value[int]
	Sterile    Value[int]
	WallTime   Value[time.Duration]
	Parallel   Value[int]
	AutoRounds Value[int]
	Preflight  Value[time.Duration] // how long the checks are tried before a run; zero for no look at all
	CostUSD    Value[float64]
	Tokens     Value[int64]
	Forge      ForgeSettings
	Telling    NotifySettings
	Network    NetworkSettings
	Credential CredentialSettings
	Retention  Value[time.Duration] // after which an engine that serves prunes; zero for never

	AttemptCostUSD Value[float64]
	AttemptTokens  Value[int64]

	ProjectCostUSD  Value[float64]
	ProjectTokens   Value[int64]
	ProjectWallTime Value[time.Duration]
	ProjectAttempts Value[int]
	ProjectParallel Value[int]

	Resources    ResourceSettings // of an attempt
	AllResources ResourceSettings // of all attempts together
}

// Defaults are in force where nothing else is set.
func Defaults() *Settings {
	limits, s := core.DefaultLimits(), &Settings{}
	values := map[string]any{
		"isolation": IsolationSandbox, "agent": "claude", "model": "", "claude_permissions": PermissionsBypass, "claude_mcp": "",
		"read_only": []string(nil), "approval_words": []string(nil), "steering_files": []string(nil), "notify": []string{NotifyBell},
		"limits.attempts": limits.Attempts, "limits.infra": limits.Infra, "limits.sterile": limits.Sterile,
		"limits.wall_time": limits.WallTime, "limits.parallel": limits.Parallel, "limits.auto_rounds": limits.AutoRounds,
		"limits.cost_usd": limits.CostUSD, "limits.tokens": limits.Tokens,
		"limits.attempt.cost_usd": limits.Attempt.CostUSD, "limits.attempt.tokens": limits.Attempt.Tokens,
		"limits.project.cost_usd": limits.Project.CostUSD, "limits.project.tokens": limits.Project.Tokens,
		"limits.project.wall_time": limits.Project.WallTime,
		"limits.project.attempts":  limits.Project.Attempts, "limits.project.parallel": limits.Project.Parallel,
	}
	maps.Copy(values, resourceDefaults())
	maps.Copy(values, forgeDefaults())
	maps.Copy(values, notifyDefaults())
	maps.Copy(values, networkDefaults())
	maps.Copy(values, credentialDefaults())
	values["retention"], values["preflight"] = time.Duration(0), 2*time.Minute
	for _, setting := range table() {
		setting.store(s, Source{Level: LevelDefault}, values[setting.key])
	}
	return s
}

// Limits are the limits of a run.
func (s *Settings) Limits() core.Limits {
	return core.Limits{
		Attempts: s.Attempts.V, Infra: s.Infra.V, Sterile: s.Sterile.V, WallTime: s.WallTime.V, Parallel: s.Parallel.V,
		CostUSD: s.CostUSD.V, Tokens: s.Tokens.V, AutoRounds: s.AutoRounds.V,
		Attempt: core.AttemptLimits{CostUSD: s.AttemptCostUSD.V, Tokens: s.AttemptTokens.V},
		Project: core.ProjectLimits{
			CostUSD: s.ProjectCostUSD.V, Tokens: s.ProjectTokens.V, WallTime: s.ProjectWallTime.V,
			Attempts: s.ProjectAttempts.V, Parallel: s.ProjectParallel.V,
		},
	}
}

// Entry is a setting for people to read.
type Entry struct {
	Key   string
	Value string
	From  Source
}

// Entries lists every setting, in the order of the documentation.
func (s *Settings) Entries() []Entry {
	var entries []Entry
	add := func(key, value string, from Source) { entries = append(entries, Entry{key, value, from}) }
	count := func(n int64) string {
		if n == 0 {
			return "no limit"
		}
		return fmt.Sprint(n)
	}
	cost := func(usd float64) string {
		if usd == 0 {
			return "no limit"
		}
		return core.Money(usd)
	}
	length := func(d time.Duration) string {
		if d == 0 {
			return "no limit"
		}
		return yamlfile.FormatDuration(d)
	}
	add("isolation", s.Isolation.V, s.Isolation.From)
	add("agent", s.Agent.V, s.Agent.From)
	add("model", s.Model.V, s.Model.From)
	add("claude_permissions", s.Permits.V, s.Permits.From)
	add("claude_mcp", s.MCP.V, s.MCP.From)
	add("read_only", strings.Join(s.ReadOnly.V, " "), s.ReadOnly.From)
	add("approval_words", strings.Join(s.Approvals.V, "; "), s.Approvals.From)
	add("steering_files", strings.Join(s.Steering.V, ", "), s.Steering.From)
	add("notify", strings.Join(s.Notify.V, " "), s.Notify.From)
	add("limits.attempts", fmt.Sprint(s.Attempts.V), s.Attempts.From)
	add("limits.infra", fmt.Sprint(s.Infra.V), s.Infra.From)
	add("limits.sterile", fmt.Sprint(s.Sterile.V), s.Sterile.From)
	add("limits.wall_time", yamlfile.FormatDuration(s.WallTime.V), s.WallTime.From)
	add("limits.parallel", fmt.Sprint(s.Parallel.V), s.Parallel.From)
	add("limits.auto_rounds", fmt.Sprint(s.AutoRounds.V), s.AutoRounds.From)
	add("limits.cost_usd", cost(s.CostUSD.V), s.CostUSD.From)
	add("limits.tokens", count(s.Tokens.V), s.Tokens.From)
	add("limits.attempt.cost_usd", cost(s.AttemptCostUSD.V), s.AttemptCostUSD.From)
	add("limits.attempt.tokens", count(s.AttemptTokens.V), s.AttemptTokens.From)
	add("limits.project.cost_usd", cost(s.ProjectCostUSD.V), s.ProjectCostUSD.From)
	add("limits.project.tokens", count(s.ProjectTokens.V), s.ProjectTokens.From)
	add("limits.project.wall_time", length(s.ProjectWallTime.V), s.ProjectWallTime.From)
	add("limits.project.attempts", count(int64(s.ProjectAttempts.V)), s.ProjectAttempts.From)
	add("limits.project.parallel", count(int64(s.ProjectParallel.V)), s.ProjectParallel.From)
	entries = slices.Concat(entries, s.Resources.entries("resources."), s.AllResources.entries("resources.total."),
		s.Network.entries(), s.Credential.entries())
	preflight := "off"
	if s.Preflight.V > 0 {
		preflight = yamlfile.FormatDuration(s.Preflight.V)
	}
	add("preflight", preflight, s.Preflight.From)
	retention := "off"
	if s.Retention.V > 0 {
		retention = FormatAge(s.Retention.V)
	}
	return append(slices.Concat(entries, s.Forge.entries(), s.Telling.entries()), Entry{"retention", retention, s.Retention.From})
}

// Variable is the environment variable of a setting: STELLWERK_LIMITS_ATTEMPTS.
func Variable(key string) string {
	return "STELLWERK_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}
