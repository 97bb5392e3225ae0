package api_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestFollowResumesWhereItBrokeOff(t *testing.T) {
	svc := history("r1", 5)
	c, stop := engine(t, svc)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://engine/v1/runs/r1/follow?after=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Last-Event-ID", "3")
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	if got := read(lines, 2); got != "4 event, 5 event" {
		t.Errorf("resumed with %q", got)
	}
	svc.Happen("r1", time.Unix(9, 0), core.Engine(), core.TimerFired{Timer: "x"}, nil)
	if got := read(lines, 1); got != "6 event" {
		t.Errorf("then came %q", got)
	}
	stop()
	if got := read(lines, 1); got != "" {
		t.Errorf("after the shutdown came %q", got)
	}
}

func TestFollowSaysHowItEnded(t *testing.T) {
	svc := history("r1", 1)
	c, _ := engine(t, svc)
	svc.Happen("r1", time.Unix(9, 0), core.Engine(), core.RunCompleted{}, nil)
	resp, body := ask(t, c, http.MethodGet, "/v1/runs/r1/follow", "")
	if resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("content type %q", resp.Header.Get("Content-Type"))
	}
	if got := read(bufio.NewScanner(strings.NewReader(body)), 9); got != "1 event, 2 event,  end" {
		t.Errorf("got %q from\n%s", got, body)
	}
	for path, want := range map[string]int{"/v1/runs/none/follow": 404, "/v1/runs/r1/follow?after=-1": 422} {
		resp, body := ask(t, c, http.MethodGet, path, "")
		if problem(t, resp, body); resp.StatusCode != want {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
	resp, body = ask(t, c, http.MethodGet, "/v1/runs/r1/follow", "", "Last-Event-ID", "x")
	if problem(t, resp, body); resp.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

func history(run string, events int) *apitest.Service {
	svc := &apitest.Service{}
	svc.Put(api.RunDetail{Run: api.Run{ID: run, Alias: "brisk-otter", Status: "active"}})
	for i := range events {
		svc.Happen(run, time.Unix(int64(i), 0), core.Engine(), core.TimerFired{Timer: "x"}, nil)
	}
	return svc
}

// read returns the ids and names of the next n events.
func read(lines *bufio.Scanner, n int) string {
	var events []string
	id := ""
	for len(events) < n && lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "id":
			id = value
		case "event":
			events = append(events, id+" "+value)
			id = ""
		}
	}
	return strings.Join(events, ", ")
}

func TestHalfADocumentIsNotTakenForAWholeOne(t *testing.T) {
	svc := history("r1", 0)
	svc.Documents = map[string]string{"diff": "+half"}
	svc.DocumentError = core.Errorf(core.CodeInternal, "git died")
	c, _ := engine(t, svc)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://engine/v1/runs/r1/diff", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := c.Do(req)
	if err == nil {
		defer func() { _ = resp.Body.Close() }()
		_, err = io.ReadAll(resp.Body)
	}
	if err == nil {
		t.Error("a document that broke off was read without an error")
	}
	got, body := ask(t, c, http.MethodGet, "/v1/runs/r1/artifacts/plan.md", "")
	if problem(t, got, body); got.StatusCode != http.StatusNotFound {
		t.Errorf("%d %s", got.StatusCode, body)
	}
}
