package claude

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// notices are the program's remarks that a person reading the transcript needs;
// progress reports and bookkeeping are left out.
func notices(o object) []agent.Record {
	notice := agent.Record{Kind: agent.KindNotice}
	switch get[string](o, "subtype") {
	case "init":
		notice.Text = fmt.Sprintf("Claude Code %s with %s, permission mode %s",
			get[string](o, "claude_code_version"), get[string](o, "model"), get[string](o, "permissionMode"))
	case "api_retry":
		notice.Error = true
		notice.Text = fmt.Sprintf("the model's service failed (%s%s); attempt %d of %d to repeat the call",
			get[string](o, "error"), status(o), count(o, "attempt"), count(o, "max_retries"))
	case "permission_denied":
		notice.Error, notice.Denied = true, true
		notice.Tool, notice.ToolID = get[string](o, "tool_name"), get[string](o, "tool_use_id")
		notice.Text = "denied: " + get[string](o, "message")
	case "task_notification":
		notice.Text = fmt.Sprintf("subagent %s: %s", get[string](o, "status"), get[string](o, "summary"))
	case "informational":
		notice.Text = get[string](o, "content")
	case "compact_boundary":
		notice.Text = "the conversation was summarised to fit the model's context"
	}
	if notice.Text == "" {
		return nil
	}
	return []agent.Record{notice}
}

func status(o object) string {
	if code := count(o, "error_status"); code != 0 {
		return fmt.Sprintf(", status %d", code)
	}
	return ""
}
