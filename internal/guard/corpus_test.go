package guard_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/guard"
)

// entry is one command of the corpus.
type entry struct {
	line    int
	verdict string
	truth   string
	command string
}

// readCorpus reads a table of commands.
func readCorpus(t *testing.T, file string) []entry {
	t.Helper()
	entries, err := readEntries(file)
	must(t, err)
	return entries
}

// readEntries reads verdict, truth, command, and further lines after "  | ".
func readEntries(file string) ([]entry, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var found []entry
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSuffix(line, "\n")
		if more, ok := strings.CutPrefix(line, "  | "); ok && len(found) > 0 {
			found[len(found)-1].command += "\n" + more
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if len(line) < 18 {
			return nil, fmt.Errorf("%s:%d: not verdict, truth and command: %q", file, number, line)
		}
		found = append(found, entry{line: number, verdict: strings.TrimSpace(line[:7]), truth: strings.TrimSpace(line[7:17]), command: line[17:]})
	}
	return found, nil
}

// TestCorpus runs every command of the corpus three times: with nothing in its way, to see what it truly does; past
// the guard alone; and, where the guard lets it through, in a locked session.
func TestCorpus(t *testing.T) {
	s := newStage(t)
	entries := readCorpus(t, "testdata/commands.txt")
	var pushes, steers, harmless, refusedPushes, lockedPushes, walledPushes, refusedSteers, refusedHarmless atomic.Int64
	t.Run("commands", func(t *testing.T) {
		for i, e := range entries {
			name := strconv.Itoa(e.line)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if program := missing(e.command, s.core); program != "" {
					t.Skipf("%s is not on this machine", program)
				}
				free := s.open(t, "free"+strconv.Itoa(i), s.template)
				command := free.fill.Replace(e.command)
				truth, code, out := free.observe(t, e.command, "")
				if truth != e.truth {
					t.Errorf("line %d: truly %s, the table says %s: %s\n%s", e.line, truth, e.truth, e.command, out)
				}
				verdict := policyFor(free).Command(command)
				said := "allow"
				if verdict.Deny {
					said = "deny"
				}
				if said != strings.Replace(e.verdict, "wall", "allow", 1) {
					t.Errorf("line %d: the guard says %s (%s: %s), the table says %s: %s", e.line, said, verdict.Rule, verdict.Reason, e.verdict, e.command)
				}
				switch truth {
				case "pushes":
					pushes.Add(1)
				case "steers":
					steers.Add(1)
				case "harmless":
					harmless.Add(1)
				}
				if verdict.Deny {
					switch truth {
					case "pushes":
						refusedPushes.Add(1)
					case "steers":
						refusedSteers.Add(1)
					case "harmless":
						refusedHarmless.Add(1)
					}
					return
				}
				bound := s.open(t, "bound"+strconv.Itoa(i), s.bound)
				again, lockedCode, out := bound.observe(t, e.command, s.lock.Script())
				switch held := again == "harmless"; {
				case e.verdict == "wall" && held:
					t.Errorf("line %d: the lock holds, the table says that only the sandbox does: %s\n%s", e.line, e.command, out)
				case e.verdict == "wall":
					walledPushes.Add(1)
				case !held:
					t.Errorf("line %d: neither layer holds, %s: %s\n%s", e.line, again, e.command, out)
				case truth == "pushes":
					lockedPushes.Add(1)
				}
				if truth == "harmless" && lockedCode != code {
					t.Errorf("line %d: the lock changes a harmless command: it ends with %d instead of %d: %s\n%s", e.line, lockedCode, code, e.command, out)
				}
			})
		}
	})
	t.Logf("%d commands: %d push (%d refused by the guard, %d held by the lock, %d by the sandbox alone), %d steer (%d refused), %d harmless (%d refused)",
		len(entries), pushes.Load(), refusedPushes.Load(), lockedPushes.Load(), walledPushes.Load(), steers.Load(), refusedSteers.Load(), harmless.Load(), refusedHarmless.Load())
	if len(entries) < 150 {
		t.Errorf("the corpus has %d commands, at least 150 are wanted", len(entries))
	}
	if stopped := refusedPushes.Load() + lockedPushes.Load(); stopped+walledPushes.Load() != pushes.Load() || walledPushes.Load() != 2 {
		t.Errorf("%d of %d pushes are stopped, %d are left to the sandbox, which may be 2", stopped, pushes.Load(), walledPushes.Load())
	}
	if harmless.Load() >= 100 && refusedHarmless.Load()*100 > harmless.Load() {
		t.Errorf("%d of %d harmless commands are refused, more than one in a hundred", refusedHarmless.Load(), harmless.Load())
	}
}

// observe runs a command, after a prologue, and says what it did, how it ended and what it printed.
func (w world) observe(t *testing.T, command, prologue string) (truth string, code int, out string) {
	t.Helper()
	before := w.look(t)
	out, err := w.script(t.Context(), prologue+command)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return before.judge(w.look(t)), code, out
}

func policyFor(w world) guard.Policy {
	return guard.Policy{
		Subject: guard.Worker, Dir: w.work(), Roots: []string{w.root},
		Aliases: map[string]string{
			"st": "status -sb", "lg": "log --oneline", "up": "push", "ship": "!git fetch && git push", "save": "!git add -A && git commit -q --allow-empty -m",
		},
	}
}

// missing names a program the command needs and the machine lacks.
func missing(command, core string) string {
	for _, program := range []string{"node", "npm", "python3", "perl", "make", "script", "flock", "dash", "ionice", "setsid", "stdbuf"} {
		if strings.Contains(command, program+" ") || strings.Contains(command, program+"\n") {
			if _, err := exec.LookPath(program); err != nil {
				return program
			}
		}
	}
	if strings.Contains(command, "git subtree") {
		if _, err := os.Stat(core + "/git-subtree"); err != nil {
			return "git subtree"
		}
	}
	return ""
}
