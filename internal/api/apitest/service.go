// Package apitest provides a service whose answers a test writes down: runs,
// events and documents in memory, with a record of what was asked. It must not
// imitate the engine's decisions; a test says what each word leads to.
package apitest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Call is something the service was asked to do.
type Call struct {
	Verb   string
	Run    string
	Req    any
	Caller api.Caller
}

// Service is a scripted engine. Its zero value knows no runs.
type Service struct {
	// On, where set, is told of every call that is a person's word before it is
	// answered; its error is the answer.
	On func(Call) error

	InfoAnswer    api.Info
	TrustAnswer   api.Trusted
	ReplayAnswer  api.Replay
	ImportAnswer  api.Imported
	MergeAnswer   api.Mergeable
	Waiting       []api.Waiting
	ProjectList   []api.Project
	Accounts      []api.Account
	ProjectAnswer api.ProjectDetail
	StartAnswer   *api.Run          // where set, what StartRun answers with
	Documents     map[string]string // by "diff" or an artifact's name
	DocumentError error             // after what was written
	Outputs       map[string]api.Output
	Transcripts   map[string]api.Transcript // whole, by attempt
	EffectsAnswer api.Effects
	Sessions      Sessions
	Talk          Talk
	Known         Known
	Scenes        Scenes
	Access        Access
	Operated      Operated
	Books         Books
	Shelf         Shelf

	mu      sync.Mutex
	runs    []*api.RunDetail
	events  map[string][]core.Event
	changed chan struct{}
	calls   []Call
}

var (
	_ api.Service  = (*Service)(nil)
	_ api.Sessions = (*Service)(nil)
)

// Put adds a run, or replaces the one of the same id.
func (s *Service) Put(d api.RunDetail) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, have := range s.runs {
		if have.ID == d.ID {
			d.Seq = have.Seq
			s.runs[i] = &d
			s.wake()
			return
		}
	}
	s.runs = append(s.runs, &d)
	s.wake()
}

// Happen appends an event to a run; update, where given, changes what a look
// at the run shows from then on.
func (s *Service) Happen(run string, at time.Time, actor core.Actor, body core.Body, update func(*api.RunDetail)) core.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.events == nil {
		s.events = map[string][]core.Event{}
	}
	var head core.Head
	if n := len(s.events[run]); n > 0 {
		last := s.events[run][n-1]
		hash, err := last.Hash()
		if err != nil {
			panic(err)
		}
		head = core.Head{Seq: last.Seq, Hash: hash, At: last.At}
	}
	e, _, err := core.Seal(core.RunStream(run), head, at, actor, "", body)
	if err != nil {
		panic(err)
	}
	s.events[run] = append(s.events[run], e)
	for _, d := range s.runs {
		if d.ID == run {
			d.Seq = e.Seq
			if update != nil {
				update(d)
			}
		}
	}
	s.wake()
	return e
}

// Calls is what was asked so far.
func (s *Service) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// wake tells followers that something changed. The lock is held.
func (s *Service) wake() {
	if s.changed != nil {
		close(s.changed)
	}
	s.changed = make(chan struct{})
}

func (s *Service) word(ctx context.Context, verb, run string, req any) error {
	call := Call{Verb: verb, Run: run, Req: req, Caller: api.CallerFrom(ctx)}
	s.mu.Lock()
	s.calls = append(s.calls, call)
	s.mu.Unlock()
	if s.On != nil {
		return s.On(call)
	}
	return nil
}

func (s *Service) find(id string) (api.RunDetail, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range slices.Backward(s.runs) {
		if id == "" || id == "latest" || d.ID == id || d.Alias == id {
			found := *d
			return found, nil
		}
	}
	return api.RunDetail{}, core.Errorf(core.CodeNotFound, "there is no run %q", id).WithHint("see `stellwerk status`")
}

func (s *Service) commanded(ctx context.Context, verb, id string, req any) (api.Run, error) {
	if err := s.word(ctx, verb, id, req); err != nil {
		return api.Run{}, err
	}
	d, err := s.find(id)
	return d.Run, err
}

