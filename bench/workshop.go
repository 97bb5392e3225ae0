package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// workshop is what the figures share: a temporary folder, the programs that are
// compared, and a file for what engines say meanwhile.
type workshop struct {
	dir    string
	quick  bool
	lasts  time.Duration // how long a figure is measured that says something only after a while; 0 for as short as it may be
	before string        // the program that this one is compared with; empty for none
	log    *os.File
}

const helloSource = `package main

import "fmt"

func main() { fmt.Println("hello, world") }
`

func openWorkshop(quick bool, lasts time.Duration, before string) (*workshop, error) {
	if before != "" {
		path, err := filepath.Abs(before)
		if err == nil {
			_, err = os.Stat(path)
		}
		if err != nil {
			return nil, fmt.Errorf("the program to compare with: %w", err)
		}
		before = path
	}
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, "engine.log"))
	if err = errors.Join(err, spread(dir)); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &workshop{dir: dir, quick: quick, lasts: lasts, before: before, log: log}, nil
}

func (w *workshop) close() error { return errors.Join(w.log.Close(), os.RemoveAll(w.dir)) }

// lastWords are the newest lines of what engines have said.
func (w *workshop) lastWords() string {
	text, err := os.ReadFile(w.log.Name())
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

// stellwerk builds the program from this tree.
func (w *workshop) stellwerk(ctx context.Context) (string, error) {
	if _, err := w.worker(ctx); err != nil {
		return "", err
	}
	return w.build(ctx, "stellwerk", "github.com/stellwerk-dev/stellwerk/cmd/stellwerk")
}

// worker builds the small program that runs beside agents. The program finds it beside itself.
func (w *workshop) worker(ctx context.Context) (string, error) {
	return w.build(ctx, "stellwerk-worker", "github.com/stellwerk-dev/stellwerk/cmd/stellwerk-worker")
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
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
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

// turns is how often two sides take turns that last so long together: n times, or for as long as the figure is to last.
func (w *workshop) turns(n int, each time.Duration) int {
	return max(n, int(w.lasts/each))
}
