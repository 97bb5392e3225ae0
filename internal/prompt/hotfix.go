package prompt

import (
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// Again says why the phase is done again; "" if it is done for the first time.
func (v view) Again() string {
	switch v.Reason {
	case core.OpenFeedback:
		return "A person looked at the result of this phase and asks for changes."
	case core.OpenRollback:
		return rolledBack(v.Hotfix)
	case core.OpenMissing:
		return "This phase passed before, but a later phase lacks one of its outputs. Hand in every output named below."
	case core.OpenRedo:
		return "An earlier phase was done again after this phase last passed. Compare the work with the inputs " +
			"as they are now, and change what no longer fits."
	case core.OpenAdvance, core.OpenWoken, core.OpenWatchdog:
	}
	return ""
}

// rolledBack says who wants the phase done again: a person, whose words a later phase must
// not be credited with, or a later phase.
func rolledBack(h *core.Hotfix) string {
	from, person := "", false
	if h != nil && h.From != "" {
		from = code(h.From)
	}
	if h != nil {
		person = h.By.Kind == core.ActorPerson
	}
	switch {
	case person && from == "":
		return "A person sent the run back to this phase."
	case person:
		return "A person sent the run back to this phase while " + from + " was under way."
	case from == "":
		return "A later phase found something that this phase must fix."
	}
	return "The later phase " + from + " found something that this phase must fix."
}

// Unexplained reports that a person sent the run back without saying what is to change.
func (v view) Unexplained() bool {
	return v.Reason == core.OpenRollback && v.Hotfix != nil && v.Hotfix.By.Kind == core.ActorPerson && v.Hotfix.Text == "" && len(v.Hotfix.Findings) == 0
}

// HotfixText is what the round must fix, in the given words.
func (v view) HotfixText() string {
	if v.Hotfix == nil {
		return ""
	}
	return plain.Head(v.Hotfix.Text, maxHotfix/2)
}

// Findings lists the findings that the round must fix, as many as have room.
func (v view) Findings() string {
	if v.Hotfix == nil {
		return ""
	}
	var b strings.Builder
	for i, f := range v.Hotfix.Findings {
		item := finding(i+1, f)
		if b.Len()+len(item) > maxHotfix/2 {
			if i == 0 {
				b.WriteString(plain.Head(item, maxHotfix/2))
			}
			break
		}
		b.WriteString(item + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// HotfixCut reports that not all of it is shown.
func (v view) HotfixCut() bool {
	if v.Hotfix == nil {
		return false
	}
	whole := 0
	for i, f := range v.Hotfix.Findings {
		whole += len(finding(i+1, f)) + 1
	}
	return len(plain.Text(v.Hotfix.Text)) > maxHotfix/2 || whole > maxHotfix/2
}

// finding is one finding with its place: "2. internal/a.go:14 [security, high]", then what is wrong, indented.
func finding(n int, f core.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d.", n)
	if f.File != "" {
		b.WriteString(" " + plain.Line(f.File, maxInline))
		if f.Line > 0 {
			fmt.Fprintf(&b, ":%d", f.Line)
		}
	}
	var tags []string
	for _, tag := range []string{f.Type, f.Severity} {
		if tag = plain.Line(tag, 40); tag != "" {
			tags = append(tags, tag)
		}
	}
	if len(tags) > 0 {
		b.WriteString(" [" + strings.Join(tags, ", ") + "]")
	}
	issue := strings.ReplaceAll(strings.TrimSpace(plain.Text(f.Issue)), "\n", "\n   ")
	if f.File == "" && len(tags) == 0 {
		return b.String() + " " + issue
	}
	return b.String() + "\n   " + issue
}
