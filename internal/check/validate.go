package check

import (
	"regexp"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const (
	maxDepth = 8
	maxParts = 128
)

// Validate says why a check can never be evaluated: a malformed pattern, expression or schema, a missing part, a size
// beyond a limit. The error is core.CodeInvalid and names the part.
func Validate(c core.Check) error { return validate(c, 0, new(int)) }

func validate(c core.Check, depth int, parts *int) error {
	if *parts++; *parts > maxParts {
		return core.Errorf(core.CodeInvalid, "the check has more than %d parts", maxParts)
	}
	if depth > maxDepth {
		return core.Errorf(core.CodeInvalid, "the check is nested more than %d deep", maxDepth)
	}
	switch c.Kind {
	case core.CheckAll, core.CheckAny, core.CheckNot:
		return validCompound(c, depth, parts)
	case core.CheckChanged, core.CheckFiles:
		return validGlobs(c.Kind, c.Globs)
	case core.CheckCommand:
		return validCommand(c)
	case core.CheckArtifact:
		return validArtifact(c)
	case core.CheckState:
		_, err := parseExpr(c.Expr)
		return err
	case core.CheckGit:
		return validGit(c.Git)
	case core.CheckPlan, core.CheckMerge, core.CheckAlone, core.CheckOutput, core.CheckDecision: // asked for by deciders only
		return nil
	}
	return core.Errorf(core.CodeInvalid, "unknown kind of check %q", c.Kind)
}

func validCompound(c core.Check, depth int, parts *int) error {
	if c.Kind == core.CheckAny && len(c.Of) == 0 {
		return core.Errorf(core.CodeInvalid, "an any check needs at least one part")
	}
	if c.Kind == core.CheckNot && len(c.Of) != 1 {
		return core.Errorf(core.CodeInvalid, "a not check needs exactly one part, it has %d", len(c.Of))
	}
	if c.Kind == core.CheckAll && len(c.Of) == 0 && depth > 0 {
		return core.Errorf(core.CodeInvalid, "an all check inside another needs at least one part")
	}
	for _, member := range c.Of {
		if err := validate(member, depth+1, parts); err != nil {
			return err
		}
	}
	return nil
}

func validCommand(c core.Check) error {
	switch {
	case strings.TrimSpace(c.Run) == "":
		return core.Errorf(core.CodeInvalid, "the command check has no command")
	case len(c.Run) > maxCommandBytes:
		return core.Errorf(core.CodeInvalid, "the command is %d bytes, at most %d are allowed", len(c.Run), maxCommandBytes)
	case strings.ContainsRune(c.Run, 0):
		return core.Errorf(core.CodeInvalid, "the command holds a NUL byte")
	case c.Timeout < 0 || c.Timeout > MaxCommandTimeout:
		return core.Errorf(core.CodeInvalid, "the time limit of a command is at most %s, not %s", MaxCommandTimeout, c.Timeout)
	}
	return nil
}

func validArtifact(c core.Check) error {
	if !local(c.Name) || strings.Contains(c.Name, `\`) {
		return core.Errorf(core.CodeInvalid, "%q is not the name of an artifact: write a relative path without `..`", c.Name)
	}
	if len(c.Schema) == 0 {
		return nil
	}
	_, err := compile(c.Schema)
	return err
}

func validGit(g *core.GitCheck) error {
	if g == nil || *g == (core.GitCheck{}) {
		return core.Errorf(core.CodeInvalid, "the git check asks for nothing: give commits, linear, message, max_files or max_lines")
	}
	if g.Commits < 0 || g.MaxFiles < 0 || g.MaxLines < 0 || g.Commits > maxCommits {
		return core.Errorf(core.CodeInvalid, "the numbers of a git check are between 0 and %d", maxCommits)
	}
	if len(g.Message) > maxMessageBytes {
		return core.Errorf(core.CodeInvalid, "the expression of the git check is %d bytes, at most %d are allowed",
			len(g.Message), maxMessageBytes)
	}
	if _, err := regexp.Compile(g.Message); err != nil {
		return core.Errorf(core.CodeInvalid, "the expression %q of the git check is not valid: %w", g.Message, err)
	}
	return nil
}
