package simulate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
)

var engines = []string{"e1", "e2", "e3"}

const (
	trouble  = time.Minute // during which things go wrong
	away     = time.Hour   // that an engine stands still which comes back from a laptop's sleep
	patience = 2 * away    // by which every run is over afterwards
)

// story plans what people do and what goes wrong.
func (s *sim) story() {
	for _, id := range engines {
		s.at(s.within(5*time.Second), func() { s.begin(id) })
	}
	s.clock.Store(int64(s.within(48*time.Hour) - 24*time.Hour)) // the engines' clocks are wrong
	s.states = 1 + s.rng.IntN(8)
	projects, parallel := 1+s.rng.IntN(3), 1+s.rng.IntN(2)
	s.wanted = 2 + s.rng.IntN(4)
	for n := range s.wanted {
		project := fmt.Sprint("p", s.rng.IntN(projects))
		work := work(fmt.Sprint("r", n), project, parallel, s.rng.IntN(2) == 0)
		s.at(s.within(trouble/2), func() { s.start(work) })
	}
	if s.rng.IntN(2) == 0 {
		s.at(s.within(trouble/2), func() { s.bring(parallel) })
		s.wanted++
	}
	for range 1 + s.rng.IntN(8) {
		s.at(s.within(trouble), s.fault)
	}
	s.stock()
	for range 1 + s.rng.IntN(4) {
		s.at(s.within(trouble), s.tidy)
	}
	s.at(trouble+s.within(trouble), s.tidy)
	s.at(time.Second, s.person)
	s.at(late, s.behind)
	s.at(trouble, s.heal)
}

func (s *sim) within(d time.Duration) time.Duration { return time.Duration(s.rng.Int64N(int64(d))) }

func work(id, project string, parallel int, ask bool) core.RunStarted {
	p := core.Playbook{Name: "p", Kind: "phases", Roles: map[string]core.Role{"dev": {Name: "dev"}}}
	for _, phase := range []string{"a", "b"} {
		p.Phases = append(p.Phases, core.Phase{
			ID: phase, Role: "dev", Writes: core.WritesCode, Gate: core.GateAuto, Attempts: 2, Timeout: time.Hour, Done: core.Check{Kind: core.CheckAll},
		})
	}
	if ask {
		p.Phases[0].Gate = core.GateApproval
	}
	limits := core.DefaultLimits()
	limits.Parallel = parallel
	return core.RunStarted{
		Run: id, Alias: id, Project: project, Goal: "g", Title: "t", Limits: limits, Playbook: p,
		Base: "main", BaseCommit: "c0", Branch: "feature/" + id, Isolation: "none",
	}
}

// fault has something go wrong, and get well later.
func (s *sim) fault() {
	id := engines[s.rng.IntN(len(engines))]
	m, later := s.members[id], time.Second+s.within(3*lease)
	if m == nil {
		return
	}
	switch s.rng.IntN(8) {
	case 0:
		s.say("%s is killed", id)
		s.kill(id)
		s.at(later, func() { s.begin(id) })
	case 1, 6, 7:
		s.freeze(m)
	case 2:
		s.say("%s leaves", id)
		s.leave(id, later)
	case 3:
		s.say("the store is gone for %s", id)
		m.cut.Store(true)
		s.at(later, func() { s.mend(m) })
	case 4:
		s.say("the store is gone")
		for _, id := range engines {
			if m := s.members[id]; m != nil {
				m.cut.Store(true)
				s.at(later, func() { s.mend(m) })
			}
		}
	case 5: // forward by little: the certainty of an engine allows for no more
		step := s.within(time.Minute+300*time.Millisecond) - time.Minute
		s.say("the store's clock steps by %v", step)
		s.clock.Add(int64(step))
	}
}

// freeze has an engine stand still: a few leases at most, or very long, whoever takes its projects.
func (s *sim) freeze(m *member) {
	if m.asleep {
		return
	}
	m.frozen, m.asleep = true, s.rng.IntN(40) == 0
	still := time.Second + s.within(10*lease) // if nobody takes its projects
	if m.asleep {
		still = away
		s.woken = time.Now().Add(still + 2*lease)
	}
	s.say("%s stands still, asleep: %v", m.id, m.asleep)
	s.at(still, func() { s.thaw(m) })
}

func (s *sim) thaw(m *member) {
	if !m.frozen {
		return
	}
	s.say("%s goes on", m.id)
	m.frozen, m.asleep = false, false
	m.unwell(0)
}

