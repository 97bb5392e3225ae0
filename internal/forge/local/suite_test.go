package local_test

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/forgetest"
	"github.com/stellwerk-dev/stellwerk/internal/forge/local"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

func TestLocal(t *testing.T) {
	forgetest.Run(t, func(t *testing.T) forgetest.Setup {
		db := sqlitetest.New(t)
		f := local.New(db, t.TempDir())
		return forgetest.Setup{Forge: f, Other: &people{forge: f, docs: db}, Project: "p", Remote: "/repo"}
	})
}

// people write into the forge's documents: no program does.
type people struct {
	forge *local.Forge
	docs  store.Documents
	named map[string]forge.CI
	link  string
}

func (*people) Push(testing.TB, string) string {
	id := make([]byte, 20)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

func (p *people) Count(t testing.TB) int {
	all, err := p.docs.Documents(t.Context(), "pull", "p/", "", 0)
	must(t, err)
	return len(all)
}

func (p *people) Text(t testing.TB, number int) (title, body string) {
	seen, err := p.forge.Look(t.Context(), forge.Ref{Project: "p", Number: number})
	must(t, err)
	at, err := url.Parse(seen.URL)
	must(t, err)
	page, err := os.ReadFile(at.Path)
	must(t, err)
	if filepath.Base(at.Path) != strconv.Itoa(number)+".md" {
		t.Errorf("number %d is at %s", number, at.Path)
	}
	text := strings.TrimPrefix(string(page), "# ")
	title, text, _ = strings.Cut(text, "\n\n")
	_, text, _ = strings.Cut(text, "\n\n")
	body, _, _ = strings.Cut(text, "\n## Changes")
	return title, body
}

func (p *people) Merge(t testing.TB, number int) string {
	commit := p.Push(t, "")
	must(t, p.forge.Settle(t.Context(), "p", number, forge.Merged, commit))
	return commit
}

func (p *people) Close(t testing.TB, number int) {
	must(t, p.forge.Settle(t.Context(), "p", number, forge.Closed, ""))
}

func (p *people) Review(t testing.TB, number int, kind forge.NoteKind, body string, lines ...forge.Note) {
	p.write(t, number, forge.Note{Kind: kind, Body: body})
	for _, n := range lines {
		n.Kind = forge.NoteLine
		p.write(t, number, n)
	}
}

func (p *people) Comment(t testing.TB, number int, body string) {
	p.write(t, number, forge.Note{Kind: forge.NoteComment, Body: body})
}

func (p *people) write(t testing.TB, number int, n forge.Note) {
	t.Helper()
	series := map[forge.NoteKind]string{forge.NoteLine: forge.SeriesLine, forge.NoteComment: forge.SeriesComment}[n.Kind]
	p.change(t, number, func(r *local.Record) {
		n.ID, n.Author, n.Member, n.At = forge.NoteID(cmp.Or(series, forge.SeriesReview), int64(len(r.Notes)+1)), "rosa", true, time.Now().UTC()
		r.Notes = append(r.Notes, n)
	})
}

func (p *people) change(t testing.TB, number int, change func(*local.Record)) {
	t.Helper()
	must(t, document.Change(t.Context(), p.docs, "pull", fmt.Sprintf("p/%08d", number), func(r *local.Record) error {
		change(r)
		return nil
	}))
}

func (p *people) Check(t testing.TB, number int, name string, ci forge.CI, link string) {
	if p.named == nil {
		p.named = map[string]forge.CI{}
	}
	p.named[name] = ci
	if link != "" {
		p.link = link
	}
	var all []forge.CI
	for _, c := range p.named {
		all = append(all, c)
	}
	p.change(t, number, func(r *local.Record) { r.CI, r.Preview = forge.Combine(all), p.link })
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
