package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/guard"
)

// Exit codes of the player besides those a scenario asks for.
const (
	exitFailed     = 1
	exitUnexpected = 3
	exitTerminated = 143
)

// Env is what the player knows of its attempt.
type Env struct {
	Dir, Prompt, In, Out string
	Role, Task           string
	Round, Attempt       int
	// Tools is the role's list, by which every step is judged.
	Tools guard.ToolList
	// Stderr receives what is not a record.
	Stderr io.Writer
}

// EnvFrom reads the attempt contract's variables, for an attempt in dir.
func EnvFrom(getenv func(string) string, dir string, stderr io.Writer) (Env, error) {
	env := Env{
		Dir: dir, Stderr: stderr,
		Prompt: getenv("STELLWERK_PROMPT"), In: getenv("STELLWERK_IN"), Out: getenv("STELLWERK_OUT"),
		Role: getenv(envRole), Task: firstOf(getenv(envTask), getenv("STELLWERK_TASK")),
	}
	if tools := getenv(envTools); tools != "" {
		env.Tools = strings.Split(tools, "\n")
	}
	var err error
	if env.Round, err = strconv.Atoi(firstOf(getenv(envRound), "1")); err != nil {
		return env, fmt.Errorf("reading the round from %s: %w", envRound, err)
	}
	if env.Attempt, err = strconv.Atoi(firstOf(getenv(envAttempt), getenv("STELLWERK_ATTEMPT"), "1")); err != nil {
		return env, fmt.Errorf("reading the number of the attempt from %s: %w", envAttempt, err)
	}
	return env, nil
}

func firstOf(values ...string) string {
	for _, value := range values {
		if value != "" {
			return value
		}
	}
	return ""
}

// Run is the hidden command: it plays the scenario at path in the current
// directory and returns the exit code.
func Run(ctx context.Context, path string, getenv func(string) string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	code, err := run(ctx, path, getenv, stdout, stderr)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "scripted agent:", err)
	}
	return code
}

func run(ctx context.Context, path string, getenv func(string) string, stdout, stderr io.Writer) (int, error) {
	s, err := Load(path)
	if err != nil {
		return exitUnexpected, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return exitFailed, fmt.Errorf("finding the workspace: %w", err)
	}
	env, err := EnvFrom(getenv, dir, stderr)
	if err != nil {
		return exitUnexpected, err
	}
	return Play(ctx, s, env, stdout)
}

// Play plays the part of the scenario that env calls for, writing records to
// stdout, and returns the exit code the process should have. The error says
// what went wrong beyond the scenario's own wishes.
func Play(ctx context.Context, s *Scenario, env Env, stdout io.Writer) (int, error) {
	play := &session{env: env, stdout: stdout}
	part := s.part(&env)
	if part == nil {
		return play.finish(ctx, &unexpectedError{fmt.Sprintf(
			"the scenario has no part for task %q, role %q, round %d, attempt %d", env.Task, env.Role, env.Round, env.Attempt)})
	}
	for _, next := range part.steps {
		if err := next.play(ctx, play); err != nil || play.end != nil {
			return play.finish(ctx, err)
		}
	}
	play.end = &ending{result: "Done."}
	return play.finish(ctx, nil)
}

// session is a play under way.
type session struct {
	env    Env
	stdout io.Writer
	usage  agent.Usage
	calls  int
	report map[string]any
	end    *ending
}

// ending is how a play is over: a claim of success unless it says otherwise.
type ending struct {
	silent  bool
	result  string
	code    int
	class   agent.Class
	retryAt *time.Time
}

// unexpectedError is the world not being as the scenario demands.
type unexpectedError struct{ text string }

func (e *unexpectedError) Error() string { return e.text }

// finish prints the result, which every play but a silent one has, and returns
// the exit code.
func (s *session) finish(ctx context.Context, err error) (int, error) {
	end := s.end
	if err != nil {
		end = &ending{result: err.Error(), code: exitFailed, class: agent.ClassCrashed}
		if _, unexpected := errors.AsType[*unexpectedError](err); unexpected {
			end.code, end.class = exitUnexpected, agent.ClassProtocol
		}
		if ctx.Err() != nil {
			end.code = exitTerminated
		}
	}
	if end.silent {
		return end.code, err
	}
	result := line{
		Record: agent.Record{Kind: agent.KindResult, Text: end.result, Error: end.class != ""},
		Class:  end.class, RetryAt: end.retryAt,
	}
	return end.code, errors.Join(err, result.print(s.stdout))
}

func (s *session) emit(record agent.Record) error {
	l := line{Record: record}
	return l.print(s.stdout)
}

// call records the use of a tool and what came of it; the act must succeed.
func (s *session) call(tool string, input map[string]any, act func() (string, error)) error {
	failure, err := s.try(tool, input, act)
	return errors.Join(failure, err)
}

// try records the use of a tool and what came of it. It returns the failure of
// the act apart from that of recording it.
func (s *session) try(tool string, input map[string]any, act func() (string, error)) (failure, err error) {
	s.calls++
	id := fmt.Sprintf("call-%d", s.calls)
	encoded, err := json.Marshal(input)
	if err != nil {
		return nil, fmt.Errorf("encoding the input of %s: %w", tool, err)
	}
	if err := s.emit(agent.Record{Kind: agent.KindToolCall, Tool: tool, ToolID: id, Input: encoded}); err != nil {
		return nil, err
	}
	if verdict := s.judge(tool, input); verdict.Deny {
		record := agent.Record{Kind: agent.KindToolResult, ToolID: id, Text: verdict.Reason, Error: true, Denied: true}
		return fmt.Errorf("%s was denied: %s", tool, verdict.Reason), s.emit(record)
	}
	text, failure := act()
	if failure != nil {
		text = strings.TrimSpace(text + "\n" + failure.Error())
	}
	return failure, s.emit(agent.Record{Kind: agent.KindToolResult, ToolID: id, Text: text, Error: failure != nil})
}

// judge holds a call to the role's list, as the programs of real agents do.
func (s *session) judge(tool string, input map[string]any) guard.Verdict {
	if command, ok := input["command"].(string); ok {
		return s.env.Tools.Command(tool, command)
	}
	return s.env.Tools.Tool(tool, false)
}

// path is where a scenario's path leads: into OUT with the prefix out:, and
// otherwise relative to the workspace.
func (s *session) path(name string) string {
	if rest, out := strings.CutPrefix(name, "out:"); out {
		return filepath.Join(s.env.Out, rest)
	}
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.env.Dir, name)
}
