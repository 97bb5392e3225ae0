package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

const (
	maxTries  = 8 // of a notice in a way
	firstWait = 5 * time.Second
	lastWait  = 10 * time.Minute
	sending   = 20 * time.Second // one message in one way
	claiming  = 2 * time.Minute  // for which an engine that may have been killed keeps a notice from others
	noting    = 10 * time.Second // what became of a message
	leaving   = 3 * time.Second  // for what is left when an engine ends
	gathering = 2 * time.Second
	// looking is how long a wait may be without a look at the clock: a machine
	// that slept has lost time.
	looking = time.Minute
)

// Setup is how a person wants to be told.
type Setup struct {
	Ways  []Way
	Quiet Quiet
}

// Store keeps documents. Now is its clock, by which engines on several machines agree whose claim has run out.
type Store interface {
	store.Documents
	Now(ctx context.Context) (time.Time, error)
}

// Options are what an outbox works with.
type Options struct {
	Store Store // keeps what was told, and is to be
	// Setup is asked before each message, so that a changed setting holds at once.
	Setup func() (Setup, error)
	// Waits says that a notice is still worth telling.
	Waits func(ctx context.Context, n Notice) bool
	Log   *slog.Logger
}

// Outbox tells of each thing once a way, however many engines have one on the same
// store: an engine claims a notice before it tells it. If it is killed between
// telling and noting that, another tells it again. It is safe for concurrent use.
type Outbox struct {
	opts Options
	stop context.CancelFunc
	done chan struct{}
	wake chan struct{}

	mu    sync.Mutex
	rests map[string]rest
}

// rest is how long a way that failed is left alone.
type rest struct {
	wait  time.Duration
	until time.Time
}

// Open is an outbox. Nothing is sent until Start.
func Open(opts Options) *Outbox {
	return &Outbox{opts: opts, wake: make(chan struct{}, 1), done: make(chan struct{}), rests: map[string]rest{}}
}

// Start begins to send, until Close.
func (o *Outbox) Start() {
	ctx, stop := context.WithCancel(context.Background())
	o.stop = stop
	go o.run(ctx)
}

// Close stops. It tries once more to send what is due, for a short time; the rest is
// for the next engine.
func (o *Outbox) Close() {
	if o.stop == nil {
		return
	}
	o.stop()
	<-o.done
	ctx, cancel := context.WithTimeout(context.Background(), leaving)
	defer cancel()
	o.round(ctx)
}

// Notify accepts a notice and returns at once. It ignores a thing that an engine has
// heard of before, and fails if the notice could not be written down.
func (o *Outbox) Notify(ctx context.Context, n Notice) error {
	setup, err := o.opts.Setup()
	if err != nil || len(setup.Ways) == 0 {
		return err
	}
	e := entry{Notice: n}
	for _, w := range setup.Ways {
		e.Ways = append(e.Ways, w.Name)
	}
	// An engine that ends meanwhile still tells of it.
	kept, cancel := context.WithTimeout(context.WithoutCancel(ctx), noting)
	defer cancel()
	err = document.Put(kept, o.opts.Store, kind, n.ID, 0, e)
	if errors.Is(err, store.ErrStale) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("keep the notification %s: %w", n.ID, err)
	}
	select {
	case o.wake <- struct{}{}:
	default:
	}
	return nil
}

// run goes from round to round. What happens at the same time is told together, so a
// round does not begin at once.
func (o *Outbox) run(ctx context.Context) {
	defer close(o.done)
	timer := time.NewTimer(gathering)
	defer timer.Stop()
	gathers := true
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.wake:
			if !gathers {
				timer.Reset(gathering)
			}
			gathers = true
		case <-timer.C:
			gathers = false
			timer.Reset(max(o.round(ctx), gathering))
		}
	}
}

// round sends what is due in every way, and returns how long it takes until something
// is due again. Another engine may have left something, so it looks in any case.
func (o *Outbox) round(ctx context.Context) time.Duration {
	waiting, err := o.waiting(ctx)
	if err != nil {
		if ctx.Err() == nil {
			o.opts.Log.Error("cannot read the pending notifications", "error", err)
		}
		return looking
	}
	if len(waiting) == 0 {
		return looking
	}
	setup, err := o.opts.Setup()
	if err != nil {
		o.opts.Log.Warn("cannot read how to notify people", "error", err)
		return looking
	}
	now := time.Now()
	if until, quiet := setup.Quiet.Until(now); quiet {
		return min(until.Sub(now), looking)
	}
	waiting = o.drop(ctx, waiting)
	var sends sync.WaitGroup
	for _, way := range setup.Ways {
		sends.Go(func() { o.tell(ctx, way, waiting) })
	}
	sends.Wait()
	return o.conclude(ctx, setup)
}

