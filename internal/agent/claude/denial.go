package claude

import (
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// withheld begins the answer to a call of a tool that the program does not
// offer: it has no permission to speak of, so only its words tell.
const withheld = "<tool_use_error>Error: No such tool available: "

// rejected is the program's word for a call that rules, mode or a hook forbid.
const rejected = "reject"

// markDenied tells results of calls that were not allowed from those of calls
// that failed. A stream names the decision on each call beside the message; the
// transcript of a session has one result to a line, and one decision.
func markDenied(o object, records []agent.Record) {
	denied := map[string]bool{}
	for _, meta := range get[[]object](o, "tool_result_meta") {
		if get[string](get[object](meta, "permission_decision"), "decision") == rejected {
			denied[get[string](meta, "id")] = true
		}
	}
	line := get[string](get[object](o, "permissionDecision"), "decision") == rejected
	for i := range records {
		r := &records[i]
		r.Denied = r.Error && (line || denied[r.ToolID] || strings.HasPrefix(r.Text, withheld))
	}
}
