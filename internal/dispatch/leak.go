package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/check/plain"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/leak"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Bounds of the search for secrets in what would be published. What lies beyond
// them is named as not searched.
const (
	searchBytes = 64 << 20
	searchTime  = 2 * time.Minute
	maxLeaks    = 40
	maxLeakName = 300
)

// leaks says where what a publication adds looks like a secret: in the files as
// they end up, in their names, in commits that had it for a while, and in their
// messages. All of that is pushed.
func (d *Dispatcher) leaks(ctx context.Context, run *core.Run, y *yard.Yard, commit string) ([]core.Leak, error) {
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	last, cutLast, err := d.search(ctx, run, y, commit, "")
	if err != nil {
		return nil, err
	}
	history, cutHistory, err := d.search(ctx, run, y, commit, leak.Format)
	if err != nil {
		return nil, err
	}
	var found []core.Leak
	for _, f := range last {
		found = append(found, d.leak(run, f))
	}
	for i, f := range history {
		if !slices.ContainsFunc(append(last, history[:i]...), f.Same) {
			found = append(found, d.leak(run, f))
		}
	}
	if len(found) > maxLeaks {
		found = append(found[:maxLeaks], core.Leak{Rule: core.LeakMore})
	}
	if cutLast || cutHistory {
		found = append(found, core.Leak{Rule: core.LeakUnsearched})
	}
	return found, nil
}

func (d *Dispatcher) leak(run *core.Run, f leak.Find) core.Leak {
	file := d.harmless(run, plain.Line(f.File, maxLeakName))
	return core.Leak{Rule: f.Rule, File: file, Line: f.Line, Commit: f.Commit}
}

// search reads what is new in one form. cut says that it was not read to its end.
func (d *Dispatcher) search(ctx context.Context, run *core.Run, y *yard.Yard, commit, format string) (finds []leak.Find, cut bool, err error) {
	scanner := leak.New(d.redactor(run).Thread)
	cut, err = y.Added(ctx, scanner, run.BaseCommit, commit, yard.AddedOptions{History: format, MaxBytes: d.searchBytes})
	scanner.Close()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return scanner.Finds(), true, nil
	}
	return scanner.Finds(), cut, err
}

// unnamedLeak looks once more before anything is pushed: a record that came from
// elsewhere may have been written without a search.
func (d *Dispatcher) unnamedLeak(ctx context.Context, run *core.Run, task *core.Task, y *yard.Yard) (string, error) {
	found, err := d.leaks(ctx, run, y, task.Publishing.Subject.Commit)
	if err != nil {
		return "", err
	}
	var named []core.Leak
	if task.Prepared != nil {
		named = task.Prepared.Leaks
	}
	for _, l := range found {
		if l.Rule != core.LeakUnsearched && !slices.Contains(named, l) {
			return "what would be published looks like a secret that the approval did not name", nil
		}
	}
	return "", nil
}

// knownLeaks lists what looks like a secret and was published all the same.
func knownLeaks(run *core.Run) string {
	var b strings.Builder
	for _, s := range run.Stages {
		if s.Gate == nil || !s.Gate.WithLeaks {
			continue
		}
		fmt.Fprintf(&b, "\nThese places look like secrets; published as they are by %s:\n\n", approver(s))
		for _, l := range s.Gate.Leaks {
			fmt.Fprintf(&b, "- %s\n", quotedLine(l.String(), 400))
		}
	}
	return b.String()
}
