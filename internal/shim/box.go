package shim

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// agentBox says what the agent sees and with which environment it runs.
func agentBox(folder string, spec Spec, self string, launch agent.Launch, secrets variables, way *gateway) (sandbox.Spec, error) {
	tmp := filepath.Join(folder, tmpFolder)
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return sandbox.Spec{}, fmt.Errorf("make the attempt's temporary folder: %w", err)
	}
	for _, dir := range []string{spec.Job.Out, spec.Job.Home} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return sandbox.Spec{}, fmt.Errorf("make a folder for the agent: %w", err)
		}
	}
	env := agentVariables(spec, launch, secrets, os.Environ())
	env["TMPDIR"] = tmpDir(spec.Isolation, tmp)
	maps.Copy(env, way.variables(env, self))

	writable := []string{spec.Job.Dir, spec.Job.Out, spec.Job.Home}
	if spec.Writes == core.WritesCode {
		writable = append(writable, spec.Workspace)
	}
	box := sandbox.Spec{
		MemoryFiles: spec.Resources.memoryFiles(),
		Argv:        launch.Argv, Dir: spec.Job.Dir, Tmp: tmp, Masked: spec.Masked, Private: spec.Private, Bubblewrap: spec.Bubblewrap,
		Writable: paths(writable, spec.Writable, launch.Writable), Network: way.box(),
	}
	readOnly := paths(
		[]string{spec.Job.In, spec.Job.Prompt, spec.Job.Role.SystemPrompt, spec.Tools, self},
		spec.ReadOnly, launch.ReadOnly, certificates(os.Environ()))
	box.ReadOnly = slices.DeleteFunc(readOnly, func(p string) bool { return slices.Contains(box.Writable, p) })
	if err := env.setPath(spec.Isolation, box, spec.Tools); err != nil {
		return sandbox.Spec{}, err
	}
	box.Env = env.list()
	return box, nil
}

func tmpDir(kind sandbox.Kind, tmp string) string {
	if kind == sandbox.Sandbox && isLinux {
		return "/tmp"
	}
	return tmp
}

// handInBox shows the workspace, the folder for the bundle and what git needs, and nothing an agent could have bent: no
// secret, no token, no folder below the workspace, and a fresh /tmp.
func handInBox(spec Spec, self, dir string, argv []string) (sandbox.Spec, error) {
	box := sandbox.Spec{
		MemoryFiles: spec.Resources.forHandIn().memoryFiles(),
		Argv:        argv, First: true, Dir: dir, Masked: spec.Masked, Private: spec.Private, Bubblewrap: spec.Bubblewrap,
		Writable: paths([]string{spec.Workspace, dir}), Network: sandbox.Network{Closed: true},
	}
	box.ReadOnly = slices.DeleteFunc(paths([]string{self, keptIndex(filepath.Dir(dir))}, spec.ReadOnly), func(p string) bool {
		return p == spec.Workspace || strings.HasPrefix(p, spec.Workspace+"/")
	})
	env, err := handInVariables(spec, dir, paths([]string{spec.Workspace}, spec.Writable))
	if err != nil {
		return sandbox.Spec{}, err
	}
	box.Env = env
	return box, nil
}

// handInVariables is the environment of a hand-in. Programs are found where they are shown and the agent could not write: bent is
// what it could write to.
func handInVariables(spec Spec, home string, bent []string) ([]string, error) {
	visible := sandbox.Spec{
		Dir: "/", Private: spec.Private, Masked: paths(spec.Masked, bent),
		ReadOnly: slices.DeleteFunc(paths(spec.ReadOnly), func(p string) bool { return slices.Contains(bent, p) }),
	}
	env := variables{"TERM": "dumb", "HOME": home, "GIT_TERMINAL_PROMPT": "0"}
	env.add(HostEnvironment(os.Environ()))
	env.setIdentity(spec.Identity)
	env["STELLWERK_ATTEMPT"], env["STELLWERK_OUT"] = spec.Attempt, spec.Job.Out
	if err := env.setPath(spec.Isolation, visible, ""); err != nil {
		return nil, err
	}
	return env.list(), nil
}

// paths joins lists of paths, cleaned, without empty entries and repetitions.
func paths(lists ...[]string) []string {
	var out []string
	for _, p := range slices.Concat(lists...) {
		if p == "" {
			continue
		}
		if p = filepath.Clean(p); !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}
