package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// readerSource is hello, world for a hook: it reads its event first.
const readerSource = `package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	_, _ = io.ReadAll(os.Stdin)
	fmt.Println("hello, world")
}
`

const hookSession = "bench-session"

// gatehouse is a session that owns a run, the programs that decide on its tool
// calls, and a mix of such calls.
type gatehouse struct {
	state, program, hello string
	events                [][]byte
}

func openGatehouse(ctx context.Context, shop *workshop) (*gatehouse, error) {
	dir, err := shop.folder("hook")
	if err != nil {
		return nil, err
	}
	source := filepath.Join(shop.dir, "reader.go")
	if err := os.WriteFile(source, []byte(readerSource), 0o600); err != nil {
		return nil, err
	}
	g := &gatehouse{state: filepath.Join(dir, "state")}
	if g.hello, err = shop.build(ctx, "reader", source); err != nil {
		return nil, err
	}
	if g.program, err = shop.build(ctx, "stellwerk-hook", "github.com/stellwerk-dev/stellwerk/cmd/stellwerk-hook"); err != nil {
		return nil, err
	}
	return g, g.furnish(dir)
}

// furnish makes the session and its calls: of the session itself and of an
// agent, refused, rewritten and let through.
func (g *gatehouse) furnish(dir string) error {
	work, out := filepath.Join(dir, "work"), filepath.Join(dir, "out")
	for _, d := range []string{work, out} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return err
		}
	}
	err := snapshot.Write(g.state, snapshot.Snapshot{
		Session: hookSession, Run: "r1", Alias: "brisk-otter", Root: dir, Branch: "feature/x",
		Shell:  []string{"/usr/local/bin/stellwerk", "worker", "look", dir},
		Offers: []snapshot.Offer{{Type: "stellwerk:developer", Prompt: "Read /p/prompt.md and do what it says."}},
		Agents: map[string]snapshot.Agent{"a1": {
			Attempt: "build.r1.a1", Dir: work, Readable: []string{filepath.Join(dir, "in")}, Writable: []string{out},
			Shell: []string{"/usr/local/bin/stellwerk", "worker", "shell", "/folder"},
		}},
	})
	if err != nil {
		return err
	}
	command := func(line string) map[string]any {
		return map[string]any{"command": line, "description": "Does something", "timeout": 120000}
	}
	for _, c := range []struct {
		agent, tool string
		input       map[string]any
	}{
		{"", "Bash", command(`cd web && env CI=1 timeout 60 bash -c 'git -C . -c core.pager=cat push origin HEAD' && echo "done"`)},
		{"", "Bash", command("stellwerk advance approve")},
		{"", "Bash", command(`git commit --quiet --message "do not git push this yet; it is for later" && git status --short`)},
		{"", "Read", map[string]any{"file_path": filepath.Join(dir, "main.go")}},
		{"", "Write", map[string]any{"file_path": filepath.Join(dir, "notes.md"), "content": strings.Repeat("A line of notes.\n", 60)}},
		{"", "Agent", map[string]any{"subagent_type": "stellwerk:developer", "description": "developer", "prompt": "Do it."}},
		{"a1", "Bash", command(`go test -race ./... 2>&1 | tail -40; for f in a b c; do echo "$f" >> 'list of files.txt'; done`)},
		{"a1", "Edit", map[string]any{"file_path": filepath.Join(work, "main.go"), "old_string": "a", "new_string": strings.Repeat("b\n", 200)}},
		{"a1", "Read", map[string]any{"file_path": "/etc/passwd"}},
	} {
		event := map[string]any{
			"session_id": hookSession, "transcript_path": "/t.jsonl", "cwd": dir, "permission_mode": "default", "hook_event_name": "PreToolUse",
			"tool_name": c.tool, "tool_input": c.input, "tool_use_id": "toolu_01",
		}
		if c.agent != "" {
			event["agent_id"], event["agent_type"], event["cwd"] = c.agent, "stellwerk:developer", work
		}
		data, err := json.Marshal(event)
		if err != nil {
			return err
		}
		g.events = append(g.events, data)
	}
	return nil
}

// ask runs a program with an event and returns what it printed.
func (g *gatehouse) ask(ctx context.Context, event []byte, program string, args ...string) (string, time.Duration, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "STELLWERK_STATE="+g.state)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(event), &out, &errs
	took, err := timed(cmd.Run)
	if err != nil {
		return "", 0, fmt.Errorf("%s: %w: %s", filepath.Base(program), err, errs.String())
	}
	return out.String(), took, nil
}

// turns measures the hook and hello, world in turns, over all events.
func (g *gatehouse) turns(ctx context.Context, times int) (measured, base []time.Duration, err error) {
	for i := range times {
		event := g.events[i%len(g.events)]
		_, m, err := g.ask(ctx, event, g.program)
		if err != nil {
			return nil, nil, err
		}
		_, b, err := g.ask(ctx, event, g.hello)
		if err != nil {
			return nil, nil, err
		}
		measured, base = append(measured, m), append(base, b)
	}
	return measured, base, nil
}

// hookMedian compares the whole process that decides on a tool call with a Go
// program that reads the same event and prints one line.
func hookMedian(ctx context.Context, shop *workshop) (o outcome, err error) {
	g, err := openGatehouse(ctx, shop)
	if err != nil {
		return o, err
	}
	measured, base, err := g.turns(ctx, shop.times(900))
	if err != nil {
		return o, err
	}
	return compare(measured, base, short), nil
}

