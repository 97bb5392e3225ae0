package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
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
}

// The words of an engine process, one line each.
const (
	sayUp     = "up"     // the engine is open
	sayAck    = "ack"    // run, sequence number and hash of an event it acknowledged
	sayPaused = "paused" // run and reason: a run that waits for a person never ends
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
	var out voice
	ax := &axe{at: o.Step, after: o.After}
	a, err := takeOver(ctx, app.Options{State: o.State, Version: "test", Log: os.Stderr, Verbose: true, Wrap: ax.wrap})
	if err != nil {
		return err
	}
	out.say(sayUp)
	if err := drive(ctx, a, o, o.Branches, &out); err != nil {
		return err
	}
	if o.Last != "" {
		ax.raised.Store(true)
		if err := drive(ctx, a, o, []string{o.Last}, &out); err != nil {
			return err
		}
	}
	if err := a.Close(); err != nil {
		return err
	}
	out.say(sayOver)
	return nil
}

// takeOver opens an engine as every command does: one that was killed in the
// middle of starting a process holds the state folder until that has begun.
func takeOver(ctx context.Context, opts app.Options) (*app.App, error) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(5 * time.Second); ; <-tick.C {
		a, err := app.Open(ctx, opts)
		if core.CodeOf(err) != core.CodeConflict || time.Now().After(deadline) {
			return a, err
		}
	}
}

// drive sees the runs of some branches to their end.
func drive(ctx context.Context, a *app.App, o order, branches []string, out *voice) error {
	known, err := a.Runs(ctx, api.RunQuery{})
	if err != nil {
		return err
	}
	runs := map[string]string{}
	for _, r := range known {
		runs[r.Branch] = r.ID
	}
	failures := make(chan error, len(branches))
	for _, branch := range branches {
		go func() { failures <- follow(ctx, a, o, branch, runs[branch], out) }()
	}
	for range branches {
		if err := <-failures; err != nil {
			return err
		}
	}
	return nil
}

func follow(ctx context.Context, a *app.App, o order, branch, run string, out *voice) error {
	if run == "" {
		started, err := a.StartRun(ctx, api.StartRun{
			Dir: o.Repository, Goal: "survive on " + branch, Branch: branch, Playbook: o.Playbook,
			Isolation: o.Isolation, Trust: true, Yes: true,
		})
		if err != nil {
			return fmt.Errorf("start the run of %s: %w", branch, err)
		}
		run = started.ID
	}
	err := a.Follow(ctx, run, 0, func(e core.Event) error {
		hash, err := e.Hash()
		if err != nil {
			return err
		}
		out.say(sayAck, run, e.Seq, hash)
		if e.Type == core.TypeRunPaused {
			out.say(sayPaused, run, string(e.Body))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("follow the run of %s: %w", branch, err)
	}
	return nil
}
