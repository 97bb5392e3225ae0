// Package registry says which hosts the package managers of this machine talk to, so that a closed network can open exactly
// those, and what a tool needs to talk to the same ones where it sees neither the person's home folder nor their environment.
// It asks each tool what it is set to; no host is written down here, so a company's mirror works like any other. It decides
// nothing about what may be reached, and it never returns the user name, the password or the query of a URL.
package registry

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/program"
)

// Answer is what a package manager says about itself.
type Answer struct {
	// Hosts are sorted: a host, or host:port if the port is not 443.
	Hosts []string
	// Settings make the tool use these hosts. They are empty if the tool is set to nothing.
	Settings Settings
	// Remark is what a person should know: the tool is missing, a host could not be found out, or what a setting does not open.
	Remark string
}

// Settings are what a tool has to find inside a sandbox.
type Settings struct {
	// Variables are for the environment: what no repository can set, and what the person's own environment has.
	Variables map[string]string
	// Files are for the home folder, by their path in it. A repository's own settings win over them, as they do outside.
	Files map[string]string
}

// preset is a package manager.
type preset struct {
	ask   func(context.Context, tool) (finding, error)
	marks []string // patterns of the files that show that a project uses it
}

func presets() map[string]preset {
	return map[string]preset{
		"cargo": {askCargo, []string{"Cargo.toml"}},
		"gem":   {askGem, []string{"Gemfile"}},
		"go":    {askGo, []string{"go.mod"}},
		"npm":   {askNpm, []string{"package-lock.json", "npm-shrinkwrap.json"}},
		"pip":   {askPip, []string{"requirements*.txt", "*-requirements.txt", "pyproject.toml", "setup.py", "Pipfile", "poetry.lock", "uv.lock"}},
		"pnpm":  {askPnpm, []string{"pnpm-lock.yaml"}},
		"yarn":  {askYarn, []string{"yarn.lock"}},
	}
}

// Known are the presets, sorted.
func Known() []string { return slices.Sorted(maps.Keys(presets())) }

// Ask asks a preset's tool which hosts it talks to. The tool runs outside any sandbox with the environment it is given, and
// must therefore not be influenced by a repository: it runs in the root folder, above which no configuration is found, and
// is kept from the network. A tool that is missing or does not answer makes a remark, not an error.
func Ask(ctx context.Context, preset string, environ []string) (Answer, error) {
	return askWithin(ctx, answerTime, preset, environ)
}

func askWithin(ctx context.Context, limit time.Duration, preset string, environ []string) (Answer, error) {
	ask := presets()[preset].ask
	if ask == nil {
		return Answer{}, fmt.Errorf("unknown package manager %q: use one of %s, or name hosts in `network.allow`", preset, strings.Join(Known(), ", "))
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	found, err := ask(limited, tool{environ: environ})
	switch {
	case ctx.Err() != nil:
		return Answer{}, fmt.Errorf("asking %s which hosts it uses: %w", preset, context.Cause(ctx))
	case limited.Err() != nil:
		return Answer{Remark: fmt.Sprintf("%s did not say within %v which hosts it uses: %s", preset, limit, nameThem)}, nil
	case errors.Is(err, program.ErrMissing), errors.Is(err, program.ErrNotExecutable):
		return Answer{Remark: fmt.Sprintf("%s is not installed, so Stellwerk cannot ask it for its hosts: install it, or %s", preset, nameThem)}, nil
	case err != nil:
		return Answer{Remark: fmt.Sprintf("%s did not say which hosts it uses (%v): %s", preset, err, nameThem)}, nil
	}
	return found.answer(preset), nil
}

// nameThem is what a person can do if a tool does not answer.
const nameThem = "name the hosts in `network.allow`"
