package remote_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestATokenOfAnotherAttempt opens nothing of this one: what a request is about follows from its token alone.
func TestATokenOfAnotherAttempt(t *testing.T) {
	station, v := claimed(t)
	other := v
	other.token = exchangetest.Token(spawn.ID{Run: "r1", Attempt: "a2"})
	var given wire.Start
	_, text := v.ask(http.MethodPost, wire.PathClaim, `{"worker":"w1"}`)
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		t.Fatal(err)
	}
	for method, path := range map[string]string{
		http.MethodGet: wire.PathObject + given.Offer.Parcel.Digest, http.MethodPost: wire.PathEnd, http.MethodPut: wire.PathSaved,
	} {
		other.expect(http.StatusGone, method, path, `{"exit":{"attempt":"a1"}}`, "given up")
	}
	if _, err := station.Exit(t); err == nil {
		t.Error("another attempt's worker ended this one")
	}
}

// TestNamesThatLeadElsewhere are refused wherever a worker says a name.
func TestNamesThatLeadElsewhere(t *testing.T) {
	_, v := claimed(t)
	for _, name := range []string{"../spec.json", "out/../../spec.json", "/etc/passwd", "out//a", "out/./a", "out/", "home/plan-origin.json/../x", "exit.json"} {
		for method, path := range map[string]string{http.MethodPost: wire.PathEnd, http.MethodPut: wire.PathSaved} {
			text, err := json.Marshal(wire.End{Exit: json.RawMessage(`{"proto":1,"attempt":"a1","reason":"exited"}`), Files: []wire.File{{Name: name}}})
			if err != nil {
				t.Fatal(err)
			}
			v.expect(http.StatusBadRequest, method, path, string(text), "is no file that is handed in")
		}
	}
	for _, name := range []string{"..%2fspec.json", "%2e%2e%2fdb", "out.jsonl%00"} {
		if status, text := v.ask(http.MethodPost, wire.PathStream+name+"?offset=0&previous=0", "x"); status != http.StatusBadRequest {
			t.Errorf("a stream named %s: %d %s", name, status, text)
		}
	}
}

// endless is a body that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestEndlessBodies are cut off at the size that a request of their kind may have.
func TestEndlessBodies(t *testing.T) {
	_, v := claimed(t)
	for path, method := range map[string]string{
		wire.PathStream + wire.StreamOutput + "?offset=0&previous=0": http.MethodPost, wire.PathPart + strings.Repeat("0", 64): http.MethodPut,
		wire.PathWant: http.MethodPut, wire.PathSaved: http.MethodPut, wire.PathEnd: http.MethodPost, wire.PathClaim: http.MethodPost,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
		req, err := http.NewRequestWithContext(ctx, method, v.url+path, io.NopCloser(endless{}))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+v.token)
		req.Header.Set(wire.Header, v.proto)
		req.Header.Set(wire.WorkerHeader, v.worker)
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			if resp.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("%s: %d", path, resp.StatusCode)
			}
			err = resp.Body.Close()
		}
		if ctx.Err() != nil { // the engine may hang up while the rest is being sent
			t.Errorf("%s was read without end: %v", path, err)
		}
		cancel()
	}
}

