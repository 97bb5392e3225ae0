package remote_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/remote"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/object"
)

// TestEveryObjectIsNamed by a document of a kind that is said to name objects, from when it arrives until the attempt is
// forgotten: otherwise it could be removed under the attempt.
func TestEveryObjectIsNamed(t *testing.T) {
	station, v := claimed(t)
	named := func(when string, want bool) {
		t.Helper()
		var said strings.Builder
		for _, kind := range remote.Naming() {
			all, err := station.Current().Store.Documents(t.Context(), kind, "", "", 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range all {
				said.Write(d.Data)
			}
		}
		err := station.Current().Objects.Each(t.Context(), func(o object.Entry) error {
			if strings.Contains(said.String(), o.Digest) != want {
				t.Errorf("%s: object %s is named: %t", when, o.Digest, !want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	named("claimed", true)
	offer, err := station.Current().Store.Document(t.Context(), "attempt-offer", exchangetest.First.String())
	if err != nil {
		t.Fatal(err)
	}
	offer.Data = []byte("{}") // another engine prepares the attempt in the same moment
	if _, err := station.Current().Store.PutDocument(t.Context(), offer); err != nil {
		t.Fatal(err)
	}
	named("offered again", true)
	data := "a document"
	part := wire.Object{Digest: wire.Digest([]byte(data)), Size: int64(len(data))}
	v.expect(http.StatusOK, http.MethodPut, wire.PathPart+part.Digest, data, "")
	named("a part has arrived", true)
	end, err := json.Marshal(wire.End{
		Exit: json.RawMessage(`{"proto":1,"attempt":"a1","reason":"exited"}`), Files: []wire.File{{Name: "out/a.md", Size: part.Size, Parts: []wire.Object{part}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	v.expect(http.StatusOK, http.MethodPut, wire.PathSaved, string(end), "")
	named("it was saved", true)
	v.expect(http.StatusOK, http.MethodPost, wire.PathEnd, string(end), "")
	named("it has ended", true)
	run := exchangetest.First
	run.Attempt = ""
	if err := station.Current().Forget(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	named("forgotten", false)
}
