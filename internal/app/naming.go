package app

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// titleOf is the run's title: the given one, or the goal's first line, as it reads.
func titleOf(req api.StartRun) string {
	title := req.Title
	if title == "" {
		title, _, _ = strings.Cut(strings.TrimSpace(req.Goal), "\n")
		title = unmarked(clip(title, 1000))
	}
	title = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, title)
	return clip(strings.TrimSpace(title), 72)
}

func clip(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return strings.TrimSpace(string(runes[:n-1])) + "…"
}

// slug turns a title into a part of a branch name.
func slug(title string, n int) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= n {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}

// branchName is feature/issue-N-slug, or feature/slug without an issue.
func branchName(issue, title string) string {
	name := slug(title, 40)
	if issue = slug(core.IssueNumber(issue), 20); issue != "" {
		return strings.TrimSuffix("feature/issue-"+issue+"-"+name, "-")
	}
	if name == "" {
		name = "run"
	}
	return "feature/" + name
}

// alias is the short readable name of a run.
func alias(title string, id uuid.UUID) string {
	name := slug(title, 20)
	if name == "" {
		name = "run"
	}
	return fmt.Sprintf("%s-%s", name, hex.EncodeToString(id[13:]))
}

// checkBranch refuses names that git would, and those that lead elsewhere.
func checkBranch(name string) error {
	bad := name == "" || strings.HasPrefix(name, "-") || strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") ||
		strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, ".") || strings.Contains(name, "..") ||
		strings.Contains(name, "//") || strings.Contains(name, "@{") || strings.HasPrefix(name, "refs/") ||
		strings.ContainsAny(name, " ~^:?*[\\\x7f") || strings.ContainsFunc(name, unicode.IsControl)
	for part := range strings.SplitSeq(name, "/") {
		bad = bad || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock")
	}
	if bad {
		return core.Errorf(core.CodeInvalid, "%q cannot be the name of a branch", name).WithHint("choose another with --branch")
	}
	return nil
}
