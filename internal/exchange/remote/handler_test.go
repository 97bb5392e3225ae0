package remote_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

// visitor is somebody who speaks HTTP to an engine.
type visitor struct {
	t             *testing.T
	url           string
	token, worker string
	proto         string
}

func (v visitor) ask(method, path, body string) (int, string) {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.url+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+v.token)
	req.Header.Set(wire.Header, v.proto)
	req.Header.Set(wire.WorkerHeader, v.worker)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func (v visitor) expect(status int, method, path, body, says string) {
	v.t.Helper()
	if got, text := v.ask(method, path, body); got != status || !strings.Contains(text, says) {
		v.t.Errorf("%s %s: %d %q, want %d %q", method, path, got, text, status, says)
	}
}

// claimed is a station whose attempt a worker has claimed, without being one.
func claimed(t *testing.T) (*exchangetest.Station, visitor) {
	t.Helper()
	station := exchangetest.NewStation(t)
	station.Prepare(station.Current(), sandbox.None, "true")
	v := visitor{t: t, url: station.URL(), token: exchangetest.Token(exchangetest.First), worker: "w1", proto: "1"}
	v.expect(http.StatusOK, http.MethodPost, wire.PathClaim, `{"worker":"w1"}`, `"parcel"`)
	return station, v
}

// TestProtocols: a worker that is too new or too old is told so, and by which version it would be heard.
func TestProtocols(t *testing.T) {
	_, v := claimed(t)
	for proto, says := range map[string]string{"2": "newer than this engine, which speaks 1 to 1", "0": "too old for this engine, which speaks 1 to 1", "": "names no protocol", "x": "names no protocol"} {
		v.proto = proto
		v.expect(http.StatusUpgradeRequired, http.MethodGet, wire.PathWord, "", says)
	}
}

// TestOneWorkerOnly: the first to claim an attempt has it for good. Others can neither claim it nor add to it.
func TestOneWorkerOnly(t *testing.T) {
	_, v := claimed(t)
	v.expect(http.StatusOK, http.MethodPost, wire.PathClaim, `{"worker":"w1"}`, `"parcel"`)
	v.expect(http.StatusBadRequest, http.MethodPost, wire.PathClaim, `{"worker":"w2"}`, "by its own name")
	v.worker = "w2"
	v.expect(http.StatusConflict, http.MethodPost, wire.PathClaim, `{"worker":"w2"}`, "another worker's")
	v.expect(http.StatusConflict, http.MethodPost, wire.PathStream+wire.StreamOutput+"?offset=0&previous=0", "x", "another worker's")
	v.expect(http.StatusConflict, http.MethodPost, wire.PathEnd, `{"exit":{}}`, "another worker's")
	v.expect(http.StatusConflict, http.MethodGet, wire.PathWord, "", "another worker's")
	v.token = exchangetest.Token(spawn.ID{Run: "r1", Attempt: "a2"})
	v.expect(http.StatusGone, http.MethodPost, wire.PathClaim, `{"worker":"w2"}`, "given up")
	v.token = "stolen"
	v.expect(http.StatusUnauthorized, http.MethodGet, wire.PathWord, "", "no worker's")
}

// TestAStreamHasNoGaps: pieces follow each other, the same one may come again, and another in its place may not.
func TestAStreamHasNoGaps(t *testing.T) {
	_, v := claimed(t)
	at := func(name, offset, previous string) string {
		return wire.PathStream + name + "?offset=" + offset + "&previous=" + previous
	}
	out := wire.StreamOutput
	v.expect(http.StatusConflict, http.MethodPost, at(out, "3", "0"), "late", "no piece that ends at byte 3")
	for range 2 {
		v.expect(http.StatusOK, http.MethodPost, at(out, "0", "0"), "one", "")
	}
	v.expect(http.StatusConflict, http.MethodPost, at(out, "0", "0"), "two", "another piece")
	v.expect(http.StatusConflict, http.MethodPost, at(out, "4", "0"), "x", "no piece that ends at byte 4")
	v.expect(http.StatusOK, http.MethodPost, at(out, "3", "0"), "two", "")
	for _, path := range []string{at("spec.json", "0", "0"), at(out, "-1", "0"), at(out, "x", "0"), at(out, "6", "7")} {
		v.expect(http.StatusBadRequest, http.MethodPost, path, "x", "a name that is known")
	}
	v.expect(http.StatusRequestEntityTooLarge, http.MethodPost, at(out, "6", "3"), "", "no piece is empty")
	v.expect(http.StatusRequestEntityTooLarge, http.MethodPost, at(out, "6", "3"), strings.Repeat("x", wire.MaxChunk+1), "at most")
}

