package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/program"
	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// Below so much free space work may stop, and soon will.
const (
	spaceWarn = 2 << 30
	spaceFail = 256 << 20
)

// examineTimeout bounds the question to a program about its version.
const examineTimeout = 5 * time.Second

// Examine implements api.Service.
func (a *Service) Examine(ctx context.Context) ([]api.Examined, error) {
	found := []api.Examined{
		{What: "Engine", Grade: api.GradeOK, Found: "version " + a.version},
		a.examineNetwork(), a.examineIsolation(),
	}
	found = append(found, a.examineWalls(ctx)...)
	return append(found, a.examineResources(), a.examineDatabase(ctx), a.examineSpace(), examineGit(ctx), a.examineAgent()), nil
}

func (a *Service) examineNetwork() api.Examined {
	address := a.address.Load()
	if address == nil {
		return api.Examined{What: "Network", Grade: api.GradeOK, Found: "reached by the state folder's socket alone"}
	}
	return api.Examined{What: "Network", Grade: api.GradeOK, Found: "reached at " + *address}
}

func (a *Service) examineIsolation() api.Examined {
	kind, why := a.isolation()
	if kind == sandbox.None {
		return api.Examined{
			What: "Isolation", Grade: api.GradeFail, Found: "agents cannot be isolated: " + why,
			Advice: sandbox.Remedy() + "; or start runs without isolation where you trust what they do",
		}
	}
	return api.Examined{What: "Isolation", Grade: api.GradeOK, Found: string(kind)}
}

// examineDatabase asks the database for the time, which every step needs.
func (a *Service) examineDatabase(ctx context.Context) api.Examined {
	now, err := a.store.Now(ctx)
	if err != nil {
		return api.Examined{What: "Database", Grade: api.GradeFail, Found: "it does not answer: " + err.Error(), Advice: "see that the state folder is there and can be written"}
	}
	found := api.Examined{What: "Database", Grade: api.GradeOK, Found: "answers"}
	if off := time.Since(now).Abs(); off > examineTimeout {
		found.Grade, found.Advice = api.GradeWarn, fmt.Sprintf("its clock is %s off", off.Round(time.Second))
	}
	return found
}

func (a *Service) examineSpace() api.Examined {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(a.state.Dir, &fs); err != nil {
		return api.Examined{What: "Space", Grade: api.GradeWarn, Found: "the free space is not known: " + err.Error()}
	}
	free := fs.Bavail * uint64(fs.Bsize)
	found := api.Examined{What: "Space", Grade: api.GradeOK, Found: fmt.Sprintf("%.1f GiB free in the state folder", float64(free)/(1<<30))}
	switch {
	case free < spaceFail:
		found.Grade, found.Advice = api.GradeFail, "make room: runs stop when nothing can be written"
	case free < spaceWarn:
		found.Grade, found.Advice = api.GradeWarn, "workspaces of large repositories may not fit"
	}
	return found
}

func examineGit(ctx context.Context) api.Examined {
	ctx, cancel := context.WithTimeout(ctx, examineTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, "git", "version").Output()
	if err != nil {
		return api.Examined{What: "Git", Grade: api.GradeFail, Found: "git does not run: " + err.Error(), Advice: "install git: nothing works without it"}
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return api.Examined{What: "Git", Grade: api.GradeOK, Found: plain.Clip(line, 80)}
}

// examineAgent only looks whether the agent of the built-in playbooks is there:
// starting it is for attempts.
func (a *Service) examineAgent() api.Examined {
	path, err := program.Look(os.Getenv("PATH"), a.agentProgram)
	if errors.Is(err, program.ErrNotExecutable) {
		return api.Examined{What: "Claude Code", Grade: api.GradeWarn, Found: err.Error()}
	}
	if err != nil {
		return api.Examined{
			What: "Claude Code", Grade: api.GradeWarn, Found: "there is no `claude` on the engine's PATH",
			Advice: "install it, or use playbooks with other agents",
		}
	}
	return api.Examined{What: "Claude Code", Grade: api.GradeOK, Found: path}
}

func (a *Service) examineResources() api.Examined {
	kind, _ := a.isolation()
	found, advice, err := resource.Bounds(kind == sandbox.Sandbox)
	if err != nil {
		return api.Examined{What: "Resources", Grade: api.GradeWarn, Found: "attempts cannot be bounded: " + err.Error()}
	}
	examined := api.Examined{What: "Resources", Grade: api.GradeOK, Found: found}
	if advice != "" {
		examined.Grade, examined.Advice = api.GradeWarn, advice
	}
	return examined
}
