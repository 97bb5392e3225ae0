package claude

import (
	"encoding/json"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/guard"
)

// shellTool is the program's tool that runs commands.
const shellTool = "Bash"

// keepTimeout is how many seconds a decision on a command may take. Without one
// the command is blocked.
const keepTimeout = 20

// keeper has the stellwerk program asked before every command, where the role
// holds the shell to rules.
func keeper(job agent.Job) ([]string, error) {
	self := job.Options[agent.OptionSelf]
	if self == "" || !guard.ToolList(job.Role.Tools).Rules(shellTool) {
		return nil, nil
	}
	type fields map[string]any
	settings, err := json.Marshal(fields{"hooks": fields{"PreToolUse": []fields{{
		"matcher": shellTool,
		"hooks": []fields{{
			"type": "command", "command": self, "args": append([]string{"worker", "keep", "--"}, job.Role.Tools...),
			"timeout": keepTimeout, "onFailure": "block",
		}},
	}}}})
	if err != nil {
		return nil, fmt.Errorf("writing the settings of role %s: %w", job.Role.Name, err)
	}
	return []string{"--settings", string(settings)}, nil
}
