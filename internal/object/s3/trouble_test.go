package s3

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/object/s3/s3test"
)

// twelve takes three parts.
var twelve = strings.Repeat("0123456789abcdef", 12<<16)

// way is a way to the server on which something may happen to a request.
type way func(*http.Request) (*http.Response, error)

func (w way) RoundTrip(r *http.Request) (*http.Response, error) {
	if answer, err := w(r); answer != nil || err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return answer, err
	}
	return http.DefaultTransport.RoundTrip(r)
}

func answer(r *http.Request, status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Etag": {`"made-up"`}}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

func slowDown(r *http.Request) *http.Response {
	return answer(r, http.StatusServiceUnavailable, "<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>")
}

func put(t *testing.T, o object.Objects, content string) string {
	t.Helper()
	digest, _, err := o.Put(t.Context(), strings.NewReader(content), 0)
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

// TestParts: what is large is sent in parts, each of which may be throttled, and leaves nothing else in the bucket.
func TestParts(t *testing.T) {
	g := newGround(t)
	var throttled, parts atomic.Int32
	o := g.open(way(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPut && r.URL.Query().Has("partNumber") {
			parts.Add(1)
		}
		if throttled.Add(1)%3 == 0 {
			return slowDown(r), nil
		}
		return nil, nil
	}))
	digest := put(t, o, twelve)
	if err := o.Verify(t.Context(), digest); err != nil {
		t.Error(err)
	}
	if keys := g.keys(); parts.Load() < 3 || len(keys) != 1 || keys[0] != g.key(digest) || len(g.incomplete()) != 0 {
		t.Errorf("%d parts were sent, and the bucket has %v and %v incomplete", parts.Load(), keys, g.incomplete())
	}
}

// TestThrottledForLong: it says so in the end, and nothing has a name.
func TestThrottledForLong(t *testing.T) {
	g := newGround(t)
	g.Attempts = 2
	var on atomic.Bool
	o := g.open(way(func(r *http.Request) (*http.Response, error) {
		if on.Load() {
			return slowDown(r), nil
		}
		return nil, nil
	}))
	on.Store(true)
	_, _, err := o.Put(t.Context(), strings.NewReader("hello"), 0)
	if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "asks for fewer requests") || !errors.Is(err, core.ErrAway) {
		t.Errorf("it says %v", err)
	}
	on.Store(false)
	if err := o.Verify(t.Context(), put(t, o, "hello")); err != nil {
		t.Error(err)
	}
}

// TestForgotten: a write that was acknowledged and not done is not named; one that is lost later is said and repaired.
func TestForgotten(t *testing.T) {
	g := newGround(t)
	var forgets atomic.Bool
	o := g.open(way(func(r *http.Request) (*http.Response, error) {
		if forgets.Load() && r.Method == http.MethodPut {
			return answer(r, http.StatusOK, ""), nil
		}
		return nil, nil
	}))
	forgets.Store(true)
	_, _, err := o.Put(t.Context(), strings.NewReader("hello"), 0)
	if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "does not have what it acknowledged") || errors.Is(err, core.ErrAway) {
		t.Errorf("it says %v", err)
	}
	forgets.Store(false)
	digest := put(t, o, "hello")
	if err := g.client.RemoveObject(t.Context(), g.Bucket, g.key(digest), minio.RemoveObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := o.Verify(t.Context(), digest); core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "are missing in s3://"+g.Bucket) {
		t.Errorf("it says %v", err)
	}
	put(t, o, "hello")
	if err := o.Verify(t.Context(), digest); err != nil {
		t.Errorf("put again: %v", err)
	}
}

// breaking ends an answer early.
type breaking struct {
	io.ReadCloser
	left int
}

func (b *breaking) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// TestCutReads: a reader asks for the rest of an answer that broke off; if nothing comes any more, it says so.
func TestCutReads(t *testing.T) {
	g := newGround(t)
	var after atomic.Int64
	after.Store(3 << 20)
	o := g.open(way(func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodGet {
			return nil, nil
		}
		res, err := http.DefaultTransport.RoundTrip(r)
		if err == nil && res.StatusCode < 300 {
			res.Body = &breaking{res.Body, int(after.Load())}
		}
		return res, err
	}))
	digest := put(t, o, twelve)
	if err := o.Verify(t.Context(), digest); err != nil {
		t.Errorf("broken off every three mebibytes: %v", err)
	}
	after.Store(0)
	if err := o.Verify(t.Context(), digest); core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("it says %v", err)
	}
}

