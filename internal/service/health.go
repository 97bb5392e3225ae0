package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/doctor"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/program"
	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// Examine implements api.Service.
func (a *Service) Examine(ctx context.Context) ([]api.Examined, error) {
	found := []api.Examined{a.examineEngine(), a.examineNetwork(), a.examineIsolation()}
	found = append(found, a.examineEngines(ctx)...)
	found = append(found, a.examineWalls(ctx)...)
	found = append(found, a.examineResources(), a.examineDatabase(ctx))
	found = append(found, a.examineObjects(ctx)...)
	found = append(found, doctor.Space(a.state.Dir), doctor.Git(ctx), a.examineAgent())
	for i, f := range found {
		found[i].What = strings.ToUpper(f.What[:1]) + f.What[1:] // headings of a page
	}
	return found, nil
}

func (a *Service) examineEngine() api.Examined {
	if a.engine.Retired() {
		return doctor.Fail("engine", retiredFound, retiredNext)
	}
	return doctor.OK("engine", "version "+a.version)
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
	return doctor.Isolation(string(kind), why, sandbox.Remedy())
}

// examineDatabase asks the database for the time, which every step needs.
func (a *Service) examineDatabase(ctx context.Context) api.Examined {
	now, err := a.store.Now(ctx)
	if err != nil {
		return api.Examined{What: "Database", Grade: api.GradeFail, Found: "it does not answer: " + err.Error(), Advice: "see that the state folder is there and can be written"}
	}
	found := api.Examined{What: "Database", Grade: api.GradeOK, Found: "answers"}
	if off := time.Since(now).Abs(); off > doctor.ClockTolerance {
		found.Grade, found.Advice = api.GradeWarn, fmt.Sprintf("its clock is %s off", off.Round(time.Second))
	}
	return found
}

// How long objects elsewhere may take to answer before that is bad, and before nobody waits any more.
const (
	objectsSlow = time.Second
	objectsAway = 5 * time.Second
)

// examineObjects stores and reads a few bytes, always the same ones, where objects are elsewhere. A folder is examined with the disk.
func (a *Service) examineObjects(ctx context.Context) []api.Examined {
	if _, folder := a.objects.(object.Linker); folder {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, objectsAway)
	defer cancel()
	began := time.Now()
	_, _, err := a.objects.Put(ctx, strings.NewReader("An engine looked whether its objects answer.\n"), 0)
	took := time.Since(began)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return []api.Examined{doctor.Fail("objects", fmt.Sprintf("they do not answer within %s", objectsAway), "check the bucket's server and the way to it; agents' work waits until it answers")}
	case err != nil:
		return []api.Examined{doctor.Fail("objects", "they cannot be stored: "+err.Error(), core.AdviceOf(err).Hint)}
	case took > objectsSlow:
		return []api.Examined{doctor.Warn("objects", fmt.Sprintf("a few bytes took %s", took.Round(100*time.Millisecond)), "check the bucket's server and the way to it; agents' work is handed in as slowly")}
	}
	return []api.Examined{doctor.OK("objects", "answer")}
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
	return doctor.Resources(resource.Bounds(kind == sandbox.Sandbox))
}
