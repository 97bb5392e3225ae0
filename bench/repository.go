package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// repository is a project's yard with one commit of 500 files.
type repository struct {
	yard   *yard.Yard
	commit string
}

const files = 500

func openRepository(ctx context.Context, dir string) (*repository, error) {
	source := filepath.Join(dir, "source")
	for i := range files {
		name := filepath.Join(source, fmt.Sprintf("pkg%02d", i%20), fmt.Sprintf("file%03d.go", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, err
		}
		content := fmt.Sprintf("package pkg%02d\n\n%s", i%20, strings.Repeat(fmt.Sprintf("// Line of file %d.\n", i), 60))
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			return nil, err
		}
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "-A"},
		{"-c", "user.name=Bench", "-c", "user.email=bench@example.org", "commit", "-q", "-m", "first"},
	} {
		if err := git(ctx, source, args...); err != nil {
			return nil, err
		}
	}
	y, err := yard.Open(ctx, filepath.Join(dir, "yard.git"))
	if err != nil {
		return nil, err
	}
	if err := y.Fetch(ctx, source); err != nil {
		return nil, err
	}
	commit, err := y.Resolve(ctx, yard.UpstreamHeads+"main")
	return &repository{yard: y, commit: commit}, err
}

// Yard implements dispatch.Yards: every project is the same one.
func (r *repository) Yard(context.Context, string) (*yard.Yard, error) { return r.yard, nil }

func git(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	var said bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, said.String())
	}
	return nil
}
