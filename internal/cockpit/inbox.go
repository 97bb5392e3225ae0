package cockpit

import (
	"net/http"
	"strconv"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// item is something that waits, with the evidence a person decides by.
type item struct {
	api.Waiting
	Detail   api.RunDetail // of what waits at a gate or stands still
	Evidence []evidence
}

// inboxItems is how much of what waits is shown at once.
const inboxItems = 50

// inboxBody is a page of what waits for a person, what has waited longest first.
type inboxBody struct {
	Items []item
	From  int // how much comes before
	Total int
	Back  string // address of the page, to come back to
	First string // address of the first page, unless this is it
	Next  string // of what follows
}

func (c *cockpit) inboxPage(r *http.Request) (page, error) {
	waiting, err := c.svc.Inbox(r.Context())
	if err != nil {
		return page{}, err
	}
	body := inboxBody{Total: len(waiting), Back: "/inbox"}
	if n, err := strconv.Atoi(r.URL.Query().Get("from")); err == nil && n > 0 && n < len(waiting) {
		body.From, body.Back, body.First = n, address("/inbox", "from", strconv.Itoa(n)), "/inbox"
	}
	waiting = waiting[body.From:]
	if len(waiting) > inboxItems {
		waiting, body.Next = waiting[:inboxItems], address("/inbox", "from", strconv.Itoa(body.From+inboxItems))
	}
	for _, w := range waiting {
		it, waits, err := c.item(r, w)
		if err != nil {
			return page{}, err
		}
		if waits {
			body.Items = append(body.Items, it)
		}
	}
	return page{Name: "inbox", Title: "Inbox", Nav: "inbox", Body: body}, nil
}

// item looks at what waits; false if somebody has just decided.
func (c *cockpit) item(r *http.Request, w api.Waiting) (item, bool, error) {
	if w.Gate == nil && w.Pause == nil {
		return item{Waiting: w}, true, nil
	}
	ctx := r.Context()
	d, err := c.svc.Run(ctx, w.Run.ID)
	switch {
	case err != nil && (ctx.Err() != nil || core.CodeOf(err) == core.CodeUnavailable):
		return item{}, false, err
	case err != nil:
		return item{Waiting: api.Waiting{
			Kind: api.WaitUnreadable, Since: w.Since, Project: w.Project, Run: w.Run, Reason: wording.Unreadable(err), Next: wording.Hint(err),
		}}, true, nil
	case w.Gate != nil && d.Gate == nil, w.Pause != nil && d.Pause == nil:
		return item{}, false, nil
	}
	it := item{Waiting: w, Detail: d}
	it.Gate = d.Gate
	it.Evidence, err = c.evidenceOf(r, d, glance)
	return it, true, err
}
