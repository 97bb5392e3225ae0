package yard

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

const (
	// maxProblems is how many problems Resolved names before it stops looking.
	maxProblems = 20
	// maxJudged bounds how many paths Resolved looks into.
	maxJudged = 2000
)

// Resolved judges a commit that claims to resolve the conflicts of merging from into into, and returns what is wrong with it
// in sentences; none if the commit is right. All three are full hashes. Resolved compares the result with git's own merge of
// the two. What that merge adds to from is into's work, and it must survive, because its authors have no say here. What from
// itself had is left to whoever works on it, with one exception. The rules:
//
//   - The result descends from both commits, and does not just repeat into if from had work of its own.
//   - No path that was in conflict, and none that the result changes, has conflict markers that neither side has.
//   - A path that git merges by itself may be changed, since the checks may require it. But into's work must be there: a
//     file that into adds is not deleted, a file that it deletes is not back, the content is not that of from again, no place
//     loses lines of into without new ones instead, none gets lines back that into removed, and modes, links, submodules and
//     files that are not text are exactly as git merges them.
//   - The resolver decides about a path in conflict within the conflicting places; outside of them the previous rule holds.
//     The path must not be what it was before both sides changed it, nor from's side alone, as a whole or in every
//     conflicting place, unless that contains into's lines too.
//   - A path in conflict that into has is not deleted. Keeping a path that one side deleted is always allowed: it loses nothing.
//   - Content that moved counts as there: a line of into may turn up in any path that the result changes.
//
// Lines are compared without regard to white space, and those without a letter or digit do not count.
func (y *Yard) Resolved(ctx context.Context, into, from, result string) (problems []string, err error) {
	defer wrap(&err, "judge %s as the merge of %s into %s", result, from, into)
	if err := y.haveAll(ctx, into, from, result); err != nil {
		return nil, err
	}
	j := &judge{yard: y, into: into, from: from, result: result}
	for _, side := range []string{into, from} {
		contained, err := y.IsAncestor(ctx, side, result)
		if err != nil {
			return nil, err
		}
		if !contained {
			j.complain("the commit %.12s does not contain %.12s: merge it with git and commit the merge", result, side)
		}
	}
	if len(j.problems) > 0 {
		return j.problems, nil
	}
	if err := j.judge(ctx); err != nil {
		return nil, err
	}
	return j.problems, nil
}

// judge is one judgement under way.
type judge struct {
	yard               *Yard
	into, from, result string
	merged             merging
	brought            map[string]difference // from from to git's merge: into's work
	changed            map[string]difference // from git's merge to the result
	present            map[string]bool       // lines of the paths that the result changes or decided; nil until needed
	problems           []string
}

func (j *judge) complain(format string, args ...any) {
	if len(j.problems) < maxProblems {
		j.problems = append(j.problems, fmt.Sprintf(format, args...))
	}
}

func (j *judge) judge(ctx context.Context) (err error) {
	if j.merged, err = j.yard.mergeTrees(ctx, j.into, j.from); err != nil {
		return err
	}
	if j.brought, err = j.yard.differences(ctx, j.from, j.merged.tree); err != nil {
		return err
	}
	if j.changed, err = j.yard.differences(ctx, j.merged.tree, j.result); err != nil {
		return err
	}
	if err := j.judgeOwn(ctx); err != nil {
		return err
	}
	paths := slices.Concat(j.merged.paths(), slices.Collect(maps.Keys(j.changed)))
	slices.Sort(paths)
	paths = slices.Compact(paths)
	if len(paths) > maxJudged {
		j.complain("%d files differ from git's own merge, and Stellwerk can judge only %d: change no more than the merge needs", len(paths), maxJudged)
		return nil
	}
	for _, path := range paths {
		if len(j.problems) >= maxProblems {
			return nil
		}
		if err := j.judgePath(ctx, path); err != nil {
			return fmt.Errorf("%q: %w", path, err)
		}
	}
	return nil
}

// judgeOwn is the exception: from's own work may be reshaped, but not dropped altogether.
func (j *judge) judgeOwn(ctx context.Context) error {
	into, err := j.yard.Tree(ctx, j.into)
	if err != nil {
		return err
	}
	result, err := j.yard.Tree(ctx, j.result)
	if err != nil {
		return err
	}
	if result == into && j.merged.tree != into {
		j.complain("the files are exactly those of %.12s: the merge lost all work on %.12s", j.into, j.from)
	}
	return nil
}

