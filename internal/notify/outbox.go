package notify

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

const (
	maxTries  = 8 // of a notice in a way
	firstWait = 5 * time.Second
	lastWait  = 10 * time.Minute
	sending   = 20 * time.Second // one message in one way
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

// Options are what an outbox works with.
type Options struct {
	File string // where it keeps what is to be told
	// Setup is asked before each message, so that a changed setting holds at once.
	Setup func() (Setup, error)
	// Waits says that a notice is still worth telling.
	Waits func(ctx context.Context, n Notice) bool
	Log   *slog.Logger
}

// Outbox tells of each thing once a way. It is safe for concurrent use.
type Outbox struct {
	opts Options
	stop context.CancelFunc
	done chan struct{}
	wake chan struct{}

	mu     sync.Mutex
	ledger ledger
	rests  map[string]rest
}

// rest is how long a way that failed is left alone.
type rest struct {
	wait  time.Duration
	until time.Time
}

// Open reads what an earlier engine did not get to tell. Nothing is sent until Start.
func Open(opts Options) *Outbox {
	l, err := readLedger(opts.File)
	if err != nil {
		opts.Log.Warn("the pending notifications are lost", "error", err)
	}
	return &Outbox{opts: opts, ledger: l, wake: make(chan struct{}, 1), done: make(chan struct{}), rests: map[string]rest{}}
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

// Notify accepts a notice and returns at once. It ignores a thing that it has heard of
// before, and fails if the notice could not be written down.
func (o *Outbox) Notify(_ context.Context, n Notice) error {
	setup, err := o.opts.Setup()
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(setup.Ways) == 0 || o.ledger.knows(n.ID) {
		return nil
	}
	if dropped := o.ledger.add(n); dropped != "" {
		o.opts.Log.Warn("too many pending notifications, dropping the oldest", "notice", dropped)
	}
	if err := o.ledger.write(o.opts.File); err != nil {
		o.ledger.Waiting = o.ledger.Waiting[:len(o.ledger.Waiting)-1]
		return err
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
// is due again.
func (o *Outbox) round(ctx context.Context) time.Duration {
	o.mu.Lock()
	waiting := slices.Clone(o.ledger.Waiting)
	o.mu.Unlock()
	if len(waiting) == 0 {
		return time.Hour
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
	o.dropAnswered(ctx, waiting)
	var sends sync.WaitGroup
	for _, way := range setup.Ways {
		sends.Go(func() { o.tell(ctx, way) })
	}
	sends.Wait()
	return o.conclude(setup)
}

// dropAnswered forgets what a person has dealt with meanwhile.
func (o *Outbox) dropAnswered(ctx context.Context, waiting []entry) {
	gone := map[string]bool{}
	for _, e := range waiting {
		gone[e.Notice.ID] = !o.opts.Waits(ctx, e.Notice)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ledger.settle(func(e entry) bool { return gone[e.Notice.ID] })
}

// tell sends in one way what is pending there.
func (o *Outbox) tell(ctx context.Context, way Way) {
	name := way.Name
	o.mu.Lock()
	notices, resting := o.ledger.of(name), time.Now().Before(o.rests[name].until)
	o.mu.Unlock()
	if len(notices) == 0 || resting {
		return
	}
	sent, cancel := context.WithTimeout(ctx, sending)
	defer cancel()
	err := way.Send(sent, compose(notices, time.Now()))
	if err != nil && ctx.Err() != nil {
		return // it was not given the time: that is no try
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	given := o.ledger.conclude(name, notices, err)
	if err == nil {
		delete(o.rests, name)
		o.opts.Log.Info("notified", "way", name, "notices", len(notices))
		return
	}
	wait := min(max(2*o.rests[name].wait, firstWait), lastWait)
	o.rests[name] = rest{wait, time.Now().Add(wait)}
	o.opts.Log.Warn("could not notify", "way", name, "notices", len(notices), "given_up", len(given), "in", wait, "error", err)
}

// conclude writes down what was told, and returns when to go on.
func (o *Outbox) conclude(setup Setup) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ledger.settle(func(e entry) bool {
		return !slices.ContainsFunc(setup.Ways, func(w Way) bool { return e.wants(w.Name) })
	})
	if err := o.ledger.write(o.opts.File); err != nil {
		o.opts.Log.Error("notifications may be sent again", "error", err)
	}
	next := looking
	for _, way := range setup.Ways {
		if len(o.ledger.of(way.Name)) > 0 {
			next = min(next, time.Until(o.rests[way.Name].until))
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
