package pgtest

import (
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/rs/zerolog"
)

// Network is what lies between an engine and its database, and can go wrong.
type Network struct {
	proxy     *toxiproxy.Proxy
	questions *weather
	answers   *weather
}

// Through returns the address of a database through a network of its own.
func Through(t testing.TB, address string) (*Network, string) {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	toxics.Register("weather", new(weather))
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	n := &Network{proxy: toxiproxy.NewProxy(server, "database", "127.0.0.1:0", to.Host)}
	n.questions, n.answers = n.weather(t, "upstream"), n.weather(t, "downstream")
	n.Mend(t)
	t.Cleanup(n.Cut)
	to.Host = n.proxy.Listen
	return n, to.String()
}

func (n *Network) weather(t testing.TB, direction string) *weather {
	t.Helper()
	added, err := n.proxy.Toxics.AddToxicJson(strings.NewReader(`{"type": "weather", "stream": "` + direction + `", "attributes": {}}`))
	if err != nil {
		t.Fatal(err)
	}
	return added.Toxic.(*weather)
}

// Cut ends all connections, and refuses others.
func (n *Network) Cut() { n.proxy.Stop() }

// Mend lets connections through after Cut.
func (n *Network) Mend(t testing.TB) {
	t.Helper()
	if err := n.proxy.Start(); err != nil {
		t.Fatal(err)
	}
}

// Lead has new connections lead to where an address says, and ends those there are.
func (n *Network) Lead(t testing.TB, address string) {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	n.Cut()
	n.proxy.Upstream = to.Host
	n.Mend(t)
}

// Slow has answers take longer: each by some milliseconds, and all of them together no more than some kilobytes a second.
func (n *Network) Slow(t testing.TB, milliseconds, kilobytes string) {
	t.Helper()
	for _, toxic := range []string{
		`{"type": "latency", "attributes": {"latency": ` + milliseconds + `}}`,
		`{"type": "bandwidth", "attributes": {"rate": ` + kilobytes + `}}`,
	} {
		if _, err := n.proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			t.Fatal(err)
		}
	}
}

// Lose has every packet vanish, and nobody hear of it. After Find, that is so only for connections that were there before.
func (n *Network) Lose() {
	for _, w := range []*weather{n.questions, n.answers} {
		w.dark.Store(true)
		w.age.Add(1)
	}
}

// Find lets new connections through after Lose.
func (n *Network) Find() {
	n.questions.dark.Store(false)
	n.answers.dark.Store(false)
}

// LoseAnswers has what the database says on the connections there are vanish. It hears them still.
func (n *Network) LoseAnswers() { n.answers.age.Add(1) }

// CutAtAnswer ends the connection on which the nth answer from now on comes, before that arrives. A long answer counts as several.
func (n *Network) CutAtAnswer(nth int64) { n.answers.swallow.Store(nth) }

// Swallowed reports that a connection ended so, and has no other end so.
func (n *Network) Swallowed() bool { return n.answers.swallow.Swap(0) <= 0 }

// weather is a toxic of one direction.
type weather struct {
	age     atomic.Int64 // connections of an earlier age are lost
	dark    atomic.Bool  // and so are all others
	swallow atomic.Int64 // at which chunk from now on the connection ends
}

// NewState implements toxics.StatefulToxic: a connection knows when it began.
func (w *weather) NewState() any { return w.age.Load() }

// Pipe implements toxics.Toxic.
func (w *weather) Pipe(stub *toxics.ToxicStub) {
	for {
		var c *stream.StreamChunk
		select {
		case <-stub.Interrupt:
			return
		case c = <-stub.Input:
		}
		lost := w.dark.Load() || stub.State.(int64) < w.age.Load()
		switch {
		case lost && c == nil:
			return // the other side does not hear of the end
		case lost:
		case c == nil:
			stub.Close()
			return
		case w.swallow.Add(-1) == 0:
			stub.Close()
			for c != nil {
				c = <-stub.Input
			}
			return
		default:
			stub.Output <- c
		}
	}
}
