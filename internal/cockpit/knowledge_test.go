package cockpit_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// long is hostile, and longer than any page should show.
var long = evil + strings.Repeat("x", 10_000)

// hostileWaves is a run in waves every field of which somebody else wrote.
func hostileWaves() *apitest.Service {
	svc := &apitest.Service{}
	svc.ProjectAnswer.Name = "p"
	piece := api.Piece{
		ID: long, Title: long, Role: long, Wave: 1, Status: api.PieceStatus(long), After: []string{long}, Waits: []string{long},
		Unmet: []string{long}, Reason: long, Stale: long, Branch: long,
	}
	second := "f2"
	svc.Put(api.RunDetail{
		Run: api.Run{ID: "r1", Alias: "r1", Kind: "waves", Title: long, Status: "paused", Reason: long},
		Waves: &api.Waves{
			N: 1, Most: 10, Open: true, Pieces: []api.Piece{piece}, Objections: []string{long},
			Refused:   []core.BriefRefusal{{ID: long, Code: long, Reason: long, Members: []string{long}}},
			Questions: []api.Question{{ID: "q-1", From: long, Asker: long, Text: long, Default: long, Blocking: true}},
		},
	})
	svc.Known.Outline = api.Outline{Kind: "waves", Wave: 1, Open: true, Pieces: []api.Piece{piece}}
	svc.Known.Facts = []core.Fact{
		{ID: "f1", Key: long, Content: "Notes are plain files", Origin: core.OriginDelegation, Source: long, Sources: []string{long}, SupersededBy: &second, Stale: "f9", Assumption: true},
		{ID: "f2", Key: "engine", Content: long, Origin: core.Origin(long), Source: long, Sources: []string{"f1"}},
	}
	svc.Known.Contradictions = []core.Conflict{{ID: "c-1", Kind: core.ConflictKind(long), Subject: long, Sides: []core.Side{{Source: long, Fact: "f1", Text: long}}}}
	limit := 5.0
	svc.Accounts = []api.Account{
		{Scope: api.ScopeProject, ID: "r1", Name: long, Allowances: []api.Allowance{{Kind: long, Used: new(float64(1))}}},
		{Scope: api.ScopeRun, ID: "r1", Name: "r1", Status: core.RunStatus(long), Opaque: []string{long}, Allowances: []api.Allowance{{Kind: api.LimitCost, Used: new(float64(9)), Limit: &limit}}},
	}
	svc.Books.Days = []api.DaySpending{{Day: time.Now().UTC().Truncate(24 * time.Hour), Project: long, Name: long, Runs: 1, Cost: core.CostOf(3, 0), Tokens: 4}}
	svc.Books.Attempts = []api.AttemptSpending{{Attempt: long, Task: long, Stage: long, Role: long, Agent: long, At: time.Now(), Over: true, Usage: core.Usage{CostUSD: 9}}}
	return svc
}

func TestHostileWavesFactsAndCosts(t *testing.T) {
	h := serve(t, hostileWaves(), api.RoleAdmin)
	for _, path := range []string{
		"/runs/r1/waves", "/runs/r1/graph", "/runs/r1/waves?wave=" + url.QueryEscape(evil), "/runs/r1/facts", "/runs/r1/facts?history&q=plain",
		"/runs/r1/facts?q=" + url.QueryEscape(long), "/runs/r1/facts?from=-7", "/runs/r1/costs", "/costs", "/costs?days=1000000000",
	} {
		code, body := get(t, h, path)
		if code != http.StatusOK {
			t.Errorf("%.60s: %d", path, code)
		}
		for _, bad := range []string{"<script>alert", "<img", "onerror=alert(1)>", "javascript:", "\u202e", "\x1b", " style="} {
			if strings.Contains(body, bad) {
				t.Errorf("%.60s holds %q", path, bad)
			}
		}
		if len(body) > 200_000 {
			t.Errorf("%.60s has %d bytes", path, len(body))
		}
	}
}