// TestASlowBody keeps nobody else from being served, and what it is about is not touched before it is whole.
func TestASlowBody(t *testing.T) {
	station, v := claimed(t)
	conn, err := net.DialTimeout("tcp", strings.TrimPrefix(v.url, "http://"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "POST "+wire.PathEnd+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+v.token+"\r\n"+wire.Header+": 1\r\n"+
		wire.WorkerHeader+": w1\r\nContent-Length: 1000\r\n\r\n{\"exit\":"); err != nil {
		t.Fatal(err)
	}
	v.expect(http.StatusOK, http.MethodPost, wire.PathStream+wire.StreamOutput+"?offset=0&previous=0", "one", "")
	if _, err := station.Exit(t); err == nil {
		t.Error("half of an end was taken")
	}
}

// TestASecondWorkerOfTheSameName is the first one as far as engines can tell: names are drawn from 128 random bits, and who
// has token and name of a worker has read its memory. What it says twice is taken once.
func TestASecondWorkerOfTheSameName(t *testing.T) {
	_, v := claimed(t)
	twin := v
	v.expect(http.StatusOK, http.MethodPost, wire.PathStream+wire.StreamOutput+"?offset=0&previous=0", "one", "")
	twin.expect(http.StatusConflict, http.MethodPost, wire.PathStream+wire.StreamOutput+"?offset=0&previous=0", "two", "another piece")
	const end = `{"exit":{"proto":1,"attempt":"a1","reason":"exited"},"streams":{"out.jsonl":{"length":3,"last":0}}}`
	v.expect(http.StatusOK, http.MethodPost, wire.PathEnd, end, "")
	twin.expect(http.StatusGone, http.MethodPost, wire.PathEnd, `{"exit":{"proto":1,"attempt":"a1","reason":"cancelled"}}`, "given up")
	twin.expect(http.StatusGone, http.MethodPut, wire.PathSaved, end, "given up")
}

// TestReplaysChangeNothing: everything that was acknowledged is sent once more, by its worker and by another that has the token
// of the same attempt. Neither adds to what engines have, before the end and after it.
func TestReplaysChangeNothing(t *testing.T) {
	station, v := claimed(t)
	thief := v
	thief.worker = "w2"
	data := "a document"
	part := wire.Object{Digest: wire.Digest([]byte(data)), Size: int64(len(data))}
	handedIn := wire.End{
		Exit:    json.RawMessage(`{"proto":1,"attempt":"a1","reason":"exited"}`),
		Files:   []wire.File{{Name: "out/a.md", Size: part.Size, Parts: []wire.Object{part}}},
		Streams: map[string]wire.Extent{wire.StreamOutput: {Length: 6, Last: 3}},
	}
	end, err := json.Marshal(handedIn)
	if err != nil {
		t.Fatal(err)
	}
	stream := wire.PathStream + wire.StreamOutput
	sent := [][3]string{
		{http.MethodPost, stream + "?offset=0&previous=0", "one"}, {http.MethodPost, stream + "?offset=3&previous=0", "two"},
		{http.MethodPut, wire.PathPart + part.Digest, data}, {http.MethodPut, wire.PathSaved, string(end)}, {http.MethodPut, wire.PathWant, `{"seq":2,"total":{"usd":1}}`},
	}
	replay := func(status, stolen int) {
		t.Helper()
		before := kept(t, station)
		for _, m := range sent {
			v.expect(status, m[0], m[1], m[2], "")
			thief.expect(stolen, m[0], m[1], m[2], "")
		}
		thief.expect(http.StatusConflict, http.MethodPost, wire.PathClaim, `{"worker":"w2"}`, "another worker's")
		if diff := cmp.Diff(before, kept(t, station)); diff != "" {
			t.Errorf("-before +after\n%s", diff)
		}
	}
	for _, m := range sent {
		v.expect(http.StatusOK, m[0], m[1], m[2], "")
	}
	replay(http.StatusOK, http.StatusConflict)
	v.expect(http.StatusOK, http.MethodPost, wire.PathEnd, string(end), "")
	replay(http.StatusGone, http.StatusGone)
	v.expect(http.StatusOK, http.MethodPost, wire.PathEnd, string(end), "") // as if its acknowledgement was lost
	handedIn.Exit = json.RawMessage(`{"proto":1,"attempt":"a1","reason":"cancelled"}`)
	other, err := json.Marshal(handedIn)
	if err != nil {
		t.Fatal(err)
	}
	thief.expect(http.StatusGone, http.MethodPost, wire.PathEnd, string(other), "given up")
	if exit, err := station.Exit(t); err != nil || exit.Reason != "exited" {
		t.Errorf("it ended by %s, %v", exit.Reason, err)
	}
}

// kept is what engines have of the station's attempt, but for when they heard of it last.
func kept(t *testing.T, station *exchangetest.Station) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, kind := range strings.Fields("offer claim cancel grant want stream part checkpoint end") {
		found, err := station.Current().Store.Documents(t.Context(), "attempt-"+kind, "", "", 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range found {
			all[d.Kind+" "+d.Key] = string(d.Data)
		}
	}
	return all
}
