package cockpit

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// factsAtOnce is how many facts a page shows.
const factsAtOnce = 100

// factsBody is what a run holds to be true, and why.
type factsBody struct {
	api.RunDetail
	Facts    []factView
	Holding  int // of all
	Past     int
	Found    int // that match, on all pages
	History  bool
	Text     string // looked for
	From     int
	Earlier  string // addresses of the pages before and after; empty if there is none
	Further  string
	Together string // this page with and without history
}

// factView is a fact with its relatives.
type factView struct {
	core.Fact
	Why      string
	Replaces []string // facts that it took the place of
	By       string   // fact that took its place; "" while it holds
	Sure     int      // percent
}

func (c *cockpit) facts(r *http.Request, d api.RunDetail) (page, error) {
	pool, err := c.svc.Facts(r.Context(), d.ID, true)
	if err != nil {
		return page{}, err
	}
	q := r.URL.Query()
	body := factsBody{RunDetail: d, History: q.Has("history"), Text: clip(200, strings.TrimSpace(q.Get("q")))}
	var found []factView
	for _, f := range relatives(pool) {
		if f.By == "" {
			body.Holding++
		} else {
			body.Past++
		}
		if (f.By == "" || body.History) && f.says(body.Text) {
			found = append(found, f)
		}
	}
	body.Found = len(found)
	if from, err := strconv.Atoi(q.Get("from")); err == nil {
		body.From = min(max(from, 0), body.Found)
	}
	body.Facts = found[body.From:min(body.From+factsAtOnce, body.Found)]
	body.lead(r.URL.Path)
	return page{Name: "facts", Title: "Facts", Body: body}, nil
}

// relatives are the facts, each with those that it took the place of.
func relatives(pool []core.Fact) []factView {
	replaced := map[string][]string{}
	for _, f := range pool {
		if f.SupersededBy != nil {
			replaced[*f.SupersededBy] = append(replaced[*f.SupersededBy], f.ID)
		}
	}
	views := make([]factView, len(pool))
	for i, f := range pool {
		views[i] = factView{Fact: f, Why: why(f), Replaces: replaced[f.ID], Sure: int(100*f.Confidence + 0.5)}
		if f.SupersededBy != nil {
			views[i].By = *f.SupersededBy
		}
	}
	return views
}

// why says on whose word a fact holds.
func why(f core.Fact) string {
	source := clip(80, f.Source)
	switch f.Origin {
	case core.OriginDelegation:
		if f.Assumption {
			return fmt.Sprintf("Assumed by %s in wave %d", source, f.Wave)
		}
		return fmt.Sprintf("Found by %s in wave %d", source, f.Wave)
	case core.OriginPlanner:
		return fmt.Sprintf("Decided by the planner in wave %d", f.Wave)
	case core.OriginPerson:
		return "A person's answer to " + source
	case core.OriginDefault:
		return "The default for " + source + ", because nobody answered in time"
	}
	return source
}

// says reports whether a text occurs in what is shown of a fact.
func (f factView) says(text string) bool {
	if text == "" {
		return true
	}
	all := strings.Join(append([]string{f.ID, f.Key, f.Content, f.Why}, f.Sources...), "\n")
	return strings.Contains(strings.ToLower(all), strings.ToLower(text))
}

// lead sets the addresses of the pages beside this one.
func (b *factsBody) lead(path string) {
	history, other := "", "1"
	if b.History {
		history, other = other, history
	}
	b.Together = address(path, "history", other, "q", b.Text)
	if b.From > 0 {
		b.Earlier = address(path, "history", history, "q", b.Text, "from", strconv.Itoa(max(0, b.From-factsAtOnce)))
	}
	if next := b.From + factsAtOnce; next < b.Found {
		b.Further = address(path, "history", history, "q", b.Text, "from", strconv.Itoa(next))
	}
}

// isFact reports a reference that is the id of a fact.
func isFact(reference string) bool {
	n, err := strconv.Atoi(strings.TrimPrefix(reference, "f"))
	return err == nil && n > 0 && reference == "f"+strconv.Itoa(n)
}
