package cockpit

import (
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// behindBody is an attempt with the run it belongs to.
type behindBody struct {
	Run     api.Run
	Stages  []api.Stage
	Attempt attemptBody
	Bounds  []wording.Bound // nil where nothing bounded it, or while it runs
	Refused string          // connections; empty if none was
	Allow   string          // how to allow them
}

func behind(b taskBody, a attemptBody) behindBody {
	body := behindBody{Run: b.Run, Stages: []api.Stage{b.Stage}, Attempt: a, Refused: wording.Refused(a.Traffic), Allow: wording.Allowing(a.Traffic)}
	if a.Resources != nil {
		body.Bounds = wording.Bounds(*a.Resources, b.Limits)
	}
	return body
}

// verdictWord says how an attempt stands: what the checks said of it, or else how
// it ended.
func verdictWord(a api.Attempt) string {
	switch {
	case a.Status.Active():
		return word(a.Status)
	case a.Verdict != "":
		return string(a.Verdict) + " the checks"
	case a.Exit != "":
		return wording.Exit(a.Exit)
	}
	return word(a.Status)
}

func verdictLamp(a api.Attempt) track.State {
	switch {
	case a.Status.Active():
		return track.Under
	case a.Verdict == core.VerdictPassed:
		return track.Passed
	case a.Verdict != "", a.Exit != "" && a.Exit != core.ExitFinished:
		return track.Failed
	}
	return track.Still
}
