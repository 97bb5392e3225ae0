package guard

import (
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/guard/shell"
)

// Assign implements shell.Judge: it judges variables that steer git and its helpers.
func (j *judge) Assign(r *shell.Run, name string, values []shell.Text) {
	switch variableRisk(name) {
	case steering, onlySwitch:
		if values == nil || !emptyOr(values, name) {
			r.Refuse(Environment, "the variable `"+name+"` is part of what keeps this session from pushing; leave it as it is")
		}
	case runs:
		for _, code := range values {
			if !isWord(code) {
				r.Fragment(code)
			}
		}
	case harmless:
	}
	if name == "GIT_DIR" || name == "GIT_WORK_TREE" {
		for _, dir := range values {
			j.place(r, dir)
		}
	}
	if name == "" && values == nil {
		r.Refuse(shell.Unresolved, "which variable is removed is only known once the command runs; write its name out")
	}
}

// emptyOr reports a harmless value of a variable that otherwise steers.
func emptyOr(values []shell.Text, name string) bool {
	for _, v := range values {
		if v != "" && (variableRisk(name) != onlySwitch || !isWord(v)) {
			return false
		}
	}
	return strings.HasSuffix(name, "TOKEN") || variableRisk(name) == onlySwitch
}

// variableRisk knows the environment variables that redirect a push, hold a credential or name a command.
func variableRisk(name string) risk {
	switch name {
	case "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_EXEC_PATH", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_ALLOW_PROTOCOL",
		"GIT_PROTOCOL_FROM_USER", "GIT_TEMPLATE_DIR", "GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GITLAB_TOKEN",
		"GITEA_TOKEN", "GITLAB_ACCESS_TOKEN", "GH_CONFIG_DIR", "GLAB_CONFIG_DIR", "BASH_ENV", "CLAUDE_ENV_FILE", "SSH_ASKPASS_REQUIRE":
		return steering
	case "GIT_TERMINAL_PROMPT":
		return onlySwitch
	case "GIT_EDITOR", "EDITOR", "VISUAL", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "PAGER", "MANPAGER", "GIT_EXTERNAL_DIFF", "PROMPT_COMMAND", "LESSOPEN":
		return runs
	}
	switch {
	case strings.HasPrefix(name, "GIT_CONFIG"), strings.HasPrefix(name, "STELLWERK_"), strings.HasPrefix(name, "BASH_FUNC_"):
		return steering
	}
	return harmless
}
