package prompt

import (
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// leastShare is the least room in which the evidence of a check is useful.
const leastShare = 500

// Evidence is one failed check, with what it saw.
type Evidence struct {
	Check  string
	Detail string
}

// FailedChecks is the evidence of the newest failed verdict, within a fixed room.
func (v view) FailedChecks() []Evidence {
	shown := v.failed()
	share := maxEvidence / max(1, len(shown))
	evidence := make([]Evidence, len(shown))
	for i, r := range shown {
		evidence[i] = Evidence{Check: plain.Line(r.Check, maxInline), Detail: excerpt(r, share-maxInline)}
	}
	return evidence
}

// failed are the results to show: as many as have room.
func (v view) failed() []core.CheckResult {
	if v.Failed == nil {
		return nil
	}
	var failed []core.CheckResult
	for _, r := range v.Failed.Results {
		if !r.Passed && len(failed) < maxEvidence/leastShare {
			failed = append(failed, r)
		}
	}
	return failed
}

// excerpt keeps the part of a detail that tells most: the end of a command's output, the start of anything else.
func excerpt(r core.CheckResult, room int) string {
	detail := strings.TrimSpace(plain.Text(r.Detail))
	if len(detail) <= room {
		return detail
	}
	if r.Kind != core.CheckCommand {
		return plain.Head(detail, room)
	}
	first, rest, _ := strings.Cut(detail, "\n")
	first = plain.Line(first, room/2)
	return first + "\n" + plain.Tail(rest, 1000, room-len(first)-1)
}

// LastEnded says how the last attempt ended, as Stellwerk saw it.
func (v view) LastEnded() string {
	if v.Last == nil {
		return ""
	}
	said := ""
	if v.Last.Message != "" {
		said = " The message was: " + plain.Code(v.Last.Message, 2*maxInline)
	}
	if took := v.Last.Resources; took != nil && took.Breach != "" && v.Last.Exit == core.ExitFailed {
		return "It ran into a limit of this machine: " + plain.Line(took.Breach, maxInline) + ". Use less at a time: " +
			"run fewer processes side by side, take smaller inputs, delete files you no longer need."
	}
	if v.Last.Exceeded != "" {
		return "It ran into a limit: " + plain.Line(v.Last.Exceeded, maxInline) + ". You have a limit, too. Work in smaller steps, " +
			"read only what you need, and commit or write down each step as soon as it works."
	}
	switch v.Last.Exit {
	case core.ExitFinished:
		if v.Last.Verdict == core.VerdictFailed {
			return "It ended by itself, but its work failed the checks."
		}
		return "It ended by itself." + said
	case core.ExitFailed:
		return "It ended with an error." + said
	case core.ExitTimeout:
		return fmt.Sprintf("Stellwerk stopped it at its time limit of %s. Take smaller steps, and commit or write down each as soon as it works.", duration(v.Timeout))
	case core.ExitCancelled:
		return "It was stopped before it had finished."
	case core.ExitLost:
		return "Stellwerk lost it, for reasons that have nothing to do with its work."
	case core.ExitNoStart:
		return "It did not start, so it did nothing." + said
	}
	return "How it ended is not known."
}