// hookTail compares the slowest in a hundred of both.
func hookTail(ctx context.Context, shop *workshop) (o outcome, err error) {
	g, err := openGatehouse(ctx, shop)
	if err != nil {
		return o, err
	}
	measured, base, err := g.turns(ctx, shop.times(900))
	if err != nil {
		return o, err
	}
	m, b := p99(measured), p99(base)
	return outcome{ratio: float64(m) / float64(b), measured: short(m), base: short(b)}, nil
}

// p99 is the value that 99 of a hundred do not exceed.
func p99(samples []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(samples))
	return sorted[min(len(sorted)-1, len(sorted)*99/100)]
}

// hooksAtOnce is how many tool calls a team of agents makes at the same time.
const hooksAtOnce = 20

// hookCrowd starts twenty hooks at once, again and again. The limit of the
// slowest in a hundred is absolute.
func hookCrowd(ctx context.Context, shop *workshop) (o outcome, err error) {
	g, err := openGatehouse(ctx, shop)
	if err != nil {
		return o, err
	}
	var all []time.Duration
	for range shop.times(60) {
		took, failures := make([]time.Duration, hooksAtOnce), make([]error, hooksAtOnce)
		var crowd sync.WaitGroup
		for i := range hooksAtOnce {
			crowd.Go(func() { _, took[i], failures[i] = g.ask(ctx, g.events[i%len(g.events)], g.program) })
		}
		crowd.Wait()
		if err := errors.Join(failures...); err != nil {
			return o, err
		}
		all = append(all, took...)
	}
	tail := p99(all)
	return outcome{ratio: float64(tail) / float64(50*time.Millisecond), measured: short(tail)}, nil
}

// hookBash compares with the same decisions written in bash and jq. Both must
// decide alike, or nothing was compared.
func hookBash(ctx context.Context, shop *workshop) (o outcome, err error) {
	g, err := openGatehouse(ctx, shop)
	if err != nil {
		return o, err
	}
	if _, err := exec.LookPath("jq"); err != nil {
		return o, fmt.Errorf("the other side needs jq: %w", err)
	}
	script := filepath.Join("bench", "testdata", "hook.sh")
	var measured, base []time.Duration
	for i := range shop.times(180) {
		event := g.events[i%len(g.events)]
		ours, m, err := g.ask(ctx, event, g.program)
		if err != nil {
			return o, err
		}
		theirs, b, err := g.ask(ctx, event, "bash", script)
		if err != nil {
			return o, err
		}
		if permission(ours) != permission(theirs) {
			return o, fmt.Errorf("they decide differently on %s: %s and %s", event, ours, theirs)
		}
		measured, base = append(measured, m), append(base, b)
	}
	return compare(base, measured, short), nil
}

// permission is what an answer comes to.
func permission(answer string) string {
	var a hook.Answer
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		return "unreadable: " + answer
	}
	if a.Specific == nil {
		return "none"
	}
	return a.Specific.Permission
}

// longCommand is how large the commands are.
const longCommand = 70_000

// hookLong decides on commands of 70 kB as they occur: one long argument, many
// arguments, many commands, many assignments, many substitutions, a long pipe, a
// here-document, a loop over many files. Where that many are not looked at, there
// are fewer as well. The median of the slowest counts; the limit is absolute.
func hookLong(ctx context.Context, shop *workshop) (o outcome, err error) {
	g, err := openGatehouse(ctx, shop)
	if err != nil {
		return o, err
	}
	repeat := func(s string) string { return strings.Repeat(s, longCommand/len(s)+1) }
	var worst time.Duration
	slowest := ""
	for name, line := range map[string]string{
		"one argument":    "printf %s '" + repeat("x") + "' && git push",
		"many arguments":  "git add " + repeat("some/file.txt "),
		"many commands":   repeat("echo one && ") + "git push",
		"assignments":     repeat("a=$b; ") + "git push",
		"fewer commands":  repeat("echo one and then another && ") + "git push",
		"substitutions":   "echo " + repeat("$(date) "),
		"fewer of them":   "echo " + repeat("$(date) and a good deal more of the same: "),
		"a pipe":          "echo a" + repeat(" | grep -v b"),
		"a shorter pipe":  "echo a" + repeat(" | grep -v beta"),
		"a here-document": "cat > notes.md <<'EOF'\n" + repeat("git push is only mentioned\n") + "EOF\n",
		"a loop":          "for f in " + repeat("a/file.txt ") + "; do git add \"$f\"; done",
	} {
		for _, agent := range []string{"", "a1"} {
			event, err := json.Marshal(map[string]any{
				"session_id": hookSession, "agent_id": agent, "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": line},
			})
			if err != nil {
				return o, err
			}
			var took []time.Duration
			for range shop.times(40) {
				t, err := timed(func() error { _, _, err := hook.PreToolUse(g.state, event); return err })
				if err != nil {
					return o, err
				}
				took = append(took, t)
			}
			if m := median(took); m > worst {
				worst, slowest = m, name
			}
		}
	}
	return outcome{ratio: float64(worst) / float64(10*time.Millisecond), measured: short(worst) + " (" + slowest + ")"}, ctx.Err()
}
