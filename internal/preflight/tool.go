package preflight

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/guard/shell"
	"github.com/stellwerk-dev/stellwerk/internal/program"
)

// runtimes are what some programs stand on: they find it by its name, and its version decides what code works.
func runtimes() map[string]string {
	return map[string]string{
		"npm": "node", "npx": "node", "pnpm": "node", "yarn": "node",
		"pip": "python3", "pip3": "python3", "pytest": "python3", "tox": "python3", "uv": "python3", "poetry": "python3",
		"mvn": "java", "mvnw": "java", "gradle": "java", "gradlew": "java", "cargo": "rustc",
		"bundle": "ruby", "rake": "ruby", "rspec": "ruby", "composer": "php", "phpunit": "php", "mix": "elixir", "prove": "perl",
	}
}

// builtins are the programs that a shell has itself, so that no PATH decides about them.
func builtins() []string {
	return []string{"[", "echo", "false", "kill", "pwd", "test", "time", "times", "true", "type", "ulimit", "umask", "wait"}
}

// starter notes the programs that a command line starts. It implements [shell.Judge].
type starter struct {
	names []string
	moved bool // the line sets its own PATH: where its programs are is not known
}

// Program implements shell.Judge.
func (s *starter) Program(_ *shell.Run, p shell.Program) {
	if s.moved || p.Sourced() {
		return
	}
	name, runtime := string(p.Path), runtimes()[p.Name]
	named := p.Path.Known() && !strings.Contains(name, "/")
	if named && !slices.Contains(builtins(), name) {
		s.names = append(s.names, name)
	}
	if runtime != "" && (named || runtime == "java") { // a repository's ./gradlew looks for java, its .venv/bin/pytest has its own Python
		s.names = append(s.names, runtime)
	}
}

// Assign implements shell.Judge.
func (s *starter) Assign(_ *shell.Run, name string, _ []shell.Text) {
	s.moved = s.moved || name == "PATH"
}

// Open implements shell.Judge.
func (s *starter) Open(*shell.Run, shell.Text, bool) {}

// programs are what command lines start by name, each once. Of a line that cannot be followed it is what comes before.
func programs(lines []string) []string {
	var names []string
	for _, line := range lines {
		var s starter
		shell.Look(line, shell.Unknown(), &s)
		names = append(names, s.names...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// toolsTime is what comparing tools may take, however many they are.
const toolsTime = 20 * time.Second

// tools names the programs of the commands that are of another version inside, and those for which time was too short.
func (in Input) tools(ctx context.Context, list []wanted) (differ []core.ToolVersion, uncompared []string) {
	if !in.Place.Isolated {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, toolsTime)
	defer cancel()
	names := programs(append(commandLines(list), in.Playbook.Setup))
	for i, name := range names {
		found := in.compare(ctx, name)
		if ctx.Err() != nil { // who was ended has not said its version
			return differ, names[i:]
		}
		if found != nil {
			differ = append(differ, *found)
		}
	}
	return differ, nil
}

// compare is what a name stands for on both sides; nil if that is the same file or version. A program that only one
// side has is not started.
func (in Input) compare(ctx context.Context, name string) *core.ToolVersion {
	mine, err := program.Look(in.Place.Path, name)
	if err != nil {
		return nil
	}
	inside := in.Place.inside()
	theirs, err := program.Look(inside, name)
	if err != nil {
		return &core.ToolVersion{Name: name, Outside: "at " + mine}
	}
	if same(mine, theirs) {
		return nil
	}
	outer, inner := version(ctx, mine, in.Place.Path), version(ctx, theirs, inside)
	if unplaced(outer) == unplaced(inner) {
		return nil
	}
	return &core.ToolVersion{Name: name, Outside: outer + " at " + mine, Inside: inner + " at " + theirs}
}

// unplaced is a version without the folders that some programs name with it.
func unplaced(version string) string {
	words := slices.DeleteFunc(strings.Fields(version), filepath.IsAbs)
	return strings.Join(words, " ")
}

func commandLines(list []wanted) []string {
	lines := make([]string, 0, len(list))
	for _, w := range list {
		lines = append(lines, w.command)
	}
	return lines
}

func same(a, b string) bool {
	realA, errA := filepath.EvalSymlinks(a)
	realB, errB := filepath.EvalSymlinks(b)
	return a == b || errA == nil && errB == nil && realA == realB
}

// versionTime is what a program may take to say its version.
const versionTime = 5 * time.Second

// version asks a program of this machine for its version. Some say it on standard error, and one calls it a command. What
// does not know the question gets an empty folder to work in, and neither a home folder nor anything of the environment.
func version(ctx context.Context, file, path string) string {
	const unknown = "of an unknown version"
	dir, err := os.MkdirTemp("", "stellwerk-version-")
	if err != nil {
		return unknown
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	argument := map[string]string{"go": "version", "java": "-version"}[filepath.Base(file)]
	if argument == "" {
		argument = "--version"
	}
	cmd := exec.CommandContext(ctx, file, argument)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + path, "LC_ALL=C"}
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if err != nil || line == "" {
		return unknown
	}
	return strings.TrimSpace(line)
}
