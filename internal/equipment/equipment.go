// Package equipment says what this machine has for agents: their programs, and the variables that hold their credentials. It reads the
// environment and PATH, starts nothing, and never tells a value.
package equipment

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/agent/claude"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/program"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

// SecretNames are the variables an agent's program knows as its credentials.
func SecretNames(name string) []string {
	if known, ok := worker.Agents()[name].(interface{ SecretEnv() []string }); ok {
		return known.SecretEnv()
	}
	return nil
}

// Provider is where an agent's model is, in the table of package broker.
func Provider(name string) string {
	if known, ok := worker.Agents()[name].(interface{ Provider() string }); ok {
		return known.Provider()
	}
	return ""
}

// AgentLacks says what an agent's program lacks to get to work.
func AgentLacks(name string, lookup func(string) string) string {
	if known, ok := worker.Agents()[name].(interface {
		Lacks(lookup func(string) string) string
	}); ok {
		return known.Lacks(lookup)
	}
	return ""
}

// Lacks says what the agents that play a playbook's roles need and this machine has not; "" for nothing. A credential of
// the settings stands for any that an agent's program would find itself.
func Lacks(p *core.Playbook, credential bool) string {
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
		if missing := AgentLacks(def.Use, func(variable string) string { return handed(def, variable) }); missing != "" {
			return fmt.Sprintf("the agent %s: %s", name, missing)
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
	if slices.Contains(def.Secrets, variable) || slices.Contains(SecretNames(def.Use), variable) {
		return os.Getenv(variable)
	}
	return ""
}

// ModelCredential names where the credential comes from by which model calls are paid; "" for nowhere.
func ModelCredential(s config.CredentialSettings, env func(string) string) string {
	switch {
	case s.File.V != "":
		return "credential.file"
	case len(s.Command.V) > 0:
		return "credential.command"
	case s.Keyring.V != "":
		return "credential.keyring"
	}
	var set []string
	for name := range worker.Agents() {
		for _, variable := range SecretNames(name) {
			if env(variable) != "" && !slices.Contains(set, variable) {
				set = append(set, variable)
			}
		}
	}
	slices.Sort(set)
	return strings.Join(set, ", ")
}
