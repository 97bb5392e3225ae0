// Package doctor examines what runs need on a machine, for `stellwerk doctor` and for the cockpit's health page. It
// changes nothing. The command itself examines settings, credentials and the engine.
package doctor

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/wall"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Timeout bounds each question to a program, a file system or a server.
const Timeout = 10 * time.Second

// ClockTolerance is how far two clocks may be apart.
const ClockTolerance = 5 * time.Second

const (
	// Git learned what the yard needs by this version.
	minGitMajor, minGitMinor = 2, 36
	spaceFail                = 256 << 20
	spaceWarn                = 2 << 30
	filesWarn                = 50_000
)

// OK is a finding that asks for nothing.
func OK(what, found string) api.Examined {
	return api.Examined{What: what, Grade: api.GradeOK, Found: found}
}

// Warn is a finding that does not stop runs.
func Warn(what, found, advice string) api.Examined {
	return api.Examined{What: what, Grade: api.GradeWarn, Found: found, Advice: advice}
}

// Fail is a finding that keeps runs from working.
func Fail(what, found, advice string) api.Examined {
	return api.Examined{What: what, Grade: api.GradeFail, Found: found, Advice: advice}
}

// line is text of another program or machine on one line.
func line(s string) string { return plain.Line(s, 2000) }

// Output is the first line that a program prints.
func Output(ctx context.Context, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, args...).Output()
	first, _, _ := strings.Cut(string(out), "\n")
	return line(first), err
}

// Git examines the git on PATH and its version.
func Git(ctx context.Context) api.Examined {
	const what = "git"
	advice := fmt.Sprintf("install git %d.%d or newer", minGitMajor, minGitMinor)
	text, err := Output(ctx, "git", "version")
	if err != nil {
		return Fail(what, "git does not run: "+err.Error(), advice)
	}
	var major, minor int
	if _, err := fmt.Sscanf(text, "git version %d.%d", &major, &minor); err != nil {
		return Warn(what, text, "could not read its version")
	}
	if major < minGitMajor || major == minGitMajor && minor < minGitMinor {
		return Fail(what, text, advice)
	}
	return OK(what, text)
}

// advice words what a person can do.
func advice(hint string, c core.Choice) string {
	return wording.Advice("", core.Advice{Hint: hint, Choices: []core.Choice{c}})
}

// Isolation grades the detected kind of isolation; why says what it lacks.
func Isolation(kind, why, remedy string) api.Examined {
	const what = "isolation"
	switch {
	case kind == string(sandbox.None) || kind == "":
		return Fail(what, "Stellwerk cannot isolate agents: "+line(why), advice(line(remedy)+"; or start runs without", core.Choice{Verb: core.VerbWithoutIsolation}))
	case why != "":
		return Warn(what, kind+": "+line(why), "a newer bubblewrap has both walls")
	}
	return OK(what, kind)
}

// Resources grades what resource.Bounds found: which limits of an attempt the kernel enforces.
func Resources(found, advice string, err error) api.Examined {
	const what = "resources"
	switch {
	case err != nil:
		return Warn(what, "Stellwerk cannot limit what attempts use: "+line(err.Error()), "")
	case advice != "":
		return Warn(what, found, line(advice))
	}
	return OK(what, found)
}

// Walls grades trials of the walls around agents.
func Walls(trials []wall.Trial, err error) []api.Examined {
	if err != nil {
		return []api.Examined{Fail("walls", "cannot test them: "+line(err.Error()), advice("attempts would not start either; run without walls", core.Choice{Verb: core.VerbWithoutIsolation}))}
	}
	grades := map[wall.State]string{wall.Holds: api.GradeOK, wall.Unclear: api.GradeWarn, wall.Broken: api.GradeFail}
	var out []api.Examined
	for _, t := range trials {
		out = append(out, api.Examined{What: t.Wall, Grade: grades[t.State], Found: line(t.Found), Advice: line(t.Advice)})
	}
	return out
}

// Space examines the free space on the disk of an existing folder.
func Space(folder string) api.Examined {
	const what = "space"
	full := advice("workspaces of large repositories may not fit; look at what can go", core.Choice{Verb: core.VerbPrune})
	var fs syscall.Statfs_t
	if err := syscall.Statfs(folder, &fs); err != nil {
		return Warn(what, "cannot read the free space: "+err.Error(), "")
	}
	free := fs.Bavail * uint64(fs.Bsize)
	found := wording.Bytes(free) + " free"
	switch {
	case free < spaceFail:
		return Fail(what, found, advice("make room, or choose another folder", core.Choice{Verb: core.VerbStateFolder}))
	case free < spaceWarn:
		return Warn(what, found, full)
	case fs.Files > 0 && fs.Ffree < filesWarn:
		return Warn(what, fmt.Sprintf("%s, room for %d more files", found, fs.Ffree), full)
	}
	return OK(what, found)
}
