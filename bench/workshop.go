package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// workshop is what the figures share: a temporary folder, and the programs
// that are compared.
type workshop struct {
	dir   string
	quick bool
}

const helloSource = `package main

import "fmt"

func main() { fmt.Println("hello, world") }
`

func openWorkshop(quick bool) (*workshop, error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, err
	}
	return &workshop{dir: dir, quick: quick}, nil
}

func (w *workshop) close() error { return os.RemoveAll(w.dir) }

// stellwerk builds the program from this tree.
func (w *workshop) stellwerk(ctx context.Context) (string, error) {
	return w.build(ctx, "stellwerk", "github.com/stellwerk-dev/stellwerk/cmd/stellwerk")
}

// hello builds a Go program that prints one line.
func (w *workshop) hello(ctx context.Context) (string, error) {
	source := filepath.Join(w.dir, "hello.go")
	if err := os.WriteFile(source, []byte(helloSource), 0o600); err != nil {
		return "", err
	}
	return w.build(ctx, "hello", source)
}

// build makes a program with the flags of a release, once.
func (w *workshop) build(ctx context.Context, name, from string) (string, error) {
	output := filepath.Join(w.dir, name)
	if _, err := os.Stat(output); err == nil {
		return output, nil
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", output, from)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", from, err, out)
	}
	return output, nil
}

// folder makes a fresh folder for one figure.
func (w *workshop) folder(name string) (string, error) {
	return os.MkdirTemp(w.dir, name+"-")
}

// times is how often to repeat something: n times, or a few where it is to be quick.
func (w *workshop) times(n int) int {
	if w.quick {
		return max(n/8, 5)
	}
	return n
}
