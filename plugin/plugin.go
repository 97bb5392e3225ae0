// Package plugin holds the Claude Code plugin as files: manifest, hooks, commands, skill and agents. The agents are also
// the built-in roles of headless runs, so both read the same words. It must not know how the files are used: it carries
// them, nothing more.
package plugin

import (
	"embed"
	"io/fs"
)

// Name is the plugin's name, which Claude Code puts before its commands and agents, and also that of its marketplace.
const Name = "stellwerk"

// Agents is the folder of the agents' files.
const Agents = "agents"

// Worker is the agent for roles that have no file of their own here: its assignment says what it is to be.
const Worker = "worker"

//go:embed .claude-plugin README.md agents commands hooks skills all:framework-docs
var files embed.FS

// Files are the plugin's files; the root is the folder that Claude Code is given.
func Files() fs.FS { return files }
