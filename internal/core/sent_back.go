package core

import "slices"

// SentBack is work that was to be done again: what was asked, by whom, and what came
// of it. The run keeps them beyond the rounds they led to, for who reads its pull request.
type SentBack struct {
	By       Actor     `json:"by"`
	From     string    `json:"from,omitempty"` // stage, task or person that it came from
	To       string    `json:"to,omitempty"`   // stage that does it again; "" if that is not known yet
	Wish     string    `json:"wish,omitempty"` // id of the wish, if one was made
	Text     string    `json:"text,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
	More     int       `json:"more,omitempty"`  // findings beyond those
	Since    int       `json:"since,omitempty"` // first round of the stage that may put it right
	Round    int       `json:"round,omitempty"` // in which that passed; 0 if it has not
	Left     bool      `json:"left,omitempty"`  // the stage was given up
	Said     string    `json:"said,omitempty"`  // by who did it again: shown, never believed
}

// Bounds of what the state keeps of work that was sent back.
const (
	keptBack     = 20
	keptFindings = 8
	keptAsked    = 600
	keptSaid     = 300
)

// sentBack notes work that is to be done again.
func sentBack(r *Run, e Event, b SentBack) {
	if s := r.Stage(b.To); s != nil && b.Since == 0 {
		b.Since = s.Round + 1
	}
	b.By, b.Text = e.Actor, clipped(b.Text, keptAsked)
	b.More = max(len(b.Findings)-keptFindings, 0)
	b.Findings = slices.Clone(b.Findings[:len(b.Findings)-b.More])
	for i := range b.Findings {
		b.Findings[i].Issue = clipped(b.Findings[i].Issue, keptSaid)
	}
	r.SentBack = append(slices.Clone(r.SentBack), b)
	if over := len(r.SentBack) - keptBack; over > 0 {
		r.SentBack = r.SentBack[over:]
		r.SentBefore += over
	}
}

// settleBack notes what came of the work that was sent back to a stage, once that is over.
func settleBack(r *Run, s *Stage, left bool) {
	said := ""
	for _, t := range s.Tasks {
		if a := t.Last(); a != nil && t.Kind != KindReview && a.Summary != "" {
			said = a.Summary
		}
	}
	r.eachBack(func(b *SentBack) {
		if b.To != s.ID || b.over() || s.Round < b.Since && !left {
			return
		}
		if b.Left = left; !left {
			b.Round, b.Said = s.Round, clipped(said, keptSaid)
		}
	})
}

// answerBack notes what a manager did about the wishes that a turn of it saw.
func answerBack(r *Run, turn *Turn) {
	said := ""
	for _, d := range turn.Deeds {
		if d.Refused == "" {
			said += "; " + string(d.Tool) + " " + d.Subject + ": " + d.Text
		}
	}
	r.eachBack(func(b *SentBack) {
		if b.Wish != "" && b.To == "" && turn.sawChange(b.Wish) {
			b.To, b.Said = ManagerStage, clipped(said[min(len(said), 2):], keptSaid)
		}
	})
}

// over reports that what came of it is known.
func (b SentBack) over() bool { return b.Round > 0 || b.Left || b.To == ManagerStage }

// eachBack changes the notes in a copy: a clone of the run may hold the old ones.
func (r *Run) eachBack(change func(*SentBack)) {
	r.SentBack = slices.Clone(r.SentBack)
	for i := range r.SentBack {
		change(&r.SentBack[i])
	}
}
