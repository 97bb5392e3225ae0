package courier_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/courier"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// TestSmallObjectsComeWithTheStart: nobody asks for them again, unless they did not come or came damaged.
func TestSmallObjectsComeWithTheStart(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*wire.Start)
		fetched int32
	}{
		"as they are":                    {func(*wire.Start) {}, 0},
		"from an engine that sends none": {func(s *wire.Start) { s.Small = nil }, 2},
		"damaged":                        {func(s *wire.Start) { s.Small[s.Offer.Base.Digest][0] ^= 1 }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			station := exchangetest.NewStation(t)
			station.Prepare(station.Current(), sandbox.None, "true")
			url, fetched, offered := changed(t, station.URL(), c.change)
			var log strings.Builder
			o := options(t, station, &log, func(_ context.Context, folder string) error {
				return shim.WriteStartFailed(folder, errors.New("it was only laid out"))
			})
			o.URL, o.Lay = url, func(_ context.Context, _ string, base *courier.Base, _ func() (shim.Spec, error)) error {
				pack, err := io.ReadAll(base.Pack)
				if want := offered.Base; base.Commit != want.Commit || wire.Digest(pack) != want.Digest {
					t.Errorf("laid out with the base %s of %d bytes, offered was %+v", base.Commit, len(pack), want)
				}
				return err
			}
			if err := courier.Run(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			if got := fetched.Load(); got != c.fetched {
				t.Errorf("%d objects were fetched, want %d", got, c.fetched)
			}
			if exit, err := station.Exit(t); err != nil || !strings.Contains(exit.Detail, "only laid out") {
				t.Errorf("it ended as %+v, %v", exit, err)
			}
		})
	}
}

// changed passes requests on to an engine, changes what a worker starts with, and counts the objects that are fetched.
func changed(t *testing.T, engine string, change func(*wire.Start)) (address string, fetched *atomic.Int32, offered *wire.Offer) {
	t.Helper()
	fetched, offered = &atomic.Int32{}, &wire.Offer{}
	to, err := url.Parse(engine)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ModifyResponse = func(r *http.Response) error {
		if strings.HasPrefix(r.Request.URL.Path, wire.PathObject) {
			fetched.Add(1)
		}
		if r.Request.URL.Path != wire.PathClaim {
			return nil
		}
		var start wire.Start
		if err := json.NewDecoder(r.Body).Decode(&start); err != nil {
			return err
		}
		change(&start)
		*offered = start.Offer
		data, err := json.Marshal(start)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
		r.Header.Del("Content-Length")
		return err
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL, fetched, offered
}
