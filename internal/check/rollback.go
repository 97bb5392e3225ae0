package check

import (
	"path"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Targets returns the findings with the stage each is sent to. A rule for the finding's type decides, else a rule for its
// file, else the default. If several rules apply, the stage that comes first in order wins. Without a rollback no finding has
// a target.
func Targets(r *core.Rollback, findings []core.Finding, order []string) []core.Finding {
	targeted := slices.Clone(findings)
	for i := range targeted {
		targeted[i].Target = target(r, targeted[i], order)
	}
	return targeted
}

func target(r *core.Rollback, f core.Finding, order []string) string {
	if r == nil {
		return ""
	}
	byType := earliest(r.Types, order, func(match string) bool { return f.Type != "" && strings.EqualFold(match, f.Type) })
	if byType != "" {
		return byType
	}
	file := path.Clean(f.File)
	byPath := earliest(r.Paths, order, func(match string) bool {
		return local(file) && badGlob(match) == "" && matcher(match).match(file)
	})
	if byPath != "" {
		return byPath
	}
	return r.Default
}

// earliest is the stage of the matching rule that comes first in order; stages that order does not know come last.
func earliest(rules []core.RollbackRule, order []string, matches func(string) bool) string {
	best, rank := "", len(order)+1
	for _, rule := range rules {
		at := slices.Index(order, rule.Stage)
		if at < 0 {
			at = len(order)
		}
		if at < rank && matches(rule.Match) {
			best, rank = rule.Stage, at
		}
	}
	return best
}
