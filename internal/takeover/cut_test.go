package takeover_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

const (
	secret  = "stw_0000000000000000000000000000000000000000000000000000000000000000"
	revoked = "stw_1111111111111111111111111111111111111111111111111111111111111111"
	cookie  = "cookie"
	code    = "0000-0000-0000-0000"
)

// filled is a file with the digests of those secrets.
func filled(text string) string {
	of := func(secret string) string {
		sum := sha256.Sum256([]byte(secret))
		return hex.EncodeToString(sum[:])
	}
	return strings.NewReplacer("%TOKEN%", of(secret), "%REVOKED%", of(revoked), "%COOKIE%", of(cookie), "%CODE%", of("0000000000000000")).Replace(text)
}

// dying is a store whose engine is killed before or after it puts documents.
type dying struct {
	documents
	after bool
}

type documents = store.Documents

var errKilled = errors.New("killed")

func (d dying) PutDocuments(ctx context.Context, all []store.Document) ([]store.Document, error) {
	if !d.after {
		return nil, errKilled
	}
	if _, err := d.documents.PutDocuments(ctx, all); err != nil {
		return nil, err
	}
	return nil, errKilled
}

// TestATakeoverThatWasCutShortIsFinished: by the next engine, and what people did in
// between is not undone.
func TestATakeoverThatWasCutShortIsFinished(t *testing.T) {
	now := func() time.Time { return time.Date(2026, 5, 1, 0, 5, 0, 0, time.UTC) }
	for name, after := range map[string]bool{"before": false, "after": true} {
		f := newFolder(t)
		f.write("access.json", filled(people))
		if err := f.run(dying{f.db, after}); !errors.Is(err, errKilled) {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(f.dir, "access.json")); err != nil {
			t.Fatalf("%s: the file is gone, and nobody knows whether it was taken over: %v", name, err)
		}
		a := access.Open(f.db, "root", now)
		if after {
			_, err := a.Revoke(t.Context(), "ada", "root")
			must(t, err)
		}
		must(t, f.run(f.db))
		f.wantAside("access.json")
		if _, ok, err := a.Token(t.Context(), secret); err != nil || ok == after {
			t.Errorf("%s: the token is taken: %v, %v", name, ok, err)
		}
		must(t, f.run(f.db))
	}
}
