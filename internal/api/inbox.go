package api

import (
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// What waits for a person.
const (
	WaitApproval = "approval"
	WaitPause    = "pause"
	WaitReview   = "review"
	WaitQuestion = "question"
	WaitEpic     = "epic" // of a queue, that could not be started

	WaitUnreadable = "unreadable" // a run whose history is damaged, or of a newer version
	WaitStranded   = "stranded"   // a run of a project that no engine can work on
)

// Waiting is something that waits for a person.
type Waiting struct {
	Kind    string      `json:"kind" doc:"approval, pause, review, question, epic, unreadable or stranded"`
	Since   time.Time   `json:"since"`
	Project string      `json:"project" doc:"The project's name"`
	Reason  string      `json:"reason" doc:"What is asked of the person"`
	Next    string      `json:"next" doc:"What they can type"`
	Run     Run         `json:"run"`
	Gate    *core.Gate  `json:"gate,omitempty"`
	Pause   *core.Pause `json:"pause,omitempty"`
	// Question, if set, is what the run's manager asks.
	Question *Question `json:"question,omitempty"`
	Epic     *Epic     `json:"epic,omitempty"` // that could not be started; its run has not begun
}
