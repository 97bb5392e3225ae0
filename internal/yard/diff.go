package yard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Change is one path that differs between two commits.
type Change struct {
	Path    string
	Status  byte   // git's letter: A added, D deleted, M modified, R renamed, T type changed
	OldPath string // of a renamed file
	Kind    Kind   // after the change; empty for a deleted file
	// Added and Deleted count lines: none for a binary file, only those that differ for a renamed one.
	Added, Deleted int
}

// DiffOptions shape a textual diff.
type DiffOptions struct {
	Paths    []string // literal paths; none means all
	Context  int      // lines around a change; zero means git's three
	MaxBytes int64    // stop after this much; zero means no limit
}

// Changed lists the paths that differ from base to head. An empty base stands for the empty tree.
func (y *Yard) Changed(ctx context.Context, base, head string) ([]Change, error) {
	out, err := y.diffTree(ctx, base, head, "-z", "-M", "--raw", "--numstat")
	if err != nil {
		return nil, err
	}
	changes, err := readChanges(slices.Collect(records(out)))
	if err != nil {
		return nil, fmt.Errorf("compare %s and %s: %w", base, head, err)
	}
	return changes, nil
}

// readChanges reads diff-tree's raw records, one for each path, and the line counts that follow them.
func readChanges(fields []string) ([]Change, error) {
	next := func() (field string) {
		if len(fields) > 0 {
			field, fields = fields[0], fields[1:]
		}
		return field
	}
	var changes []Change
	at := map[string]int{}
	for len(fields) > 0 {
		record := next()
		if meta := strings.Fields(record); strings.HasPrefix(record, ":") && len(meta) == 5 {
			c := Change{Status: meta[4][0]}
			if c.Status != 'D' {
				c.Kind = kindOf(meta[1])
			}
			if c.Status == 'R' {
				c.OldPath = next()
			}
			c.Path = next()
			at[c.Path] = len(changes)
			changes = append(changes, c)
			continue
		}
		added, rest, _ := strings.Cut(record, "\t")
		deleted, path, _ := strings.Cut(rest, "\t")
		if path == "" { // renamed: both paths follow
			_, path = next(), next()
		}
		i, known := at[path]
		if !known {
			return nil, fmt.Errorf("unexpected output of git diff-tree: %.200q", record)
		}
		if added == "-" {
			continue // binary
		}
		var plusErr, minusErr error
		changes[i].Added, plusErr = strconv.Atoi(added)
		changes[i].Deleted, minusErr = strconv.Atoi(deleted)
		if err := errors.Join(plusErr, minusErr); err != nil {
			return nil, fmt.Errorf("unexpected output of git diff-tree: %w", err)
		}
	}
	return changes, nil
}

// Diff writes the patch from base to head and reports whether it was cut at MaxBytes.
func (y *Yard) Diff(ctx context.Context, w io.Writer, base, head string, o DiffOptions) (truncated bool, err error) {
	args := []string{"-p", "-M", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"}
	if o.Context > 0 {
		args = append(args, fmt.Sprintf("-U%d", o.Context))
	}
	command, err := diffTreeArgs(base, head, args, o.Paths)
	if err != nil {
		return false, err
	}
	limit := o.MaxBytes
	if limit <= 0 {
		limit = 1<<63 - 1
	}
	limited := &limitedWriter{w: w, left: limit}
	err = y.git().stream(ctx, nil, limited, command...)
	if limited.exceeded && ctx.Err() == nil {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("diff %s %s: %w", base, head, y.explained(err))
	}
	return false, nil
}

func (y *Yard) diffTree(ctx context.Context, base, head string, args ...string) ([]byte, error) {
	command, err := diffTreeArgs(base, head, args, nil)
	if err != nil {
		return nil, err
	}
	out, err := y.git().run(ctx, command...)
	if err != nil {
		return nil, fmt.Errorf("compare %s and %s: %w", base, head, y.explained(err))
	}
	return out, nil
}

// difference is one path that differs between two trees.
type difference struct{ old, new entry }

// differences lists what differs between two trees by path. A renamed file is one that is gone and one that is new.
func (y *Yard) differences(ctx context.Context, from, to string) (map[string]difference, error) {
	out, err := y.diffTree(ctx, from, to, "-z", "--no-renames", "--raw", "--no-abbrev")
	if err != nil {
		return nil, err
	}
	found := map[string]difference{}
	var meta []string
	for field := range records(out) {
		if meta == nil {
			meta = strings.Fields(strings.TrimPrefix(field, ":"))
			if len(meta) != 5 {
				return nil, fmt.Errorf("unexpected output of git diff-tree between %s and %s: %.200q", from, to, field)
			}
			continue
		}
		found[field] = difference{old: sideOf(meta[0], meta[2]), new: sideOf(meta[1], meta[3])}
		meta = nil
	}
	return found, nil
}

// sideOf is an entry as git writes it: a mode of zeros is nothing.
func sideOf(mode, hash string) entry {
	if strings.Trim(mode, "0") == "" {
		return entry{}
	}
	return entry{mode: mode, hash: hash}
}

// emptyTree is git's name for a tree without entries; git knows it without storing it.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

func diffTreeArgs(base, head string, args, paths []string) ([]string, error) {
	base = cmp.Or(base, emptyTree)
	if err := checkRev(base, head); err != nil {
		return nil, err
	}
	command := append([]string{"diff-tree", "-r", "--no-ext-diff", "--no-textconv"}, args...)
	return append(append(command, base, head, "--"), paths...), nil
}
