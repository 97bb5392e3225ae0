package shim

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/stellwerk-dev/stellwerk/internal/resource"
)

// A line of shell is a command of an agent that a person's session runs. It belongs to an attempt that another process, the
// shim, carries out. While it runs, it holds a shared lock on the file in which it reports what it took. When the agent has
// ended, the shim says so in another file and waits for the lines before it hands in.

// lineRecord is what a line took.
type lineRecord struct {
	Took     *Consumption `json:"took,omitempty"`
	Unrouted int64        `json:"unrouted,omitzero"`
}

// overRecord is why lines have to end.
type overRecord struct {
	Breach *resource.Breach `json:"breach,omitempty"`
}

const (
	// noLimit is the time limit of a line, which its starter ends.
	noLimit = time.Duration(math.MaxInt64)
	// lineGrace is what a line gets between TERM and KILL. It is short because its starter may use force soon.
	lineGrace = time.Second
)

var errAttemptOver = errors.New("the attempt is over")

// runLine runs a line and returns how it ended. If it ran into a limit, it says so on standard error.
func runLine(ctx context.Context, p process) (ending, error) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	p.stdin, p.stdout, p.stderr = os.Stdin, os.Stdout, os.Stderr
	p.limit, p.grace, p.joined, p.started = noLimit, lineGrace, true, func() {}
	end, err := p.run(ctx)
	if err != nil {
		return end, err
	}
	if end.took != nil && end.took.Breach != nil {
		fmt.Fprintln(os.Stderr, lineBreach(*end.took.Breach))
	}
	return end, nil
}

// lineBreach tells the agent of a session which limit its line ran into.
func lineBreach(b resource.Breach) string {
	who := "this command was "
	if b.Resource == resource.Memory && !b.Final {
		who = "a process of this command was "
	}
	return "stellwerk: " + who + b.String() + ". Take less at a time; if the work needs more, say so in your report."
}

// attemptLine runs a line as a part of the attempt in folder, and ends it with the attempt.
func attemptLine(folder string, p process) (code int, err error) {
	held := flock.New(filepath.Join(folder, linesFile), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	if err := held.RLock(); err != nil {
		return 0, fmt.Errorf("join the attempt: %w", err)
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	ctx, stop := whileFine(context.Background(), func() error { return attemptOver(folder) })
	defer stop()
	if ctx.Err() != nil {
		return 0, fmt.Errorf("%w: %w", ErrNotRunning, context.Cause(ctx))
	}
	end, err := runLine(ctx, p)
	if err != nil {
		return 0, err
	}
	if cause := context.Cause(ctx); cause != nil {
		fmt.Fprintf(os.Stderr, "stellwerk: this command was ended: %v\n", cause)
	}
	return end.code, leaveRecord(folder, lineRecord{Took: end.took, Unrouted: end.unrouted})
}

// attemptOver says why no line of the attempt may run; nil if one may.
func attemptOver(folder string) error {
	data, err := os.ReadFile(filepath.Join(folder, overFile))
	if err == nil {
		var over overRecord
		if err := json.Unmarshal(data, &over); err != nil {
			return fmt.Errorf("%w: %w", errAttemptOver, err)
		}
		if over.Breach != nil {
			return fmt.Errorf("%w, %s", errAttemptOver, over.Breach)
		}
		return errAttemptOver
	}
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	state, err := Look(folder)
	if err == nil && state != StateRunning {
		err = fmt.Errorf("%w: it is %s", errAttemptOver, state)
	}
	return err
}

// leaveRecord appends what a line took, in one write, so that the records of two lines do not mix.
func leaveRecord(folder string, r lineRecord) error {
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("report what a shell command used: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(folder, linesFile), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("report what a shell command used: %w", err)
	}
	_, err = file.Write(append(data, '\n'))
	return errors.Join(err, file.Close())
}

// closeLines ends the lines of an attempt whose agent has ended, and returns what all of them took. In a session the first
// line may still be about to begin: it makes its file before it looks whether the attempt is over, so that either it or this
// function sees the other.
func closeLines(folder string, spec Spec, agent *Consumption) (lineRecord, error) {
	some, err := has(folder, linesFile)
	if err != nil || !some && spec.Session == "" {
		return lineRecord{}, err
	}
	var over overRecord
	if agent != nil {
		over.Breach = agent.Breach
	}
	if err := writeJSON(filepath.Join(folder, overFile), over); err != nil {
		return lineRecord{}, err
	}
	if some, err = has(folder, linesFile); err != nil || !some {
		return lineRecord{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), killTime)
	defer cancel()
	held := flock.New(filepath.Join(folder, linesFile), flock.SetFlag(os.O_RDWR))
	if _, err := held.TryLockContext(ctx, killLook); err != nil {
		return lineRecord{}, errors.Join(fmt.Errorf("end the attempt's shell commands: %w", err), held.Close())
	}
	data, err := os.ReadFile(filepath.Join(folder, linesFile))
	if err = errors.Join(err, held.Close()); err != nil {
		return lineRecord{}, err
	}
	return readRecords(bytes.NewReader(data))
}

func readRecords(r io.Reader) (lineRecord, error) {
	var sum lineRecord
	scanner := bufio.NewScanner(r)
	for scanner.Scan() {
		var one lineRecord
		if err := json.Unmarshal(scanner.Bytes(), &one); err != nil {
			return sum, fmt.Errorf("read what shell commands used: %w", err)
		}
		sum.Unrouted += one.Unrouted
		if sum.Took == nil {
			sum.Took = one.Took
			continue
		}
		sum.Took = sum.Took.with(one.Took)
	}
	return sum, scanner.Err()
}

// with adds what another process of the attempt took. Limits are each process's own, so the largest peak counts.
func (c *Consumption) with(other *Consumption) *Consumption {
	if c == nil || other == nil {
		return c
	}
	sum := *c
	sum.PeakMemory, sum.PeakProcesses = max(c.PeakMemory, other.PeakMemory), max(c.PeakProcesses, other.PeakProcesses)
	sum.CPUSeconds += other.CPUSeconds
	if sum.Breach == nil {
		sum.Breach = other.Breach
	}
	return &sum
}
