package cockpit

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/graph"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// shownWaves is how many waves show their summary at once; the others show it on
// request.
const shownWaves = 5

// wavesBody is a run's work piece by piece, with what waits for what. Of a run in
// waves it also tells what each of them came to.
type wavesBody struct {
	api.RunDetail
	Tab       string
	Graph     template.HTML
	Waves     []waveView // the newest first; one without a number if the run has none
	Conflicts []core.Conflict
	More      int // conflicts that are not shown
}

// waveView is a wave.
type waveView struct {
	N       int
	Open    bool   // its work goes on
	Shown   bool   // unfolded
	Compact string // what holds from there on, in the planner's words
	Cut     bool   // there is more of it
	Asked   bool   // there is a text, which is shown when it is asked for
	Pieces  []pieceView
}

// pieceView is a piece of work with the page about it.
type pieceView struct {
	api.Piece
	Href string // empty if no task of it is known any more
}

func (c *cockpit) waves(r *http.Request, d api.RunDetail) (page, error) {
	outline, err := c.svc.Outline(r.Context(), d.ID)
	if err != nil {
		return page{}, err
	}
	body := wavesBody{RunDetail: d, Tab: "graph"}
	pieces := linked(d, outline.Pieces)
	body.Graph = graph.Draw(workGraph(d, pieces))
	title := "Graph"
	if d.Waves == nil {
		body.Waves = []waveView{{Shown: true, Pieces: pieces}}
	} else {
		body.Tab, title = "waves", "Waves"
		if body.Waves, err = c.waveViews(r.Context(), d, pieces, r.URL.Query().Get("wave")); err != nil {
			return page{}, err
		}
		if body.Conflicts, err = c.svc.Conflicts(r.Context(), d.ID); err != nil {
			return page{}, err
		}
		const most = 50
		body.More = max(0, len(body.Conflicts)-most)
		body.Conflicts = body.Conflicts[:len(body.Conflicts)-body.More]
	}
	return page{Name: "waves", Title: title, Body: body}, nil
}

// linked finds the page about each piece: that of its newest task.
func linked(d api.RunDetail, pieces []api.Piece) []pieceView {
	tasks := map[string]string{}
	for _, s := range d.Stages {
		if n := len(s.Tasks); n > 0 {
			tasks[s.ID] = s.Tasks[n-1].ID
		}
	}
	views := make([]pieceView, len(pieces))
	for i, p := range pieces {
		views[i].Piece = p
		for _, stage := range []string{p.ID, core.StepStage(p.ID)} {
			if task := tasks[stage]; task != "" {
				views[i].Href = taskPath(d.Alias, task)
			}
		}
	}
	return views
}

// workGraph says how a run's work is drawn.
func workGraph(d api.RunDetail, pieces []pieceView) graph.Plan {
	plan := graph.Plan{Title: "The work of " + clip(80, d.Title) + " and its dependencies", Band: "Wave"}
	for _, p := range pieces {
		node := graph.Node{ID: p.ID, Label: clip(60, p.ID), Note: clip(60, p.Role), State: colour(p.Status), Stale: p.Stale != "", Href: p.Href, Band: p.Wave, After: p.After}
		if d.Waves == nil && p.Title != "" {
			node.Label = clip(60, p.Title)
		}
		if node.Note == "" {
			node.Note = wording.Status(p.Status)
		}
		if node.Href == "" {
			node.Href = "#piece-" + p.ID
		}
		said := []string{clip(60, p.ID), clip(100, p.Title), clip(40, p.Role), wording.Status(p.Status)}
		if node.Stale {
			said = append(said, "relies on a fact no longer valid")
		}
		node.Title = strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), ", ")
		plan.Nodes = append(plan.Nodes, node)
	}
	return plan
}

// waveViews are the waves of a run, the newest first, with what the planner wrote
// about the newest of them and about the one that is asked for.
func (c *cockpit) waveViews(ctx context.Context, d api.RunDetail, pieces []pieceView, asked string) ([]waveView, error) {
	index, err := c.svc.Details(ctx, d.ID)
	if err != nil {
		return nil, err
	}
	byWave := map[int][]pieceView{}
	for _, p := range pieces {
		byWave[p.Wave] = append(byWave[p.Wave], p)
	}
	var views []waveView
	for n := d.Waves.N; n > 0; n-- {
		v := waveView{N: n, Open: n == d.Waves.N && d.Waves.Open, Pieces: byWave[n], Shown: n == d.Waves.N || strconv.Itoa(n) == asked}
		if name := fmt.Sprintf("wave_%02d_compact.md", n); slices.Contains(index.Waves, name) {
			if v.Asked = !v.Shown && len(views) >= shownWaves; !v.Asked {
				text, err := c.svc.Detail(ctx, d.ID, api.FetchDetail{Name: name})
				if err != nil {
					return nil, err
				}
				v.Compact = clip(maxCompact, text.Content)
				v.Cut = text.Next > 0 || v.Compact != text.Content
			}
		}
		views = append(views, v)
	}
	if i := slices.IndexFunc(views, func(v waveView) bool { return v.Compact != "" }); i >= 0 {
		views[i].Shown = true // what holds now
	}
	return views, nil
}

// maxCompact bounds what is shown of a planner's text.
const maxCompact = 20_000

// disagreement says what two sides disagree about.
func disagreement(kind core.ConflictKind) string {
	switch kind {
	case core.ConflictValues:
		return "different words"
	case core.ConflictAssumption:
		return "refuted"
	case core.ConflictFile:
		return "one file, two writers"
	case core.ConflictCriterion:
		return "not as requested"
	}
	return string(kind)
}
