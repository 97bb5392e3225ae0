package check

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

const (
	maxCommits      = 10_000
	maxMessageBytes = 1 << 10
)

// git passes if the round's history has the wanted shape. Checkpoints that Stellwerk made of uncommitted work are commits
// too, but need not match the message: the agent can neither word nor undo them. Checkpoints that change nothing do not count.
func (v *evaluation) git(ctx context.Context, c core.Check) (core.CheckResult, error) {
	commit := v.subject.commit()
	if commit == "" {
		return fail(noCommit), nil
	}
	log, err := v.Tree.Log(ctx, v.subject.Base, commit)
	if err != nil {
		return core.CheckResult{}, fmt.Errorf("list the commits from %s to %s: %w", short(v.subject.Base), short(commit), err)
	}
	log = slices.DeleteFunc(log, func(c yard.Commit) bool { return slices.Contains(v.subject.Marks, c.Hash) })
	if len(log) > maxCommits {
		return fail("The round has more than %d commits.", maxCommits), nil
	}
	wrong, err := v.history(*c.Git, log)
	if err != nil {
		return core.CheckResult{}, err
	}
	size, err := v.size(ctx, *c.Git)
	if err != nil {
		return core.CheckResult{}, err
	}
	if wrong = append(wrong, size...); len(wrong) > 0 {
		return fail("%s", strings.Join(wrong, "\n")), nil
	}
	return pass("%s since %s.", count(len(log), "commit"), short(v.subject.Base)), nil
}

// history tests the commits of the round.
func (v *evaluation) history(want core.GitCheck, log []yard.Commit) ([]string, error) {
	subject, err := regexp.Compile(want.Message)
	if err != nil {
		return nil, core.Errorf(core.CodeInvalid, "the expression %q of the git check is not valid: %w", want.Message, err)
	}
	var merges, unnamed []string
	for _, c := range log {
		line := short(c.Hash) + " " + show(c.Subject)
		if len(c.Parents) > 1 {
			merges = append(merges, line)
		}
		if !subject.MatchString(c.Subject) && !slices.Contains(v.subject.Checkpoints, c.Hash) {
			unnamed = append(unnamed, line)
		}
	}
	var wrong []string
	if len(log) < want.Commits {
		wrong = append(wrong, fmt.Sprintf("Expected at least %s since %s; there are %d.",
			count(want.Commits, "commit"), short(v.subject.Base), len(log)))
	}
	if want.Linear && len(merges) > 0 {
		wrong = append(wrong, "Expected no merge commits; there are:\n"+bullets(merges, shownPaths))
	}
	if len(unnamed) > 0 {
		wrong = append(wrong, fmt.Sprintf("Expected every subject to match %s; these do not:\n%s",
			want.Message, bullets(unnamed, shownPaths)))
	}
	return wrong, nil
}

// size tests how much the round changed.
func (v *evaluation) size(ctx context.Context, want core.GitCheck) ([]string, error) {
	if want.MaxFiles == 0 && want.MaxLines == 0 {
		return nil, nil
	}
	changes, err := v.diff(ctx)
	if err != nil {
		return nil, err
	}
	lines := 0
	for _, ch := range changes {
		lines += ch.Added + ch.Deleted
	}
	var wrong []string
	if want.MaxFiles > 0 && len(changes) > want.MaxFiles {
		wrong = append(wrong, fmt.Sprintf("Expected at most %s changed; there are %d.\n%s",
			count(want.MaxFiles, "file"), len(changes), whatChanged(changes)))
	}
	if want.MaxLines > 0 && lines > want.MaxLines {
		wrong = append(wrong, fmt.Sprintf("Expected at most %s added and removed; there are %d.", count(want.MaxLines, "line"), lines))
	}
	return wrong, nil
}
