// Gotest runs `go test` several times at once and sums up: failures in full where
// they happen, and at the end every test that was skipped and why. Arguments are
// those of `go test`; "--" stands between one run and the next. Tests that compute
// then fill the time in which those of another run wait.
//
//	go run ./scripts/gotest -race ./internal/... -- -timeout 30m ./e2e
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
)

// errNoMemory is a system that gives a program no memory as a folder.
var errNoMemory = errors.New("no file system in memory")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	green := all(ctx)
	stop()
	if !green {
		os.Exit(1)
	}
}

// all does the runs, sums up, and reports whether nothing failed.
func all(ctx context.Context) bool {
	report := newReport(os.Stdout)
	runs := split(os.Args[1:])
	lines, ended := make(chan []byte), make(chan error)
	for _, args := range runs {
		go func() { ended <- test(ctx, lines, args) }()
	}
	failed := false
	for left := len(runs); left > 0; {
		select {
		case line := <-lines:
			report.read(line)
		case err := <-ended:
			left--
			if err == nil {
				continue
			}
			failed = true
			if _, exited := errors.AsType[*exec.ExitError](err); !exited {
				fmt.Fprintln(os.Stderr, "gotest:", err)
			}
		}
	}
	report.sum()
	return !failed && report.failed == 0
}

// split are the arguments of each run.
func split(args []string) [][]string {
	var runs [][]string
	for {
		i := slices.Index(args, "--")
		if i < 0 {
			return append(runs, args)
		}
		runs, args = append(runs, args[:i]), args[i+1:]
	}
}

// test is one run of `go test`, by the Go program that GO names; each line of its
// output is sent on.
func test(ctx context.Context, lines chan<- []byte, args []string) error {
	program := os.Getenv("GO")
	if program == "" {
		program = "go"
	}
	cmd, out, err := begin(ctx, memory, append([]string{program, "test", "-json"}, args...))
	if err != nil {
		return err
	}
	output := bufio.NewReader(out)
	for {
		line, err := output.ReadBytes('\n')
		lines <- line
		if err != nil {
			break // the end, or what Wait says better
		}
	}
	return cmd.Wait()
}

// begin starts `go test`, with the tests' temporary files in dir, in memory, if it can be:
// on a disk, making and removing hundreds of thousands of small files is a third of
// their system time.
func begin(ctx context.Context, dir string, args []string) (*exec.Cmd, io.Reader, error) {
	prepare := func(args []string) (*exec.Cmd, io.Reader, error) {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		// Asked rather than killed, it takes its tests with it.
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		return cmd, out, err
	}
	if there := inMemory(dir); there != nil {
		cmd, out, err := prepare(slices.Insert(slices.Clone(args), 2, there...))
		if err != nil {
			return nil, nil, err
		}
		if err := startInMemory(cmd, dir); !errors.Is(err, errNoMemory) {
			return cmd, out, err
		}
	}
	cmd, out, err := prepare(args)
	if err != nil {
		return nil, nil, err
	}
	return cmd, out, cmd.Start()
}