// TestLostEnd: the answer to the last request of an upload in parts is lost, which the client sends again. The server knows the upload no
// more, and has the object; if it does not, that is said.
func TestLostEnd(t *testing.T) {
	for name, has := range map[string]bool{"done": true, "forgotten": false} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			var lost atomic.Bool
			o := g.open(way(func(r *http.Request) (*http.Response, error) {
				if r.Method != http.MethodPost || !r.URL.Query().Has("uploadId") {
					return nil, nil
				}
				if !lost.CompareAndSwap(false, true) { // some servers remember what they have done, and most do not
					return answer(r, http.StatusNotFound, "<Error><Code>NoSuchUpload</Code><Message>The upload does not exist.</Message></Error>"), nil
				}
				if !has { // the upload is gone, and no object is there
					key := strings.TrimPrefix(r.URL.Path, "/"+g.Bucket+"/")
					return nil, errors.Join(errors.New("the answer is lost"), minio.Core{Client: g.client}.AbortMultipartUpload(r.Context(), g.Bucket, key, r.URL.Query().Get("uploadId")))
				}
				res, err := http.DefaultTransport.RoundTrip(r)
				if err != nil {
					return nil, err
				}
				_, err = io.Copy(io.Discard, res.Body)
				return nil, errors.Join(errors.New("the answer is lost"), err, res.Body.Close())
			}))
			digest, _, err := o.Put(t.Context(), strings.NewReader(twelve), 0)
			if !lost.Load() || (err == nil) != has || !has && core.CodeOf(err) != core.CodeUnavailable {
				t.Fatalf("an answer was lost: %t; it says %v", lost.Load(), err)
			}
			if has {
				err = o.Verify(t.Context(), digest)
			}
			if has && err != nil || len(g.incomplete()) != 0 || len(g.keys()) != map[bool]int{true: 1}[has] {
				t.Errorf("%v; the bucket has %v and %v incomplete", err, g.keys(), g.incomplete())
			}
		})
	}
}

// TestBrokenUpload: the engine loses the server in the middle of an upload in parts. The parts stay until they are swept, and the object
// gets no name.
func TestBrokenUpload(t *testing.T) {
	g := newGround(t)
	g.Attempts = 1
	var cut atomic.Bool
	o := g.open(way(func(r *http.Request) (*http.Response, error) {
		if cut.Load() || r.URL.Query().Get("partNumber") == "3" {
			cut.Store(true)
			return nil, errors.New("the cable is cut")
		}
		return nil, nil
	}))
	digest, _, err := o.Put(t.Context(), strings.NewReader(twelve), 0)
	if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("it says %s, %v", digest, err)
	}
	if len(g.incomplete()) != 1 || len(g.keys()) != 0 {
		t.Errorf("the test proves nothing: there are %v incomplete and %v", g.incomplete(), g.keys())
	}
	sound := g.open(nil)
	stays := put(t, sound, "stays")
	later := func() {
		g.exec("UPDATE object_uploads SET at = at - $1::interval, swept = swept - $1::interval", object.Young+time.Minute)
	}
	for range 2 {
		if err := sound.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		later()
	}
	if len(g.incomplete()) != 0 || len(g.keys()) != 1 {
		t.Errorf("after sweeping there are %v incomplete and %v", g.incomplete(), g.keys())
	}
	if err := sound.Verify(t.Context(), stays); err != nil {
		t.Error(err)
	}
}

// TestDiscardedIsSwept: the bytes of what was discarded go a day later.
func TestDiscardedIsSwept(t *testing.T) {
	g := newGround(t)
	o := g.open(nil)
	digest := put(t, o, "hello")
	g.exec("UPDATE objects SET touched = touched - $1::interval", 2*object.Young)
	if gone, err := o.Discard(t.Context(), digest, time.Now()); err != nil || !gone {
		t.Fatal(gone, err)
	}
	for _, want := range []int{1, 0} {
		if err := o.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if keys := g.keys(); len(keys) != want {
			t.Errorf("the bucket has %v, want %d", keys, want)
		}
		g.exec("UPDATE object_uploads SET at = at - $1::interval", 2*object.Young)
	}
}

