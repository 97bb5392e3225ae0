// Package config works out the settings of a run on this machine: isolation, limits, the default agent and model, how to
// notify a person, where to open pull requests. A value comes from a flag, the environment, the person's file, the
// repository's file or the defaults, in this order, and remembers which. A repository may tighten limits and isolation,
// never loosen them. The package must not read a file of a repository itself: its caller passes the bytes of the base
// commit, so that an agent cannot change the settings it works under.
package config

import (
	"fmt"
	"strings"
	"time"

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

// Settings are the values in force.
type Settings struct {
	Isolation  Value[string]
	Agent      Value[string]   // of roles that name none
	Model      Value[string]   // of agents that name none
	Permits    Value[string]   // how Claude Code may use its tools without a person
	MCP        Value[string]   // file of MCP servers for Claude Code without a person
	ReadOnly   Value[[]string] // paths of this machine that agents may read, such as toolchains
	Approvals  Value[[]string] // further messages with which the person approves in a session
	Steering   Value[[]string] // further files to name before they are published
	Notify     Value[[]string]
	Attempts   Value[int]
	Infra      Value[int]
	Sterile    Value[int]
	WallTime   Value[time.Duration]
	Parallel   Value[int]
	AutoRounds Value[int]
	Preflight  Value[time.Duration] // how long checks may run before a run starts; zero for no preflight
	CostUSD    Value[float64]
	Tokens     Value[int64]
	Forge      ForgeSettings
	Telling    NotifySettings
	Network    NetworkSettings
	Credential CredentialSettings
	Audit      AuditSettings
	Retention  Value[time.Duration] // age after which an engine that serves prunes; zero for never

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

// Defaults are in force unless something else is set.
func Defaults() *Settings {
	s := &Settings{}
	for _, setting := range s.table() {
		setting.set(Source{Level: LevelDefault}, setting.fallback)
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
	for _, setting := range s.table() {
		entries = append(entries, Entry{setting.key, setting.show(), setting.from()})
	}
	return entries
}

// Variable is the environment variable of a setting: STELLWERK_LIMITS_ATTEMPTS.
func Variable(key string) string {
	return "STELLWERK_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}
