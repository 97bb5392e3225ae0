package crash

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// person is somebody who looks on from a process that is never killed: what an
// engine does not answer is asked of the next. To a run in waves there is nothing
// to say but answers.
type person struct {
	world  *world
	ctx    context.Context
	events chan happened

	mu      sync.Mutex
	told    map[string][]string // by run: what an engine acknowledged
	trouble error
}

// happened is an event that the person hears of.
type happened struct {
	run  string
	seq  int64
	kind core.Type
}

// What the person says in each run, and wants.
const (
	wordBegun  = "take your time"
	wordGate   = "let me have a look"
	wordReview = "this looks good"
	wordColour = "blue"
	wordChange = "a third one is wanted"
)

func newPerson(w *world) *person {
	p := &person{world: w, ctx: w.t.Context(), events: make(chan happened, 1<<14), told: map[string][]string{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.live()
	}()
	w.t.Cleanup(func() { <-done })
	return p
}

// hear never blocks: an engine's words are read on.
func (p *person) hear(run, seq, kind string) {
	n, err := strconv.ParseInt(seq, 10, 64)
	if err != nil {
		return // cut off by the kill
	}
	p.events <- happened{run, n, core.Type(kind)}
}

// live reacts to each event once, though every engine tells of all.
func (p *person) live() {
	seen := map[string]int64{}
	for {
		select {
		case <-p.ctx.Done():
			return
		case e := <-p.events:
			if e.seq <= seen[e.run] {
				continue
			}
			seen[e.run] = e.seq
			if err := p.react(e); err != nil {
				p.mu.Lock()
				p.trouble = errors.Join(p.trouble, fmt.Errorf("at event %d, %s: %w", e.seq, e.kind, err))
				p.mu.Unlock()
			}
		}
	}
}

func (p *person) react(e happened) error {
	switch e.kind {
	case core.TypeTaskAdmitted:
		return p.say(e.run, wordBegun)
	case core.TypeQuestionAsked:
		return p.answer(e)
	case core.TypeApprovalRequested:
		if err := p.say(e.run, wordGate); err != nil {
			return err
		}
		return p.approve(e.run)
	case core.TypeRunResumed: // a paused run takes no approval
		return p.approve(e.run)
	case core.TypeReviewAwaited:
		return p.review(e)
	default:
		return nil
	}
}

func (p *person) approve(run string) error {
	return p.ask(func(svc api.Service) error { return approve(p.ctx, svc, run) })
}

// ask asks the engine of the moment, and the next where that one is gone.
func (p *person) ask(what func(api.Service) error) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		svc, hangUp, err := p.world.dial(p.ctx)
		if err == nil {
			err = errors.Join(what(svc), hangUp())
		}
		if core.CodeOf(err) != core.CodeUnavailable || p.ctx.Err() != nil {
			return err
		}
		select {
		case <-p.ctx.Done():
		case <-tick.C:
		}
	}
}

// say says something once in a run. However many engines die of it, it is one
// call.
func (p *person) say(run, text string) error {
	p.mu.Lock()
	known := slices.Contains(p.told[run], text)
	p.mu.Unlock()
	if known || p.world.story.waves {
		return nil
	}
	ctx := api.WithCall(p.ctx, rand.Text())
	err := p.ask(func(svc api.Service) error {
		_, err := svc.Tell(ctx, run, api.Tell{Text: text})
		return err
	})
	if err == nil {
		p.mu.Lock()
		p.told[run] = append(p.told[run], text)
		p.mu.Unlock()
	}
	return err
}

// answer answers a question that has no answer of its own.
func (p *person) answer(e happened) error {
	return p.ask(func(svc api.Service) error {
		events, err := svc.Events(p.ctx, e.run, e.seq-1, 1000)
		if err != nil || len(events) == 0 || answered(events) {
			return err
		}
		body, err := core.Decode(events[0])
		if err != nil {
			return err
		}
		if q, ok := body.(core.QuestionAsked); ok && q.Default == "" {
			_, err = svc.Answer(p.ctx, q.ID, api.Answer{Text: wordColour})
		}
		return p.unlessDone(err, svc, e, core.TypeQuestionAnswered)
	})
}

// unlessDone passes a refusal over if what was refused had been done: a database carries out what it was sent, also if the
// engine that sent it ends meanwhile, and the same word to another engine may overtake that.
func (p *person) unlessDone(err error, svc api.Service, since happened, kind core.Type) error {
	if core.CodeOf(err) != core.CodeConflict {
		return err
	}
	events, failed := svc.Events(p.ctx, since.run, since.seq, 1000)
	if failed != nil {
		return failed
	}
	if slices.ContainsFunc(events, func(e core.Event) bool { return e.Type == kind && e.Actor.Kind == core.ActorPerson }) {
		return nil
	}
	return err
}

// answered: before they say something again, people look whether they were heard.
func answered(events []core.Event) bool {
	return slices.ContainsFunc(events, func(e core.Event) bool {
		return e.Type == core.TypeQuestionAnswered && e.Actor.Kind == core.ActorPerson
	})
}

// review looks at what is published: the first time something is missing, and
// when that is published as well it is merged.
func (p *person) review(e happened) error {
	if err := p.say(e.run, wordReview); err != nil {
		return err
	}
	branch := ""
	err := p.ask(func(svc api.Service) error {
		events, err := svc.Events(p.ctx, e.run, 0, 1000)
		if err != nil {
			return err
		}
		wished := slices.IndexFunc(events, func(e core.Event) bool { return e.Type == core.TypeChangesRequested })
		if wished < 0 {
			_, err := svc.Feedback(p.ctx, e.run, api.Feedback{Text: wordChange})
			return p.unlessDone(err, svc, e, core.TypeChangesRequested)
		}
		if !slices.ContainsFunc(events, func(o core.Event) bool {
			return o.Type == core.TypePublishConcluded && o.Seq > events[wished].Seq && o.Seq < e.seq
		}) {
			return nil
		}
		run, err := svc.Run(p.ctx, e.run)
		branch = run.Branch
		return err
	})
	if err != nil || branch == "" {
		return err
	}
	return p.world.takeIn(branch)
}

// troubled is what the person could not do.
func (p *person) troubled() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.trouble
}

func (p *person) String() string {
	if p == nil {
		return "nobody looks on"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("the person said %q; trouble: %v", p.told, p.trouble)
}