// TestPlaces: objects of another prefix in the same database are not here.
func TestPlaces(t *testing.T) {
	g := newGround(t)
	digest := put(t, g.open(nil), "hello")
	g.Prefix = "another"
	other := g.open(nil)
	if err := other.Verify(t.Context(), digest); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("it says %v", err)
	}
	err := other.Each(t.Context(), func(e object.Entry) error { t.Errorf("there is %+v", e); return nil })
	if there, touched := other.Touch(t.Context(), digest); err != nil || touched != nil || there {
		t.Errorf("touched: %t, %v, %v", there, err, touched)
	}
}

// TestGone: while the server is gone, everything says so, and what is kept is there when it is back.
func TestGone(t *testing.T) {
	g := newGround(t)
	g.Attempts = 1
	var gone atomic.Bool
	o := g.open(way(func(*http.Request) (*http.Response, error) {
		if gone.Load() {
			return nil, errors.New("connection refused")
		}
		return nil, nil
	}))
	digest := put(t, o, "hello")
	gone.Store(true)
	_, _, err := o.Put(t.Context(), strings.NewReader("other"), 0)
	for what, err := range map[string]error{"put": err, "verify": o.Verify(t.Context(), digest)} {
		if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "does not answer") || core.AdviceOf(err).Hint == "" || !errors.Is(err, core.ErrAway) {
			t.Errorf("%s says %v", what, err)
		}
	}
	gone.Store(false)
	if err := o.Verify(t.Context(), digest); err != nil {
		t.Error(err)
	}
}

// TestOpenRefuses: what is wrong with an address or with credentials is said when the objects are opened, and no secret is told.
func TestOpenRefuses(t *testing.T) {
	g := newGround(t)
	const wrong = "not-the-secret"
	for says, change := range map[string]func(*Config){
		"refuses the credentials":                                      func(c *Config) { c.Credentials = credentials.NewStaticV4(s3test.Key, wrong, "") },
		"s3://nowhere/team/objects is in a bucket that does not exist": func(c *Config) { c.Bucket = "nowhere" },
		"there are no credentials for":                                 func(c *Config) { c.Credentials = credentials.NewStaticV4("", "", "") },
		"address of the S3 server cannot be read":                      func(c *Config) { c.Endpoint = "localhost" },
		"server cannot be read":                                        func(c *Config) { c.Endpoint = "http://me:" + wrong + "@localhost" },
		"is more than the address of an S3 server":                     func(c *Config) { c.Endpoint += "/base" },
		"?x=y is more than":                                            func(c *Config) { c.Endpoint += "/?x=y" },
		"does not answer":                                              func(c *Config) { c.Endpoint, c.Attempts = "http://127.0.0.1:1", 1 },
	} {
		c := g.Config
		change(&c)
		o, err := Open(t.Context(), g.pool, "", c)
		if o != nil || err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), wrong) || core.AdviceOf(err).Hint == "" {
			t.Errorf("want %q, it says %v", says, err)
		}
		if errors.Is(err, core.ErrAway) != (says == "does not answer") {
			t.Errorf("%q: it is away: %t", says, errors.Is(err, core.ErrAway))
		}
	}
	if keys := g.keys(); len(keys) != 0 {
		t.Errorf("the bucket has %v", keys)
	}
	g.Endpoint += "/"
	g.open(nil)
}

func TestRead(t *testing.T) {
	env := map[string]string{"AWS_ENDPOINT_URL": "https://s3.example.org", "AWS_DEFAULT_REGION": "eu-central-1"}
	c, err := Read("s3://bucket/team/../objects/", func(name string) string { return env[name] })
	if err != nil || c.Bucket != "bucket" || c.Prefix != "objects" || c.Endpoint != "https://s3.example.org" || c.Region != "eu-central-1" {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = Read("s3://bucket", func(string) string { return "" })
	if err != nil || c.Prefix != "" || c.Endpoint != "https://s3.amazonaws.com" || c.Region != "us-east-1" {
		t.Errorf("%+v, %v", c, err)
	}
	for _, bad := range []string{"", "bucket", "s3:bucket", "https://bucket/prefix", "s3://key:secret@bucket/prefix", "s3://bucket?key=secret"} {
		if _, err := Read(bad, func(string) string { return "" }); core.CodeOf(err) != core.CodeInvalid || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
