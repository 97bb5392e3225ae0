package view

import (
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Remarkable reports an event that Remark may add to.
func Remarkable(t core.Type) bool {
	return t == core.TypeVerifyRequested || t == core.TypeVerifyConcluded || t == core.TypeAttemptExited || t == core.TypeStageOpened ||
		t == core.TypeRunPaused
}

// Remark is what the run's state adds to an event: which checks begin, or when the
// next try is. It may be empty.
func (v View) Remark(e core.Event, d api.RunDetail) string {
	body, err := core.Decode(e)
	if err != nil {
		return ""
	}
	switch b := body.(type) {
	case core.StageOpened:
		if m := d.Manager; m != nil && b.Stage == core.ManagerStage && m.Turn == b.Round && len(m.Woken) > 0 {
			return "woken by " + wakers(m.Woken)
		}
	case core.RunPaused:
		if due := Due(d); !due.IsZero() {
			return "goes on without an answer at " + v.clock(due) + ", or with one: " + v.typed(d.Next)
		}
	case core.VerifyRequested:
		if t, ok := task(d, func(t api.Task) bool { return t.ID == b.Task }); ok && len(t.Checks) > 0 {
			return wording.Colon(wording.Count(len(t.Checks), "check"), strings.Join(t.Checks, "; "))
		}
	case core.VerifyConcluded:
		if t, ok := task(d, func(t api.Task) bool { return t.ID == b.Task }); ok {
			return v.again(d.Run, t)
		}
	case core.AttemptExited:
		if t, ok := task(d, func(t api.Task) bool { return strings.HasPrefix(b.Attempt, t.ID+".") }); ok {
			return v.again(d.Run, t)
		}
	default:
	}
	return ""
}

func task(d api.RunDetail, is func(api.Task) bool) (api.Task, bool) {
	for _, st := range d.Stages {
		for _, t := range st.Tasks {
			if is(t) {
				return t, true
			}
		}
	}
	return api.Task{}, false
}

// again is when a task is tried again that infrastructure has set back; "" if none
// waits.
func (v View) again(r api.Run, t api.Task) string {
	if r.Status != core.StatusActive || !t.NotBefore.After(v.Now) {
		return ""
	}
	when := " at " + v.clock(t.NotBefore) + ", in " + wording.Duration(t.NotBefore.Sub(v.Now).Round(time.Second))
	switch t.Status {
	case core.TaskWaiting:
		return "next try" + when
	case core.TaskDelivered:
		return "checks run again" + when
	case core.TaskRunning, core.TaskVerifying, core.TaskDone, core.TaskDropped:
	}
	return ""
}
