package truth_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object/folder"
	inpostgres "github.com/stellwerk-dev/stellwerk/internal/object/postgres"
	"github.com/stellwerk-dev/stellwerk/internal/object/s3"
	"github.com/stellwerk-dev/stellwerk/internal/object/s3/s3test"
	"github.com/stellwerk-dev/stellwerk/internal/pack"
	"github.com/stellwerk-dev/stellwerk/internal/pg"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
	"github.com/stellwerk-dev/stellwerk/internal/store/storetest"
	"github.com/stellwerk-dev/stellwerk/internal/truth"
)

func TestMain(m *testing.M) {
	code := m.Run()
	s3test.Stop()
	pgtest.Stop()
	os.Exit(code)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// place is a pair that a test can reach into.
type place struct {
	truth.Pair
	store.Store // the pair's
	t           *testing.T
	path        string // of the folder, or the database's address
}

// inFolder is a new pair on this machine.
func inFolder(t *testing.T) *place {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "stellwerk.db")
	sqlitetest.Plant(t, path)
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{Closed: true})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	objects, err := folder.Open(filepath.Join(dir, "blobs"))
	must(t, err)
	return &place{truth.Pair{Name: dir, Store: db, Objects: objects}, db, t, dir}
}

// onServer is a new pair in PostgreSQL.
func onServer(t *testing.T) *place {
	t.Helper()
	address := pgtest.Planted(t, "empty", func(ctx context.Context, address string) error {
		s, err := postgres.Open(ctx, address, postgres.Options{})
		if err != nil {
			return err
		}
		return s.Close()
	})
	db, err := postgres.Open(t.Context(), address, postgres.Options{Closed: true})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	pool, err := pg.Connect(t.Context(), address)
	must(t, err)
	t.Cleanup(pool.Close)
	return &place{truth.Pair{Name: address, Store: db, Objects: inpostgres.New(pool, t.TempDir())}, db, t, address}
}

// withBucket is a new pair whose objects are in a bucket.
func withBucket(t *testing.T) *place {
	t.Helper()
	p := onServer(t)
	pool, err := pg.Connect(t.Context(), p.path)
	must(t, err)
	t.Cleanup(pool.Close)
	endpoint, bucket := s3test.Bucket(t)
	p.Objects, err = s3.Open(t.Context(), pool, t.TempDir(), s3.Config{
		Bucket: bucket, Prefix: "team", Endpoint: endpoint, Region: s3test.Region, Credentials: credentials.NewStaticV4(s3test.Key, s3test.Secret, ""),
	})
	must(t, err)
	return p
}

// works reports whether an engine can open the store.
func (p *place) works() error {
	p.t.Helper()
	var s store.Store
	var err error
	if strings.HasPrefix(p.path, "postgres:") {
		s, err = postgres.Open(p.t.Context(), p.path, postgres.Options{})
	} else {
		s, err = sqlite.Open(p.t.Context(), filepath.Join(p.path, "stellwerk.db"), sqlite.Options{})
	}
	if err == nil {
		must(p.t, s.Close())
	}
	return err
}

func (p *place) put(content string) string {
	p.t.Helper()
	digest, _, err := p.Objects.Put(p.t.Context(), strings.NewReader(content), 0)
	must(p.t, err)
	return digest
}

func (p *place) content(digest string) string {
	p.t.Helper()
	r, err := p.Objects.Open(p.t.Context(), digest)
	must(p.t, err)
	data, err := io.ReadAll(r)
	must(p.t, err)
	must(p.t, r.Close())
	return string(data)
}

// named are the objects that a filled pair names, and one that nothing names.
type named struct {
	prompt, transcript, pack, artifact, parcel, late, unnamed string
}

func (n named) all() []string {
	return []string{n.prompt, n.transcript, n.pack, n.artifact, n.parcel, n.late, n.unnamed}
}

// fill brings a pair to a state that has everything.
func (p *place) fill() named {
	p.t.Helper()
	storetest.Fill(p.t, p.Store)
	n := named{
		prompt: p.put("prompt"), transcript: p.put(strings.Repeat("said\n", 500_000)), pack: p.put("pack"), artifact: p.put(""), parcel: p.put("parcel"),
		late: p.put("late"), unnamed: p.put("unnamed"),
	}
	p.say("run/objects", core.AttemptStarted{Attempt: "a", Prompt: n.prompt}, core.AttemptExited{Attempt: "a", Transcript: n.transcript, Delivery: &core.Delivery{
		Pack: n.pack, Artifacts: []core.Artifact{{Name: "x", Digest: n.artifact}},
	}})
	for _, d := range []store.Document{
		{Kind: "attempt-offer", Key: "objects/a", Data: fmt.Appendf(nil, `{"parcel":{"digest":%q,"size":6}}`, n.parcel)},
		{Kind: pack.Kind, Key: "p0/" + n.late, Data: []byte(`{"commits":[]}`)},
		{Kind: "token", Key: strings.Repeat("a", 64), Data: fmt.Appendf(nil, `{"digest":%q}`, strings.Repeat("b", 64))}, // of no object
	} {
		_, err := p.PutDocument(p.t.Context(), d)
		must(p.t, err)
	}
	return n
}

// say commits events to a stream of a run, with its row.
func (p *place) say(stream string, bodies ...core.Body) {
	p.t.Helper()
	ctx := p.t.Context()
	head, err := p.Head(ctx, stream)
	must(p.t, err)
	now, err := p.Now(ctx)
	must(p.t, err)
	c := store.Commit{Stream: stream, Of: "p0", After: head.Seq}
	for _, body := range bodies {
		var e core.Event
		e, head, err = core.Seal(stream, head, now, core.Person("ada"), "", body)
		must(p.t, err)
		c.Events = append(c.Events, e)
	}
	c.Run = &store.RunRow{ID: strings.TrimPrefix(stream, "run/"), Alias: "a", Project: "p0", Status: core.StatusActive, StartedAt: head.At, UpdatedAt: head.At}
	must(p.t, p.Commit(ctx, c))
}

// register commits the event and the row of a project.
func (p *place) register(id string) {
	p.t.Helper()
	now, err := p.Now(p.t.Context())
	must(p.t, err)
	e, _, err := core.Seal(core.ProjectStream(id), core.Head{}, now, core.Person("ada"), "", core.ProjectRegistered{})
	must(p.t, err)
	row := store.ProjectRow{ID: id, Status: core.StatusActive, CreatedAt: e.At, LastActivity: e.At}
	must(p.t, p.Commit(p.t.Context(), store.Commit{Stream: e.Stream, Of: id, Events: []core.Event{e}, Project: &row}))
}

// moves moves everything to another place.
func (p *place) moves(to *place) truth.Report {
	p.t.Helper()
	report, err := truth.Move(p.t.Context(), p.Pair, to.Pair, truth.Options{})
	must(p.t, err)
	return report
}

// sound checks a place and wants nothing to be wrong.
func (p *place) sound(objects int) {
	p.t.Helper()
	report, err := truth.Check(p.t.Context(), p.Pair, truth.Options{})
	if err != nil || len(report.Faults) > 0 || report.Objects != objects {
		p.t.Errorf("%s names %d objects, not %d, and has %+v, %v", p.Name, report.Objects, objects, report.Faults, err)
	}
}

func (p *place) holds(want []byte) {
	p.t.Helper()
	if got := storetest.Everything(p.t, p.Store); !bytes.Equal(want, got) {
		p.t.Errorf("%s has %d bytes, and not the %d that it should", p.Name, len(got), len(want))
	}
}
