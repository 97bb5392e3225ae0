package cockpit

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// How many side effects a page shows, at first and when asked for more.
const (
	effectsPage = 200
	effectsMost = 1000
)

// effectsBody is what agents did in a run.
type effectsBody struct {
	Run      api.RunDetail
	Query    api.EffectQuery
	Outcomes []string
	Attempts []string // that can be chosen
	Tools    []string // that were seen
	List     api.Effects
	More     string // address of more of them
}

func (c *cockpit) effects(r *http.Request, d api.RunDetail) (page, error) {
	asked := r.URL.Query()
	q := api.EffectQuery{Attempt: asked.Get("attempt"), Tool: asked.Get("tool"), Outcome: asked.Get("outcome"), Limit: effectsPage}
	if n, err := strconv.Atoi(asked.Get("limit")); err == nil && n > effectsPage {
		q.Limit = min(n, effectsMost)
	}
	body := effectsBody{Run: d, Query: q, Outcomes: api.EffectOutcomes()}
	var err error
	if body.List, err = c.svc.Effects(r.Context(), d.ID, q); err != nil {
		return page{}, err
	}
	slices.Reverse(body.List.Effects) // the newest first
	for _, e := range body.List.Effects {
		body.Tools = append(body.Tools, e.Tool)
		body.Attempts = append(body.Attempts, e.Attempt)
	}
	for _, s := range d.Stages {
		for _, t := range s.Tasks {
			for _, a := range t.Attempts {
				body.Attempts = append(body.Attempts, a.ID)
			}
		}
	}
	body.Attempts, body.Tools = choices(body.Attempts, q.Attempt), choices(body.Tools, q.Tool)
	if body.List.LeftOut > 0 && q.Limit < effectsMost {
		body.More = address(runPath(d.Alias)+"/effects", "attempt", q.Attempt, "tool", q.Tool, "outcome", q.Outcome, "limit", strconv.Itoa(effectsMost))
	}
	return page{Name: "effects", Title: "Side effects", Body: body}, nil
}

// choices are names to choose from, with the one that was chosen.
func choices(names []string, chosen string) []string {
	names = append(names, chosen)
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(s string) bool { return s == "" })
}

// calls counts what was seen. An attempt whose agent reports nothing stands there
// once, and says nothing about how often it called a tool.
func calls(list []api.Effect) string {
	unseen := 0
	for _, e := range list {
		if e.Outcome == api.EffectUnobserved {
			unseen++
		}
	}
	var said []string
	if seen := len(list) - unseen; seen > 0 {
		said = append(said, wording.Number(seen, "tool call", "tool calls"))
	}
	if unseen > 0 {
		said = append(said, wording.Number(unseen, "attempt", "attempts")+" with calls that Stellwerk could not see")
	}
	return strings.Join(said, ", ")
}
