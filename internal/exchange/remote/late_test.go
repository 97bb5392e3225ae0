package remote_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/remote"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// forgetting is a store in which an attempt is forgotten right before the next document is put.
type forgetting struct {
	remote.Store
	forget func()
}

func (f *forgetting) PutDocument(ctx context.Context, d store.Document) (store.Document, error) {
	if forget := f.forget; forget != nil {
		f.forget = nil
		forget()
	}
	return f.Store.PutDocument(ctx, d)
}

// TestWhatComesLateDoesNotStay: an attempt is forgotten after a request of its worker was let in.
func TestWhatComesLateDoesNotStay(t *testing.T) {
	data := "a document"
	for name, ask := range map[string][3]string{
		"claim":  {http.MethodPost, wire.PathClaim, `{"worker":"w1"}`},
		"word":   {http.MethodGet, wire.PathWord, ""},
		"stream": {http.MethodPost, wire.PathStream + wire.StreamOutput + "?offset=0&previous=0", "one"},
		"part":   {http.MethodPut, wire.PathPart + wire.Digest([]byte(data)), data},
		"want":   {http.MethodPut, wire.PathWant, "{}"},
		"saved":  {http.MethodPut, wire.PathSaved, `{"exit":{"proto":1,"attempt":"a1"}}`},
		"end":    {http.MethodPost, wire.PathEnd, `{"exit":{"proto":1,"attempt":"a1","reason":"exited"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			station, v := claimed(t)
			db, elsewhere := station.Current().Store, station.Engine()
			if name == "claim" { // by the first to come
				d, err := db.Document(t.Context(), "attempt-claim", exchangetest.First.String())
				if err == nil {
					err = db.DeleteDocument(t.Context(), d.Kind, d.Key, d.Version)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			station.Current().Store = &forgetting{db, func() {
				if err := elsewhere.Forget(t.Context(), exchangetest.First); err != nil {
					t.Error(err)
				}
			}}
			want := http.StatusOK // the attempt was concluded, and nobody misses it
			if name == "word" {
				want = http.StatusGone
			}
			v.expect(want, ask[0], ask[1], ask[2], "")
			for _, kind := range strings.Fields("offer claim beat cancel grant want stream part checkpoint end") {
				left, err := db.Documents(t.Context(), "attempt-"+kind, "", "", 0)
				if err != nil || len(left) > 0 {
					t.Errorf("left are %+v, %v", left, err)
				}
			}
			if n := station.Current().Awaited(); n > 0 {
				t.Errorf("somebody waits for news of %d attempts", n)
			}
		})
	}
}
