package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/program"
)

const (
	// answerTime is what a preset may take in all. npm needs half a second on an idle machine.
	answerTime = 30 * time.Second
	grace      = time.Second // for output that a killed tool's child holds open
)

// quiet keeps tools from the network, from other versions of themselves and from what lies in the folder they run in.
func quiet() []string {
	return []string{
		"PWD=" + nowhere,
		"GOTOOLCHAIN=local", "GOWORK=off", "GO111MODULE=",
		"NO_UPDATE_NOTIFIER=1", "npm_config_update_notifier=false", "npm_config_logs_max=0",
		"COREPACK_ENABLE_NETWORK=0", "COREPACK_ENABLE_PROJECT_SPEC=0", "YARN_ENABLE_TELEMETRY=0",
		"PIP_DISABLE_PIP_VERSION_CHECK=1", "PYTHONSAFEPATH=1",
		"RUSTUP_AUTO_INSTALL=0",
	}
}

// nowhere is the folder that tools run in. Most of them read settings from the folders above, and anybody can leave some
// in the folder for temporary files; nothing is above the root, and only root writes there.
const nowhere = "/"

// tool starts programs with the person's environment.
type tool struct {
	environ []string
}

// get is a variable of the environment; the last one of a name counts.
func (t tool) get(name string) string {
	value := ""
	for _, entry := range t.environ {
		if text, ok := strings.CutPrefix(entry, name+"="); ok {
			value = text
		}
	}
	return value
}

// with is the tool with one more variable, without is the tool with some fewer.
func (t tool) with(entry string) tool { return tool{environ: append(slices.Clone(t.environ), entry)} }

func (t tool) without(names ...string) tool {
	return tool{environ: slices.DeleteFunc(slices.Clone(t.environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(names, name)
	})}
}

// run is what a program prints. What it says on standard error is not kept: it may quote an address with a password.
func (t tool) run(ctx context.Context, name string, args ...string) (string, error) {
	file, err := program.Look(t.get("PATH"), name)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, file, args...)
	cmd.Dir, cmd.Env = nowhere, append(append([]string{}, t.environ...), quiet()...)
	var out bytes.Buffer
	cmd.Stdout = &out
	// A session of its own: no terminal to prompt on, and one group to end.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = grace
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s failed: %w", name, reason(err))
	}
	return out.String(), nil
}

// reason is an exit status or a failed start, without what the program printed.
func reason(err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return errors.New(exit.String())
	}
	return err
}
