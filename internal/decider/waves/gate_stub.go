package waves

import (
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func gate(r *core.Run, briefs []core.Brief, dropped []string) (ok []core.Brief, no []core.BriefRefusal) {
	outs := map[string][]string{}
next:
	for _, b := range briefs {
		role, known := r.Playbook.Roles[b.Agent]
		refuse := func(code string) { no = append(no, core.BriefRefusal{ID: b.ID, Code: code, Reason: code + "!", Key: b.Key()}) }
		if !known {
			refuse("unknown_role")
			continue
		}
		for _, n := range b.Needs {
			if !slices.Contains(role.Capabilities, n) {
				refuse("missing_capability")
				continue next
			}
		}
		have := []string{}
		for _, id := range b.DependsOn {
			d := r.Waves.Work(id)
			if d == nil && outs[id] == nil || d != nil && d.Status.Over() && d.Status != core.DelegatedDone || slices.Contains(dropped, id) {
				refuse("dependency")
				continue next
			}
			have = append(have, outs[id]...)
			if d != nil {
				have = append(have, d.Brief.Outputs...)
			}
		}
		for _, in := range b.Requires {
			if !r.Known(in) && !slices.Contains(have, in) {
				refuse("missing_input")
				continue next
			}
		}
		outs[b.ID] = append([]string{""}, b.Outputs...)
		ok = append(ok, b)
	}
	return ok, no
}
