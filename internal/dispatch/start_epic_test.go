package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// office begins the runs of epics as it is told, and notes what it hears.
type office struct {
	*Dispatcher
	begins  func(ctx context.Context, run string) error
	refuses bool
	deaf    int // how often a look fails
	said    []string
}

func (o *office) BeginEpic(ctx context.Context, _ *core.Project, e core.QueuedEpic) error {
	o.said = append(o.said, "begin "+e.Run)
	return o.begins(ctx, e.Run)
}

func (o *office) TellRefused(_ context.Context, _ *core.Project, e core.QueuedEpic) error {
	o.said = append(o.said, "tell "+e.ID)
	return nil
}

func (o *office) StartFailed(_ context.Context, _ string, _ int64, f core.StartFailure) (*core.Project, bool, error) {
	o.said = append(o.said, fmt.Sprintf("failed %s: %s, passing %t", f.Epic, f.Reason, f.Passing))
	return &core.Project{Queue: []core.QueuedEpic{epic("1")}}, o.refuses, nil
}

func (o *office) Tend(context.Context, string) error {
	if o.deaf--; o.deaf >= 0 {
		return errors.New("the store is away")
	}
	o.said = append(o.said, "tend")
	return nil
}

func epic(n string) core.QueuedEpic { return core.QueuedEpic{Epic: core.Epic{ID: "epic-" + n, Run: n}} }

// hears plays a story of starts and compares what the office heard.
func hears(t *testing.T, o *office, story func(start func(epics ...string)), want ...string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o.Dispatcher = New(refusing{}, Options{
			Projects: o, Epics: o, Log: slog.New(slog.DiscardHandler),
			Redactors: func([]string) Redactor {
				return redact.New(redact.Options{Secrets: []redact.Secret{{Name: "KEY", Value: "s3cret-s3cret"}}})
			},
		})
		story(func(epics ...string) {
			for _, id := range epics {
				if e := epic(id); id != "" {
					o.StartEpic(&core.Project{ID: "p"}, 1, &e)
				} else {
					o.StartEpic(&core.Project{ID: "p"}, 1, nil)
				}
			}
			synctest.Wait()
			time.Sleep(time.Hour) // of the bubble's own time: whatever waits has its turn
			synctest.Wait()
		})
		o.Close()
		if fmt.Sprint(o.said) != fmt.Sprint(want) {
			t.Errorf("heard %q, want %q", o.said, want)
		}
	})
}

func TestAnEpicIsBegunOnceAtATime(t *testing.T) {
	o := &office{begins: func(ctx context.Context, _ string) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Minute):
			return nil
		}
	}}
	hears(t, o, func(start func(...string)) { start("1", "1", "1"); start("1") }, "begin 1", "tend", "begin 1", "tend")
}

// TestAnotherEpicIsNotBegunBeside: the project is looked at once the first has
// ended, and that look asks for what is wanted then.
func TestAnotherEpicIsNotBegunBeside(t *testing.T) {
	for name, other := range map[string]string{"another": "2", "none": ""} {
		t.Run(name, func(t *testing.T) {
			o := &office{begins: func(ctx context.Context, _ string) error { <-ctx.Done(); return ctx.Err() }}
			hears(t, o, func(start func(...string)) { start("1", other) }, "begin 1", "tend")
		})
	}
}

func TestWhyAnEpicCannotBegin(t *testing.T) {
	for name, c := range map[string]struct {
		err     error
		refuses bool
		want    []string
	}{
		"for good":              {core.Errorf(core.CodeConflict, "s3cret-s3cret exists"), true, []string{"failed epic-1: [redacted:KEY] exists, passing false", "tell epic-1"}},
		"a server out of reach": {fmt.Errorf("fetch: %w", yard.ErrUnreachable), false, []string{"failed epic-1: fetch: " + yard.ErrUnreachable.Error() + ", passing true"}},
		"a defect":              {errors.New("odd"), false, []string{"failed epic-1: odd, passing true"}},
		"git":                   {core.Errorf(core.CodeInvalid, "fetch: %w", &yard.CommandError{Args: []string{"fetch"}}), false, []string{"failed epic-1: fetch: " + (&yard.CommandError{Args: []string{"fetch"}}).Error() + ", passing true"}},
		"not its turn":          {core.Errorf(core.CodeConflict, "paused").Because(core.ErrBusy), false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o := &office{refuses: c.refuses, deaf: 3, begins: func(context.Context, string) error { return c.err }}
			hears(t, o, func(start func(...string)) { start("1") }, append(append([]string{"begin 1"}, c.want...), "tend")...)
		})
	}
}
