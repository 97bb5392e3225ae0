package remote_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
)

// TestAnEndThatNobodyCouldCollect is refused, as an end and as a checkpoint: once taken, it would fail for good wherever it is
// received, and the run could not go on.
func TestAnEndThatNobodyCouldCollect(t *testing.T) {
	_, v := claimed(t)
	const data = "a document"
	part := wire.Object{Digest: wire.Digest([]byte(data)), Size: int64(len(data))}
	v.expect(http.StatusOK, http.MethodPut, wire.PathPart+part.Digest, data, "")
	block := strings.Repeat("x", wire.MaxPart)
	large := wire.Object{Digest: wire.Digest([]byte(block)), Size: wire.MaxPart}
	v.expect(http.StatusOK, http.MethodPut, wire.PathPart+large.Digest, block, "")
	file := func(name string, parts ...wire.Object) wire.File {
		f := wire.File{Name: name, Parts: parts}
		for _, p := range parts {
			f.Size += p.Size
		}
		return f
	}
	const exited = `{"proto":1,"attempt":"a1","reason":"exited"}`
	for name, c := range map[string]struct {
		exit  string
		files []wire.File
		says  string
	}{
		"another protocol of exit.json":  {`{"proto":99,"attempt":"a1","reason":"exited"}`, nil, "protocol 99"},
		"of another attempt":             {`{"proto":1,"attempt":"a2","reason":"exited"}`, nil, "not that of this attempt"},
		"a bundle elsewhere":             {`{"proto":1,"attempt":"a1","reason":"exited","hand_in":{"commit":"c","bundle":"../a2/out.bundle"}}`, []wire.File{file(wire.FileBundle, part)}, "bundle"},
		"a bundle that is not handed in": {`{"proto":1,"attempt":"a1","reason":"exited","hand_in":{"commit":"c","bundle":"out.bundle"}}`, nil, "bundle"},
		"commits without a bundle":       {`{"proto":1,"attempt":"a1","reason":"exited","hand_in":{"commit":"c"}}`, nil, "bundle"},
		"a file in a file":               {exited, []wire.File{file("out/a", part), file("out/a/b", part)}, "a folder of others"},
		"a file in a file, backwards":    {exited, []wire.File{file("out/a/b", part), file("out/a", part)}, "a folder of others"},
		"a file twice":                   {exited, []wire.File{file("out/a", part), file("out/a", part)}, "there twice"},
		"a name with a zero":             {exited, []wire.File{file("out/a\x00b", part)}, "no file that is handed in"},
		"a name that is too long":        {exited, []wire.File{file("out/"+strings.Repeat("x", 300), part)}, "no file that is handed in"},
		"a path that is too long":        {exited, []wire.File{file("out/"+strings.Repeat("x/", 3000)+"x", part)}, "no file that is handed in"},
		"one part without end":           {exited, []wire.File{file("out/a", slices.Repeat([]wire.Object{large}, wire.MaxHandedIn/wire.MaxPart+1)...)}, "at most"},
		"an empty part of nowhere":       {exited, []wire.File{file("out/a", wire.Object{Digest: strings.Repeat("0", 64)})}, "has not arrived"},
	} {
		text, err := json.Marshal(wire.End{Exit: json.RawMessage(c.exit), Files: c.files})
		if err != nil {
			t.Fatal(err)
		}
		for method, path := range map[string]string{http.MethodPost: wire.PathEnd, http.MethodPut: wire.PathSaved} {
			status, answer := v.ask(method, path, string(text))
			if status < 400 || status >= 500 || !strings.Contains(answer, c.says) {
				t.Errorf("%s, %s: %d %q, want %q", name, path, status, answer, c.says)
			}
		}
	}
}

// TestAnObjectOfOthersIsNotHandedIn: who knows the digest of an object does not get its content into a delivery.
func TestAnObjectOfOthersIsNotHandedIn(t *testing.T) {
	station, v := claimed(t)
	digest, _, err := station.Current().Objects.Put(t.Context(), strings.NewReader("a secret of another project"), 0)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(wire.End{
		Exit:  json.RawMessage(`{"proto":1,"attempt":"a1","reason":"exited"}`),
		Files: []wire.File{{Name: "out/a.md", Parts: []wire.Object{{Digest: digest}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	v.expect(http.StatusConflict, http.MethodPost, wire.PathEnd, string(text), "has not arrived")
	if folder, err := station.Engine().Receive(t.Context(), exchangetest.First); err != nil {
		t.Errorf("%s cannot be received: %v", folder, err)
	}
}

// TestADamagedPart is not received as if it were what was handed in.
func TestADamagedPart(t *testing.T) {
	station, v := claimed(t)
	const data = "a document"
	text, part := handed(t, data)
	v.expect(http.StatusOK, http.MethodPut, wire.PathPart+part.Digest, data, "")
	v.expect(http.StatusOK, http.MethodPost, wire.PathEnd, text, "")
	station.Damage(part.Digest)
	if _, err := station.Engine().Receive(t.Context(), exchangetest.First); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("it is received: %v", err)
	}
}
