package cockpit

import (
	"context"
	"net/http"
	"strconv"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// item is something that waits, with the evidence a person decides by.
type item struct {
	api.Waiting
	Detail   api.RunDetail // without its stages, where they are not needed
	Evidence []evidence
}

// evidence is the newest verified attempt of a task.
type evidence struct {
	task    string
	Work    work
	Role    string
	Attempt api.Attempt
}

// inboxItems is how much of what waits is shown at once.
const inboxItems = 50

// inboxBody is a page of what waits for a person, what has waited longest first.
type inboxBody struct {
	Items []item
	From  int // how much comes before
	Total int
	Back  string // address of the page, to come back to
	First string // address of the first page, where this is not it
	Next  string // of what follows
}

func (c *cockpit) inboxPage(r *http.Request) (page, error) {
	waiting, err := c.svc.Inbox(r.Context())
	if err != nil {
		return page{}, err
	}
	body := inboxBody{Total: len(waiting), Back: inboxPath(0)}
	if n, err := strconv.Atoi(r.URL.Query().Get("from")); err == nil && n > 0 && n < len(waiting) {
		body.From, body.Back, body.First = n, inboxPath(n), inboxPath(0)
	}
	waiting = waiting[body.From:]
	if len(waiting) > inboxItems {
		waiting, body.Next = waiting[:inboxItems], inboxPath(body.From+inboxItems)
	}
	for _, w := range waiting {
		it, waits, err := c.item(r.Context(), w)
		if err != nil {
			return page{}, err
		}
		if waits {
			body.Items = append(body.Items, it)
		}
	}
	return page{Name: "inbox", Title: "Inbox", Nav: "inbox", Body: body}, nil
}

func inboxPath(from int) string {
	if from == 0 {
		return "/inbox"
	}
	return "/inbox?from=" + strconv.Itoa(from)
}

// item looks at what waits; false where somebody has just decided.
func (c *cockpit) item(ctx context.Context, w api.Waiting) (item, bool, error) {
	if w.Gate == nil && (w.Pause == nil || w.Pause.Code != core.PauseAttempts) {
		d := api.RunDetail{Run: w.Run, Pause: w.Pause}
		d.Next = w.Next
		return item{Waiting: w, Detail: d}, true, nil
	}
	d, err := c.svc.Run(ctx, w.Run.ID)
	switch {
	case err != nil && (ctx.Err() != nil || core.CodeOf(err) == core.CodeUnavailable):
		return item{}, false, err
	case err != nil:
		return item{Waiting: api.Waiting{
			Kind: api.WaitUnreadable, Since: w.Since, Project: w.Project, Run: w.Run, Reason: "it cannot be read: " + err.Error(), Next: core.HintOf(err),
		}}, true, nil
	case w.Gate != nil && d.Gate == nil:
		return item{}, false, nil
	}
	it := item{Waiting: w, Detail: d, Evidence: evidenceOf(d)}
	it.Gate = d.Gate
	return it, true, nil
}

// shownEvidence is how many verified attempts of other stages stand beside an
// approval.
const shownEvidence = 3

// evidenceOf is what the outside checks said about the stage that waits, and
// about what has no try left. Where what waits was not checked itself, as what the
// engine publishes, it is what was checked last before.
func evidenceOf(d api.RunDetail) []evidence {
	var list, before []evidence
	for _, s := range d.Stages {
		for _, t := range s.Tasks {
			n := len(t.Attempts)
			if n == 0 {
				continue
			}
			e := evidence{task: t.ID, Role: t.Role, Attempt: t.Attempts[n-1]}
			switch {
			case stuck(t) || d.Gate != nil && s.ID == d.Stage:
				list = append(list, e)
			case d.Gate != nil && len(e.Attempt.Results) > 0:
				before = append(before, e)
			}
		}
	}
	if len(list) == 0 {
		list = before[max(0, len(before)-shownEvidence):]
	}
	for i := range list {
		list[i].Work = workOf(d.Stages, list[i].task)
	}
	return list
}