// TestAnEndIsWhole: it names nothing that has not arrived and no file that is not handed in, comes once, and closes the
// attempt.
func TestAnEndIsWhole(t *testing.T) {
	_, v := claimed(t)
	data := []byte("a document")
	part := wire.Object{Digest: wire.Digest(data), Size: int64(len(data))}
	end := func(change func(*wire.End)) string {
		e := wire.End{
			Exit:    json.RawMessage(`{"proto":1,"attempt":"a1","reason":"exited"}`),
			Files:   []wire.File{{Name: "out/a.md", Size: part.Size, Parts: []wire.Object{part}}},
			Streams: map[string]wire.Extent{wire.StreamOutput: {Length: 3}},
		}
		change(&e)
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	whole := end(func(*wire.End) {})
	v.expect(http.StatusConflict, http.MethodPost, wire.PathEnd, whole, "a part of out/a.md has not arrived")
	v.expect(http.StatusNotFound, http.MethodHead, wire.PathPart+part.Digest, "", "")
	v.expect(http.StatusBadRequest, http.MethodPut, wire.PathPart+part.Digest, "something else", "not what its digest says")
	v.expect(http.StatusRequestEntityTooLarge, http.MethodPut, wire.PathPart+part.Digest, string(bytes.Repeat([]byte("x"), wire.MaxPart+1)), "at most")
	for range 2 {
		v.expect(http.StatusOK, http.MethodPut, wire.PathPart+part.Digest, string(data), "")
	}
	v.expect(http.StatusOK, http.MethodHead, wire.PathPart+part.Digest, "", "")
	v.expect(http.StatusConflict, http.MethodPost, wire.PathEnd, whole, "has not arrived up to byte 3")
	v.expect(http.StatusOK, http.MethodPost, wire.PathStream+wire.StreamOutput+"?offset=0&previous=0", "one", "")
	for name, change := range map[string]func(*wire.End){
		"is no file that is handed in":  func(e *wire.End) { e.Files[0].Name = "spec.json" },
		`"out/../spec.json" is no file`: func(e *wire.End) { e.Files[0].Name = "out/../spec.json" },
		"and not 99":                    func(e *wire.End) { e.Files[0].Size = 99 },
		"not that of this attempt":      func(e *wire.End) { e.Exit = json.RawMessage(`{"proto":1,"attempt":"a2"}`) },
	} {
		v.expect(http.StatusBadRequest, http.MethodPost, wire.PathEnd, end(change), name)
	}
	for range 2 { // its acknowledgement may get lost
		v.expect(http.StatusOK, http.MethodPost, wire.PathEnd, whole, "")
	}
	v.expect(http.StatusGone, http.MethodPost, wire.PathEnd, end(func(e *wire.End) { e.Files = nil }), "given up")
	v.expect(http.StatusGone, http.MethodPost, wire.PathStream+wire.StreamOutput+"?offset=3&previous=0", "x", "given up")
	v.expect(http.StatusGone, http.MethodPut, wire.PathPart+part.Digest, string(data), "given up")
	v.expect(http.StatusGone, http.MethodGet, wire.PathWord, "", "given up")
}

// TestObjectsOfOthers: a worker fetches what it was offered, and nothing else that the engine has.
func TestObjectsOfOthers(t *testing.T) {
	_, v := claimed(t)
	var given wire.Start
	_, text := v.ask(http.MethodPost, wire.PathClaim, `{"worker":"w1"}`)
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		t.Fatal(err)
	}
	v.expect(http.StatusOK, http.MethodGet, wire.PathObject+given.Offer.Parcel.Digest, "", "the prompt")
	data := "a secret document"
	v.expect(http.StatusOK, http.MethodPut, wire.PathPart+wire.Digest([]byte(data)), data, "")
	v.expect(http.StatusNotFound, http.MethodGet, wire.PathObject+wire.Digest([]byte(data)), "", "no such object")
}

// TestAnAttemptThatIsGivenUp takes nothing more: what comes late is refused, and the end stays what it was.
func TestAnAttemptThatIsGivenUp(t *testing.T) {
	station, v := claimed(t)
	if err := station.Current().GiveUp(t.Context(), exchangetest.First); err != nil {
		t.Fatal(err)
	}
	v.expect(http.StatusGone, http.MethodPost, wire.PathEnd, `{"exit":{"proto":1,"attempt":"a1","reason":"exited"}}`, "given up")
	if exit, err := station.Exit(t); err != nil || exit.Reason != "lost" {
		t.Errorf("it ended as %+v, %v", exit, err)
	}
}

// TestAnOfferThatWasClaimed stays what it was when its worker claimed it, although another engine prepares the attempt in the
// same moment.
func TestAnOfferThatWasClaimed(t *testing.T) {
	station, v := claimed(t)
	var given wire.Start
	_, text := v.ask(http.MethodPost, wire.PathClaim, `{"worker":"w1"}`)
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		t.Fatal(err)
	}
	db := station.Current().Store
	d, err := db.Document(t.Context(), "attempt-offer", exchangetest.First.String())
	if err != nil {
		t.Fatal(err)
	}
	d.Data = []byte(`{"parcel":{"digest":"` + strings.Repeat("0", 64) + `","size":1}}`)
	if _, err := db.PutDocument(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	v.expect(http.StatusOK, http.MethodPost, wire.PathClaim, `{"worker":"w1"}`, given.Offer.Parcel.Digest)
	v.expect(http.StatusOK, http.MethodGet, wire.PathObject+given.Offer.Parcel.Digest, "", "the prompt")
	if _, err := station.Engine().Receive(t.Context(), exchangetest.First); err != nil {
		t.Errorf("an engine does not find what the worker works on: %v", err)
	}
}
