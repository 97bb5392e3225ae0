// Package steering knows the files of a repository that control other programs: a forge, its CI, coding agents, editors,
// git itself. A person is told of a change to one before it is published, because it takes effect beyond what was asked for
// and verified. The package must not decide about such a change, and reads no file.
package steering

import (
	"path"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"
)

// atTop are files and folders that take effect at the top of a repository, for Stellwerk, forges and CI. A pattern matches
// a whole name.
func atTop() []string {
	return []string{
		".stellwerk",
		".github", ".gitea", ".forgejo", ".gitlab", "codeowners", "docs/codeowners",
		".gitlab-ci.yml", ".circleci", "azure-pipelines*", ".azure-pipelines", "bitbucket-pipelines.yml", ".travis.yml",
		".drone.*", ".woodpecker*", ".buildkite", ".cirrus.*", ".semaphore", ".teamcity", "appveyor.yml", ".appveyor.yml",
		".build.yml", ".builds", "buildspec.y*ml", "cloudbuild.y*ml", "netlify.toml", "vercel.json",
		"renovate.json*", ".renovaterc*",
	}
}

// anywhere are files and folders that take effect in any folder, for agents, editors, shells and git.
func anywhere() []string {
	return []string{
		".claude", "claude.md", "claude.local.md", ".mcp.json", "agents.md", "agents.override.md", ".agents",
		"gemini.md", ".gemini", ".codex", ".cursor", ".cursorrules", ".opencode", "opencode.json*", ".windsurf", ".windsurfrules",
		".clinerules", ".roo", ".aider*", ".continue", ".junie", ".kiro", ".goosehints",
		".devcontainer", ".devcontainer.json", ".vscode", "*.code-workspace", ".idea", ".zed",
		".husky", ".githooks", ".pre-commit-config.yaml", ".pre-commit-hooks.yaml", "lefthook.y*ml", ".lefthook.y*ml",
		".gitmodules", ".gitattributes", ".lfsconfig", ".gitconfig",
		".envrc", ".mise.toml", "mise.toml", ".tool-versions",
		"jenkinsfile*",
	}
}

// Files are the steering files: the known ones, and those that a person or a repository adds.
type Files struct {
	// Added are patterns. Without a slash, a pattern is a name in any folder; with a slash, a path from the top. Everything
	// in a matching folder counts as well.
	Added []string
}

// Named reports whether a path is a steering file. A file or link counts like a folder of its name, in any case: some file
// systems take .GitHub for .github.
func (f Files) Named(file string) bool {
	file = plain(file)
	for at := file; at != "." && at != "/" && at != ""; at = path.Dir(at) {
		name := path.Base(at)
		if matches(anywhere(), name) || matches(atTop(), at) {
			return true
		}
		for _, pattern := range f.Added {
			pattern = plain(pattern)
			if strings.Contains(pattern, "/") && matches([]string{pattern}, at) || matches([]string{pattern}, name) {
				return true
			}
		}
	}
	return false
}

func matches(patterns []string, text string) bool {
	for _, pattern := range patterns {
		if ok, err := doublestar.Match(pattern, text); err == nil && ok { // Check has seen those that somebody wrote
			return true
		}
	}
	return false
}

// plain is a path as the most forgiving file systems see it: without letters' case, characters that are not shown, and
// dots and blanks at the end of a name.
func plain(file string) string {
	file = strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, file))
	parts := strings.Split(strings.Trim(file, "/"), "/")
	for i, part := range parts {
		parts[i] = strings.TrimRight(part, ". ")
	}
	return strings.Join(parts, "/")
}
