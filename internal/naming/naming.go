// Package naming makes names of what people wrote: titles and aliases of runs, branches,
// projects. It is pure, and does not know which names are taken.
package naming

import (
	"cmp"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// Title is the run's title: the given one, or the goal's first line, as it reads.
func Title(title, goal string) string {
	if title == "" {
		title, _, _ = strings.Cut(strings.TrimSpace(goal), "\n")
		title = unmarked(plain.Clip(title, 1000))
	}
	title = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, title)
	return plain.Clip(strings.TrimSpace(title), 72)
}

// slug turns a title into a part of a branch name of at most n letters. It is cut
// earlier where they take much room, because a ref is a file whose name has an end.
func slug(title string, n int) string {
	name, letters := "", 0
	for word := range strings.FieldsFuncSeq(spell(title), func(r rune) bool { return strings.ContainsRune(" ._", r) }) {
		if name != "" {
			word = "-" + word
		}
		for _, r := range word {
			if letters == n || len(name)+utf8.RuneLen(r) > 2*n {
				return strings.TrimRight(name, "-")
			}
			name += string(r)
			letters++
		}
	}
	return name
}

// Branch is feature/issue-N-slug, or feature/slug without an issue. A title
// of which nothing can stand in a name gives feature/run-ID.
func Branch(issue, title string, id uuid.UUID) string {
	name := slug(title, 40)
	if issue = slug(core.IssueNumber(issue), 20); issue != "" {
		return strings.TrimSuffix("feature/issue-"+issue+"-"+name, "-")
	}
	if name == "" {
		name = "run-" + ShortID(id)
	}
	return "feature/" + name
}

// Alias is the short readable name of a run.
func Alias(title string, id uuid.UUID) string {
	return cmp.Or(slug(title, 20), "run") + "-" + ShortID(id)
}

// ShortID tells runs apart whose titles do not.
func ShortID(id uuid.UUID) string { return hex.EncodeToString(id[13:]) }

// CheckBranch refuses names that git would, and those that lead elsewhere.
func CheckBranch(name string) error {
	bad := name == "" || strings.HasPrefix(name, "-") || strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") ||
		strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, ".") || strings.Contains(name, "..") ||
		strings.Contains(name, "//") || strings.Contains(name, "@{") || strings.HasPrefix(name, "refs/") ||
		strings.ContainsAny(name, " ~^:?*[\\\x7f") || strings.ContainsFunc(name, unicode.IsControl)
	for part := range strings.SplitSeq(name, "/") {
		bad = bad || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock")
	}
	if bad {
		return core.Errorf(core.CodeInvalid, "%q cannot be the name of a branch", name).WithHint("choose another").Offer(core.Choice{Verb: core.VerbWithBranch})
	}
	return nil
}
