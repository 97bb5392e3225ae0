package cockpit

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// meter is what was used of something that is limited.
type meter struct {
	Of      string // whose limit it is
	What    string
	Used    string
	Limit   string
	Percent int
	Tight   bool // little is left
}

// meters are the limits of a project and of the run that drives it.
func (c *cockpit) meters(ctx context.Context, d api.ProjectDetail) ([]meter, error) {
	accounts, err := c.svc.Limits(ctx, api.LimitsQuery{Of: d.Name})
	if err != nil {
		return nil, err
	}
	var list []meter
	for _, a := range accounts {
		switch {
		case a.Scope == api.ScopeProject && a.ID == d.ID:
			list = append(list, metersOf("The project", a)...)
		case a.Scope == api.ScopeRun && d.Run != nil && a.ID == d.Run.ID:
			list = append(list, metersOf("Its run", a)...)
		}
	}
	return list, nil
}

// metersOf shows what an account limits.
func metersOf(of string, a api.Account) []meter {
	var list []meter
	for _, al := range a.Allowances {
		if al.Limit == nil {
			continue
		}
		what, say := measure(al.Kind)
		m := meter{Of: of, What: what, Used: used(al), Limit: say(*al.Limit)}
		if *al.Limit > 0 {
			m.Percent = int(min(100, 100*al.Amount() / *al.Limit))
		}
		m.Tight = m.Percent >= 80 && al.Kind != api.LimitParallel
		list = append(list, m)
	}
	return list
}
