package service

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// strandedNext is what a person can do about a project that no engine can work on.
const strandedNext = "provide what is missing on one of these machines, or start an engine on one that has it; the project is taken up within half a minute"

// strandedWhy says why no engine can work on a project, and what to do.
func strandedWhy(s engine.Stranded) string { return s.Reason + "; " + strandedNext }

// strand says of a run that is not over that no engine can work on its project.
func strand(v *api.Run, stranded map[string]engine.Stranded) {
	if s, found := stranded[v.Project]; found && v.EndedAt == nil {
		v.Stranded = strandedWhy(s)
	}
}

// waitsStranded is what a run of such a project asks of a person; nothing if the project is not stranded.
func (a *Service) waitsStranded(ctx context.Context, row store.RunRow, stranded map[string]engine.Stranded) ([]api.Waiting, error) {
	s, found := stranded[row.Project]
	if !found {
		return nil, nil
	}
	name, err := a.find.ProjectName(ctx, row.Project)
	if err != nil {
		return nil, err
	}
	v := viewRow(row)
	strand(&v, stranded)
	return []api.Waiting{{Kind: api.WaitStranded, Project: name, Since: s.Since, Reason: s.Reason, Next: strandedNext, Run: v}}, nil
}
