package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// repository is a person's repository with one commit, and a yard that has it.
type repository struct {
	source string
	yard   *yard.Yard
	commit string
}

func openRepository(ctx context.Context, dir string, files int, further map[string]string) (*repository, error) {
	source := filepath.Join(dir, "source")
	content := map[string]string{}
	for i := range files {
		content[fmt.Sprintf("pkg%02d/file%03d.go", i%20, i)] = fmt.Sprintf("package pkg%02d\n\n%s",
			i%20, strings.Repeat(fmt.Sprintf("// Line of file %d.\n", i), 60))
	}
	maps.Copy(content, further)
	for name, text := range content {
		path := filepath.Join(source, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "Bench"}, {"config", "user.email", "bench@example.org"},
		{"add", "-A"}, {"commit", "-q", "-m", "first"},
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
	return &repository{source: source, yard: y, commit: commit}, err
}

func git(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	var said bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, said.String())
	}
	return nil
}
