package yard

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MergeSpec is one exact merge: the same spec always makes the same commit.
type MergeSpec struct {
	Into, From string // full hashes; Into becomes the first parent
	Message    string
	Identity   Identity
	When       time.Time
}

// Merged is what git made of a merge.
type Merged struct {
	Commit    string   // empty if there are conflicts
	Tree      string   // empty if there are conflicts
	Conflicts []string // paths git could not merge, sorted; no more than fit a message
	Unlisted  int      // how many more there are
}

// maxConflicts bounds how many conflicting paths are named.
const maxConflicts = 200

// Merge has git merge From into Into without a work tree, and moves no ref. It returns Into if that contains From already; a
// From that contains Into still gets a commit with two parents, so that the merge is visible. Nothing in the repository
// influences it: git reads no attributes, and no driver, filter or hook runs. Conflicts are a result and not an error.
// Errors: ErrNotFound, ErrUnrelated, *TooBigError.
func (y *Yard) Merge(ctx context.Context, spec MergeSpec) (_ Merged, err error) {
	defer wrap(&err, "merge %s into %s", spec.From, spec.Into)
	if err := checkCommit(spec.Message, spec.Identity, spec.When); err != nil {
		return Merged{}, err
	}
	if err := y.haveAll(ctx, spec.Into, spec.From); err != nil {
		return Merged{}, err
	}
	contained, err := y.IsAncestor(ctx, spec.From, spec.Into)
	if err != nil {
		return Merged{}, err
	}
	if contained {
		tree, err := y.Tree(ctx, spec.Into)
		return Merged{Commit: spec.Into, Tree: tree}, err
	}
	found, err := y.mergeTrees(ctx, spec.Into, spec.From)
	if err != nil {
		return Merged{}, err
	}
	if !found.clean {
		paths := found.paths()
		listed := min(len(paths), maxConflicts)
		return Merged{Conflicts: paths[:listed], Unlisted: len(paths) - listed}, nil
	}
	commit, err := y.git().commitTree(ctx, found.tree, spec.Message, spec.Identity, spec.When, spec.Into, spec.From)
	return Merged{Commit: commit, Tree: found.tree}, err
}

// haveAll makes sure that each hash is a full one, of a commit that the yard has, with a tree within the limits.
func (y *Yard) haveAll(ctx context.Context, commits ...string) error {
	for _, commit := range commits {
		if !isHash(commit) {
			return fmt.Errorf("%q is not a full commit hash", commit)
		}
		if _, err := y.Resolve(ctx, commit); err != nil {
			return err
		}
		if err := y.vet(ctx, commit); err != nil {
			return err
		}
	}
	return nil
}

// mergeConfig leaves nothing about a merge to the defaults of a git version. Git reads attributes from a tree that has none:
// without a work tree, some versions of git would use those of HEAD.
func mergeConfig() []string {
	return []string{
		"merge.renames=true", "merge.directoryRenames=conflict", "merge.renameLimit=7000",
		"merge.conflictStyle=merge", "merge.renormalize=false", "attr.tree=" + emptyTree,
	}
}

// entry is one side of a path: what a tree holds there. The zero value is nothing.
type entry struct{ mode, hash string }

func (e entry) exists() bool { return e.mode != "" }

func (e entry) isRegular() bool {
	return e.exists() && kindOf(e.mode).IsFile()
}

// conflict is what the three sides of a merge hold at a path that git could not decide.
type conflict struct{ base, into, from entry }

// merging is what git makes of two commits. The tree exists with conflicts too: it has markers in it then.
type merging struct {
	tree      string
	clean     bool
	conflicts map[string]conflict
	named     []string // paths from git's messages: for some conflicts between folders git names nothing else
}

func (m merging) paths() []string {
	if len(m.conflicts) == 0 {
		return m.named
	}
	return slices.Sorted(maps.Keys(m.conflicts))
}

// mergeTrees has git merge two commits of the yard.
func (y *Yard) mergeTrees(ctx context.Context, into, from string) (merging, error) {
	out, err := y.git().withConfig(mergeConfig()...).run(ctx, "merge-tree", "--write-tree", "-z", "--messages", into, from)
	switch {
	case stderrHas(err, "unrelated histories"):
		return merging{}, fmt.Errorf("%w: %w", ErrUnrelated, err)
	case err != nil && exitCode(err) != 1:
		return merging{}, err
	}
	found, parseErr := parseMerging(out)
	if parseErr != nil {
		return merging{}, errors.Join(parseErr, err)
	}
	found.clean = err == nil
	if !found.clean && len(found.paths()) == 0 {
		return merging{}, errors.New("git reports a conflict and does not say where")
	}
	return found, nil
}

// parseMerging reads the hash of the tree, a record "mode hash stage<TAB>path" for each side of a conflict, an empty
// record, and the messages: how many paths, the paths, the kind, the text.
func parseMerging(out []byte) (merging, error) {
	fields := slices.Collect(records(out))
	if len(fields) == 0 || !isHash(fields[0]) {
		return merging{}, fmt.Errorf("unexpected output of git merge-tree: %.200q", out)
	}
	found := merging{tree: fields[0], conflicts: map[string]conflict{}}
	fields = fields[1:]
	for len(fields) > 0 && fields[0] != "" {
		if err := found.addSide(fields[0]); err != nil {
			return merging{}, err
		}
		fields = fields[1:]
	}
	if len(fields) > 0 {
		found.named = conflictNames(fields[1:])
	}
	return found, nil
}

// conflictNames lists the paths of the messages about conflicts. It stops at the first field that is not a message: git
// prints advice about submodules there.
func conflictNames(fields []string) []string {
	var names []string
	for len(fields) > 0 {
		count, err := strconv.Atoi(fields[0])
		if err != nil || count < 0 || len(fields) < count+3 {
			break
		}
		if strings.HasPrefix(fields[count+1], "CONFLICT") {
			names = append(names, fields[1:count+1]...)
		}
		fields = fields[count+3:]
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (m merging) addSide(record string) error {
	meta, path, ok := strings.Cut(record, "\t")
	fields := strings.Fields(meta)
	if !ok || len(fields) != 3 {
		return fmt.Errorf("unexpected line of git merge-tree: %q", record)
	}
	sides, side := m.conflicts[path], entry{mode: fields[0], hash: fields[1]}
	switch fields[2] {
	case "1":
		sides.base = side
	case "2":
		sides.into = side
	case "3":
		sides.from = side
	default:
		return fmt.Errorf("unexpected stage of git merge-tree: %q", record)
	}
	m.conflicts[path] = sides
	return nil
}
