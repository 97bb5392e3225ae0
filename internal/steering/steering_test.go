package steering

import (
	"strings"
	"testing"
)

func TestNamed(t *testing.T) {
	for _, file := range []string{
		".stellwerk/playbooks/a.yaml", ".github/workflows/ci.yml", ".gitea/workflows/ci.yml", ".forgejo/workflows/ci.yml", ".gitlab-ci.yml",
		".gitlab/agents/a/config.yaml", ".circleci/config.yml", "Jenkinsfile", "ci/Jenkinsfile", "Jenkinsfile.release", "azure-pipelines.yml",
		"azure-pipelines-release.yaml", "bitbucket-pipelines.yml", ".travis.yml", ".drone.yml", ".drone.star", ".woodpecker.yaml", ".woodpecker/build.yml",
		".buildkite/pipeline.yml", "CODEOWNERS", "docs/CODEOWNERS", "CLAUDE.md", "sub/CLAUDE.md", "a/b/AGENTS.md", "GEMINI.md", ".mcp.json",
		"sub/.mcp.json", ".claude", "sub/.claude/settings.json", ".cursor/rules/x.mdc", ".codex/config.toml", ".gemini/settings.json",
		".opencode/agent/x.md", "opencode.json", ".devcontainer/devcontainer.json", ".devcontainer.json", ".vscode/tasks.json", "pkg/.vscode/settings.json",
		".idea/runConfigurations/x.xml", ".husky/pre-commit", ".pre-commit-config.yaml", ".gitmodules", ".gitattributes", "sub/.gitattributes", ".envrc",
		// However they are spelt.
		".GitHub/workflows/ci.yml", "claude.MD", ".Claude/x", "jenkinsFile", "a/.ENVRC", ".g\u200cithub/x", "CLAUDE.md.", ".mcp.json ",
	} {
		if !(Files{}).Named(file) {
			t.Errorf("%q is not named", file)
		}
	}
	for _, file := range []string{
		"", "README.md", "docs/.github/readme.md", "src/claude.go", "docs/about-CLAUDE.md", "src/agents.go", "vendor/x/.travis.yml", ".gitignore",
		"sub/azure-pipelines.yml", "internal/steering/steering.go", "docs/azure-pipelines.md", "codeowners.go",
	} {
		if (Files{}).Named(file) {
			t.Errorf("%q is named", file)
		}
	}
}

func TestAddedFiles(t *testing.T) {
	files := Files{Added: []string{"Makefile", "deploy/**", "ci/*.Star", "tools"}}
	for file, want := range map[string]bool{
		"Makefile": true, "sub/makefile": true, "deploy/prod.yaml": true, "deploy/a/b.yaml": true, "ci/build.star": true, "ci/a/build.star": false,
		"x/ci/build.star": false, "tools/x": true, "sub/tools/x": true, "src/main.go": false, ".github/x": true,
	} {
		if got := files.Named(file); got != want {
			t.Errorf("%q: %v", file, got)
		}
	}
}

func TestCheck(t *testing.T) {
	for pattern, want := range map[string]string{
		"Makefile": "", "deploy/**": "", "!.github": "can only grow", "/etc": "inside the repository", "../x": "inside the repository", "a[": "not a pattern",
		"": "names no file", "/": "names no file",
	} {
		err := Check(pattern)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", pattern, err)
		}
	}
}
