package measure

import "github.com/stellwerk-dev/stellwerk/internal/core"

// Wave is the number of the wave that is open; 0 if none is, as during the first look
// at the goal.
func (t *Tracker) Wave() int {
	if t.wave == nil {
		return 0
	}
	return t.wave.Wave
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
