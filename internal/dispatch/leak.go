package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/leak"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
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
	found, cut, err := d.places(ctx, run, y, commit)
	if err == nil && cut != (cuts{}) {
		found = append(found, core.Leak{Rule: core.LeakUnsearched})
	}
	return found, err
}

// cuts say why a search did not come to its end. Only size is the same each time.
type cuts struct{ size, time bool }

// places are the leaks that name one.
func (d *Dispatcher) places(ctx context.Context, run *core.Run, y *yard.Yard, commit string) (found []core.Leak, cut cuts, err error) {
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	last, moreLast, cutLast, err := d.search(ctx, run, y, commit, "")
	if err != nil {
		return nil, cuts{}, err
	}
	history, moreHistory, cutHistory, err := d.search(ctx, run, y, commit, leak.Format)
	if err != nil {
		return nil, cuts{}, err
	}
	finds := slices.Clone(last)
	for _, f := range history {
		if !slices.ContainsFunc(finds, f.Same) {
			finds = append(finds, f)
		}
	}
	for _, f := range finds[:min(len(finds), maxLeaks)] {
		file := d.harmless(run, plain.Line(f.File, maxLeakName))
		found = append(found, core.Leak{Rule: f.Rule, File: file, Line: f.Line, Commit: f.Commit})
	}
	if more := len(finds) - len(found) + max(moreLast, moreHistory); more > 0 {
		found = append(found, core.Leak{Rule: core.LeakMore, Count: more})
	}
	return found, cuts{size: cutLast.size || cutHistory.size, time: cutLast.time || cutHistory.time}, nil
}

// search reads what is new in one form: as a whole, or with a format commit by commit. more is how many finds it does not return.
func (d *Dispatcher) search(ctx context.Context, run *core.Run, y *yard.Yard, commit, format string) (finds []leak.Find, more int, cut cuts, err error) {
	scanner := leak.New(d.redactor(run).Thread)
	cut.size, err = y.Added(ctx, scanner, run.BaseCommit, commit, yard.AddedOptions{History: format, MaxBytes: d.searchBytes})
	scanner.Close()
	if err == nil && format != "" {
		var cutCommits bool
		cutCommits, err = y.AddedCommits(ctx, scanner.Commits(), run.BaseCommit, commit, d.searchBytes)
		scanner.Close()
		cut.size = cut.size || cutCommits
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		cut.time, err = true, nil
	}
	return scanner.Finds(), scanner.More(), cut, err
}

// unnamedLeak looks once more before anything is pushed: a record that came from
// elsewhere may have been written without a search. What is too large to search
// was so for the approval too; a slow machine is nobody's fault.
func (d *Dispatcher) unnamedLeak(ctx context.Context, run *core.Run, task *core.Task, y *yard.Yard) (string, error) {
	found, cut, err := d.places(ctx, run, y, task.Publishing.Subject.Commit)
	if err != nil {
		return "", err
	}
	var named []core.Leak
	if task.Prepared != nil {
		named = task.Prepared.Leaks
	}
	for _, l := range found {
		if !slices.ContainsFunc(named, l.IsNamedBy) {
			return "what would be published looks like a secret that the approval did not name", nil
		}
	}
	if cut.size && !slices.Contains(named, core.Leak{Rule: core.LeakUnsearched}) {
		return "there is too much to search all of it for secrets, which the approval did not name", nil
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
