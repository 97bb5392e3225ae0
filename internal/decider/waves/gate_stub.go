package waves

import "github.com/stellwerk-dev/stellwerk/internal/core"

func gate(r *core.Run, briefs []core.Brief, dropped []string) ([]core.Brief, []core.BriefRefusal) {
	return briefs, nil
}
