package preflight

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/program"
)

// agents looks at the programs that would do the work, and at what they need.
func (in Input) agents(ctx context.Context) []problem {
	var problems []problem
	for _, name := range slices.Sorted(maps.Keys(in.Agents)) {
		in.Tell("agent " + name)
		def := in.Agents[name]
		found := in.program(ctx, name, def)
		if found == nil {
			found = in.credential(name, def)
		}
		if found != nil {
			problems = append(problems, *found)
		}
	}
	return problems
}

func (in Input) program(ctx context.Context, name string, def core.Agent) *problem {
	switch {
	case def.Use == claudeProgram:
		return in.claude()
	case def.Use != agent.Command || len(def.Run) == 0:
		return nil
	case filepath.IsAbs(def.Run[0]):
		return in.started(fmt.Sprintf("the agent %s runs %s", name, def.Run[0]), def.Run[0])
	case strings.Contains(def.Run[0], "/"):
		return in.versioned(ctx, name, def.Run[0], true)
	}
	elsewhere, err := in.Place.find(def.Run[0])
	switch {
	case err == nil:
		return in.script(ctx, name, def.Run)
	case elsewhere != "":
		return &problem{fmt.Sprintf("the agent %s runs `%s`, which is at %s, and the isolation does not show that folder", name, def.Run[0], elsewhere), in.Place.show(elsewhere)}
	case errors.Is(err, program.ErrNotExecutable):
		return &problem{fmt.Sprintf("the agent %s runs `%s`: %v", name, def.Run[0], err), ""}
	}
	return &problem{
		fmt.Sprintf("the playbook %s runs `%s` as the agent %s, but no such program is on the PATH", in.Playbook.Name, def.Run[0], name),
		"install it, or give its path",
	}
}

// claudeProgram is both the name of the agent and of its program.
const claudeProgram = "claude"

// claude looks for Claude Code. Its program is shown inside wherever it lies, what it is a script of is not.
func (in Input) claude() *problem {
	full, err := program.Look(in.Place.Path, claudeProgram)
	if err == nil {
		return in.started("the playbook "+in.Playbook.Name+" needs Claude Code", full)
	}
	if errors.Is(err, program.ErrNotExecutable) {
		return &problem{fmt.Sprintf("the playbook %s needs Claude Code: %v", in.Playbook.Name, err), ""}
	}
	return &problem{
		fmt.Sprintf("the playbook %s needs Claude Code, but `claude` is not on the PATH", in.Playbook.Name),
		"install it (npm install -g @anthropic-ai/claude-code), or use another program as the agent: " + plain.Manual("recipes.md#another-program-as-the-agent"),
	}
}

// started is what keeps a file of this machine from being started.
func (in Input) started(who, file string) *problem {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	err := program.Executable(file)
	if err == nil {
		err = program.CheckInterpreter(file, program.Interpreter(file), in.Place.inside())
	}
	if err == nil {
		return nil
	}
	return &problem{fmt.Sprintf("%s: %v", who, err), ""}
}

// interpreters are programs whose first argument is the file they run.
func interpreters() []string {
	return []string{"sh", "bash", "dash", "zsh", "fish", "python", "python3", "node", "ruby", "perl"}
}

// script looks for the file of the repository that an interpreter is given.
func (in Input) script(ctx context.Context, name string, run []string) *problem {
	if len(run) < 2 || !slices.Contains(interpreters(), run[0]) || strings.HasPrefix(run[1], "-") || filepath.IsAbs(run[1]) {
		return nil
	}
	return in.versioned(ctx, name, run[1], false)
}

// versioned looks at a program that the repository brings along.
func (in Input) versioned(ctx context.Context, name, file string, started bool) *problem {
	clean := path.Clean(file)
	mode, ok := in.Files[clean]
	switch {
	case !ok:
		return &problem{fmt.Sprintf("program not found: the agent %s runs %s, but the run's base commit has no such file", name, file),
			"commit it, or correct `run` in the playbook " + in.Playbook.Name}
	case !started:
		return nil
	case mode != modeExecutable && mode != modeLink:
		return &problem{fmt.Sprintf("the agent %s runs %s, which is not executable", name, file),
			fmt.Sprintf("chmod +x %s && git commit -m 'make %s executable' %s", clean, clean, clean)}
	}
	head, err := in.Head(ctx, clean)
	if err != nil {
		return nil // a link, or larger than a script is: the start will show
	}
	if err := program.CheckInterpreter(file, program.Shebang(head), in.Place.inside()); err != nil {
		return &problem{fmt.Sprintf("the agent %s runs %s: %v", name, file, err), ""}
	}
	return nil
}

// Modes of a git tree.
const (
	modeExecutable = "100755"
	modeLink       = "120000"
)

// credential looks whether an agent would have what it needs to get to work. It compares names only, and asks nobody.
func (in Input) credential(name string, def core.Agent) *problem {
	for _, secret := range def.Secrets {
		if in.Place.Getenv(secret) == "" {
			return &problem{fmt.Sprintf("the agent %s needs %s, which is not set", name, secret), "set it in the environment that starts stellwerk"}
		}
	}
	lacks := in.Lacks(def.Use, func(variable string) string { return in.visible(def, variable) })
	if lacks == "" {
		return nil
	}
	what, help, _ := strings.Cut(lacks, "; ")
	return &problem{fmt.Sprintf("the agent %s cannot start: %s", name, what), help}
}

// visible is the value that an attempt of the agent finds in a variable. The engine's environment alone gives it none: it
// gets what its definition sets or names, and what its program is known to read a credential from.
func (in Input) visible(def core.Agent, variable string) string {
	if value := def.Env[variable]; value != "" {
		return value
	}
	if slices.Contains(def.Secrets, variable) || slices.Contains(in.Handed(def.Use), variable) {
		return in.Place.Getenv(variable)
	}
	return ""
}