// drop forgets what a person has dealt with meanwhile, and the oldest of too much.
func (o *Outbox) drop(ctx context.Context, waiting []entry) (left []entry) {
	for i, e := range waiting {
		tooMany := len(waiting)-i > maxWaiting
		if !tooMany && o.opts.Waits(ctx, e.Notice) {
			left = append(left, e)
			continue
		}
		if tooMany {
			o.opts.Log.Warn("too many pending notifications, dropping the oldest", "notice", e.Notice.ID)
		}
		o.note(o.settle(ctx, e.Notice.ID))
	}
	return left
}

// note reports that something of the notices could not be written down.
func (o *Outbox) note(err error) {
	if err != nil {
		o.opts.Log.Error("notifications may be sent again", "error", err)
	}
}

// tell sends in one way what is pending there and no other engine sends.
func (o *Outbox) tell(ctx context.Context, way Way, waiting []entry) {
	name := way.Name
	o.mu.Lock()
	resting := time.Now().Before(o.rests[name].until)
	o.mu.Unlock()
	if resting {
		return
	}
	notices := o.claim(ctx, name, waiting)
	if len(notices) == 0 {
		return
	}
	sent, cancel := context.WithTimeout(ctx, sending)
	defer cancel()
	err := way.Send(sent, compose(notices, time.Now()))
	kept, cancel := context.WithTimeout(context.WithoutCancel(ctx), noting)
	defer cancel()
	if err != nil && ctx.Err() != nil { // it was not given the time: that is no try
		for _, n := range notices {
			o.note(o.change(kept, n.ID, func(e *entry) error { delete(e.Claims, name); return nil }))
		}
		return
	}
	given := 0
	for _, n := range notices {
		up := false
		o.note(o.change(kept, n.ID, func(e *entry) error { up = e.concluded(name, err); return nil }))
		if up {
			given++
		}
	}
	o.rested(name, len(notices), given, err)
}

// claim takes the notices that are to be told in a way for this engine alone.
func (o *Outbox) claim(ctx context.Context, way string, waiting []entry) (mine []Notice) {
	for _, e := range waiting {
		if !e.wants(way) {
			continue
		}
		got := false
		err := o.change(ctx, e.Notice.ID, func(now *entry) error {
			at, err := o.opts.Store.Now(ctx)
			if err != nil {
				return err
			}
			if got = now.wants(way) && now.free(way, at); !got {
				return document.ErrKeep
			}
			if now.Claims == nil {
				now.Claims = map[string]time.Time{}
			}
			now.Claims[way] = at.Add(claiming)
			return nil
		})
		if err != nil && ctx.Err() == nil {
			o.opts.Log.Error("cannot claim a notification", "notice", e.Notice.ID, "error", err)
		}
		if got && err == nil {
			mine = append(mine, e.Notice)
		}
	}
	return mine
}

// rested leaves a way alone for a while that failed.
func (o *Outbox) rested(way string, sent, given int, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err == nil {
		delete(o.rests, way)
		o.opts.Log.Info("notified", "way", way, "notices", sent)
		return
	}
	wait := min(max(2*o.rests[way].wait, firstWait), lastWait)
	o.rests[way] = rest{wait, time.Now().Add(wait)}
	o.opts.Log.Warn("could not notify", "way", way, "notices", sent, "given_up", given, "in", wait, "error", err)
}

// conclude settles what was told in every way, and returns when to go on.
func (o *Outbox) conclude(ctx context.Context, setup Setup) time.Duration {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noting)
	defer cancel()
	waiting, err := o.waiting(ctx)
	o.note(err)
	next := looking
	now, err := o.opts.Store.Now(ctx)
	if err != nil {
		o.note(err)
		return next
	}
	for _, e := range waiting {
		if e.over(setup.Ways, now) {
			o.note(o.settle(ctx, e.Notice.ID))
			continue
		}
		for _, way := range setup.Ways {
			if e.wants(way.Name) && e.free(way.Name, now) {
				o.mu.Lock()
				next = min(next, time.Until(o.rests[way.Name].until))
				o.mu.Unlock()
			}
		}
	}
	return next
}

// Told is the result of a test in one way.
type Told struct {
	Way string
	Err error // nil if it was taken
}

// Test sends one message in each way, now, and reports the results. It ignores quiet
// hours and does not try again.
func (o *Outbox) Test(ctx context.Context) ([]Told, error) {
	setup, err := o.opts.Setup()
	told := make([]Told, len(setup.Ways))
	n := Notice{ID: "test-" + time.Now().UTC().Format(time.RFC3339Nano), Kind: "test", Title: "this is a test", Text: "Stellwerk will tell you like this when something is waiting for you.", At: time.Now()}
	var sends sync.WaitGroup
	for i, way := range setup.Ways {
		sends.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, sending)
			defer cancel()
			told[i] = Told{way.Name, way.Send(ctx, compose([]Notice{n}, time.Now()))}
		})
	}
	sends.Wait()
	return told, err
}
