package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// changed passes if every pattern matches a regular file that the round added, modified or renamed to that path. Deletions do
// not count: deleting tests is not work on the tests.
func (v *evaluation) changed(ctx context.Context, c core.Check) (core.CheckResult, error) {
	if v.subject.commit() == "" {
		return fail(noCommit), nil
	}
	changes, err := v.diff(ctx)
	if err != nil {
		return core.CheckResult{}, err
	}
	var missing, found, files []string
	for _, glob := range c.Globs {
		m := matcher(glob)
		hit := ""
		for _, ch := range changes {
			if !counts(ch) || !m.match(ch.Path) {
				continue
			}
			if hit == "" {
				hit = ch.Path
			}
			if len(files) < shownPaths && !slices.Contains(files, ch.Path) {
				files = append(files, ch.Path)
			}
		}
		if hit == "" {
			missing = append(missing, glob)
			continue
		}
		found = append(found, show(hit))
	}
	if len(missing) == 0 {
		result := pass("Changed: %s", strings.Join(found, ", "))
		result.Files = files
		return result, nil
	}
	return fail("No file matching %s was added or modified since %s.\n%s",
		strings.Join(missing, " or "), short(v.subject.Base), whatChanged(changes)), nil
}

func counts(ch yard.Change) bool { return ch.Kind.IsFile() && local(ch.Path) }

// whatChanged is the evidence of a failed check: what did change, up to a limit.
func whatChanged(changes []yard.Change) string {
	if len(changes) == 0 {
		return "Nothing was changed at all."
	}
	items := make([]string, len(changes))
	for i, ch := range changes {
		items[i] = show(ch.Path)
		switch {
		case ch.Status == 'D':
			items[i] += " (deleted, does not count)"
		case !counts(ch):
			items[i] += fmt.Sprintf(" (%s, does not count)", ch.Kind)
		}
	}
	return fmt.Sprintf("What changed (%s):\n%s", count(len(changes), "path"), bullets(items, shownPaths))
}

// diff lists what the round changed, and remembers it.
func (v *evaluation) diff(ctx context.Context) ([]yard.Change, error) {
	var err error
	if !v.diffed {
		v.changes, err = v.since(ctx, v.subject.Base)
		v.diffed = err == nil
	}
	return v.changes, err
}

// since lists what differs from a commit.
func (v *evaluation) since(ctx context.Context, commit string) ([]yard.Change, error) {
	changes, err := v.Tree.Changed(ctx, commit, v.subject.commit())
	if err != nil {
		return nil, fmt.Errorf("list what changed from %s to %s: %w", short(commit), short(v.subject.commit()), err)
	}
	return changes, nil
}

// short is an object name as people write it.
func short(commit string) string { return commit[:min(12, len(commit))] }
