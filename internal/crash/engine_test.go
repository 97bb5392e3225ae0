package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// order is what an engine process is asked to do: see every run to its end,
// starting those that are not there.
type order struct {
	State, Repository, Playbook, Isolation string
	Branches                               []string
	// Last is a run to be started only after the others have ended, and Step the
	// durable step of it at which the engine dies; 0 for none.
	Last  string
	Step  int
	After bool // die when the step is done, rather than before
	// Twice lets every attempt be started a second time at once, as happens when
	// an engine is killed before the shim it started has claimed the attempt.
	Twice bool
	// Cancel lets the engine cancel each run, and die without having stopped an
	// attempt: at once, or when the first attempt runs and nothing else happens.
	Cancel string
	// Spared, where set, are names of durable steps, and the engine dies at the
	// first that is not among them. Each tells steps of one name apart by how far
	// the run has come: at first, Come events.
	// Only, where set, is in the names of all that it dies at.
	Spared []string
	Only   string
	Each   bool
	Come   int64
	// Wedge is the folder of a program that the engine takes for git and that
	// ends it; empty for none.
	Wedge string
	// Queue lets one goal wait behind another, and that one be cancelled.
	Queue bool
	// Gates are approved by a person who looks on, rather than beforehand.
	Gates bool
	// Apart is that the person is in another process, and told what happened.
	Apart bool
	// Shared is the store and the objects that engines with folders of their own share, and URL the repository
	// that all of them reach; empty for one engine. Its lease is Lease.
	Shared  place
	URL     string
	Lease   time.Duration
	Workers string // where their workers find an engine; empty for the one that began them
	// Serve has the engine do what it is asked, and see no run to its end, until it is told to end.
	Serve bool
}

// options are those of the order's engine.
func (o order) options() app.Options {
	opts := app.Options{State: o.State, Version: "test", Log: os.Stderr, Verbose: true}
	if o.Shared != (place{}) {
		opts.Database, opts.Objects = o.Shared.Store, o.Shared.Objects
		opts.Lease, opts.Look, opts.Silence = o.Lease, o.Lease/4, 3*o.Lease
		opts.Workers.URL = o.Workers
	}
	return opts
}

const (
	cancelAtOnce  = "at once"
	cancelRunning = "running"
)

// The words of an engine process, one line each.
const (
	sayUp     = "up"     // the engine is open
	sayAck    = "ack"    // run, sequence number and hash of an event it acknowledged
	sayPaused = "paused" // run and reason: a run that waits for a person never ends
	sayReview = "review" // branch: it is published and waits for being merged
	sayEvent  = "event"  // run, sequence number and type of an event that a person looks out for
	sayFell   = "fell"   // name of the durable step at which the engine is about to die
	sayOver   = "over"   // every run has ended
)

// voice writes whole lines, in the order of what they tell of.
type voice struct{ mu sync.Mutex }

func (v *voice) say(word string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	fmt.Fprintln(os.Stdout, append([]any{word}, args...)...)
}

// runEngine is the engine process.
func runEngine(text string) int {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if err := serve(o); err != nil {
		fmt.Fprintln(os.Stderr, "engine:", err)
		return 1
	}
	return 0
}

func serve(o order) error {
	ctx := api.WithCaller(context.Background(), api.Caller{Actor: core.Person("me")})
	if err := o.wedged(); err != nil {
		return err
	}
	var out voice
	ax := &axe{at: o.Step, after: o.After, twice: o.Twice, noStop: o.Cancel != "", folder: dispatch.Layout{State: o.State}.Folder, team: o.Shared != (place{})}
	if o.Spared != nil {
		ax.sparer = newSparer(o, &out)
		ax.raised.Store(true)
	}
	opts := o.options()
	opts.Wrap = ax.wrap
	a, stop, err := open(ctx, opts)
	if err != nil {
		return err
	}
	out.say(sayUp)
	if o.Serve {
		asked, done := signal.NotifyContext(ctx, syscall.SIGTERM)
		<-asked.Done()
		done()
		if err := stop(); err != nil {
			return err
		}
		out.say(sayOver)
		return nil
	}
	if o.Queue {
		if err := o.succession(ctx, a); err != nil {
			return err
		}
	}
	if err := drive(ctx, a, o, o.Branches, &out); err != nil {
		return err
	}
	if o.Last != "" {
		ax.raised.Store(true)
		if err := drive(ctx, a, o, []string{o.Last}, &out); err != nil {
			return err
		}
	}
	if err := stop(); err != nil {
		return err
	}
	out.say(sayOver)
	return nil
}

