package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/doctor"
	"github.com/stellwerk-dev/stellwerk/internal/roster"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Engines implements api.Engines.
func (a *Service) Engines(ctx context.Context) (api.EngineList, error) {
	list := api.EngineList{Shared: a.roster.Shared, Engines: []api.Engine{}, Stranded: []api.StrandedProject{}}
	names, err := a.projectNames(ctx)
	if err != nil {
		return list, err
	}
	members, err := a.roster.List(ctx)
	if err != nil {
		return list, err
	}
	slots, err := a.slotsByPlace(ctx)
	if err != nil {
		return list, err
	}
	for _, m := range members {
		e := a.viewEngine(m, names)
		if e.State != api.EngineGone {
			e.Attempts = slots[core.AttemptSlots(m.Place)]
		}
		list.Engines = append(list.Engines, e)
	}
	list.Stranded, err = a.strandedProjects(ctx, names)
	return list, err
}

func (a *Service) viewEngine(m roster.Member, names map[string]string) api.Engine {
	e := api.Engine{ID: m.ID, Host: m.Host, State: api.EngineWorking, Here: m.Here, Version: m.Version, URL: m.URL, Drains: m.Drains, Uses: api.Uses(m.Uses), Projects: []api.Named{}}
	switch {
	case m.Here && a.engine.Retired():
		e.State = api.EngineRetired
	case !m.Alive && !m.Here:
		e.State = api.EngineGone
	case m.Drains != nil:
		e.State = api.EngineDraining
	}
	e.Since, e.Lease = known(m.Since), known(m.Until)
	for _, id := range m.Projects {
		e.Projects = append(e.Projects, api.Named{ID: id, Name: cmp.Or(names[id], id)})
	}
	slices.SortFunc(e.Projects, func(x, y api.Named) int { return strings.Compare(x.Name, y.Name) })
	return e
}

// owner is the engine that works on a project, with whose credentials it publishes and pays; nil if nobody does, or if no
// other engine could.
func (a *Service) owner(ctx context.Context, project string) (*api.Owner, error) {
	if !a.roster.Shared {
		return nil, nil
	}
	e, said, err := a.roster.Owner(ctx, project)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &api.Owner{Host: e.Host, Uses: api.Uses(said.Uses)}, nil
}

// known is a time, if it is one.
func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// projectNames are the names of all projects, by id.
func (a *Service) projectNames(ctx context.Context) (map[string]string, error) {
	rows, err := a.store.Projects(ctx, 0)
	names := map[string]string{}
	for _, r := range rows {
		names[r.ID] = r.Name
	}
	return names, err
}

// slotsByPlace counts the attempts that have a slot of a machine.
func (a *Service) slotsByPlace(ctx context.Context) (map[string]int, error) {
	slots, err := a.store.Slots(ctx, "")
	used := map[string]int{}
	for _, s := range slots {
		if s.Held && len(s.Pools) > 0 {
			used[s.Pools[0].Key]++
		}
	}
	return used, err
}

// strandedProjects are those that no engine can work on, the longest first.
func (a *Service) strandedProjects(ctx context.Context, names map[string]string) ([]api.StrandedProject, error) {
	list := []api.StrandedProject{}
	stranded, err := a.engine.Stranded(ctx)
	for id, s := range stranded {
		list = append(list, api.StrandedProject{Named: api.Named{ID: id, Name: cmp.Or(names[id], id)}, Reason: s.Reason, Next: strandedNext, Since: s.Since})
	}
	slices.SortFunc(list, func(x, y api.StrandedProject) int {
		return cmp.Or(x.Since.Compare(y.Since), strings.Compare(x.ID, y.ID))
	})
	return list, err
}

// examineEngines looks who else works on the store.
func (a *Service) examineEngines(ctx context.Context) []api.Examined {
	if !a.roster.Shared {
		return nil
	}
	all, err := a.Engines(ctx)
	if err != nil {
		return []api.Examined{doctor.Fail("engines", "they cannot be listed: "+err.Error(), "look whether the database answers")}
	}
	alive, gone := 0, []string{}
	for _, e := range all.Engines {
		if e.State == api.EngineGone {
			gone = append(gone, e.Host)
			continue
		}
		alive++
	}
	found := wording.Count(alive, "engine") + " on the store"
	switch {
	case len(all.Stranded) > 0:
		return []api.Examined{doctor.Warn("engines", fmt.Sprintf("%s; no engine can work on %s", found, wording.Count(len(all.Stranded), "project")), "`stellwerk engines` says what each machine lacks")}
	case len(gone) > 0:
		return []api.Examined{doctor.Warn("engines", found+"; not heard of any more: "+strings.Join(gone, ", "), "start it again, or leave it: its projects go to the others, and it is forgotten after a week")}
	}
	return []api.Examined{doctor.OK("engines", found)}
}
