package remote_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

// TestABaseIsPackedOnce for runs that begin alike, and anew for another commit, another cut of the history, further commits, and
// when its pack is gone.
func TestABaseIsPackedOnce(t *testing.T) {
	station := exchangetest.NewStation(t)
	e := station.Current()
	station.Prepare(e, sandbox.None, "true")
	spec, err := shim.ReadSpec(e.Folder(exchangetest.First))
	if err != nil {
		t.Fatal(err)
	}
	packed := 0
	offer := func(run, base, shallow string, also ...string) {
		t.Helper()
		id := spawn.ID{Run: run, Attempt: "a1"}
		err := os.MkdirAll(e.Folder(id), 0o700)
		if err == nil {
			err = shim.WriteSpec(e.Folder(id), spec)
		}
		if err == nil {
			err = e.Offer(t.Context(), exchange.Offer{ID: id, Base: base, Also: also, Shallow: []byte(shallow), Pack: func(_ context.Context, w io.Writer) error {
				packed++
				_, err := io.WriteString(w, "pack of "+base+shallow)
				return err
			}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range []struct {
		run, base, shallow string
		also               []string
		packed             int
	}{
		{"r1", "c1", "", nil, 1}, {"r1", "c1", "", nil, 1}, {"r2", "c1", "", nil, 1}, {"r3", "c2", "", nil, 2}, {"r4", "c1", "c1", nil, 3},
		{"r5", "c1", "", []string{"c3"}, 4}, {"r6", "c1", "", nil, 4},
	} {
		if offer(c.run, c.base, c.shallow, c.also...); packed != c.packed {
			t.Errorf("offer %d: packed %d times, want %d", i, packed, c.packed)
		}
	}
	e.Objects = forgetful{e.Objects}
	if offer("r7", "c1", ""); packed != 5 {
		t.Errorf("a pack that is gone is offered: packed %d times", packed)
	}
}

// forgetful are objects that are all gone.
type forgetful struct{ object.Objects }

func (forgetful) Touch(context.Context, string) (bool, error) { return false, nil }

// TestOnlySmallObjectsComeWithTheStart, so that an answer stays small: a larger one is fetched.
func TestOnlySmallObjectsComeWithTheStart(t *testing.T) {
	for size, comes := range map[int]bool{wire.MaxSmall: true, wire.MaxSmall + 1: false} {
		station := exchangetest.NewStation(t)
		e := station.Current()
		station.Prepare(e, sandbox.None, "true")
		pack := strings.Repeat("x", size)
		err := e.Offer(t.Context(), exchange.Offer{ID: exchangetest.First, Base: "c1", Pack: func(_ context.Context, w io.Writer) error {
			_, err := io.WriteString(w, pack)
			return err
		}})
		if err != nil {
			t.Fatal(err)
		}
		v := visitor{t: t, url: station.URL(), token: exchangetest.Token(exchangetest.First), worker: "w1", proto: "1"}
		var given wire.Start
		_, text := v.ask(http.MethodPost, wire.PathClaim, `{"worker":"w1"}`)
		if err := json.Unmarshal([]byte(text), &given); err != nil {
			t.Fatal(err)
		}
		if parcel := given.Offer.Parcel.Digest; wire.Digest(given.Small[parcel]) != parcel {
			t.Errorf("the parcel does not come: %d bytes", len(given.Small[parcel]))
		}
		if got, came := given.Small[given.Offer.Base.Digest]; came != comes || came && string(got) != pack {
			t.Errorf("a base of %d bytes: came is %t with %d bytes", size, came, len(got))
		}
		v.expect(http.StatusOK, http.MethodGet, wire.PathObject+given.Offer.Base.Digest, "", pack[:9])
	}
}
