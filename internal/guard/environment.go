package guard

import (
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/guard/shell"
)

// Assign implements shell.Judge: it judges variables that steer git and its helpers.
func (j *judge) Assign(r *shell.Run, name string, values []shell.Text) {
	if values == nil {
		j.remove(r, name)
	}
	for _, value := range values {
		switch variableRisk(name) {
		case steering:
			if value != "" || !strings.HasSuffix(name, "TOKEN") {
				keeps(r, name)
			}
		case onlySwitch:
			if !isWord(value) {
				keeps(r, name)
			}
		case runs:
			if !isWord(value) {
				r.Fragment(value)
			}
		case harmless:
			j.plainVariable(r, name, value)
		}
	}
}

// remove judges the removal of a variable from the environment; "" is one whose name is not known.
func (j *judge) remove(r *shell.Run, name string) {
	switch {
	case name == "" || !shell.Text(name).Known():
		r.Refuse(shell.Unresolved, "which variable is removed is only known once the command runs; write its name out")
	case variableRisk(name) == steering && !strings.HasSuffix(name, "TOKEN"):
		keeps(r, name)
	}
}

func keeps(r *shell.Run, name string) {
	r.Refuse(Environment, "the variable `"+name+"` is part of what keeps this session from pushing; leave it as it is")
}

// plainVariable judges variables that are harmless except for certain values.
func (j *judge) plainVariable(r *shell.Run, name string, value shell.Text) {
	switch name {
	case "GIT_DIR", "GIT_WORK_TREE":
		j.place(r, value)
	case "PS0", "PS1", "PS2", "PS4":
		if strings.Contains(string(value), "$(") || strings.Contains(string(value), "`") {
			r.Refuse(shell.Unresolved, "the shell runs the commands inside `"+name+"` each time it prints it; write them out")
		}
	}
}

// variableRisk finds the environment variables that redirect a push, hold a credential or name a command.
func variableRisk(name string) risk {
	switch {
	case strings.HasPrefix(name, "GIT_CONFIG"), strings.HasPrefix(name, "STELLWERK_"), strings.HasPrefix(name, "BASH_FUNC_"),
		shell.Listed("GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT GIT_EXEC_PATH GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS GIT_ALLOW_PROTOCOL "+
			"GIT_PROTOCOL_FROM_USER GIT_TEMPLATE_DIR GH_TOKEN GITHUB_TOKEN GH_ENTERPRISE_TOKEN GITHUB_ENTERPRISE_TOKEN GITLAB_TOKEN "+
			"GITEA_TOKEN GITLAB_ACCESS_TOKEN GH_CONFIG_DIR GLAB_CONFIG_DIR BASH_ENV CLAUDE_ENV_FILE SSH_ASKPASS_REQUIRE", name):
		return steering
	case name == "GIT_TERMINAL_PROMPT":
		return onlySwitch
	case shell.Listed("GIT_EDITOR EDITOR VISUAL GIT_SEQUENCE_EDITOR GIT_PAGER PAGER MANPAGER GIT_EXTERNAL_DIFF PROMPT_COMMAND LESSOPEN BROWSER", name):
		return runs
	}
	return harmless
}
