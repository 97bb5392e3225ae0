package cockpit_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// past is a service that remembers how a run was.
type past struct {
	*apitest.Service
	then  map[int64]api.RunDetail
	reads int // of events
}

func (p *past) RunAt(ctx context.Context, id string, seq int64) (api.RunDetail, error) {
	if d, ok := p.then[seq]; ok {
		return d, nil
	}
	return p.Service.RunAt(ctx, id, seq)
}

func (p *past) Events(ctx context.Context, id string, after int64, limit int) ([]core.Event, error) {
	events, err := p.Service.Events(ctx, id, after, limit)
	p.reads += len(events)
	return events, err
}

func serveAny(t *testing.T, svc api.Service) http.Handler {
	t.Helper()
	h, err := cockpit.New(svc, cockpit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestTheTimelineShowsTheRunAsItWas(t *testing.T) {
	svc := &past{Service: hostileTask(t), then: map[int64]api.RunDetail{
		1: {Run: api.Run{ID: "r1", Alias: "r1", Status: "active"}, Stages: []api.Stage{{ID: "only-then", Status: "open"}}},
	}}
	h := serveAny(t, svc)
	_, body := get(t, h, "/runs/r1/timeline?at=1")
	if !strings.Contains(body, "only-then") || !strings.Contains(body, "data-still") || !strings.Contains(body, `value="1"`) {
		t.Errorf("%.3000s", body)
	}
	if _, body := get(t, h, "/runs/r1/timeline"); strings.Contains(body, "only-then") || strings.Contains(body, "data-still") {
		t.Error("without an event it is not the run as it is, kept up to date")
	}
	r := httptest.NewRequest(http.MethodGet, "/runs/r1/timeline?at=1", nil)
	r.Header.Set("Stellwerk-Part", "moment")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if got := w.Body.String(); !strings.HasPrefix(got, `<div id="moment">`) || !strings.Contains(got, "only-then") || strings.Contains(got, "<html") {
		t.Errorf("the part: %.500s", got)
	}
	for _, at := range []string{"0", "-5", "99999"} {
		if code, _ := get(t, h, "/runs/r1/timeline?at="+at); code != http.StatusOK {
			t.Errorf("at %s: %d", at, code)
		}
	}
	e := svc.Happen("r1", time.Unix(9, 0), core.Engine(), core.AttemptExited{Attempt: "build.r1.a1"}, nil)
	if _, body := get(t, h, fmt.Sprintf("/runs/r1/timeline?at=%d", e.Seq)); !strings.Contains(body, `href="/runs/r1/tasks/build.r1?attempt=build.r1.a1"`) {
		t.Error("an event does not lead to its task")
	}
	svc.Put(api.RunDetail{Run: api.Run{ID: "r2", Alias: "r2"}})
	if code, body := get(t, h, "/runs/r2/timeline"); code != http.StatusOK || !strings.Contains(body, "Nothing has happened yet") {
		t.Errorf("a run without events: %d", code)
	}
}

func TestALongHistoryIsBounded(t *testing.T) {
	svc := &past{Service: &apitest.Service{}}
	svc.Put(api.RunDetail{Run: api.Run{ID: "r1", Alias: "r1"}})
	const events = 10_000
	for i := range events {
		body := core.Body(core.TimerFired{Timer: fmt.Sprint(i)})
		switch i % 3 {
		case 0:
			body = core.RunPaused{Reason: "why"}
		case 1:
			body = core.RunFailed{Reason: "why"}
		}
		svc.Happen("r1", time.Unix(int64(i), 0), core.Engine(), body, nil)
	}
	h := serveAny(t, svc)
	_, body := get(t, h, "/runs/r1/timeline?at=5000")
	if len(body) > 200_000 || strings.Count(body, "<rect class=") > 1500 {
		t.Errorf("%d bytes, %d marks", len(body), strings.Count(body, "<rect class="))
	}
	for _, want := range []string{">5000<", "at=4990", "at=5010", "at=4999", "at=5001"} {
		if !strings.Contains(body, want) {
			t.Errorf("there is no %s", want)
		}
	}
	svc.reads = 0
	get(t, h, "/runs/r1/timeline?at=5001")
	if svc.reads > 100 {
		t.Errorf("the next moment took %d events", svc.reads)
	}
}

// TestHistoriesAreReadOnce: going from run to run does not read their histories
// again and again, as long as there are not too many.
func TestHistoriesAreReadOnce(t *testing.T) {
	svc := &past{Service: &apitest.Service{}}
	const runs, events = 16, 200
	for r := range runs + 1 {
		id := fmt.Sprint("r", r)
		svc.Put(api.RunDetail{Run: api.Run{ID: id, Alias: id}})
		for i := range events {
			svc.Happen(id, time.Unix(int64(i), 0), core.Engine(), core.TimerFired{}, nil)
		}
	}
	h := serveAny(t, svc)
	for r := range runs {
		get(t, h, fmt.Sprintf("/runs/r%d/timeline?at=100", r))
	}
	svc.reads = 0
	get(t, h, fmt.Sprintf("/runs/r%d/timeline?at=100", runs)) // one more than are remembered
	for r := 1; r < runs; r++ {
		get(t, h, fmt.Sprintf("/runs/r%d/timeline?at=100", r))
	}
	if svc.reads > events+(runs+1)*30 { // those around the one that is shown are read each time
		t.Errorf("looking again took %d events", svc.reads)
	}
}

func TestEffectsAreFiltered(t *testing.T) {
	svc := &apitest.Service{}
	svc.Put(api.RunDetail{Run: api.Run{ID: "r1", Alias: "r1"}})
	svc.EffectsAnswer = api.Effects{Total: 3, LeftOut: 7, Effects: []api.Effect{
		{Attempt: "a.r1.a1", Tool: "Bash", Outcome: "ok", Input: []byte(`{"command":"make test"}`)}, {Attempt: "b.r1.a1", Tool: "Write", Outcome: "denied", Reason: "not yours"},
	}}
	h := serve(t, svc, api.RoleViewer)
	if _, body := get(t, h, "/runs/r1/effects"); !strings.Contains(body, "make test") || !strings.Contains(body, "not yours") || !strings.Contains(body, "limit=1000") {
		t.Errorf("%.3000s", body)
	}
	if _, body := get(t, h, "/runs/r1/effects?outcome=denied"); strings.Contains(body, "make test") || !strings.Contains(body, "not yours") {
		t.Error("the outcome is not heeded")
	}
	if _, body := get(t, h, "/runs/r1/effects?tool=Read"); !strings.Contains(body, "No matches") {
		t.Error("nothing to show is not said")
	}
}
