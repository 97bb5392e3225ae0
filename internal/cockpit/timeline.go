package cockpit

import (
	"context"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// around is how many events are listed before and after the one that is shown.
const around = 10

// timelineBody is a run as it was after one of its events.
type timelineBody struct {
	Run    api.RunDetail // as it is now
	At     int64
	Marks  template.HTML
	Moment moment
}

// moment is what changes as one goes through the history.
type moment struct {
	Then    api.RunDetail
	Diagram template.HTML
	Event   happened
	Task    string // page of the task that the event is about, if it is about one
	Around  []happened
	Steps   []stride
}

// stride is a link to another event; Href is empty if there is none.
type stride struct {
	Title string
	At    int64
	Href  string
}

// happened is an event in words.
type happened struct {
	core.Event
	What, Detail, Who string
	Colour            track.State
	Href              string
	Here              bool
}

func (c *cockpit) timeline(r *http.Request, d api.RunDetail) (page, error) {
	body := timelineBody{Run: d, At: d.Seq}
	asked := r.URL.Query().Get("at")
	if asked != "" {
		n, err := strconv.ParseInt(asked, 10, 64)
		if err != nil {
			return page{}, core.Errorf(core.CodeInvalid, "%.40q is not the number of an event", asked).WithHint("the run has events 1 to %d", d.Seq)
		}
		body.At = min(max(n, 1), d.Seq)
	}
	if d.Seq == 0 {
		return page{Name: "timeline", Title: "Timeline", Body: body}, nil
	}
	marks, err := c.marksOf(r.Context(), d.ID)
	if err != nil {
		return page{}, err
	}
	body.Marks = drawMarks(marks, d.Seq)
	if body.Moment, err = c.moment(r.Context(), d, body.At, marks); err != nil {
		return page{}, err
	}
	return page{Name: "timeline", Title: "Timeline", Body: body, Part: "moment", Still: asked != ""}, nil
}

// moment looks at a run as it was.
func (c *cockpit) moment(ctx context.Context, d api.RunDetail, at int64, marks []landmark) (moment, error) {
	then, err := c.svc.RunAt(ctx, d.ID, at)
	if err != nil {
		return moment{}, err
	}
	m := moment{Then: then, Diagram: track.Draw(diagram(then)), Steps: strides(d.Alias, at, d.Seq, marks)}
	events, err := c.svc.Events(ctx, d.ID, max(0, at-around-1), 2*around+1)
	if err != nil {
		return moment{}, err
	}
	for _, e := range events {
		h := inWords(d, e)
		if h.Here = e.Seq == at; h.Here {
			m.Event, m.Task = h, taskIn(d.Alias, e)
		}
		m.Around = append(m.Around, h)
	}
	return m, nil
}

func timelinePath(run string, at int64) string {
	return fmt.Sprintf("%s/timeline?at=%d", runPath(run), at)
}

// strides lead from an event to others: the next, and the next that stands out.
func strides(run string, at, last int64, marks []landmark) []stride {
	before, after := int64(0), int64(0)
	for _, m := range marks {
		if m.at < at {
			before = m.at
		}
		if m.at > at && after == 0 {
			after = m.at
		}
	}
	list := []stride{{Title: "« First", At: 1}, {Title: "‹ Previous mark", At: before}, {Title: "‹ Previous", At: at - 1}, {Title: "Next ›", At: at + 1}, {Title: "Next mark ›", At: after}, {Title: "Last »", At: last}}
	for i := range list {
		if s := &list[i]; s.At >= 1 && s.At <= last && s.At != at {
			s.Href = timelinePath(run, s.At)
		}
	}
	return list
}

// taskIn is the page of the task that an event is about.
func taskIn(run string, e core.Event) string {
	var about struct {
		Task    string `json:"task"`
		Attempt string `json:"attempt"`
	}
	switch err := json.Unmarshal(e.Body, &about); {
	case err != nil:
	case about.Attempt != "":
		return attemptPath(run, about.Attempt)
	case about.Task != "":
		return taskPath(run, about.Task)
	}
	return ""
}

func inWords(d api.RunDetail, e core.Event) happened {
	h := happened{Event: e, Who: string(e.Actor.Kind), Colour: tone(e), Href: timelinePath(d.Alias, e.Seq)}
	what, detail := wording.Event(e)
	h.What, h.Detail = sentence(what), byName(d.Stages, detail)
	switch {
	case e.Actor.ID != "" && e.Actor.Kind == core.ActorPerson:
		h.Who = e.Actor.ID
	case e.Actor.ID != "" && e.Actor.Kind == core.ActorAgent: // the stage that its attempt is of
		h.Who, _, _ = strings.Cut(e.Actor.ID, ".")
	}
	return h
}
