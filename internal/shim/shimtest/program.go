// Package shimtest lets a test binary be the worker program, and makes attempts for it to run: real processes, real
// git, a shell script for an agent. It is for tests only, and decides nothing about what they expect.
package shimtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/agent/command"
	"github.com/stellwerk-dev/stellwerk/internal/bridge"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// The roles a test binary can be started in, as its first argument.
const (
	RoleWorker  = "worker"
	RoleSalvage = "salvage"
	RoleHandIn  = "hand-in"
	RoleAhead   = "ahead"  // with the owner of the bounds of the attempt that it waits for
	RoleShell   = "shell"  // with a line of shell
	RoleGlance  = "glance" // with a folder to start in, a line of shell and, if it has any, its limits as JSON
)

// Redacted replaces a secret.
const Redacted = "[redacted]"

// Intercept plays a role and ends the process if the test binary was started for one. TestMain calls it first.
func Intercept() {
	bridge.Intercept(func(_ context.Context, argv []string) error { return handIn(argv[len(argv)-1]) })
	if len(os.Args) < 3 {
		return
	}
	var err error
	var code int
	switch path := os.Args[2]; os.Args[1] {
	case RoleWorker:
		err = shim.Run(context.Background(), path, options())
	case RoleAhead:
		err = ahead(path)
	case RoleSalvage:
		err = shim.Salvage(context.Background(), path, options())
	case RoleHandIn:
		err = handIn(path)
	case RoleShell:
		code, err = shim.Shell(path, os.Args[3], options().Self)
	case RoleGlance:
		code, err = glance(path, os.Args[3:])
	default:
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(code)
}

func ahead(owner string) error {
	opts := options()
	opts.Reserved = shim.Reserve(owner, "ahead")
	defer opts.Reserved.Close()
	order, err := shim.Await(os.Stdin)
	if errors.Is(err, shim.ErrNoOrder) {
		return nil
	}
	if err != nil {
		return err
	}
	return shim.Run(context.Background(), order.Folder, opts)
}

func glance(root string, args []string) (int, error) {
	var limits shim.Resources
	if len(args) > 2 {
		if err := json.Unmarshal([]byte(args[2]), &limits); err != nil {
			return 0, err
		}
	}
	return shim.ReadOnlyShell(root, args[0], args[1], limits)
}

func options() shim.Options {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return shim.Options{
		Agents: map[string]agent.Agent{"script": script{}, "command": command.Agent{}}, HandIn: []string{self, RoleHandIn}, Self: self,
		NewRedactor: func(values []string) (shim.Redactor, error) { return exact(values), nil },
		Log:         slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
}

type exact []string

func (e exact) Redact(text string) string {
	for _, value := range e {
		text = strings.ReplaceAll(text, value, Redacted)
	}
	return text
}

func (e exact) Stream(w io.Writer) io.WriteCloser {
	if len(e) == 0 {
		return direct{w}
	}
	return &window{clean: e, out: w}
}

func (e exact) PlainStream(w io.Writer) io.WriteCloser { return e.Stream(w) }

func (e exact) Thread() func(string) string { return e.Redact }

// direct passes everything on.
type direct struct{ io.Writer }

func (direct) Close() error { return nil }

// window holds everything back to the end.
type window struct {
	clean exact
	out   io.Writer
	held  strings.Builder
}

func (w *window) Write(p []byte) (int, error) { return w.held.Write(p) }

func (w *window) Close() error {
	_, err := io.WriteString(w.out, w.clean.Redact(w.held.String()))
	return err
}

// script is an agent that runs Job.Command; each of its lines is something it said.
type script struct{}

func (script) Name() string { return "script" }

func (script) Launch(job agent.Job) (agent.Launch, error) {
	if len(job.Command) == 0 {
		return agent.Launch{}, errors.New("no command")
	}
	return agent.Launch{Argv: job.Command, Stdin: job.Prompt}, nil
}

func (script) Reader() agent.Reader { return &reader{} }

type reader struct{ last string }

func (r *reader) Line(line []byte) []agent.Record {
	r.last = string(line)
	return []agent.Record{{Kind: agent.KindText, Text: r.last}}
}

func (r *reader) Close(exitCode int) agent.Outcome {
	return agent.Outcome{OK: exitCode == 0, Summary: r.last}
}

// handIn commits and bundles with plain git, which is enough for workspaces that tests make.
func handIn(path string) error {
	req, err := shim.ReadHandInRequest(path)
	if err != nil {
		return err
	}
	git := func(args ...string) (string, error) {
		cmd := exec.Command("git", append([]string{"-C", req.Workspace, "-c", "core.hooksPath=/dev/null"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
		return strings.TrimSpace(string(out)), nil
	}
	if _, err := git("add", "--all"); err != nil {
		return err
	}
	changed, err := git("status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" {
		if _, err := git("commit", "--quiet", "--message", req.Message); err != nil {
			return err
		}
	}
	head, err := git("rev-parse", "HEAD")
	if err != nil {
		return err
	}
	result := shim.HandInResult{Commit: head, Empty: head == req.Base, Checkpoint: changed != ""}
	if !result.Empty {
		if _, err := git("bundle", "create", req.Bundle, "HEAD", "^"+req.Base); err != nil {
			return err
		}
	}
	branches, err := git("for-each-ref", "--format=%(refname:short)", "refs/heads")
	if err != nil {
		return err
	}
	if names := strings.Fields(branches); len(names) > 1 {
		result.Notes = append(result.Notes, fmt.Sprintf("there are %d branches: %s", len(names), strings.Join(names, ", ")))
	}
	return req.WriteResult(result)
}
