package check

import (
	"cmp"
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// alone passes if nothing that matches a pattern differs from a commit, the round's base unless the check names one: nothing
// was added, modified, deleted, renamed or turned into a link.
func (v *evaluation) alone(ctx context.Context, c core.Check) (core.CheckResult, error) {
	if v.subject.commit() == "" {
		return fail(noCommit), nil
	}
	changes, err := v.since(ctx, cmp.Or(c.Into, v.subject.Base))
	if err != nil {
		return core.CheckResult{}, err
	}
	var touched []string
	for _, ch := range changes {
		for _, glob := range c.Globs {
			m := matcher(glob)
			if m.match(ch.Path) || ch.OldPath != "" && m.match(ch.OldPath) {
				touched = append(touched, show(ch.Path))
				break
			}
		}
	}
	if len(touched) > 0 {
		return fail("Changed, although it had to stay as it is:\n%s", bullets(touched, shownPaths)), nil
	}
	return pass("Nothing was changed there."), nil
}
