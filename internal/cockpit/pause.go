package cockpit

import (
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// pauseForm is how a paused run goes on. What is offered says what comes of it.
type pauseForm struct {
	Alias, Back string
	Advice      string // what the engine says that helps
	Again       string // what trying again does; "" where it is not offered
	Onward      string // what going on does
	Raise       bool   // a limit is reached
	Project     string // that is paused as a whole
	Skips       string // the stage that can be left out
	Hears       string // the stage that is tried again with a person's words
}

// pauseOf offers what the engine advises for a paused run, and nothing that it
// would refuse.
func pauseOf(d api.RunDetail, back string) pauseForm {
	f := pauseForm{Alias: d.Alias, Back: back, Advice: d.Next}
	code, stage := core.PausePerson, ""
	if d.Pause != nil {
		code, stage = d.Pause.Code, d.Pause.Stage
	}
	again, onward := outlook(code, d)
	if advises(d.Next, "retry") {
		f.Again = again
	}
	if advises(d.Next, "resume") {
		f.Onward = onward
	}
	if advises(d.Next, "skip") {
		f.Skips = stage
	}
	if advises(d.Next, "feedback") {
		f.Hears = stage
	}
	f.Raise = code == core.PauseBudget || code == core.PauseProjectLimit
	if code == core.PauseProject {
		f.Project, f.Onward = d.Project, ""
	}
	return f
}

// outlook is what comes of trying again and of going on.
func outlook(code core.PauseCode, d api.RunDetail) (again, onward string) {
	again, onward = "What was lost begins anew.", "It takes up where it stopped."
	switch code {
	case core.PauseAttempts:
		again = "It gets " + wording.Number(triesOf(d), "new attempt", "new attempts") + "."
	case core.PauseBudget, core.PauseProjectLimit:
		onward = "It stops again unless a limit was raised."
	case core.PauseWall:
		onward = "It gets the same time again."
	case core.PauseInfra, core.PauseProject, core.PausePerson, core.PauseSterile, core.PauseInput, core.PauseAction, core.PausePublish,
		core.PauseCondition, core.PauseUnlawful, core.PauseQuestion, core.PauseBarren:
	}
	return again, onward
}

// triesOf is how many attempts what has none left is given.
func triesOf(d api.RunDetail) int {
	for _, s := range d.Stages {
		for _, t := range s.Tasks {
			if stuck(t) {
				return t.Limit
			}
		}
	}
	return 1
}