func (s *sim) mend(m *member) {
	s.say("the store is back for %s", m.id)
	m.cut.Store(false)
	m.unwell(0)
}

// heal ends everything that is wrong. Engines that are away are on their way back by the plan.
func (s *sim) heal() {
	s.say("from now on all is well")
	s.calm = time.Now()
}

// start has a person start a run, again and again until an engine says that it has begun.
func (s *sim) start(work core.RunStarted) {
	s.speak(work.Run, work, func(err error) {
		if err != nil && core.CodeOf(err) != core.CodeConflict {
			s.at(3*time.Second, func() { s.start(work) })
			return
		}
		s.follow(work.Run) // it has begun
	})
}

// speak submits a person's word to some engine. Then is called in the scheduler's turn.
func (s *sim) speak(run string, body core.Body, then func(error)) {
	s.ask(fmt.Sprintf("%s of %s", core.TypeOf(body), run), func(ctx context.Context, at *engine.Engine) error {
		state, err := at.Submit(ctx, run, core.Person("ada"), body)
		if err == nil {
			s.acknowledge(state)
		}
		return err
	}, then)
}

// ask has a person ask some engine for something. Then is called in the scheduler's turn.
func (s *sim) ask(what string, do func(context.Context, *engine.Engine) error, then func(error)) {
	m := s.someone()
	if m == nil {
		then(errGone)
		return
	}
	s.words++
	s.say("a person tells %s: %s", m.id, what)
	about := context.WithValue(s.ctx, who{}, fmt.Sprint("word ", s.words, ", ", what))
	s.people.Go(func() {
		ctx, cancel := context.WithTimeout(about, time.Minute)
		defer cancel()
		err := do(ctx, m.engine)
		_ = s.gate.pass(s.ctx, &member{id: "ada"}, false, "heard of "+what) // nobody kills a person
		then(err)
	})
}

// person looks at the runs from time to time and says what they wait for, or changes their mind.
func (s *sim) person() {
	s.at(time.Second+s.within(5*time.Second), s.person)
	for _, r := range s.open() {
		if body := s.word(r); body != nil {
			s.at(s.within(time.Second), func() { s.speak(r.ID, body, func(error) {}) }) // no two at once
		}
	}
}

// word is what a person says about a run; nil for nothing.
func (s *sim) word(r *core.Run) core.Body {
	stage := r.Current()
	switch {
	case r.Status == core.StatusAwaiting && stage != nil && stage.Gate != nil:
		return core.ApprovalGranted{Subject: stage.Gate.Subject}
	case r.Pause != nil:
		return offered(r)
	case !s.calm.IsZero():
		return nil
	case s.rng.IntN(20) == 0:
		return core.RunPaused{Code: core.PausePerson, Reason: "lunch", Advice: core.Advice{Choices: r.Choices(core.VerbResume)}}
	case s.rng.IntN(60) == 0:
		return core.RunCancelled{Reason: "not any more"}
	}
	return nil
}

// offered is the first thing that a paused run offers a person; nil if it offers nothing.
func offered(r *core.Run) core.Body {
	for _, c := range r.Pause.Choices {
		switch c.Verb { //nolint:exhaustive // a person here knows no other way
		case core.VerbRetry:
			return core.AttemptsReset{Stage: r.Current().ID}
		case core.VerbResume:
			return core.RunResumed{}
		}
	}
	return nil
}

// over reports that every run has ended and nothing is left to be done, after all is well. A run that takes longer has to
// say why.
func (s *sim) over() bool {
	if s.calm.IsZero() {
		return false
	}
	tooLate := time.Since(s.calm) > patience
	settled := len(s.runs) == s.wanted && time.Now().After(s.woken)
	if tooLate && !settled {
		s.breach("lost: %d of %d runs have begun", len(s.runs), s.wanted)
	}
	for id, r := range s.runs {
		if effects := core.Effects(r); !r.Status.Terminal() || len(effects) > 0 {
			settled = false
			if tooLate {
				s.breach("stuck: run %s is %s at event %d, %v after all was well, and asks for %+v", id, r.Status, r.Stream.Seq, patience, effects)
			}
		}
	}
	if tooLate && settled && len(s.following) > 0 {
		s.breach("cursor: nobody who follows these runs was told of their end: %v", slices.Sorted(maps.Keys(s.following)))
	}
	return settled && len(s.following) == 0 || tooLate
}
