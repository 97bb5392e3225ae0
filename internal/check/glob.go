package check

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Limits of a pattern. Alternatives multiply, so their product bounds the work of matching one path.
const (
	maxGlobs        = 64
	maxGlobBytes    = 512
	maxBraceGroups  = 4
	maxAlternatives = 32
)

// validGlobs refuses patterns that are malformed, too costly or that point outside the project.
func validGlobs(kind core.CheckKind, globs []string) error {
	if len(globs) == 0 {
		return core.Errorf(core.CodeInvalid, "the %s check names no pattern", kind)
	}
	if len(globs) > maxGlobs {
		return core.Errorf(core.CodeInvalid, "the %s check has %d patterns, at most %d are allowed", kind, len(globs), maxGlobs)
	}
	for _, g := range globs {
		if reason := badGlob(g); reason != "" {
			return core.Errorf(core.CodeInvalid, "the pattern %q of the %s check %s", g, kind, reason)
		}
	}
	return nil
}

// badGlob says what is wrong with a pattern; empty if it can be used.
func badGlob(g string) string {
	switch {
	case g == "":
		return "is empty"
	case len(g) > maxGlobBytes:
		return "is too long"
	case strings.HasPrefix(g, "/"), strings.HasPrefix(g, "~"), strings.ContainsRune(g, 0):
		return "is not a path inside the project: write it relative to the project's root"
	case strings.HasPrefix(g, "!"):
		return "begins with an exclamation mark: write a `not` check instead"
	case !doublestar.ValidatePattern(g):
		return "is not a valid glob"
	case strings.Count(g, "{") > maxBraceGroups, strings.Count(g, ",") > maxAlternatives:
		return "has too many alternatives: split it into several"
	}
	for segment := range strings.FieldsFuncSeq(g, func(r rune) bool { return strings.ContainsRune("/{},", r) }) {
		if segment == ".." {
			return "leaves the project: `..` is not allowed"
		}
	}
	return ""
}

// matcher matches the paths of a delivery, which an agent chose, against one validated pattern.
type matcher string

func (m matcher) match(path string) bool { return doublestar.MatchUnvalidated(string(m), path) }

// folded matches without regard to case.
func (m matcher) folded(path string) bool {
	return doublestar.MatchUnvalidated(strings.ToLower(string(m)), strings.ToLower(path))
}

// base is the last segment of the pattern, dir the folders before its first wildcard.
func (m matcher) base() matcher { return matcher(string(m)[strings.LastIndexByte(string(m), '/')+1:]) }

func (m matcher) dir() string {
	dir, _ := doublestar.SplitPattern(string(m))
	if dir == "." {
		return ""
	}
	return dir
}

// Matches reports whether a validated pattern matches a path of a repository.
func Matches(glob, path string) bool { return matcher(glob).match(path) }
