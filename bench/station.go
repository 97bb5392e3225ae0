package main

import (
	"context"
	"errors"
	"maps"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/local"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/spare"
)

// station is the whole program at work: engine, dispatcher, yard, processes. A
// person's repository with a playbook lies beside it.
type station struct {
	app     *app.App
	repo    *repository
	spawner *clockedSpawner
	state   string
}

// openStation starts an engine whose attempts run beside the real program.
func openStation(ctx context.Context, shop *workshop, name, playbook string, further map[string]string) (*station, error) {
	program, err := shop.worker(ctx)
	if err != nil {
		return nil, err
	}
	return openStationWith(ctx, shop, name, playbook, further, func(s *station, p *app.Parts) {
		s.spawner = &clockedSpawner{started: make(chan moment, 16), Spawner: local.New(local.Options{
			Worker: []string{program, "worker", "run"}, Salvage: []string{program, "worker", "salvage"}, Spares: spare.New(aheadOf(s, program)),
			Folder: dispatch.Layout{State: s.state}.Folder,
		})}
		p.Spawner, p.Commands = s.spawner, s.spawner
	})
}

// aheadOf is the command of a worker that is started ahead of its attempt.
func aheadOf(s *station, program string) []string {
	return []string{program, "worker", "ahead", dispatch.Layout{State: s.state}.ResourceOwner()}
}

// openStationWith starts an engine with parts of the caller's.
func openStationWith(ctx context.Context, shop *workshop, name, playbook string, further map[string]string, wrap func(*station, *app.Parts)) (*station, error) {
	dir, err := shop.folder(name)
	if err != nil {
		return nil, err
	}
	s := &station{state: filepath.Join(dir, "state")}
	files := map[string]string{".stellwerk/playbooks/bench.yaml": playbook}
	maps.Copy(files, further)
	if s.repo, err = openRepository(ctx, dir, 1, files); err != nil {
		return nil, err
	}
	s.app, err = app.Open(ctx, app.Options{State: s.state, Version: "bench", Log: shop.log, Wrap: func(p *app.Parts) { wrap(s, p) }})
	if err != nil {
		return nil, errors.Join(err, s.repo.yard.Close())
	}
	return s, nil
}

func (s *station) close() error { return errors.Join(s.app.Close(), s.repo.yard.Close()) }

// run starts a run of the playbook, as the person who asks for it.
func (s *station) run(ctx context.Context, goal string) (api.Run, error) {
	return s.app.Service.StartRun(asPerson(ctx), api.StartRun{
		Dir: s.repo.source, Goal: goal, Playbook: "bench", Trust: true, Isolation: "none",
	})
}

func asPerson(ctx context.Context) context.Context {
	return api.WithCaller(ctx, api.Caller{Actor: person()})
}

var errSeen = errors.New("seen")

// await follows a run from an event on until one of a type, and returns it.
func (s *station) await(ctx context.Context, run string, after int64, t core.Type) (core.Event, error) {
	var seen core.Event
	err := s.app.Service.Follow(ctx, run, after, func(e core.Event) error {
		if e.Type != t {
			return nil
		}
		seen = e
		return errSeen
	})
	if errors.Is(err, errSeen) {
		return seen, nil
	}
	return seen, errors.Join(err, errors.New("the run ended before "+string(t)))
}

// clockedSpawner tells when a process was started.
type clockedSpawner struct {
	spawn.Spawner
	started chan moment
}
