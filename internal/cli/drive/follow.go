package drive

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// RedrawEvery is how often the live view redraws.
const RedrawEvery = time.Second

// follower shows a run until it ends or needs a person.
type follower struct {
	sh     *shell.Shell
	svc    api.Service
	id     string
	policy bool   // the run was started with --yes
	review bool   // the run is followed through its review
	seen   int64  // sequence number of the last event shown
	calls  string // how to ring once the run has halted; "" for not at all
	block  terminal.Block
	tail   tail
}

// follow shows the events of a run after a sequence number until it ends, pauses
// or waits for a person. It returns the run as it is then and the sequence number
// of the last event shown. With --json it shows nothing on the way.
func follow(ctx context.Context, sh *shell.Shell, svc api.Service, id string, after int64) (api.RunDetail, int64, error) {
	policy, err := approvesItself(ctx, svc, id)
	if err != nil {
		return api.RunDetail{}, after, err
	}
	f := &follower{sh: sh, svc: svc, id: id, policy: policy, seen: after, block: terminal.Block{Out: sh.Console.Out}}
	detail, err := f.until(ctx, after)
	if f.live() {
		err = errors.Join(err, f.block.Clear())
	}
	if err == nil && f.calls != "" {
		Ring(sh, f.calls)
	}
	return detail, f.seen, err
}

// approvesItself reports a run that was started with --yes, by its first event.
func approvesItself(ctx context.Context, svc api.Service, id string) (bool, error) {
	events, err := svc.Events(ctx, id, 0, 1)
	if err != nil || len(events) == 0 {
		return false, err
	}
	body, err := core.Decode(events[0])
	if err != nil {
		return false, err
	}
	started, ok := body.(core.RunStarted)
	return ok && started.Policy != nil && started.Policy.Approve, nil
}

func (f *follower) live() bool { return f.sh.Console.Live && !f.sh.JSON }

func (f *follower) until(ctx context.Context, after int64) (api.RunDetail, error) {
	detail, err := f.svc.Run(ctx, f.id)
	if err != nil {
		return detail, err
	}
	f.review = detail.Status == core.StatusReview && detail.Seq <= after
	if detail.Seq <= after && f.stopped(detail) {
		return detail, nil
	}
	stream := Follow(ctx, f.svc, f.id, after)
	defer stream.Stop()
	return f.loop(ctx, detail, stream)
}

// Stream is the events of a run as they happen.
type Stream struct {
	Events chan core.Event
	Ended  chan error // gets one value when no more events come
	Stop   func()     // ends the stream, and returns when it has ended
}

// Follow streams the events of a run after a sequence number.
func Follow(ctx context.Context, svc api.Service, run string, after int64) *Stream {
	ctx, cancel := context.WithCancelCause(ctx)
	s := &Stream{Events: make(chan core.Event), Ended: make(chan error, 1)}
	over := make(chan struct{})
	s.Stop = func() {
		cancel(nil)
		<-over
	}
	go func() {
		defer close(over)
		s.Ended <- svc.Follow(ctx, run, after, func(e core.Event) error {
			select {
			case s.Events <- e:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
	}()
	return s
}

func (f *follower) loop(ctx context.Context, detail api.RunDetail, stream *Stream) (api.RunDetail, error) {
	tick := f.ticker()
	defer tick.Stop()
	if err := f.draw(ctx, detail); err != nil {
		return detail, err
	}
	look := f.stopped(detail)
	for {
		select {
		case e := <-stream.Events:
			if err := f.show(ctx, e); err != nil {
				return detail, err
			}
			f.seen = e.Seq
			f.listen(e)
			look = look || f.live() || stopping(e.Type)
		case err := <-stream.Ended:
			if err != nil {
				return detail, err
			}
			return f.svc.Run(ctx, f.id)
		case <-tick.C:
		}
		if !look {
			continue
		}
		var err error
		if detail, err = f.svc.Run(ctx, f.id); err != nil {
			return detail, err
		}
		if f.stopped(detail) && f.seen >= detail.Seq {
			return detail, nil
		}
		look = f.live() || f.stopped(detail)
		if err := f.draw(ctx, detail); err != nil {
			return detail, err
		}
	}
}

// ticker never fires if nothing is redrawn.
func (f *follower) ticker() *time.Ticker {
	tick := time.NewTicker(RedrawEvery)
	if !f.live() {
		tick.Stop()
	}
	return tick
}

// stopping reports an event after which a run may wait for a person.
func stopping(t core.Type) bool {
	return t == core.TypeApprovalRequested || t == core.TypeRunPaused || t == core.TypeReviewAwaited
}

// stopped reports a run that does not go on by itself.
func (f *follower) stopped(d api.RunDetail) bool {
	switch d.Status {
	case core.StatusCompleted, core.StatusFailed, core.StatusCancelled:
		return true
	case core.StatusPaused:
		return view.Due(d).IsZero()
	case core.StatusAwaiting:
		// Neither a review that requests changes, which comes with a suggestion,
		// nor what looks like a secret is ever approved by policy.
		return d.Gate == nil || !f.policy || d.Gate.Suggestion != "" || len(d.Gate.Leaks) > 0
	case core.StatusReview:
		return !f.review
	case core.StatusActive:
	}
	return false
}

func (f *follower) show(ctx context.Context, e core.Event) error {
	if f.sh.JSON || !view.Notable(e.Type) {
		return nil
	}
	v, remark := f.sh.View(), ""
	if view.Remarkable(e.Type) {
		detail, err := f.svc.Run(ctx, f.id)
		if err != nil {
			return err
		}
		remark = v.Remark(e, detail)
	}
	return f.block.Print(v.Event(e, remark) + "\n")
}

// listen rings for a question at once, because the run may go on. For an event that
// halts the run, follow rings when the run has halted: a policy may approve.
func (f *follower) listen(e core.Event) {
	if e.Type == core.TypeQuestionAsked {
		Ring(f.sh, ringWaits)
	}
	if halts(e.Type) {
		f.calls = ""
		if Beckons(e) {
			f.calls = Sound(e.Type)
		}
	}
}

func (f *follower) draw(ctx context.Context, d api.RunDetail) error {
	if !f.live() {
		return nil
	}
	said, err := f.tail.last(ctx, f.svc, d)
	if err != nil {
		return err
	}
	return f.block.Draw(f.sh.View().Live(d, said))
}

// tail remembers the last thing the current attempt said.
type tail struct {
	attempt string
	next    int64
	said    string
}

func (t *tail) last(ctx context.Context, svc api.Service, d api.RunDetail) (string, error) {
	_, attempt, ok := view.Current(d)
	if !ok {
		return "", nil
	}
	if attempt.ID != t.attempt {
		*t = tail{attempt: attempt.ID}
	}
	out, err := svc.Output(ctx, d.ID, t.attempt, t.next)
	if core.CodeOf(err) == core.CodeNotFound {
		return "", nil // it has not said anything yet
	}
	if err != nil {
		return "", err
	}
	t.next = out.Next
	for _, r := range out.Records {
		if r.Text != "" || r.Tool != "" {
			t.said = strings.TrimSpace(r.Tool + " " + r.Text)
		}
	}
	return t.said, nil
}
