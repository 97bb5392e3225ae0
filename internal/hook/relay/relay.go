// Package relay carries the events of an interactive session to the engine, and the
// engine's answers back to the session. It decides nothing about a run: the engine
// says what is next, and the texts beside this file put it into words for the model or
// the person. It must not keep anyone waiting longer than the client allows, must not
// trap a person in a session whose engine is gone, and must leave sessions alone that
// own no run.
package relay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// Relay answers the events of sessions.
type Relay struct {
	State string // the state folder, absolute
	Env   func(string) string
	Now   func() time.Time
	// Connect reaches the engine. Where none runs it starts one that outlives
	// this process, unless existing is set; then it fails.
	Connect func(ctx context.Context, existing bool) (api.Sessions, func() error, error)
	// Open lists the runs of a folder's repository that have not ended, without
	// an engine. Nil lists none.
	Open func(dir string) []api.Run
	// Rings reports whether the person wants to hear a sound, now. Nil is never.
	Rings func() (bool, error)
}

// The exit codes. With 1 the client goes on, or refuses where the plugin says
// so; 2 wakes a session.
const (
	exitAnswered = 0
	exitFailed   = 1
	exitWake     = 2
)

// reply is an answer, or a text for the events that take no answer.
type reply struct {
	hook.Answer
	text  string
	stuck string // what the session was told to start too often, if anything
}

// call is an event that is being handled.
type call struct {
	Relay
	in    hook.Input
	data  []byte
	dir   string // of the session
	began time.Time
	entry *hook.Entry
}

// read reads an event, and reports whether its session owns a run.
func (r Relay) read(data []byte) (c call, owned bool, err error) {
	c = call{Relay: r, data: data, began: r.Now(), entry: &hook.Entry{}}
	session, err := hook.SessionOf(data)
	if err != nil {
		return c, false, err
	}
	if c.dir, err = snapshot.Dir(r.State, session); err != nil {
		return c, false, err
	}
	_, err = snapshot.Read(r.State, session)
	owned = !errors.Is(err, snapshot.ErrNone)
	if owned && err != nil && !errors.Is(err, snapshot.ErrDamaged) {
		return c, owned, err
	}
	c.in, err = hook.Parse(data)
	c.in.Session = session
	return c, owned, err
}

// Handle answers one event and returns the exit code of the program.
func (r Relay) Handle(ctx context.Context, data []byte, out, errs io.Writer) int {
	c, owned, err := r.read(data)
	if err != nil {
		return unread(data, errs, err)
	}
	if c.in.Event == hook.EventPreToolUse {
		return hook.Respond(r.State, data, out, errs, c.began)
	}
	ctx, cancel := context.WithTimeout(api.AsSession(ctx, c.in.Session), c.deadline())
	defer cancel()
	var answer reply
	if owned {
		*c.entry = hook.Entry{Session: c.in.Session, Event: c.in.Event, Agent: c.in.Agent}
		answer, err = c.ours(ctx)
	} else {
		answer, err = c.foreign(ctx)
	}
	return c.conclude(ctx, answer, err, out, errs)
}

// conclude prints the answer and notes it.
func (c call) conclude(ctx context.Context, answer reply, err error, out, errs io.Writer) int {
	code := exitAnswered
	if err != nil {
		code, c.entry.Error = failed(errs, err), err.Error()
	} else if err := answer.write(out); err != nil {
		return failed(errs, err)
	}
	c.entry.Did = answer.Did()
	if err := c.note(ctx); err != nil {
		fmt.Fprintln(errs, "stellwerk:", err) // what was answered stands
	}
	return code
}

// note writes the entry to the session's journal. A client that ends kills its hooks,
// which is no error.
func (c call) note(ctx context.Context) error {
	if c.entry.Error != "" && errors.Is(ctx.Err(), context.Canceled) {
		c.entry.Did, c.entry.Error = "cut short", ""
	}
	return c.entry.Note(c.State, c.began, c.Now())
}

func (r reply) write(out io.Writer) error {
	if r.text == "" {
		return r.Write(out)
	}
	_, err := fmt.Fprintln(out, r.text)
	return err
}

// unread ends an event that cannot be understood. If it may ask whether a tool may be
// used, the answer is no.
func unread(data []byte, errs io.Writer, err error) int {
	code := failed(errs, err)
	if bytes.Contains(data, []byte(`"`+hook.EventPreToolUse+`"`)) {
		return hook.ExitUndecided
	}
	return code
}

func failed(errs io.Writer, err error) int {
	fmt.Fprintln(errs, "stellwerk:", err)
	return exitFailed
}

// ours answers an event of a session that owns a run.
func (c call) ours(ctx context.Context) (reply, error) {
	if err := c.arm(ctx); err != nil {
		c.entry.Error = err.Error()
	}
	switch c.in.Event {
	case hook.EventStop:
		return c.stop(ctx)
	case hook.EventPrompt:
		return c.prompt(ctx)
	case hook.EventAgentStart:
		return c.agentStart(ctx)
	case hook.EventAgentStop:
		return reply{}, c.agentStop(ctx)
	case hook.EventSessionStart:
		return c.sessionStart(ctx)
	case hook.EventSessionEnd:
		return reply{}, c.engine(ctx, func(svc api.Sessions) error { return svc.End(ctx, c.in.Session) })
	case hook.EventCompact:
		return c.compact()
	case hook.EventWorktreeCreate:
		return c.lease(ctx)
	case hook.EventWorktreeRemove:
		return reply{}, c.removeWorktree(ctx)
	}
	return reply{}, nil
}

// foreign answers an event of a session that owns no run. It neither asks nor starts
// an engine.
func (c call) foreign(ctx context.Context) (reply, error) {
	switch c.in.Event {
	case hook.EventStop:
		return c.incomplete()
	case hook.EventPrompt:
		return reply{}, c.noteStart()
	case hook.EventSessionStart:
		if err := c.prepareShell(); err != nil {
			return reply{}, err
		}
		return c.open()
	case hook.EventSessionEnd:
		return reply{}, ForgetStart(c.State, c.in.Session)
	case hook.EventWorktreeCreate:
		return c.createWorktree(ctx)
	case hook.EventWorktreeRemove:
		return reply{}, c.removeWorktree(ctx)
	}
	return reply{}, nil
}

// deadline is when an answer must be there: some time before the client gives up, as
// the plugin's hooks.json says.
func (c call) deadline() time.Duration {
	switch c.in.Event {
	case hook.EventStop:
		return c.stopWait() + 15*time.Second
	case hook.EventSessionEnd:
		return 1200 * time.Millisecond
	case hook.EventPrompt, hook.EventSessionStart, hook.EventCompact:
		return 15 * time.Second
	}
	return 110 * time.Second
}

// engine calls fn with the engine.
func (c call) engine(ctx context.Context, fn func(api.Sessions) error) error {
	svc, done, err := c.Connect(ctx, c.in.Event == hook.EventSessionEnd)
	if err != nil {
		return err
	}
	return errors.Join(fn(svc), done())
}

// ask is what fn learns from the engine.
func ask[T any](ctx context.Context, c call, fn func(api.Sessions) (T, error)) (answer T, err error) {
	err = c.engine(ctx, func(svc api.Sessions) (err error) {
		answer, err = fn(svc)
		return err
	})
	return answer, err
}
