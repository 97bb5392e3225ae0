package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// screens is the key of a scenario's terminals.
type screens struct{}

// server is the tmux server of a scenario.
type server struct {
	folder string   // of its socket; "" before it has begun
	names  []string // of its terminals
}

// terminal speaks to a session in a terminal of tmux. Every scenario has a tmux
// server of its own.
func terminal(ts *testscript.TestScript, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: terminal NAME start|type|key|see|show|rung|end …")
	}
	s := screen{ts: ts, name: args[0]}
	switch verb, rest := args[1], args[2:]; {
	case verb == "start":
		s.start(rest)
	case verb == "type" && len(rest) == 1:
		s.line(rest[0])
	case verb == "key" && len(rest) > 0:
		s.tmux(append([]string{"send-keys", "-t", s.name}, rest...)...)
	case verb == "see":
		if len(rest) != 1 {
			ts.Fatalf("usage: terminal NAME see REGEXP")
		}
		s.see(rest[0])
	case verb == "show" && len(rest) == 0:
		_, err := fmt.Fprintln(ts.Stdout(), s.content())
		ts.Check(err)
	case verb == "rung" && len(rest) == 0:
		if !waittest.Until(s.rung) {
			ts.Fatalf("the bell was not rung\n%s", s.content())
		}
	case verb == "end" && len(rest) == 0:
		s.end()
	default:
		ts.Fatalf("unknown: terminal %s", strings.Join(args, " "))
	}
}

// prompt begins the line in which a person types.
const prompt = "❯"

// screen is a terminal with one session.
type screen struct {
	ts   *testscript.TestScript
	name string
}

func (s screen) start(args []string) {
	argv := append([]string{"env", "-i"}, claudeEnv(s.ts)...)
	argv = append(append(append(argv, s.ts.Getenv("CLAUDE_BINARY")), claudeArgs(s.ts, s.name)...), args...)
	s.tmux(append([]string{
		"-f", "/dev/null", "new-session", "-d", "-s", s.name, "-x", "150", "-y", "200", "-c", s.ts.MkAbs("."),
	}, argv...)...)
	tmux := s.ts.Value(screens{}).(*server)
	tmux.names = append(tmux.names, s.name)
	s.see(prompt)
}

// line types a text and, once it stands in the input line, ends it. Typed in one
// go, Claude Code would take both for a paste.
func (s screen) line(text string) {
	s.tmux("send-keys", "-t", s.name, "-l", "--", text)
	arrived := func() bool {
		content := s.content()
		return strings.Contains(squeeze(content[max(0, strings.LastIndex(content, prompt)):]), squeeze(text))
	}
	if !waittest.Until(arrived) {
		s.ts.Fatalf("the text does not appear: %s\n%s", text, s.content())
	}
	s.tmux("send-keys", "-t", s.name, "Enter")
}

// squeeze leaves out all white space, so that it does not matter where a line is
// broken.
func squeeze(text string) string { return strings.Join(strings.Fields(text), "") }

func (s screen) see(pattern string) {
	expression, err := regexp.Compile("(?m)" + pattern)
	s.ts.Check(err)
	if !waittest.Until(func() bool { return expression.MatchString(s.content()) }) {
		s.ts.Fatalf("not seen within %s: %s\n%s", waittest.Limit, pattern, s.content())
	}
}

// rung reports that the bell was rung: tmux knows it from the end of a title,
// which is the same character.
func (s screen) rung() bool {
	return strings.TrimSpace(s.tmux("display-message", "-p", "-t", s.name, "#{window_bell_flag}")) == "1"
}

// end closes the terminal, and waits for the program in it: it has last things
// to do.
func (s screen) end() {
	pid, err := strconv.Atoi(strings.TrimSpace(s.tmux("display-message", "-p", "-t", s.name, "#{pane_pid}")))
	s.ts.Check(err)
	s.tmux("kill-session", "-t", s.name)
	if !waittest.Until(func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }) {
		s.ts.Fatalf("the program of terminal %s does not end", s.name)
	}
	tmux := s.ts.Value(screens{}).(*server)
	tmux.names = slices.DeleteFunc(tmux.names, func(name string) bool { return name == s.name })
}

// shown is what all terminals of a scenario show, for messages.
func shown(ts *testscript.TestScript) string {
	var all strings.Builder
	for _, name := range ts.Value(screens{}).(*server).names {
		fmt.Fprintf(&all, "\n[terminal %s]\n%s", name, screen{ts, name}.content())
	}
	return all.String()
}

// content is the screen without its empty lines. It is tall: Claude Code keeps
// nothing that has scrolled away.
func (s screen) content() string {
	var kept []string
	for line := range strings.Lines(s.tmux("capture-pane", "-p", "-J", "-t", s.name)) {
		if line = strings.TrimRight(line, " \n"); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// tmux runs a command of the scenario's server, which ends with the scenario.
func (s screen) tmux(args ...string) string {
	tmux := s.ts.Value(screens{}).(*server)
	if tmux.folder == "" {
		dir, err := os.MkdirTemp("", "tmux-") // a socket's path must be short
		s.ts.Check(err)
		tmux.folder = dir
		s.ts.Defer(func() {
			// The server ends by itself with its last terminal.
			_ = command(s.ts, []string{"tmux", "-S", socket(dir), "kill-server"}).Run()
			s.ts.Check(os.RemoveAll(dir))
		})
	}
	out, err := command(s.ts, append([]string{"tmux", "-S", socket(tmux.folder)}, args...)).CombinedOutput()
	if err != nil {
		s.ts.Fatalf("tmux %s: %v: %s", args[0], err, out)
	}
	return string(out)
}

func socket(dir string) string { return filepath.Join(dir, "s") }