// TestAThousandDelegations are drawn and listed in a time and a size that a page
// can bear.
func TestAThousandDelegations(t *testing.T) {
	svc := &apitest.Service{}
	var pieces []api.Piece
	for i := range 1000 {
		p := api.Piece{ID: fmt.Sprintf("piece-%03d", i), Title: fmt.Sprintf("Look at part %d", i), Role: "scout", Wave: i/20 + 1, Status: "done"}
		for _, back := range []int{1, 20, 43, 200} {
			if i >= back && i%3 != 0 {
				p.After = append(p.After, fmt.Sprintf("piece-%03d", i-back))
			}
		}
		pieces = append(pieces, p)
	}
	svc.Put(api.RunDetail{Run: api.Run{ID: "r1", Alias: "r1", Kind: "waves"}, Waves: &api.Waves{N: 50, Most: 50, Pieces: pieces}})
	svc.Known.Outline = api.Outline{Kind: "waves", Wave: 50, Pieces: pieces}
	h := serve(t, svc, api.RoleViewer)
	r := httptest.NewRequest(http.MethodGet, "/runs/r1/waves", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	start := time.Now()
	h.ServeHTTP(w, r)
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
	if n := w.Body.Len(); w.Code != http.StatusOK || n > 200_000 {
		t.Errorf("%d with %d bytes on the wire", w.Code, n)
	}
	asked := 0
	for _, c := range svc.Calls() {
		if c.Verb == "detail" {
			asked++
		}
	}
	if asked > 6 {
		t.Errorf("%d texts were read for one page", asked)
	}
}

// TestWhatHoldsNowIsUnfolded shows the open wave, and the newest that has a text.
func TestWhatHoldsNowIsUnfolded(t *testing.T) {
	svc := hostileWaves()
	svc.Put(api.RunDetail{Run: api.Run{ID: "r1", Alias: "r1", Kind: "waves"}, Waves: &api.Waves{N: 3, Most: 10, Open: true}})
	h := serve(t, svc, api.RoleViewer)
	for path, want := range map[string]string{"/runs/r1/waves": "3 1", "/runs/r1/waves?wave=2": "3 2 1"} {
		_, body := get(t, h, path)
		var open []string
		for n := 3; n > 0; n-- {
			if strings.Contains(body, fmt.Sprintf(`id="wave-%d" open`, n)) {
				open = append(open, fmt.Sprint(n))
			}
		}
		if got := strings.Join(open, " "); got != want {
			t.Errorf("%s unfolds %s, want %s", path, got, want)
		}
		if !strings.Contains(body, "<p>the content of wave_01_compact.md</p>") {
			t.Errorf("%s lacks what the planner wrote", path)
		}
	}
}

func TestAnswersComeBackToTheWaves(t *testing.T) {
	svc := hostileWaves()
	if _, body := get(t, serve(t, svc, api.RoleViewer), "/runs/r1/waves"); strings.Contains(body, "/answer") {
		t.Error("a viewer is offered to answer")
	}
	h := serve(t, svc, api.RoleApprover)
	if _, body := get(t, h, "/runs/r1/waves"); !strings.Contains(body, `action="/questions/q-1/answer"`) {
		t.Error("an approver is not offered to answer")
	}
	w := post(h, "/questions/q-1/answer", url.Values{"text": {"MIT"}, "back": {"/runs/r1/waves"}})
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/runs/r1/waves" {
		t.Errorf("%d to %s", w.Code, w.Header().Get("Location"))
	}
}

func TestFactsAreFound(t *testing.T) {
	h := serve(t, hostileWaves(), api.RoleViewer)
	for path, want := range map[string][2]bool{ // f1, which no longer holds, and f2
		"/runs/r1/facts":                      {false, true},
		"/runs/r1/facts?history":              {true, true},
		"/runs/r1/facts?history&q=PLAIN+file": {true, false},
		"/runs/r1/facts?q=plain+file":         {false, false},
		"/runs/r1/facts?q=ENGINE":             {false, true},
	} {
		_, body := get(t, h, path)
		if got := [2]bool{strings.Contains(body, `id="f1"`), strings.Contains(body, `id="f2"`)}; got != want {
			t.Errorf("%s shows %v, want %v", path, got, want)
		}
	}
	if _, body := get(t, h, "/runs/r1/facts"); !strings.Contains(body, `replacing <a href="?history#f1">f1</a>`) {
		t.Error("it is not said what a fact took the place of")
	}
}

// TestManyFacts are shown page by page.
func TestManyFacts(t *testing.T) {
	svc := hostileWaves()
	svc.Known.Facts = nil
	for i := range 250 {
		svc.Known.Facts = append(svc.Known.Facts, core.Fact{ID: fmt.Sprintf("f%d", i+1), Content: "true"})
	}
	h := serve(t, svc, api.RoleViewer)
	for from, want := range map[int]int{0: 100, 100: 100, 200: 50, 900: 0} {
		_, body := get(t, h, fmt.Sprintf("/runs/r1/facts?q=true&from=%d", from))
		if n := strings.Count(body, `<li class="card fact`); n != want {
			t.Errorf("from %d: %d facts, want %d", from, n, want)
		}
		if further := strings.Contains(body, "from="+fmt.Sprint(from+100)+"&amp;q=true"); further != (from+100 < 250) {
			t.Errorf("from %d: further ones %v", from, further)
		}
	}
}

