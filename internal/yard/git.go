package yard

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// maxOutput bounds what run keeps of a command's standard output.
	maxOutput = 64 << 20
	// maxStderr bounds what an error keeps of a command's standard error.
	maxStderr = 4 << 10
	// grace is how long a cancelled git process may take to remove its lock files.
	grace = 5 * time.Second
)

// git is a prepared way to call the git program. It is a value: with and withConfig return changed copies.
type git struct {
	dir     string
	env     []string
	config  []string
	files   []*os.File // open files every process inherits
	secrets []string   // no error may contain them, whoever prints them
	memory  int64      // bytes that a process may allocate, if the system can enforce that; 0 for any
}

func (g git) with(env ...string) git {
	g.env = append(slices.Clip(g.env), env...)
	return g
}

func (g git) withConfig(settings ...string) git {
	g.config = append(slices.Clip(g.config), settings...)
	return g
}

// run returns the standard output of one git command.
func (g git) run(ctx context.Context, args ...string) ([]byte, error) {
	return g.feed(ctx, nil, args...)
}

// line is run for commands that print one line.
func (g git) line(ctx context.Context, args ...string) (string, error) {
	out, err := g.run(ctx, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// feed is run with a standard input.
func (g git) feed(ctx context.Context, in []byte, args ...string) ([]byte, error) {
	var out bytes.Buffer
	limited := &limitedWriter{w: &out, left: maxOutput}
	err := g.stream(ctx, bytes.NewReader(in), limited, args...)
	if limited.exceeded {
		return nil, &TooBigError{What: "output of git " + args[0], Limit: maxOutput}
	}
	return out.Bytes(), err
}

// stream runs one git command. It ends with ctx: git is asked to stop, so that it removes
// its locks, and killed with everything it started if it does not.
func (g git) stream(ctx context.Context, in io.Reader, out io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", g.configured(args...)...)
	if g.memory > 0 {
		limitMemory(cmd, g.memory)
	}
	cmd.Dir, cmd.Env, cmd.ExtraFiles = g.dir, g.env, g.files
	stderr := &tail{max: maxStderr}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, stderr
	// A session of its own: no terminal to prompt on, and one group to end.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = grace
	err := cmd.Run()
	if err == nil {
		return nil
	}
	failure := &CommandError{Args: redactAll(args), Exit: -1, Stderr: g.redact(stderr.String()), cause: err}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		failure.Exit = exit.ExitCode()
		failure.Broke = crashed(exit)
	}
	if ctx.Err() != nil {
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // no such group is the good case
		}
		failure.cause = context.Cause(ctx)
	}
	return failure
}

// configured puts the settings in front of a command's arguments.
func (g git) configured(args ...string) []string {
	var full []string
	for _, setting := range g.config {
		full = append(full, "-c", setting)
	}
	return append(full, args...)
}

// limitMemory has a shell bound what the process may allocate before the shell becomes git, so git never runs without the
// limit. Files that git maps to read them do not count.
func limitMemory(cmd *exec.Cmd, most int64) {
	cmd.Args = append([]string{"sh", "-c", `ulimit -d "$0" && exec "$@"`, strconv.FormatInt(most>>10, 10), cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
}

// redact removes the secrets that git was given, and those in addresses, from a message.
func (g git) redact(text string) string {
	for _, secret := range g.secrets {
		text = strings.ReplaceAll(text, secret, "[secret]")
	}
	return redactURLs(text)
}

// crashed reports a program that crashed over its input; one that was ended from outside did not.
func crashed(exit *exec.ExitError) bool {
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && (status.Signal() == syscall.SIGSEGV || status.Signal() == syscall.SIGBUS || status.Signal() == syscall.SIGABRT)
}

// limitedWriter fails once more than left bytes were written, which ends the writing process.
type limitedWriter struct {
	w        io.Writer
	left     int64
	exceeded bool
}

func (l *limitedWriter) Write(p []byte) (int, error) {
	if int64(len(p)) <= l.left {
		l.left -= int64(len(p))
		return l.w.Write(p)
	}
	l.exceeded = true
	n, err := l.w.Write(p[:l.left])
	l.left = 0
	if err == nil {
		err = io.ErrShortWrite
	}
	return n, err
}

// recordWriter hands on what git writes record by record. It fails, which ends git, as soon as each does.
type recordWriter struct {
	end     byte // of a record
	each    func(record string) error
	partial []byte // the beginning of a record
	err     error
}

func (w *recordWriter) Write(p []byte) (int, error) {
	for rest := p; w.err == nil; {
		record, after, complete := bytes.Cut(rest, []byte{w.end})
		w.partial = append(w.partial, record...)
		if !complete {
			return len(p), nil
		}
		w.err = w.each(string(w.partial))
		w.partial, rest = w.partial[:0], after
	}
	return 0, w.err
}

// tail keeps the last max bytes written to it: git names the reason last.
type tail struct {
	max int
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if len(t.buf) > t.max {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-t.max:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return strings.TrimSpace(strings.ToValidUTF8(string(t.buf), "�")) }
