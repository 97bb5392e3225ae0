package simulate

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
)

// bring has a person bring along the folder of a run that another version began and paused, again and again until an engine
// has taken it over.
func (s *sim) bring(parallel int) {
	const run = "before"
	events, head, err := s.history(work(run, fmt.Sprint("p", s.rng.IntN(2)), parallel, false))
	if err != nil {
		s.breach("%v", err)
		return
	}
	s.brought(run, events, promise{core.RunStream(run), head.Seq, head.Hash})
}

func (s *sim) brought(run string, events []core.Event, all promise) {
	s.ask("the folder of "+run, func(ctx context.Context, at *engine.Engine) error {
		_, err := at.Import(ctx, run, events)
		if err == nil {
			s.promise(all)
		}
		return err
	}, func(err error) {
		if err != nil {
			s.at(3*time.Second, func() { s.brought(run, events, all) })
			return
		}
		s.follow(run)
	})
}

// history is that of a run which a person paused as soon as it had begun, in the words of version 1: what the person can do
// is in a text.
func (s *sim) history(begun core.RunStarted) (events []core.Event, head core.Head, err error) {
	stream := core.RunStream(begun.Run)
	pause := core.RunPaused{Code: core.PausePerson, Reason: "lunch"}
	for _, body := range []core.Body{begun, pause} {
		before := head
		var e core.Event
		if e, head, err = core.Seal(stream, before, s.now(), core.Person("ada"), "", body); err != nil {
			return nil, head, err
		}
		if e.Type == core.TypeRunPaused {
			e.V = 1
			if e.Body, err = json.Marshal(map[string]any{"code": pause.Code, "reason": pause.Reason, "next": "`stellwerk resume " + begun.Alias + "`"}); err != nil {
				return nil, head, err
			}
			if head, err = core.VerifyChain(before, []core.Event{e}); err != nil {
				return nil, head, err
			}
		}
		events = append(events, e)
	}
	return events, head, nil
}
