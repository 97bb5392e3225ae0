package telemetry

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/measure"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Calls counts what an engine asks of its store and its objects, and times the answers. Both are used before telemetry opens, so it
// is made first. It changes no answer.
type Calls struct {
	registry              registry
	stores, objects       *family
	storeTime, objectTime *family
}

// How a call ended, besides measure.OK and measure.NotOK, which means that there was no answer.
const (
	callStale   = "stale"   // somebody else was first: the engine reads again
	callFenced  = "fenced"  // another engine owns the project by now
	callRefused = "refused" // a rule of the store says no
)

// NewCalls counts from zero.
func NewCalls() *Calls {
	times := []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}
	c := &Calls{}
	add := func(kind, name, help string, buckets []float64, labels ...string) *family {
		return c.registry.add(kind, name, help, buckets, labels...)
	}
	c.stores = add("counter", "stellwerk_store_calls_total", "What the engine asked of the store.", nil, "operation", "outcome")
	c.storeTime = add("histogram", "stellwerk_store_call_duration_seconds", "Of a call to the store.", times, "operation")
	c.objects = add("counter", "stellwerk_object_calls_total", "Objects that were stored or opened.", nil, "operation", "outcome")
	c.objectTime = add("histogram", "stellwerk_object_call_duration_seconds", "Of storing or opening an object.", times, "operation")
	for _, operation := range []string{"commit", "look", "renew", "take"} {
		for _, outcome := range []string{measure.OK, measure.NotOK, callStale, callFenced, callRefused} {
			c.stores.add(0, operation, outcome)
		}
	}
	for _, operation := range []string{"put", "open"} {
		for _, outcome := range []string{measure.OK, measure.NotOK, callRefused} {
			c.objects.add(0, operation, outcome)
		}
	}
	return c
}

// Store counts the calls to a store.
func (c *Calls) Store(s store.Store) store.Store { return &countedStore{s, c} }

// Objects counts the calls to objects.
func (c *Calls) Objects(o object.Objects) object.Objects {
	counted := countedObjects{o, c}
	if files, ok := o.(object.Linker); ok {
		return struct {
			countedObjects
			object.Linker
		}{counted, files}
	}
	return counted
}

func (c *Calls) store(operation string, began time.Time, err error) {
	if errors.Is(err, context.Canceled) {
		return // whoever asked has left
	}
	c.stores.add(1, operation, storeOutcome(err))
	c.storeTime.observe(time.Since(began).Seconds(), operation)
}

func storeOutcome(err error) string {
	switch {
	case err == nil:
		return measure.OK
	case errors.Is(err, store.ErrStale):
		return callStale
	case errors.Is(err, store.ErrFenced):
		return callFenced
	case errors.Is(err, store.ErrNotFound), ruled[*store.ClaimHeld](err), ruled[*store.SlotsTaken](err), ruled[*store.RunOpen](err), ruled[*store.BudgetSpent](err):
		return callRefused
	}
	return measure.NotOK
}

func ruled[Rule error](err error) bool {
	_, is := errors.AsType[Rule](err)
	return is
}

func (c *Calls) object(operation string, began time.Time, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	outcome := measure.OK
	if _, large := errors.AsType[*object.TooLarge](err); large || core.CodeOf(err) == core.CodeNotFound || core.CodeOf(err) == core.CodeInvalid {
		outcome = callRefused
	} else if err != nil {
		outcome = measure.NotOK
	}
	c.objects.add(1, operation, outcome)
	c.objectTime.observe(time.Since(began).Seconds(), operation)
}

type countedStore struct {
	store.Store
	calls *Calls
}

// Commit implements store.Store.
func (s *countedStore) Commit(ctx context.Context, c store.Commit) error {
	began := time.Now()
	err := s.Store.Commit(ctx, c)
	s.calls.store("commit", began, err)
	return err
}

// Hints implements store.Store.
func (s *countedStore) Hints(ctx context.Context, engine string, limit int) ([]store.Hint, error) {
	began := time.Now()
	hints, err := s.Store.Hints(ctx, engine, limit)
	s.calls.store("look", began, err)
	return hints, err
}

// Renew implements store.Owners.
func (s *countedStore) Renew(ctx context.Context, engine string, lease time.Duration) ([]store.Owner, error) {
	began := time.Now()
	owned, err := s.Store.Renew(ctx, engine, lease)
	s.calls.store("renew", began, err)
	return owned, err
}

// Take implements store.Owners.
func (s *countedStore) Take(ctx context.Context, engine string, lease time.Duration, projects []string) ([]store.Owner, error) {
	began := time.Now()
	owned, err := s.Store.Take(ctx, engine, lease, projects)
	s.calls.store("take", began, err)
	return owned, err
}

type countedObjects struct {
	object.Objects
	calls *Calls
}

// Put implements object.Objects.
func (o countedObjects) Put(ctx context.Context, r io.Reader, max int64) (digest string, size int64, err error) {
	began := time.Now()
	digest, size, err = o.Objects.Put(ctx, r, max)
	o.calls.object("put", began, err)
	return digest, size, err
}

// Open implements object.Objects.
func (o countedObjects) Open(ctx context.Context, digest string) (io.ReadSeekCloser, error) {
	began := time.Now()
	r, err := o.Objects.Open(ctx, digest)
	o.calls.object("open", began, err)
	return r, err
}

// Sweep implements object.Sweeper, for objects that leave something to sweep.
func (o countedObjects) Sweep(ctx context.Context) error {
	if s, ok := o.Objects.(object.Sweeper); ok {
		return s.Sweep(ctx)
	}
	return nil
}