func (j *judge) judgePath(ctx context.Context, path string) error {
	merged, result := j.changed[path].old, j.changed[path].new
	if _, changed := j.changed[path]; !changed {
		same, err := j.lookUp(ctx, j.merged.tree, path)
		if err != nil {
			return err
		}
		merged, result = same, same
	}
	sides, conflicting := j.merged.conflicts[path]
	if !conflicting {
		sides = conflict{from: merged, into: merged}
	}
	if marked, err := j.judgeMarkers(ctx, path, result, sides); err != nil || marked {
		return err
	}
	if conflicting {
		return j.judgeConflict(ctx, path, sides, merged, result)
	}
	brought, ofInto := j.brought[path]
	if !ofInto || result == merged {
		return nil
	}
	return j.judgeMerged(ctx, path, brought, result)
}

func (j *judge) lookUp(ctx context.Context, tree, path string) (entry, error) {
	found, err := j.yard.entry(ctx, tree, path)
	if errors.Is(err, ErrNotFound) || found.Kind == subtree {
		return entry{}, nil
	}
	return entry{mode: found.Mode, hash: found.Hash}, err
}

// judgeMerged judges a path that into changed, that git merges by itself, and that differs from that merge in the result.
func (j *judge) judgeMerged(ctx context.Context, path string, brought difference, result entry) error {
	before, merged := brought.old, brought.new
	switch {
	case !merged.exists():
		j.complain("%q is back, but %.12s deletes it: delete it", path, j.into)
		return nil
	case !result.exists():
		return j.judgeGone(ctx, path, before, merged)
	case result == before || result.hash == before.hash && merged.hash != before.hash:
		j.complain("%q is as it was on the branch: the merge undid what %.12s changed there", path, j.into)
		return nil
	case result.mode != merged.mode && merged.mode != before.mode:
		j.complain("%q does not have the mode %s that %.12s gives it", path, merged.mode, j.into)
		return nil
	case result.hash == merged.hash:
		return nil
	}
	return j.judgeText(ctx, path, before, merged, result)
}

// judgeGone judges a path that into changed and that the result does not have.
func (j *judge) judgeGone(ctx context.Context, path string, before, brought entry) error {
	for _, changed := range j.changed {
		if changed.new.hash == brought.hash {
			return nil // moved as it was
		}
	}
	lost, err := j.lost(ctx, before, brought)
	if err != nil || !lost {
		return err
	}
	j.complain("%q was deleted, together with what %.12s adds to it: put it back", path, j.into)
	return nil
}

// lost reports whether something of what into changed a file to is nowhere in the result.
func (j *judge) lost(ctx context.Context, before, after entry) (bool, error) {
	old, _, err := j.text(ctx, before)
	if err != nil {
		return false, err
	}
	now, isText, err := j.text(ctx, after)
	if err != nil {
		return false, err
	}
	lines := more(now, old)
	if !isText || len(lines) == 0 {
		return true, nil
	}
	missing, err := j.missing(ctx, lines)
	return len(missing) > 0, err
}

// judgeConflict judges a path that git could not merge.
func (j *judge) judgeConflict(ctx context.Context, path string, sides conflict, merged, result entry) error {
	switch {
	case !sides.into.exists():
		return nil // deleted or moved by into: gone as there, or kept
	case !result.exists():
		return j.judgeGone(ctx, path, sides.base, sides.into)
	case !sides.from.exists():
		return j.judgeKept(ctx, path, sides, result)
	case result == sides.base:
		j.complain("%q is what it was before either side changed it: merge both changes", path)
		return nil
	case result == sides.from:
		return j.judgeDropped(ctx, path, sides)
	case result == merged || result == sides.into:
		return nil
	}
	return j.judgeText(ctx, path, sides.from, merged, result)
}

// judgeKept judges a path that only into has: it changed what from deleted, or moved it there.
func (j *judge) judgeKept(ctx context.Context, path string, sides conflict, result entry) error {
	switch result {
	case sides.into:
		return nil
	case sides.base:
		j.complain("%q is what it was before %.12s changed it", path, j.into)
		return nil
	}
	return j.judgeText(ctx, path, sides.base, sides.into, result)
}

// judgeDropped judges a path in conflict that is exactly what from had.
func (j *judge) judgeDropped(ctx context.Context, path string, sides conflict) error {
	lost, err := j.lost(ctx, sides.base, sides.into)
	if err != nil || !lost {
		return err
	}
	j.complain("%q is exactly as it was on the branch: the merge dropped what %.12s changed there; merge both changes", path, j.into)
	return nil
}