func TestRaisingALimit(t *testing.T) {
	svc := hostileWaves()
	if _, body := get(t, serve(t, svc, api.RoleApprover), "/runs/r1/costs"); strings.Contains(body, `action="/runs/r1/limits"`) {
		t.Error("an approver is offered to raise limits")
	}
	h := serve(t, svc, api.RoleAdmin)
	if _, body := get(t, h, "/runs/r1/costs"); !strings.Contains(body, `action="/runs/r1/limits"`) {
		t.Error("an admin is not offered to raise limits")
	}
	for _, bad := range []url.Values{{}, {"cost": {"-1"}}, {"cost": {"NaN"}}, {"cost": {"1e300"}}, {"tokens": {"1.5"}}, {"project_hours": {evil}}} {
		before := len(svc.Calls())
		if w := post(h, "/runs/r1/limits", bad); w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%v: %d", bad, w.Code)
		}
		if len(svc.Calls()) != before {
			t.Errorf("%v reached the engine", bad)
		}
	}
	w := post(h, "/runs/r1/limits", url.Values{"cost": {" 12.50 "}, "tokens": {"3000000"}, "project_hours": {"1.5"}, "project_attempts": {"7"}})
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/runs/r1/costs" {
		t.Errorf("%d to %s", w.Code, w.Header().Get("Location"))
	}
	want := api.Resume{MaxCostUSD: 12.5, MaxTokens: 3_000_000, MaxProjectTime: 90 * time.Minute, MaxProjectAttempts: 7}
	if got, ok := svc.Calls()[len(svc.Calls())-1].Req.(api.Resume); !ok || got != want {
		t.Errorf("the engine was told %+v", got)
	}
}

// TestWayToTheLimit leads from what waits to where a limit is raised, and only
// where one is.
func TestWayToTheLimit(t *testing.T) {
	for code, leads := range map[core.PauseCode]bool{core.PauseBudget: true, core.PauseProjectLimit: true, core.PauseInfra: false} {
		svc := hostileWaves()
		run, pause := api.Run{ID: "r1", Alias: "r1", Status: core.StatusPaused}, &core.Pause{Code: code}
		svc.Put(api.RunDetail{Run: run, Pause: pause})
		svc.Waiting = []api.Waiting{{Kind: api.WaitPause, Run: run, Pause: pause}}
		if _, body := get(t, serve(t, svc, api.RoleAdmin), "/inbox"); strings.Contains(body, `href="/runs/r1/costs#raise"`) != leads {
			t.Errorf("a pause for %s: leads there %v", code, !leads)
		}
	}
}

// TestTimeOfARunNeedsNoNumber does not ask for a limit where going on is enough.
func TestTimeOfARunNeedsNoNumber(t *testing.T) {
	for kind, asks := range map[string]bool{api.LimitWallTime: false, api.LimitTokens: true} {
		svc := hostileWaves()
		limit, left := 60.0, 0.0
		svc.Accounts = []api.Account{{Scope: api.ScopeRun, ID: "r1", Name: "r1", Allowances: []api.Allowance{{Kind: kind, Used: new(float64(60)), Limit: &limit, Left: &left}}}}
		if _, body := get(t, serve(t, svc, api.RoleAdmin), "/runs/r1/costs"); strings.Contains(body, `class="card ask" id="raise"`) != asks {
			t.Errorf("%s: asks %v", kind, !asks)
		}
	}
}

func TestCostsSayTheirFigures(t *testing.T) {
	svc := &apitest.Service{}
	today := time.Now().UTC().Truncate(24 * time.Hour)
	svc.Books.Days = []api.DaySpending{
		{Day: today.AddDate(0, 0, -3), Project: "a", Name: "shop", Runs: 2, Cost: core.CostOf(1.25, 0), Tokens: 5_000},
		{Day: today, Project: "b", Name: "notes", Runs: 1, Cost: core.CostOf(4, 0), Tokens: 20_000},
	}
	_, body := get(t, serve(t, svc, api.RoleViewer), "/costs?days=7")
	for _, want := range []string{"$5.25; 25k tokens in 3 runs", `role="img"`, "$4.00", `<a href="/projects/notes">notes</a>`, today.Format("Mon 2 Jan 2006")} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Index(body, "/projects/notes") > strings.Index(body, "/projects/shop") {
		t.Error("the dearest project is not the first")
	}
}
