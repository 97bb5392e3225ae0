package s3

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// through leads to the server through a network of its own, on which so much silence is too much. That is more than a server on a
// busy machine needs for an answer.
func (g *ground) through(silence time.Duration) *pgtest.Network {
	g.t.Helper()
	network, endpoint := pgtest.Through(g.t, g.Endpoint)
	g.Endpoint, g.Silence = endpoint, silence
	return network
}

// within fails if what is done takes for ever.
func within(t *testing.T, do func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-waittest.Over():
		t.Fatal("it hangs")
		return nil
	}
}

func begun(t *testing.T, o object.Objects, digest string) io.ReadSeekCloser {
	t.Helper()
	r, err := o.Open(t.Context(), digest)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	if _, err := io.ReadFull(r, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestHalfOpen: connections are open, and nothing passes. Whoever reads or writes hears of it, and goes on when there is a way again.
func TestHalfOpen(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	digest := put(t, g.open(nil), twelve)
	network := g.through(5 * time.Second)
	o := g.open(nil)
	r := begun(t, o, digest)
	network.Lose()
	n := int64(0) // of what was on its way
	inTheDark := t.Run("in the dark", func(t *testing.T) {
		for what, do := range map[string]func(*testing.T) error{
			"read on": func(*testing.T) (err error) { n, err = io.Copy(io.Discard, r); return err },
			"verify":  func(t *testing.T) error { return o.Verify(t.Context(), digest) },
			"put":     func(t *testing.T) error { _, _, err := o.Put(t.Context(), strings.NewReader("other"), 0); return err },
			"put in parts": func(t *testing.T) error {
				_, _, err := o.Put(t.Context(), strings.NewReader(strings.ToUpper(twelve)), 0)
				return err
			},
		} {
			t.Run(what, func(t *testing.T) {
				t.Parallel()
				err := within(t, func() error { return do(t) })
				if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "does not answer") || !errors.Is(err, core.ErrAway) {
					t.Errorf("it says %v", err)
				}
			})
		}
	})
	network.Find()
	if !inTheDark {
		return
	}
	if rest, err := io.Copy(io.Discard, r); err != nil || n+rest != int64(len(twelve))-1<<20 {
		t.Errorf("it reads on, %d and %d bytes, %v", n, rest, err)
	}
	if err := o.Verify(t.Context(), put(t, o, "other")); err != nil {
		t.Error(err)
	}
}

// TestLostConnection is given up, and another takes its place: nobody hears of it.
func TestLostConnection(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(t *testing.T, o object.Objects, digest string, begun io.Reader) error{
		"read on": func(t *testing.T, _ object.Objects, _ string, begun io.Reader) error {
			n, err := io.Copy(io.Discard, begun)
			if err == nil && n != int64(len(twelve))-1<<20 {
				t.Errorf("it reads on, %d bytes", n)
			}
			return err
		},
		"verify": func(t *testing.T, o object.Objects, digest string, _ io.Reader) error {
			return o.Verify(t.Context(), digest)
		},
		"put": func(t *testing.T, o object.Objects, _ string, _ io.Reader) error {
			_, _, err := o.Put(t.Context(), strings.NewReader("other"), 0)
			return err
		},
		"put in parts": func(t *testing.T, o object.Objects, _ string, _ io.Reader) error {
			_, _, err := o.Put(t.Context(), strings.NewReader(twelve+"more"), 0)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t)
			digest := put(t, g.open(nil), twelve)
			network := g.through(10 * time.Second)
			var asked atomic.Int64
			o := g.open(way(func(*http.Request) (*http.Response, error) {
				if asked.Add(1) == 2 {
					network.Find()
				}
				return nil, nil
			}))
			r := begun(t, o, digest)
			network.Lose()
			asked.Store(0)
			if name == "read on" {
				network.Find() // its connection is lost for good, and its first request is the second
			}
			began := time.Now()
			if err := within(t, func() error { return do(t, o, digest, r) }); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took < g.Silence {
				t.Errorf("the test proves nothing: it took %s", took)
			}
		})
	}
}

// TestSlow: what moves is waited for, though the whole takes far longer than the server may be silent, and so does the caller.
func TestSlow(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	digest := put(t, g.open(nil), twelve)
	network := g.through(5 * time.Second)
	o := g.open(nil)
	network.Slow(t, "50", "800")
	began := time.Now()
	r := begun(t, o, digest)
	paused := time.Now()
	if !waittest.Until(func() bool { return time.Since(paused) > g.Silence*3/2 }) {
		t.Fatal("time stands still")
	}
	if n, err := io.Copy(io.Discard, r); err != nil || n != int64(len(twelve))-1<<20 {
		t.Errorf("it reads on, %d bytes, %v", n, err)
	}
	if took := time.Since(began); took < 3*g.Silence {
		t.Errorf("the test proves nothing: it took %s", took)
	}
}

// TestCredentialsThatDoNotCome: who gives them out is connected, and says nothing.
func TestCredentialsThatDoNotCome(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://"+silent.Addr().String()+"/role")
	t.Setenv("NO_PROXY", "127.0.0.1")
	c := Config{Bucket: "b", Endpoint: "http://127.0.0.1:1", Region: "here", Credentials: credentials.NewChainCredentials([]credentials.Provider{machine(100 * time.Millisecond)})}
	err = within(t, func() error { _, err := connect(c); return err })
	if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "there are no credentials") {
		t.Errorf("it says %v", err)
	}
}