// StartRun answers with the newest run.
func (s *Service) StartRun(ctx context.Context, req api.StartRun) (api.Run, error) {
	if s.StartAnswer != nil {
		return *s.StartAnswer, s.word(ctx, "start", "", req)
	}
	return s.commanded(ctx, "start", "", req)
}

// Rehearse shows the goal.
func (s *Service) Rehearse(ctx context.Context, req api.StartRun) (api.Rehearsal, error) {
	return api.Rehearsal{Goal: req.Goal}, s.word(ctx, "rehearse", "", req)
}

// Looking has nothing under way.
func (s *Service) Looking(context.Context, string) (api.Looking, error) { return api.Looking{}, nil }

// Runs lists the runs that are asked for, newest first.
func (s *Service) Runs(_ context.Context, q api.RunQuery) ([]api.Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var runs []api.Run
	come := q.Before == ""
	for _, d := range slices.Backward(s.runs) {
		if come && (!q.Open || !d.Status.Terminal()) && (q.Status == "" || q.Status == d.Status) && (q.Limit == 0 || len(runs) < q.Limit) {
			runs = append(runs, d.Run)
		}
		come = come || d.ID == q.Before || d.Alias == q.Before
	}
	return runs, nil
}

// Run finds a run.
func (s *Service) Run(_ context.Context, id string) (api.RunDetail, error) { return s.find(id) }

// Events reads a run's events.
func (s *Service) Events(_ context.Context, id string, after int64, limit int) ([]core.Event, error) {
	d, err := s.find(id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	events := s.events[d.ID][min(after, int64(len(s.events[d.ID]))):]
	if limit > 0 && len(events) > limit {
		events = events[:limit]
	}
	return slices.Clone(events), nil
}

// Follow hands on a run's events as they happen.
func (s *Service) Follow(ctx context.Context, id string, after int64, fn func(core.Event) error) error {
	for {
		s.mu.Lock()
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		s.mu.Unlock()
		events, err := s.Events(ctx, id, after, 0)
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := fn(e); err != nil {
				return err
			}
			after = e.Seq
			if e.Type == core.TypeRunCompleted || e.Type == core.TypeRunFailed || e.Type == core.TypeRunCancelled {
				return nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Output answers with what the test put there.
func (s *Service) Output(_ context.Context, _, attempt string, after int64) (api.Output, error) {
	out, ok := s.Outputs[attempt]
	if !ok {
		return api.Output{}, core.Errorf(core.CodeNotFound, "there is no attempt %q", attempt)
	}
	out.Records = slices.DeleteFunc(slices.Clone(out.Records), func(r api.Record) bool { return r.N <= after })
	return out, nil
}

// Effects answers with those of EffectsAnswer that are asked for.
func (s *Service) Effects(_ context.Context, _ string, q api.EffectQuery) (api.Effects, error) {
	list := s.EffectsAnswer
	list.Effects = slices.DeleteFunc(slices.Clone(list.Effects), func(e api.Effect) bool {
		return q.Attempt != "" && q.Attempt != e.Attempt || q.Tool != "" && q.Tool != e.Tool || q.Outcome != "" && q.Outcome != e.Outcome
	})
	return list, nil
}

// Diff writes the document "diff".
func (s *Service) Diff(ctx context.Context, id string, q api.DiffQuery, w io.Writer) error {
	if err := s.word(ctx, "diff", id, q); err != nil {
		return err
	}
	return s.document("diff", w)
}

// Artifact writes the document of a name.
func (s *Service) Artifact(_ context.Context, _, name string, w io.Writer) error {
	return s.document(name, w)
}

func (s *Service) document(name string, w io.Writer) error {
	text, ok := s.Documents[name]
	if !ok {
		return core.Errorf(core.CodeNotFound, "there is no %s", name)
	}
	if _, err := io.Copy(w, strings.NewReader(text)); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return s.DocumentError
}
