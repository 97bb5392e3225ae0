package s3

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/object/indexed"
	"github.com/stellwerk-dev/stellwerk/internal/object/objecttest"
	"github.com/stellwerk-dev/stellwerk/internal/object/s3/s3test"
	"github.com/stellwerk-dev/stellwerk/internal/pg"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	store "github.com/stellwerk-dev/stellwerk/internal/store/postgres"
)

func TestMain(m *testing.M) {
	code := m.Run()
	s3test.Stop()
	pgtest.Stop()
	os.Exit(code)
}

// ground is a bucket, and the database of its index.
type ground struct {
	Config
	t       *testing.T
	address string
	pool    *pgxpool.Pool
	client  *minio.Client
}

func newGround(t *testing.T) *ground {
	endpoint, name := s3test.Bucket(t)
	g := &ground{t: t, client: s3test.Client(t, s3test.Key, s3test.Secret)}
	g.Config = Config{Bucket: name, Prefix: "team/objects", Endpoint: endpoint, Region: s3test.Region, Credentials: credentials.NewStaticV4(s3test.Key, s3test.Secret, ""), Part: 5 << 20}
	g.address = pgtest.Planted(t, "empty", func(ctx context.Context, address string) error {
		s, err := store.Open(ctx, address, store.Options{})
		if err != nil {
			return err
		}
		return s.Close()
	})
	g.pool = g.connect()
	return g
}

func (g *ground) connect() *pgxpool.Pool {
	g.t.Helper()
	pool, err := pg.Connect(g.t.Context(), g.address)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(pool.Close)
	return pool
}

// open opens the objects with a way to the server that may be bad.
func (g *ground) open(way http.RoundTripper) *indexed.Objects {
	g.t.Helper()
	c := g.Config
	c.Transport = way
	o, err := Open(g.t.Context(), g.pool, g.t.TempDir(), c)
	if err != nil {
		g.t.Fatal(err)
	}
	return o
}

func (g *ground) exec(statement string, args ...any) {
	g.t.Helper()
	if _, err := g.pool.Exec(g.t.Context(), statement, args...); err != nil {
		g.t.Fatalf("%s: %v", statement, err)
	}
}

// key is where the bytes of an object are.
func (g *ground) key(digest string) string {
	g.t.Helper()
	var upload string
	if err := g.pool.QueryRow(g.t.Context(), "SELECT upload FROM objects WHERE digest = $1", digest).Scan(&upload); err != nil {
		g.t.Fatal(err)
	}
	return g.Prefix + "/" + digest + "/" + upload
}

// keys is what is in the bucket.
func (g *ground) keys() (all []string) {
	g.t.Helper()
	for o := range g.client.ListObjects(g.t.Context(), g.Bucket, minio.ListObjectsOptions{Recursive: true}) {
		if o.Err != nil {
			g.t.Fatal(o.Err)
		}
		all = append(all, o.Key)
	}
	return all
}

// incomplete are the uploads in parts that are not complete.
func (g *ground) incomplete() (ids []string) {
	g.t.Helper()
	for u := range g.client.ListIncompleteUploads(g.t.Context(), g.Bucket, "", true) {
		if u.Err != nil {
			g.t.Fatal(u.Err)
		}
		ids = append(ids, u.UploadID)
	}
	return ids
}

func TestConformance(t *testing.T) { objecttest.Run(t, form) }

// TestLarge is sent in parts of the usual size.
func TestLarge(t *testing.T) {
	objecttest.Large(t, func(t *testing.T) objecttest.Form {
		g := newGround(t)
		g.Part = 0
		return objecttest.Form{Open: func(*testing.T) object.Objects { return g.open(nil) }}
	})
}

func form(t *testing.T) objecttest.Form {
	g := newGround(t)
	return objecttest.Form{
		Open: func(*testing.T) object.Objects { return g.open(nil) },
		Age: func(_ *testing.T, digest string, by time.Duration) {
			g.exec("UPDATE objects SET touched = touched - $2::interval WHERE digest = $1", digest, by)
		},
		Damage: func(t *testing.T, digest string) {
			_, err := g.client.PutObject(t.Context(), g.Bucket, g.key(digest), bytes.NewReader([]byte("hellp")), 5, minio.PutObjectOptions{})
			if err != nil {
				t.Fatal(err)
			}
		},
	}
}
