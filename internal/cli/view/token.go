package view

import (
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

// Tokens is a list of tokens, one line each.
func (v View) Tokens(list []api.Token) []string {
	name := 8
	for _, t := range list {
		name = max(name, terminal.Width(terminal.Line(t.Name)))
	}
	var lines []string
	for _, t := range list {
		used := "never used"
		if t.UsedAt != nil {
			used = "used " + t.UsedAt.In(v.Zone).Format("2006-01-02 15:04")
		}
		if t.RevokedAt != nil {
			used = "revoked " + t.RevokedAt.In(v.Zone).Format("2006-01-02 15:04") + " by " + terminal.Line(t.RevokedBy)
		}
		made := "made " + t.CreatedAt.In(v.Zone).Format("2006-01-02") + " by " + terminal.Line(t.CreatedBy)
		lines = append(lines, v.fit(strings.Join([]string{
			t.ID, v.Style.Strong(terminal.Pad(terminal.Line(t.Name), name)), terminal.Pad(string(t.Role), 8), v.Style.Faint(used + ", " + made),
		}, "  ")))
	}
	return lines
}
