// Package registry says which hosts the package managers of this machine talk to, so that a closed network can open exactly
// those. It asks each tool what it is set to; no host is written down here, so a company's mirror works like any other. It
// decides nothing about what may be reached, and it never returns the user name or password of a URL.
package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/program"
)

// Answer is what a package manager says about itself.
type Answer struct {
	// Hosts are sorted: a host, or host:port if the port is not 443.
	Hosts []string
	// Remark is what a person should know: the tool is missing, a host could not be found out, or what a setting does not open.
	Remark string
}

// presets are the package managers and how each is asked.
func presets() map[string]func(context.Context, tool) (finding, error) {
	return map[string]func(context.Context, tool) (finding, error){
		"cargo": askCargo,
		"gem":   askGem,
		"go":    askGo,
		"npm":   askNpm,
		"pip":   askPip,
		"pnpm":  askPnpm,
		"yarn":  askYarn,
	}
}

// Known are the presets, sorted.
func Known() []string {
	names := make([]string, 0, len(presets()))
	for name := range presets() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Ask asks a preset's tool which hosts it talks to. The tool runs outside any sandbox with the environment it is given, and
// must therefore not be influenced by a repository: it runs in the root folder, above which no configuration is found, and
// is kept from the network. A tool that is missing or does not answer makes a remark, not an error.
func Ask(ctx context.Context, preset string, environ []string) (Answer, error) {
	return askWithin(ctx, answerTime, preset, environ)
}

func askWithin(ctx context.Context, limit time.Duration, preset string, environ []string) (Answer, error) {
	ask := presets()[preset]
	if ask == nil {
		return Answer{}, fmt.Errorf("no package manager %q is known: use one of %s, or name hosts in `network.allow`", preset, strings.Join(Known(), ", "))
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
		return Answer{Remark: fmt.Sprintf("%s is not installed, so its hosts are not known: install it, or %s", preset, nameThem)}, nil
	case err != nil:
		return Answer{Remark: fmt.Sprintf("%s did not say which hosts it uses (%v): %s", preset, err, nameThem)}, nil
	}
	return found.answer(preset), nil
}

// nameThem is what helps if a tool does not.
const nameThem = "name the hosts in `network.allow`"

// finding collects what a tool said.
type finding struct {
	hosts   []string
	remarks []string
}

// url adds the host of a registry. What is wrong with an address is said without it, because it may contain a password.
func (f *finding) url(setting, text string) {
	host, err := hostOf(text)
	if err != nil {
		f.remark("%s %v: %s", setting, err, nameThem)
		return
	}
	if host != "" {
		f.hosts = append(f.hosts, host)
	}
}

func (f *finding) remark(format string, args ...any) {
	f.remarks = append(f.remarks, fmt.Sprintf(format, args...))
}

func (f *finding) answer(preset string) Answer {
	if len(f.hosts) == 0 && len(f.remarks) == 0 {
		f.remark("%s is set to use no host", preset)
	}
	slices.Sort(f.hosts)
	slices.Sort(f.remarks)
	return Answer{Hosts: slices.Compact(f.hosts), Remark: strings.Join(slices.Compact(f.remarks), "; ")}
}