// open starts an engine that serves others. One that was killed in the middle of
// starting a process seems to listen until that has begun.
func open(ctx context.Context, opts app.Options) (api.Service, func() error, error) {
	for {
		a, stop, err := app.Connect(ctx, opts)
		if err != nil {
			return nil, nil, err
		}
		info, err := a.Info(ctx)
		if err == nil && info.PID == os.Getpid() {
			return a, stop, nil
		}
		if err := errors.Join(err, stop()); err != nil && core.CodeOf(err) != core.CodeUnavailable {
			return nil, nil, err
		}
	}
}

// takeOver opens an engine that serves nobody. One that was killed in the middle
// of starting a process holds the state folder until that has begun.
func takeOver(ctx context.Context, opts app.Options) (a *app.App, err error) {
	waittest.Until(func() bool {
		a, err = app.Open(ctx, opts)
		return core.CodeOf(err) != core.CodeConflict
	})
	return a, err
}

// drive sees the runs of some branches to their end.
func drive(ctx context.Context, a api.Service, o order, branches []string, out *voice) error {
	known, err := a.Runs(ctx, api.RunQuery{})
	if err != nil {
		return err
	}
	runs := map[string]string{}
	for _, r := range known {
		runs[r.Title] = r.ID // runs that only hand in documents show no branch
	}
	failures := make(chan error, len(branches))
	for _, branch := range branches {
		go func() { failures <- follow(ctx, a, o, branch, runs[goalOn(branch)], out) }()
	}
	for range branches {
		if err := <-failures; err != nil {
			return err
		}
	}
	return nil
}

func goalOn(branch string) string { return "survive on " + branch }

func follow(ctx context.Context, a api.Service, o order, branch, run string, out *voice) error {
	if run == "" {
		wanted := api.StartRun{
			Dir: o.Repository, Goal: goalOn(branch), Branch: branch, Playbook: o.Playbook,
			Isolation: o.Isolation, Trust: true, Yes: !o.Gates && !o.Apart,
		}
		if o.URL != "" {
			added, err := a.AddProject(ctx, api.AddProject{Repository: o.URL})
			if err != nil {
				return fmt.Errorf("add the project: %w", err)
			}
			wanted.Dir, wanted.Project = "", added.ID
		}
		started, err := a.StartRun(ctx, wanted)
		if err != nil {
			return fmt.Errorf("start the run of %s: %w", branch, err)
		}
		run = started.ID
	}
	if o.Cancel != "" {
		return cancel(ctx, a, o, run)
	}
	err := a.Follow(ctx, run, 0, func(e core.Event) error {
		hash, err := e.Hash()
		if err != nil {
			return err
		}
		out.say(sayAck, run, e.Seq, hash)
		if o.Apart || o.Shared != (place{}) {
			out.say(sayEvent, run, e.Seq, e.Type)
		}
		return o.react(ctx, a, run, branch, e, out)
	})
	if err != nil {
		return fmt.Errorf("follow the run of %s: %w", branch, err)
	}
	return nil
}

// react is what the person does who looks on.
func (o order) react(ctx context.Context, a api.Service, run, branch string, e core.Event, out *voice) error {
	switch e.Type {
	case core.TypeRunPaused:
		body, err := core.Decode(e)
		if err != nil {
			return err
		}
		if paused, ok := body.(core.RunPaused); !ok || paused.Code != core.PauseQuestion {
			out.say(sayPaused, run, string(e.Body))
		}
	case core.TypeReviewAwaited:
		if !o.Apart {
			out.say(sayReview, branch)
		}
	case core.TypeApprovalRequested:
		if o.Gates {
			return approve(ctx, a, run)
		}
	default:
	}
	return nil
}

// approve lets the gate pass that waits. Where none does, it has passed: an
// engine that follows a run from its start hears of all its gates again.
func approve(ctx context.Context, a api.Service, run string) error {
	detail, err := a.Run(ctx, run)
	if err != nil || detail.Gate == nil {
		return err
	}
	_, err = a.Approve(ctx, run, api.Approve{Subject: &detail.Gate.Subject})
	if core.CodeOf(err) == core.CodeConflict {
		return nil
	}
	return err
}

var errRunning = errors.New("an attempt runs")

// cancel ends with the engine's death.
func cancel(ctx context.Context, a api.Service, o order, run string) error {
	if o.Cancel == cancelRunning {
		err := a.Follow(ctx, run, 0, func(e core.Event) error {
			if e.Type == core.TypeAttemptStarted {
				return errRunning
			}
			return nil
		})
		if !errors.Is(err, errRunning) {
			return err
		}
	}
	if _, err := a.Cancel(ctx, run, api.Cancel{Reason: "not wanted any more"}); err != nil {
		return err
	}
	if o.Cancel == cancelRunning {
		<-time.After(300 * time.Millisecond) // every wake is answered by now
	}
	fall()
	return nil
}
