package cockpit

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// artifactBody is a document that an attempt handed in.
type artifactBody struct {
	core.Artifact
	rendered
	Run string
}

// Href is the page that shows it, Download the address of the file.
func (a artifactBody) Href() string     { return address(a.path()+"/view", "name", a.Name) }
func (a artifactBody) Download() string { return address(a.path(), "name", a.Name) }
func (a artifactBody) path() string     { return runPath(a.Run) + "/documents/" + url.PathEscape(a.Digest) }

// render reads as much of a document as a page shows, and renders it.
func (c *cockpit) render(ctx context.Context, run string, a *artifactBody, most int) error {
	text := capped{most: most}
	err := c.svc.Document(ctx, run, a.Digest, &text)
	if core.CodeOf(err) == core.CodeNotFound {
		return nil // it was removed; the page says what there was
	}
	a.rendered = text.render(a.Name)
	return err
}

// document is a page of a document alone.
func (c *cockpit) document(r *http.Request, d api.RunDetail) (page, error) {
	name := r.URL.Query().Get("name")
	text := capped{most: maxShown}
	if err := c.svc.Document(r.Context(), d.ID, r.PathValue("digest"), &text); err != nil {
		return page{}, err
	}
	doc := artifactBody{Artifact: core.Artifact{Name: name, Digest: r.PathValue("digest")}, Run: d.Alias, rendered: text.render(name)}
	if name == "" {
		name = "Document " + wording.Short(doc.Digest)
	}
	return page{Name: "document", Title: name, Body: doc, Still: true}, nil
}

// download sends a whole document, to be kept and never shown by the browser.
func (c *cockpit) download(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("name")
	c.attach(w, r, anyContent, fileName(name, wording.Short(r.PathValue("digest"))), func(w io.Writer) error {
		return c.svc.Document(r.Context(), r.PathValue("run"), r.PathValue("digest"), w)
	})
}

// downloadPrompt sends the whole of what an attempt was told.
func (c *cockpit) downloadPrompt(w http.ResponseWriter, r *http.Request) {
	c.attach(w, r, anyContent, fileName(r.PathValue("attempt")+".prompt.md", "prompt.md"), func(w io.Writer) error {
		return c.svc.Prompt(r.Context(), r.PathValue("run"), r.PathValue("attempt"), w)
	})
}

// anyContent is a type that browsers save, and show in no case.
const anyContent = "application/octet-stream"

// attach streams a download. If it fails before the first byte, a page says why.
func (c *cockpit) attach(w http.ResponseWriter, r *http.Request, kind, name string, write func(io.Writer) error) {
	err := api.ServeDocument(w, http.Header{
		"Content-Type":           {kind},
		"Content-Disposition":    {mime.FormatMediaType("attachment", map[string]string{"filename": name})},
		"X-Content-Type-Options": {"nosniff"},
		"Cache-Control":          {"no-store"},
	}, write)
	if err != nil {
		c.show(w, r, problemPage(err))
	}
}

// fileName is the last part of a name, of characters that are safe in the name of a
// file everywhere.
func fileName(name, otherwise string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune("._-", r) || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '-'
	}, name[strings.LastIndexAny(name, `/\`)+1:])
	name = strings.Trim(name[max(0, len(name)-80):], ".-")
	if name == "" {
		return otherwise
	}
	return name
}

// capped keeps the beginning of what is written to it. Write is the only way in, so
// that nothing passes the bound.
type capped struct {
	text bytes.Buffer
	most int
	cut  bool
}

func (c *capped) Write(p []byte) (int, error) {
	keep := min(len(p), max(0, c.most-c.text.Len()))
	c.cut = c.cut || keep < len(p)
	_, err := c.text.Write(p[:keep])
	return len(p), err
}
