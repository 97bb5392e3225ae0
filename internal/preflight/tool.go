package preflight

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/program"
)

// runtimes are the tools whose version decides what code works, with those that stand on them.
func runtimes() map[string][]string {
	return map[string][]string{
		"node": {"npm", "npx", "pnpm", "yarn"}, "python3": {"pip", "pip3", "pytest", "tox", "uv", "poetry"}, "python": nil,
		"go": nil, "cargo": nil, "rustc": {"cargo"}, "java": {"mvn", "gradle", "mvnw", "gradlew"}, "ruby": {"bundle", "rake", "rspec"},
		"php": {"composer", "phpunit"}, "dotnet": nil, "deno": nil, "bun": nil, "elixir": {"mix"}, "swift": nil, "perl": {"prove"},
	}
}

var word = regexp.MustCompile(`[A-Za-z0-9_.+-]+`)

// tools names those that the commands use and that are other ones inside. Where both are the same file nothing is started.
func (in Input) tools(ctx context.Context, list []wanted) []core.ToolVersion {
	if !in.Place.Isolated {
		return nil
	}
	var used []string
	for _, text := range append(commandLines(list), in.Playbook.Setup) {
		used = append(used, word.FindAllString(text, -1)...)
	}
	var differ []core.ToolVersion
	inside := in.Place.inside()
	for name, above := range runtimes() {
		if !slices.ContainsFunc(append(above, name), func(tool string) bool { return slices.Contains(used, tool) }) {
			continue
		}
		mine, err := program.Look(in.Place.Path, name)
		if err != nil {
			continue
		}
		theirs, err := program.Look(inside, name)
		if err == nil && same(mine, theirs) {
			continue
		}
		found := core.ToolVersion{Name: name, Outside: version(ctx, mine, in.Place.Path)}
		if err == nil {
			found.Inside = version(ctx, theirs, inside)
		}
		if ctx.Err() != nil { // who was ended has not said its version
			break
		}
		if found.Outside != found.Inside {
			found.Outside += " at " + mine
			if err == nil {
				found.Inside += " at " + theirs
			}
			differ = append(differ, found)
		}
	}
	slices.SortFunc(differ, func(a, b core.ToolVersion) int { return strings.Compare(a.Name, b.Name) })
	return differ
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

// version asks a program of this machine for its version. Some say it on standard error, and one calls it a command.
func version(ctx context.Context, file, path string) string {
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	argument := map[string]string{"go": "version", "java": "-version"}[filepath.Base(file)]
	if argument == "" {
		argument = "--version"
	}
	cmd := exec.CommandContext(ctx, file, argument)
	cmd.Env = []string{"PATH=" + path, "LC_ALL=C"}
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if err != nil || line == "" {
		return "of an unknown version"
	}
	return strings.TrimSpace(line)
}
