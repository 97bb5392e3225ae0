package dispatch

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/desk"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Tools are what an attempt of a project reaches the engine by.
type Tools struct {
	// Folder is shown to attempts, read-only: it holds the socket and the scripts
	// that PATH begins with. It outlives the engine, whose successor listens there.
	Folder, Socket string
	// Token is what an attempt shows to be known. It is handed over in memory.
	Token func(run, attempt string) string
}

// equip gives an attempt of a project its tools. If a person's own session
// runs the agent there are none: its commands get no secret.
func (r attemptRoom) equip(spec *shim.Spec) {
	if !r.run.Managed() || r.taken.Session != "" {
		return
	}
	spec.Env = maps.Clone(spec.Env)
	if spec.Env == nil {
		spec.Env = map[string]string{}
	}
	spec.Tools, spec.Conversation, spec.Trigger = r.d.Tools.Folder, r.conversation(), r.trigger()
	spec.Repository = r.d.redactor(r.run).String(yard.WithoutCredential(cmp.Or(r.run.Home, r.run.Remote)))
	if task := r.run.TriggeredBy(r.stage, r.task); task != "" {
		spec.TriggeredBy = r.run.TaskID(task)
	}
	spec.Env[agent.EnvSocket], spec.Env[agent.EnvProgram] = r.d.Tools.Socket, r.d.Self
	spec.Secrets = append(spec.Secrets, agent.EnvToken)
	if r.task.Kind == core.KindManage {
		spec.Env[agent.EnvOrigin] = r.originPath()
	}
}

// trigger is why an attempt was begun: for a manager, everything that woke it.
func (r attemptRoom) trigger() string {
	if r.stage.Turn == nil {
		return string(r.stage.Reason)
	}
	var kinds []string
	for _, w := range r.stage.Turn.Wakes {
		if !slices.Contains(kinds, string(w.Kind)) {
			kinds = append(kinds, string(w.Kind))
		}
	}
	return strings.Join(kinds, ",")
}

// conversation is the one that the attempt speaks in. The project's first has the project's
// own id.
func (r attemptRoom) conversation() string {
	in := r.run.Conversation
	if r.task.Kind == core.KindManage {
		in = r.run.Addressed()
	}
	return cmp.Or(in, r.run.Project)
}

// originPath is in the attempt's own home: its tools write there, too.
func (r attemptRoom) originPath() string { return originPath(r.folder) }

func originPath(folder string) string { return filepath.Join(folder, "home", "plan-origin.json") }

// cutOff turns the success of a turn whose tool calls found no engine into a failure of the
// network, so that the turn is tried again and shown what this one did.
func cutOff(folder string, body *core.AttemptExited) {
	if body.Kind == core.ExitFinished && desk.Unheard(originPath(folder)) {
		body.Kind, body.Class, body.Message = core.ExitFailed, string(agent.ClassNetwork), "a call of its tools found no engine"
	}
}

// noteOrigin notes what the plan's documents on the desk are made from.
func (r attemptRoom) noteOrigin() error {
	if err := os.MkdirAll(filepath.Dir(r.originPath()), 0o700); err != nil {
		return fmt.Errorf("make the attempt's folders: %w", err)
	}
	if err := desk.Lay(r.dir(), r.originPath()); err != nil {
		return err
	}
	return r.layScripts()
}

// scriptFolder is where an agent that was written for scripts finds its tools,
// below the desk: ./scripts/send-message.sh.
const scriptFolder = "scripts"

// layScripts puts the tools on a manager's desk by the names of scripts. Nothing of
// a desk but .ai is ever handed in, so that they are in nobody's delivery; a
// workspace of code has none of them.
func (r attemptRoom) layScripts() error {
	if !r.run.Managed() || r.d.Tools.Folder == "" {
		return nil
	}
	dir := filepath.Join(r.dir(), scriptFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of the scripts: %w", err)
	}
	for _, t := range core.Tools() {
		if err := os.Symlink(filepath.Join(r.d.Tools.Folder, t.Command()), filepath.Join(dir, t.Command()+".sh")); err != nil {
			return fmt.Errorf("lay out the script %s.sh: %w", t.Command(), err)
		}
	}
	return nil
}
