package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/agent/claude"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/program"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// able says what this machine lacks to work on a project that an engine on another one
// owned before: the repository, if it was given by its path, and the isolation and agents
// of its open runs. What cannot be found out keeps nobody from trying.
func (a *App) able(ctx context.Context, project string) error {
	row, err := a.store.Project(ctx, project)
	if err != nil {
		return nil //nolint:nilerr // nothing is known of it
	}
	if a.find.Elsewhere(row.ID, row.RepoURL) {
		return fmt.Errorf("its repository %s is on another machine", row.RepoURL)
	}
	if filepath.IsAbs(row.RepoURL) {
		if _, err := os.Stat(row.RepoURL); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("its repository %s is not on this machine", row.RepoURL)
		}
	}
	open, err := a.store.Runs(ctx, store.Filter{Project: project, Open: true})
	if err != nil {
		return nil //nolint:nilerr // nothing is known of its runs
	}
	for _, r := range open {
		run, err := a.engine.Load(ctx, r.ID)
		if err != nil {
			continue
		}
		if kind, why := a.isolation(); run.Isolation == string(sandbox.Sandbox) && kind != sandbox.Sandbox {
			return fmt.Errorf("run %s: this machine has no sandbox: %s", run.Alias, why)
		}
		if lacks := lacks(run.Playbook, a.settings.Credential.Set()); lacks != "" {
			return fmt.Errorf("run %s: %s", run.Alias, lacks)
		}
	}
	return nil
}

// lacks says what the agents that play a playbook's roles need and this machine has not; "" for nothing. A credential of
// the settings stands for any that an agent's program would find itself.
func lacks(p *core.Playbook, credential bool) string {
	used := map[string]bool{}
	for _, role := range p.Roles {
		used[role.Agent] = true
	}
	for _, name := range slices.Sorted(maps.Keys(p.Agents)) {
		def := p.Agents[name]
		if !used[name] {
			continue
		}
		if err := installed(def); err != nil {
			return fmt.Sprintf("the agent %s: %v", name, err)
		}
		for _, secret := range def.Secrets {
			if os.Getenv(secret) == "" {
				return fmt.Sprintf("the agent %s needs %s, which is not set here", name, secret)
			}
		}
		if credential {
			continue
		}
		if lacks := agentLacks(def.Use, func(variable string) string { return handed(def, variable) }); lacks != "" {
			return fmt.Sprintf("the agent %s: %s", name, lacks)
		}
	}
	return ""
}

// installed fails if an agent's program is not on this machine. One that the repository brings along is.
func installed(def core.Agent) error {
	name := ""
	switch {
	case def.Use == claude.Program:
		name = claude.Program
	case def.Use == agent.Command && len(def.Run) > 0:
		name = def.Run[0]
	}
	switch {
	case filepath.IsAbs(name):
		return program.Executable(name)
	case name == "" || strings.Contains(name, "/"):
		return nil
	}
	_, err := program.Look(os.Getenv("PATH"), name)
	return err
}

// handed is the value that an attempt of an agent finds in a variable here.
func handed(def core.Agent, variable string) string {
	if value := def.Env[variable]; value != "" {
		return value
	}
	if slices.Contains(def.Secrets, variable) || slices.Contains(secretNames(def.Use), variable) {
		return os.Getenv(variable)
	}
	return ""
}
