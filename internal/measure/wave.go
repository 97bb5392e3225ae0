package measure

import "github.com/stellwerk-dev/stellwerk/internal/core"

// Wave is the number of the wave that is open; 0 if none is.
func (t *Tracker) Wave() int {
	if t.wave == nil {
		return 0
	}
	return t.wave.Wave
}

// waves takes in what a run whose work is delegated says of its waves. The first
// look at the goal, wave 0, is none: nothing was delegated by then.
func (t *Tracker) waves(e core.Event, body core.Body) []Piece {
	switch b := body.(type) {
	case core.WaveOpened:
		ended := t.closeWave(e, Superseded)
		t.wave = t.begin(e, Wave, t.run, Piece{Wave: b.Wave})
		return ended
	case core.WaveClosed:
		if b.Course == core.CourseAbort {
			return t.closeWave(e, NotOK)
		}
		return t.closeWave(e, OK)
	case core.BriefEnded:
		if b.Status == core.DelegationFailed {
			return t.closeTasks(e, b.Delegation, NotOK)
		}
		return nil // what was dropped ends with its stage
	default:
		return nil
	}
}

// closeWave ends the wave that is open. A delegation of it that waits for an answer
// goes on in a later one, as the part of this one that it is.
func (t *Tracker) closeWave(e core.Event, outcome string) []Piece {
	if t.wave == nil {
		return nil
	}
	ended := ending(t.wave, e, outcome)
	t.wave = nil
	return []Piece{ended}
}
