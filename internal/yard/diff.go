package yard

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Change is one path that differs between two commits.
type Change struct {
	Path    string
	Status  byte   // git's letter: A added, D deleted, M modified, R renamed, T type changed
	OldPath string // where a renamed file was
}

// DiffOptions shape a textual diff.
type DiffOptions struct {
	Paths    []string // literal paths; none means all
	Context  int      // lines around a change; zero means git's three
	MaxBytes int64    // stop after this much; zero means no limit
}

// Changed lists the paths that differ from base to head. An empty base stands for the empty tree.
func (y *Yard) Changed(ctx context.Context, base, head string) ([]Change, error) {
	out, err := y.diffTree(ctx, base, head, "-z", "-M", "--name-status")
	if err != nil {
		return nil, err
	}
	var changes []Change
	var pending []string
	for field := range records(out) {
		pending = append(pending, field)
		status := pending[0]
		if status == "" {
			return nil, fmt.Errorf("unexpected output of git diff-tree between %s and %s", base, head)
		}
		switch {
		case status[0] == 'R' && len(pending) == 3:
			changes = append(changes, Change{Status: 'R', OldPath: pending[1], Path: pending[2]})
		case status[0] != 'R' && len(pending) == 2:
			changes = append(changes, Change{Status: status[0], Path: pending[1]})
		default:
			continue
		}
		pending = pending[:0]
	}
	return changes, nil
}

// Stat counts the files that differ and the lines added and deleted in those that are text.
func (y *Yard) Stat(ctx context.Context, base, head string) (files, added, deleted int, err error) {
	out, err := y.diffTree(ctx, base, head, "-z", "--no-renames", "--numstat")
	if err != nil {
		return 0, 0, 0, err
	}
	for record := range records(out) {
		fields := strings.SplitN(record, "\t", 3)
		if len(fields) != 3 {
			return 0, 0, 0, fmt.Errorf("unexpected line of git diff-tree: %q", record)
		}
		files++
		if fields[0] == "-" {
			continue // binary
		}
		plus, plusErr := strconv.Atoi(fields[0])
		minus, minusErr := strconv.Atoi(fields[1])
		if plusErr != nil || minusErr != nil {
			return 0, 0, 0, fmt.Errorf("unexpected line of git diff-tree: %q", record)
		}
		added, deleted = added+plus, deleted+minus
	}
	return files, added, deleted, nil
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
		return false, fmt.Errorf("diff %s %s: %w", base, head, err)
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
		return nil, fmt.Errorf("compare %s and %s: %w", base, head, err)
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
	if base == "" {
		base = emptyTree
	}
	for _, rev := range []string{base, head} {
		if err := checkRev(rev); err != nil {
			return nil, err
		}
	}
	command := append([]string{"diff-tree", "-r", "--no-ext-diff", "--no-textconv"}, args...)
	return append(append(command, base, head, "--"), paths...), nil
}
