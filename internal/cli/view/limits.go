package view

import (
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Setting is a setting, and where its value comes from.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"`
}

// Settings is a list of settings in columns. The origin of a value goes below it if
// there is no room behind it: a path is never cut.
func (v View) Settings(list []Setting) []string {
	key, value := 0, 0
	for _, s := range list {
		key = max(key, terminal.Width(s.Key))
		value = max(value, min(terminal.Width(terminal.Line(s.Value)), 16))
	}
	var lines []string
	for _, s := range list {
		line, from := fmt.Sprintf("%s  %s", terminal.Pad(s.Key, key), terminal.Pad(terminal.Line(s.Value), value)), terminal.Line(s.From)
		if v.Width > 0 && terminal.Width(line)+2+terminal.Width(from) > v.Width {
			lines = append(lines, strings.TrimRight(line, " "), "    "+v.Style.Faint(from))
			continue
		}
		lines = append(lines, line+"  "+v.Style.Faint(from))
	}
	return lines
}

// Accounts is what was used and what is left, a block for each account.
func (v View) Accounts(list []api.Account) []string {
	var lines []string
	for i, a := range list {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, v.fit(v.accountOf(a)))
		for _, allowed := range a.Allowances {
			name, say := wording.Limit(allowed.Kind)
			used := say(allowed.Amount())
			if allowed.Kind == api.LimitCost {
				used = wording.Cost(allowed.Cost())
			}
			if allowed.Limit != nil {
				used += " of " + say(*allowed.Limit)
			}
			lines = append(lines, v.fit(fmt.Sprintf("  %s  %s  %s", terminal.Pad(name, 18), terminal.Pad(used, 30), v.left(allowed, say))))
		}
		if len(a.Opaque) > 0 {
			lines = append(lines, v.hang("  ", v.Style.Asking, "not counted: money and tokens of "+agents(a.Opaque)+", which reports none")...)
		}
	}
	return lines
}

func (v View) accountOf(a api.Account) string {
	switch a.Scope {
	case api.ScopeEngine:
		return v.Style.Strong("all runs together")
	case api.ScopeProject:
		return v.Style.Strong("project "+terminal.Line(a.Name)) + v.Style.Faint(", all its runs ("+terminal.Line(a.ID)+")")
	}
	return v.Style.Strong("run "+terminal.Line(a.Name)) + v.Style.Faint(", "+terminal.Line(wording.Status(a.Status)))
}

func (v View) left(a api.Allowance, say func(float64) string) string {
	held := ""
	if a.Reserved > 0 {
		held = v.Style.Faint(", " + say(a.Reserved) + " reserved for work under way")
	}
	switch {
	case a.Left == nil:
		return v.Style.Faint("no limit")
	case *a.Left <= 0:
		return v.Style.Asking("nothing left") + held
	}
	return say(*a.Left) + " left" + held
}
