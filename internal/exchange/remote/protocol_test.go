package remote

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

// TestProtocolsThatAreSpoken: the current one and the two before it, as far as there were so many.
func TestProtocolsThatAreSpoken(t *testing.T) {
	var want []int
	for proto := max(1, wire.Proto-wire.Before); proto <= wire.Proto; proto++ {
		want = append(want, proto)
	}
	if got := slices.Sorted(maps.Keys((&Exchange{}).protocols())); !slices.Equal(got, want) {
		t.Errorf("an engine speaks %d, want %d", got, want)
	}
}

// TestEachProtocolHasItsOwnRoutes: a worker is served as its own protocol wants it, and told which are spoken if it names
// another.
func TestEachProtocolHasItsOwnRoutes(t *testing.T) {
	says := func(text string) func(request) (any, error) {
		return func(request) (any, error) { return text, nil }
	}
	handler := (&Exchange{}).versions(map[int]routes{
		2: {"GET " + wire.PathWord: says("a word of 2"), "GET " + wire.Prefix + "old": says("old")},
		3: {"GET " + wire.PathWord: says("a word of 3")},
		4: {"GET " + wire.PathWord: says("a word of 4"), "GET " + wire.Prefix + "new": says("new")},
	}, func(string) (spawn.ID, bool) { return spawn.ID{}, true })
	for _, c := range []struct {
		proto  int
		path   string
		status int
		says   string
	}{
		{2, wire.PathWord, http.StatusOK, "a word of 2"}, {3, wire.PathWord, http.StatusOK, "a word of 3"}, {4, wire.PathWord, http.StatusOK, "a word of 4"},
		{2, wire.Prefix + "old", http.StatusOK, "old"}, {4, wire.Prefix + "old", http.StatusNotFound, ""}, {2, wire.Prefix + "new", http.StatusNotFound, ""},
		{1, wire.PathWord, http.StatusUpgradeRequired, "too old for this engine, which speaks 2 to 4"},
		{5, wire.PathWord, http.StatusUpgradeRequired, "newer than this engine, which speaks 2 to 4"},
	} {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, c.path, nil)
		req.Header.Set(wire.Header, fmt.Sprint(c.proto))
		req.Header.Set("Authorization", "Bearer any")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, req)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%d %s: %d %q, want %d %q", c.proto, c.path, w.Code, w.Body, c.status, c.says)
		}
	}
}
