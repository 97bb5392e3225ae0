package measure

import (
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// exit ends an attempt. Its end is when its process ended, which may be long
// before an engine came to see it. A manager's task is done with it.
func (t *Tracker) exit(e core.Event, b core.AttemptExited) []Piece {
	ended := finish(t.attempts, b.Attempt, e, string(b.Kind))
	if len(ended) == 0 {
		return nil
	}
	a := &ended[0]
	a.Class, a.Usage, a.Took, a.Machine = b.Class, b.Used(), b.Duration, b.Resources
	if b.Traffic != nil {
		a.Traffic = *b.Traffic
	}
	if at := a.Began.Add(b.Duration); b.Duration > 0 && at.Before(a.Ended) {
		a.Ended = at
	}
	if a.Work == string(core.KindManage) && b.Kind == core.ExitFinished {
		return append(ended, t.closeTask(e, a.Task, OK)...)
	}
	if t.tasks[a.Task] != nil {
		t.handed[a.Task] = *a
	}
	return ended
}

// verified ends the checks of a delivery, and the task where they passed.
func (t *Tracker) verified(e core.Event, b core.VerifyConcluded) []Piece {
	asked := t.asked[b.Attempt]
	delete(t.asked, b.Attempt)
	of := t.tasks[b.Task]
	if a, ok := t.handed[b.Task]; ok && a.Attempt == b.Attempt {
		of = &a
	}
	ended := t.checks(e, of, asked, b.Results, b.Error)
	if b.Passed && b.Error == "" {
		ended = append(ended, t.closeTask(e, b.Task, OK)...)
	}
	return ended
}

// ends closes the task of what the engine does itself, where it succeeded. What
// did not is tried again, or ends with its round.
func (t *Tracker) ends(e core.Event, task string, ok bool, checks []Piece) []Piece {
	if !ok {
		return checks
	}
	return append(checks, t.closeTask(e, task, OK)...)
}

// checks are the pieces of checks that an event reports. It says how long each
// took, and not when it began: each is taken to have ended with the event, and
// not to have begun before it was asked for.
func (t *Tracker) checks(e core.Event, of *Piece, asked time.Time, results []core.CheckResult, trouble string) []Piece {
	if trouble != "" && len(results) == 0 {
		results = []core.CheckResult{{}}
	}
	pieces := make([]Piece, 0, len(results))
	for i, r := range results {
		p := t.begin(e, Check, of, Piece{Check: r.Kind, Reused: r.Reused})
		if of != nil {
			p.Wave, p.Stage, p.Round, p.Task, p.Work, p.Attempt, p.N, p.Role = of.Wave, of.Stage, of.Round, of.Task, of.Work, of.Attempt, of.N, of.Role
		}
		p.ID, p.Took = fmt.Sprintf("%s/%d", e.ID, i+1), r.Elapsed
		p.Began = e.At.Add(-max(r.Elapsed, 0))
		if p.Began.Before(asked) {
			p.Began = asked
		}
		pieces = append(pieces, ending(p, e, verdict(r.Passed, trouble)))
	}
	return pieces
}

func verdict(passed bool, trouble string) string {
	switch {
	case passed:
		return OK
	case trouble != "":
		return Failed
	}
	return NotOK
}
