package s3

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/stellwerk-dev/stellwerk/internal/object"
)

// lists are what a server that is late answers to whoever asks what it has: what it once had.
type lists struct {
	mu    sync.Mutex
	late  bool
	was   map[string][]byte // by address
	shown int               // how often they were late
}

func (l *lists) RoundTrip(r *http.Request) (*http.Response, error) {
	q := r.URL.Query()
	if r.Method != http.MethodGet || !q.Has("uploads") && !q.Has("list-type") {
		return http.DefaultTransport.RoundTrip(r)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if was, ok := l.was[r.URL.String()]; ok && l.late {
		l.shown++
		return answer(r, http.StatusOK, string(was)), nil
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return nil, err
	}
	l.was[r.URL.String()], res.Body = body, io.NopCloser(bytes.NewReader(body))
	return res, nil
}

func (l *lists) be(late bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.late = late
}

// TestLateLists: the server does not list what it was just given, and lists what it has removed. Objects that are named stay, the others
// go with all that is left of them, and nothing fails.
func TestLateLists(t *testing.T) {
	g := newGround(t)
	l := &lists{was: map[string][]byte{}}
	o := g.open(l)
	named, orphan, other := put(t, o, "named"), put(t, o, "orphan"), put(t, o, "another orphan")
	g.exec("UPDATE objects SET touched = touched - $1::interval", 2*object.Young)
	g.list(l, orphan, other)
	unheard := g.begin(orphan)
	gone, left := g.begin(other), g.begin(other)
	g.list(l, other)
	g.abort(other, gone)
	l.be(true)
	for _, digest := range []string{orphan, other} {
		if gone, err := o.Discard(t.Context(), digest, time.Now()); err != nil || !gone {
			t.Fatal(gone, err)
		}
	}
	want := []string{named, put(t, o, "later")}
	sweep := func() {
		t.Helper()
		g.exec("UPDATE object_uploads SET at = at - $1::interval, swept = swept - $1::interval", 2*object.Young)
		if err := o.Sweep(t.Context()); err != nil {
			t.Errorf("swept: %v", err)
		}
	}
	sweep()
	if got := g.incomplete(); !slices.Equal(got, []string{unheard}) {
		t.Errorf("%s is not listed and %s is, after one that is gone; incomplete are %v", unheard, left, got)
	}
	var listed []string
	if err := o.Each(t.Context(), func(e object.Entry) error { listed = append(listed, e.Digest); return nil }); err != nil {
		t.Fatal(err)
	}
	if slices.Sort(want); !slices.Equal(listed, want) || len(g.keys()) != len(want) {
		t.Errorf("there are %v and the keys %v, want %v", listed, g.keys(), want)
	}
	for _, digest := range want {
		if err := o.Verify(t.Context(), digest); err != nil {
			t.Error(err)
		}
	}
	if l.shown < 2 {
		t.Error("the test proves nothing: no list was late")
	}
	l.be(false)
	sweep()
	if got := g.incomplete(); len(got) > 0 {
		t.Errorf("a day later, incomplete are %v", got)
	}
}

// list has the lists of uploads in parts asked for that removing objects asks for.
func (g *ground) list(l *lists, digests ...string) {
	g.t.Helper()
	c := g.Config
	c.Transport = l
	b, err := connect(c)
	if err != nil {
		g.t.Fatal(err)
	}
	for _, digest := range digests {
		for u := range b.client.ListIncompleteUploads(g.t.Context(), g.Bucket, g.key(digest), true) {
			if u.Err != nil {
				g.t.Fatal(u.Err)
			}
		}
	}
}

// begin begins an upload in parts under the key of an object.
func (g *ground) begin(digest string) (id string) {
	g.t.Helper()
	id, err := minio.Core{Client: g.client}.NewMultipartUpload(g.t.Context(), g.Bucket, g.key(digest), minio.PutObjectOptions{})
	if err != nil {
		g.t.Fatal(err)
	}
	return id
}

func (g *ground) abort(digest, id string) {
	g.t.Helper()
	if err := (minio.Core{Client: g.client}).AbortMultipartUpload(g.t.Context(), g.Bucket, g.key(digest), id); err != nil {
		g.t.Fatal(err)
	}
}
