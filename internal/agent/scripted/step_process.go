package scripted

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

type shell struct {
	command string
	must    bool
}

func (r *shell) play(ctx context.Context, s *session) error {
	failure, err := s.try("Bash", map[string]any{"command": r.command}, func() (string, error) {
		return s.execute(ctx, "sh", "-c", r.command)
	})
	if r.must || ctx.Err() != nil {
		return errors.Join(failure, err)
	}
	return err
}

// execute runs a program in the workspace and returns all it printed.
func (s *session) execute(ctx context.Context, name string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = s.env.Dir
	output, err := command.CombinedOutput()
	text := strings.ToValidUTF8(string(output), "\uFFFD")
	if err != nil {
		return text, fmt.Errorf("running %s: %w", name, err)
	}
	return text, nil
}

type gitCommit struct{ message string }

func (c *gitCommit) play(ctx context.Context, s *session) error {
	return s.call("Bash", map[string]any{"command": "git commit"}, func() (string, error) {
		if output, err := s.execute(ctx, "git", "add", "--all"); err != nil {
			return output, err
		}
		return s.execute(ctx, "git", "commit", "--quiet", "--message", c.message)
	})
}

type tryPush struct{ remote, ref string }

func (p *tryPush) play(ctx context.Context, s *session) error {
	args := []string{"push", p.remote, p.ref}
	failure, err := s.try("Bash", map[string]any{"command": "git " + strings.Join(args, " ")}, func() (string, error) {
		return s.execute(ctx, "git", args...)
	})
	text := "The push succeeded."
	if failure != nil {
		text = "The push failed."
	}
	return errors.Join(err, s.emit(agent.Record{Kind: agent.KindText, Text: text}))
}

type spawnDaemon struct {
	command    string
	keepOutput bool
}

func (d *spawnDaemon) play(_ context.Context, s *session) error {
	return s.call("Bash", map[string]any{"command": d.command, "background": true}, func() (string, error) {
		daemon := exec.Command("sh", "-c", d.command) //nolint:noctx // outliving its parent is what it is for
		daemon.Dir = s.env.Dir
		daemon.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if d.keepOutput {
			daemon.Stdout, daemon.Stderr = s.stdout, s.env.Stderr
		}
		if err := daemon.Start(); err != nil {
			return "", fmt.Errorf("starting the daemon: %w", err)
		}
		return fmt.Sprintf("pid %d", daemon.Process.Pid), daemon.Process.Release()
	})
}
