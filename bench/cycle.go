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
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// cyclePlaybook begins a playbook whose agent does the least that goes the whole way: it appends a line, so that its work is
// handed in, imported, checked and put on the branch. No verdict is remembered, because each phase has a tree of its own.
const cyclePlaybook = `
name: bench
kind: phases
agents: {writer: {use: command, run: [sh, -c, "echo $STELLWERK_TASK >> work.txt"]}}
roles: {dev: {agent: writer, prompt: Work.}}
phases:
`

// cyclePhases is how many attempts follow one another in a run.
const cyclePhases = 10

// cycle compares the whole cycle of an attempt that does next to nothing with that of the program named with -before. Runs of
// the one and of the other program take turns, each with a fresh state folder and repository, which stay until the end: ext4
// takes longer to make a file the more were deleted in the last minutes. Measured is the time from the first attempt's request to
// the last verdict, for each phase.
func cycle(isolation sandbox.Kind) func(context.Context, *workshop) (outcome, error) {
	return func(ctx context.Context, shop *workshop) (outcome, error) {
		if kind, reason := sandbox.Detect(ctx); isolation == sandbox.Sandbox && kind != sandbox.Sandbox {
			return outcome{skipped: "no sandbox: " + reason}, nil
		}
		program, err := shop.stellwerk(ctx)
		if err != nil {
			return outcome{}, err
		}
		var measured, base []time.Duration
		for range shop.times(20) {
			m, err := timedCycle(ctx, shop, program, isolation)
			if err != nil {
				return outcome{}, err
			}
			measured = append(measured, m)
			if shop.before == "" {
				continue
			}
			b, err := timedCycle(ctx, shop, shop.before, isolation)
			if err != nil {
				return outcome{}, err
			}
			base = append(base, b)
		}
		if shop.before == "" {
			return outcome{skipped: short(median(measured)) + ", without -before no ratio"}, nil
		}
		return compare(measured, base, short), nil
	}
}

func timedCycle(ctx context.Context, shop *workshop, program string, isolation sandbox.Kind) (time.Duration, error) {
	line, err := openPhases(ctx, shop, cyclePhases)
	if err != nil {
		return 0, err
	}
	if err := line.run(ctx, isolation, program); err != nil {
		return 0, err
	}
	took, err := line.took()
	return took / cyclePhases, err
}

// processes counts the processes that a whole cycle starts, without isolation and in the sandbox: how many more a run of twelve
// phases starts than one of two. The larger number counts. A process that never becomes another program counts. A thread does not, nor does the child with which the Go
// runtime finds out, once in each program, whether the kernel has descriptors for processes.
func processes(ctx context.Context, shop *workshop) (outcome, error) {
	tracer, err := exec.LookPath("strace")
	if err != nil {
		return outcome{skipped: err.Error()}, nil //nolint:nilerr // that is the reason
	}
	program, err := shop.stellwerk(ctx)
	if err != nil {
		return outcome{}, err
	}
	const few, many, most = 2, 12, 10
	count := func(isolation sandbox.Kind) (float64, error) {
		var started [2]int
		for i, phases := range []int{few, many} {
			line, err := openPhases(ctx, shop, phases)
			if err != nil {
				return 0, err
			}
			trace := filepath.Join(line.dir, "trace")
			if err := line.run(ctx, isolation, tracer, "-f", "-qq", "-e", "trace=clone,clone3,fork,vfork", "-o", trace, program); err != nil {
				return 0, err
			}
			if started[i], err = startedIn(trace); err != nil {
				return 0, err
			}
		}
		return float64(started[1]-started[0]) / (many - few), nil
	}
	bare, err := count(sandbox.None)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{ratio: bare / most, measured: fmt.Sprintf("%.1f", bare)}
	if kind, _ := sandbox.Detect(ctx); kind == sandbox.Sandbox {
		walled, err := count(sandbox.Sandbox)
		if err != nil {
			return outcome{}, err
		}
		o.ratio = max(o.ratio, walled/most)
		o.measured += fmt.Sprintf(", in the sandbox %.1f", walled)
	}
	return o, nil
}

// startedIn counts the processes in a trace. A call that another process's line interrupts has its flags in the first part. Where
// strace does not know the call, because the process was ending, it writes question marks.
func startedIn(trace string) (int, error) {
	text, err := os.ReadFile(trace)
	if err != nil {
		return 0, err
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		probe := strings.Contains(line, "CLONE_VM|CLONE_PIDFD|CLONE_VFORK") && !strings.Contains(line, "SIGCHLD")
		known := strings.Contains(line, "(") && !strings.Contains(line, "???(")
		if known && !strings.Contains(line, "resumed>") && !strings.Contains(line, "CLONE_THREAD") && !probe {
			n++
		}
	}
	return n, nil
}

// phaseLine is a person's repository with a playbook of phases, and a state folder, for one run.
type phaseLine struct{ dir string }

func openPhases(ctx context.Context, shop *workshop, phases int) (phaseLine, error) {
	dir, err := shop.folder("cycle")
	if err != nil {
		return phaseLine{}, err
	}
	book := bytes.NewBufferString(cyclePlaybook)
	for i := range phases {
		fmt.Fprintf(book, "  - {id: p%d, role: dev, done: [{command: \"true\"}]}\n", i+1)
	}
	repo, err := openRepository(ctx, dir, 1, map[string]string{".stellwerk/playbooks/bench.yaml": book.String()})
	if err != nil {
		return phaseLine{}, err
	}
	return phaseLine{dir}, errors.Join(repo.yard.Close(), os.Mkdir(filepath.Join(dir, "home"), 0o700))
}

// run has a program, or a tracer before it, take the run to its end.
func (l phaseLine) run(ctx context.Context, isolation sandbox.Kind, command ...string) error {
	args := append(slices.Clone(command[1:]), "run", "--playbook", "bench", "--isolation", string(isolation), "--trust", "do it")
	cmd := exec.CommandContext(ctx, command[0], args...)
	cmd.Dir = filepath.Join(l.dir, "source")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(l.dir, "home"), "STELLWERK_STATE=" + filepath.Join(l.dir, "state")}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return nil
}

// took is the time between the run's first attempt and its last verdict.
func (l phaseLine) took() (time.Duration, error) {
	names, err := filepath.Glob(filepath.Join(l.dir, "state", "runs", "*", "manifest.jsonl"))
	if err != nil || len(names) != 1 {
		return 0, errors.Join(err, fmt.Errorf("%d manifests instead of one", len(names)))
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		return 0, err
	}
	var first, last time.Time
	verdicts := 0
	for line := range bytes.Lines(text) {
		var e core.Event
		if err := json.Unmarshal(line, &e); err != nil {
			return 0, err
		}
		switch {
		case e.Type == core.TypeAttemptRequested && first.IsZero():
			first = e.At
		case e.Type == core.TypeVerifyConcluded:
			last = e.At
			verdicts++
		}
	}
	if verdicts != cyclePhases {
		return 0, fmt.Errorf("%d verdicts instead of %d", verdicts, cyclePhases)
	}
	return last.Sub(first), nil
}
