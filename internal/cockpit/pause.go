package cockpit

import (
	"net/http"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// pauseForm is what a person can do about a paused run: what the engine advises, the
// most sensible first.
type pauseForm struct {
	Alias, Back string
	Stage       string // that it is paused for
	Name        string // what that is called
	Code        core.PauseCode
	Advice      core.Advice // beyond the buttons
	First       string      // verb of the main button
	Again       string      // what trying again does
	Onward      string      // what resuming does
	Resume      bool
	Retry       bool
	Skip        bool
	Raise       bool    // a limit has to be raised
	Remake      string  // stage to go back to, if the advice names one
	RemakeName  string  // what that is called
	Words       bool    // feedback can be sent
	Way         wayBack // for feedback
}

func pausing(d api.RunDetail, back string) pauseForm {
	choices := d.Advice.Choices
	f := pauseForm{Alias: d.Alias, Back: back, Advice: d.Advice, Resume: offers(choices, core.VerbResume), Retry: offers(choices, core.VerbRetry)}
	if d.Pause == nil {
		return f
	}
	f.Code, f.Stage, f.Name = d.Pause.Code, d.Pause.Stage, titleOf(d.Stages, d.Pause.Stage)
	f.Again, f.Onward = outlook(d)
	if d.Pause.Code == core.PauseAttempts { // all of it has a button
		f.Advice = core.Advice{}
	}
	f.Skip = f.Stage != "" && offers(choices, core.VerbSkip)
	f.Raise = d.Pause.Code == core.PauseBudget || d.Pause.Code == core.PauseProjectLimit
	f.Resume = f.Resume && !f.Raise
	f.words(d)
	if !f.Words && f.Remake == "" { // no stage can be gone back to: there is no form for it
		f.Advice.Choices = slices.DeleteFunc(slices.Clone(f.Advice.Choices), func(c core.Choice) bool { return c.Verb == core.VerbRollback })
	}
	f.RemakeName = titleOf(d.Stages, f.Remake)
	switch {
	case f.Remake != "":
		f.First = "rollback"
	case f.Resume:
		f.First = "resume"
	case f.Retry:
		f.First = "retry"
	case f.Skip:
		f.First = "skip"
	}
	return f
}

// outlook says what trying again and resuming do.
func outlook(d api.RunDetail) (again, onward string) {
	again, onward = "Starts the lost work over.", "Continues where it stopped."
	switch d.Pause.Code {
	case core.PauseAttempts:
		again = "Checks again, then makes " + wording.Number(triesOf(d), "new attempt", "new attempts") + "."
	case core.PauseWall:
		onward = "Continues with the same time limit again."
	default: // it is as always
	}
	return again, onward
}

// triesOf is how many new attempts a retry grants.
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

// words finds the stages that feedback can be sent to: the paused one, if it is tried
// again with it, and those before it.
func (f *pauseForm) words(d api.RunDetail) {
	at := slices.IndexFunc(d.Stages, func(s api.Stage) bool { return s.ID == f.Stage })
	feedback, rollback := f.Stage != "" && offers(d.Advice.Choices, core.VerbFeedback), false
	for _, c := range d.Advice.Choices {
		if c.Verb == core.VerbRollback {
			f.Remake, rollback = c.Stage, c.Stage == ""
		}
	}
	if f.Words = feedback; f.Words {
		f.Way.To = f.Stage
	}
	if d.Onward || at < 0 || !feedback && !rollback {
		return
	}
	f.Way.Stages = backwards(d.Stages[:at+1], feedback)
	f.Words = len(f.Way.Stages) > 0
	if f.Way.To == "" {
		f.Way.To = f.Way.meant()
	}
}

// advise sends a run back that is paused at a stage: to that stage, with feedback, or
// to one before it.
func (c *cockpit) advise(r *http.Request, stage string, back api.Rollback) (string, error) {
	d, err := c.svc.Run(r.Context(), r.PathValue("run"))
	if err != nil {
		return "", err
	}
	if d.Pause == nil || d.Pause.Stage != stage {
		return "", core.Errorf(core.CodeConflict, "run %s is no longer paused at stage %.80s", d.Alias, stage).WithHint("look again").Offer(core.Choice{Verb: core.VerbStatus, Run: d.Alias})
	}
	var run api.Run
	if back.To != "" && back.To != stage {
		run, err = c.svc.Rollback(r.Context(), d.ID, back)
	} else if back.Text, err = text(r); err == nil {
		run, err = c.svc.Feedback(r.Context(), d.ID, api.Feedback{Text: back.Text})
	}
	return runPath(run.Alias), err
}
