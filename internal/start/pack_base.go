package start

import (
	"context"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pack"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// packBase sees to it that the commit a run begins at can be had again if the yard is lost. A repository on this machine
// stands for its own commits. Anything else is packed, without what earlier runs of the project have packed.
func (a *Starter) packBase(ctx context.Context, s *Prepared) error {
	g, started := s.ground, &s.Started
	var others []string
	if !g.far() {
		started.BaseAt = g.repo.CommonDir
		tip, err := g.yard.Resolve(ctx, yard.UpstreamHeads+started.Base)
		if err == nil && tip == started.BaseCommit {
			return nil
		}
		if err == nil { // the base is that of the remote which the repository is a clone of
			others = append(others, tip)
		}
	}
	packed, err := a.packedBases(ctx, started.Project)
	if err != nil {
		return err
	}
	packed = slices.DeleteFunc(packed, func(b core.RunStarted) bool { return b.BaseAt != started.BaseAt })
	var below, rests []string
	for _, b := range packed {
		if b.BaseCommit == started.BaseCommit {
			started.BasePack, started.BaseRests = b.BasePack, b.BaseRests
			return nil
		}
	}
	for _, b := range slices.Backward(packed) { // the oldest first
		known, err := g.yard.Exists(ctx, b.BaseCommit)
		if err != nil {
			return err
		}
		if known {
			below = append(below, b.BaseCommit)
			rests = appendNew(rests, append(slices.Clone(b.BaseRests), b.BasePack)...)
		}
	}
	if len(rests) > mostRests {
		below, rests = nil, nil
	}
	started.BaseRests = rests
	started.BasePack, err = pack.Keep(ctx, a.Objects, g.yard, []string{started.BaseCommit}, append(others, below...)...)
	return err
}

// mostRests is how many packs a base may rest on: a run's folder has all of them. After that it is packed whole again.
const mostRests = 50

func appendNew(list []string, more ...string) []string {
	for _, one := range more {
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}

// mostBases bounds how many earlier bases a pack leaves out. The newest have nearly all that the older ones have.
const mostBases = 20

// packedBases are the starts of the project's latest runs whose base is in a pack.
func (a *Starter) packedBases(ctx context.Context, project string) ([]core.RunStarted, error) {
	rows, err := a.Store.Runs(ctx, store.Filter{Project: project, Limit: mostBases})
	if err != nil {
		return nil, err
	}
	var all []core.RunStarted
	for _, row := range rows {
		first, err := a.Store.Events(ctx, core.RunStream(row.ID), 0, 1)
		if err != nil {
			return nil, err
		}
		if len(first) == 0 || first[0].Erased() {
			continue
		}
		body, err := core.Decode(first[0])
		if err != nil {
			return nil, err
		}
		if b, ok := body.(core.RunStarted); ok && b.BasePack != "" {
			all = append(all, b)
		}
	}
	return all, nil
}
