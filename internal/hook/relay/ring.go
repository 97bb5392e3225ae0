package relay

import (
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// rings reports that the person should hear of how a turn ended: with a gate, a pause
// that is not their own, a session that does not do what it is told, or the run's end.
// It rings once for each, however often the session rests there.
func (c call) rings(what string, over bool) bool {
	if what == "" || c.Rings == nil {
		return false
	}
	wanted, err := c.Rings()
	var last told
	if err == nil && wanted {
		if c.recall(rungFile, &last); last.What == what {
			return false
		}
		if !over { // after which nothing is remembered
			err = c.remember(rungFile, told{What: what})
		}
	}
	if err != nil {
		c.entry.Error = err.Error()
	}
	return wanted && err == nil
}

// calling names what calls for the person; empty if nothing does. stuck is what the
// session was told to start and did not.
func calling(turn api.Turn, stuck string) string {
	switch turn.Kind {
	case api.TurnGate:
		if turn.Gate != nil {
			return "gate " + turn.Gate.Event
		}
	case api.TurnPaused:
		if p := turn.Pause; p != nil && p.Code != core.PausePerson && p.Code != core.PauseProject {
			return "pause " + p.At.String()
		}
	case api.TurnOver:
		if turn.Run.Status != core.StatusCancelled {
			return "end"
		}
	case api.TurnStart:
		if stuck != "" {
			return "stuck " + stuck
		}
	case api.TurnNone, api.TurnWorking, api.TurnVerify:
	}
	return ""
}
