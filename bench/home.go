package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// smallRepository commits a playbook, and what is there already.
func smallRepository(ctx context.Context, dir, playbook string) error {
	r, err := openRepository(ctx, dir, 1, map[string]string{".stellwerk/playbooks/bench.yaml": playbook})
	if err != nil {
		return err
	}
	return errors.Join(r.yard.Close(), os.RemoveAll(filepath.Join(dir, "yard.git")))
}

// home is where a person uses a program that has no state yet.
type home struct{ dir string }

func openHome(shop *workshop, name string) (home, error) {
	dir, err := shop.folder(name)
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "home"), 0o700)
	}
	return home{dir}, err
}

func (h home) state() string { return filepath.Join(h.dir, "state") }

// run has the person give a command, and returns what it says.
func (h home) run(ctx context.Context, dir, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(h.dir, "home"), "STELLWERK_STATE=" + h.state()}
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState.ExitCode() != waitsForPerson {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return string(out), nil
}

// waitsForPerson is the exit code of a command whose run does.
const waitsForPerson = 3
