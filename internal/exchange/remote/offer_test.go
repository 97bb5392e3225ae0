package remote_test

import (
	"context"
	"io"
	"os"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
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
