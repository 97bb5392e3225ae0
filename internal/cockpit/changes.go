package cockpit

import (
	"cmp"
	"html/template"
	"io"
	"net/http"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/patch"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// How a difference is laid out.
const (
	viewUnified = "unified"
	viewSplit   = "split"
)

// usualPainting is how long a page spends on highlighting at most.
const usualPainting = 400 * time.Millisecond

// maxLive is the largest difference that is read again whenever the run moves on.
const maxLive = 4 << 20

// changesBody is what a run has changed, and what a person can say to it.
type changesBody struct {
	api.RunDetail
	View   string
	Chosen string // stage whose changes are shown; all if empty
	Patch  patch.Patch
	Files  []fileView
	Bytes  int64 // of all lines
	Only   string
	Review reviewForm
	Merge  *api.Mergeable
	Here   string // address of the page, without an open comment
}

func (c *cockpit) changes(r *http.Request, d api.RunDetail) (page, error) {
	q := r.URL.Query()
	body := changesBody{RunDetail: d, View: viewUnified, Chosen: q.Get("stage"), Only: q.Get("file")}
	if q.Get("view") == viewSplit {
		body.View = viewSplit
	}
	body.Here = changesPath(d.Alias, body.View, body.Chosen, body.Only)
	if d.Status == core.StatusReview || d.MergesHere {
		m, err := c.svc.Mergeable(r.Context(), d.ID)
		switch {
		case err == nil:
			body.Merge = &m
		case core.CodeOf(err) != core.CodeConflict: // merged since the run was read: there is nothing to merge any more
			return page{}, err
		}
	}
	var err error
	if body.Patch, err = c.readPatch(r, d, body.Chosen, body.Only); err != nil {
		return page{}, err
	}
	if body.Chosen == "" {
		if body.Review, err = c.reviewOf(r, d); err != nil {
			return page{}, err
		}
	}
	c.layOut(&body, q.Get("comment"))
	return page{Name: "changes", Title: "Changes", Body: body, Still: body.Bytes > maxLive || body.Patch.Full}, nil
}

// readPatch reads what a run has changed, as much of it as a page can show. The
// subject of a decision was read before it: if the changes move on meanwhile, the
// decision is refused.
func (c *cockpit) readPatch(r *http.Request, d api.RunDetail, stage, only string) (patch.Patch, error) {
	bounds := patch.Usual()
	bounds.Whole = only
	reader := patch.NewReader(bounds)
	err := c.svc.Diff(r.Context(), d.ID, api.DiffQuery{Stage: stage}, reader)
	read := reader.Patch()
	if err != nil && !read.Full {
		return patch.Patch{}, err
	}
	return read, nil
}

// layOut makes the files of a difference what the page shows of them.
func (c *cockpit) layOut(b *changesBody, comment string) {
	until := time.Now().Add(cmp.Or(c.opts.Painting, usualPainting))
	l := layout{view: b.View, here: b.Here, comment: comment, review: &b.Review, paint: func(name string, lines []string) []template.HTML {
		return painted(c.colours.Lines(name, lines, until))
	}}
	for _, f := range b.Patch.Files {
		view := l.file(f)
		view.Show = changesPath(b.Alias, b.View, b.Chosen, f.Path()) + "#" + view.ID
		view.Raw = runPath(b.Alias) + "/changes/raw"
		if b.Only != "" && f.Path() != b.Only {
			view.Aside = true
		}
		b.Bytes += f.Bytes
		b.Files = append(b.Files, view)
	}
	b.Patch.Files = nil
}

// changesPath is the address of a view of a run's changes.
func changesPath(alias, view, stage, file string) string {
	if view == viewUnified {
		view = ""
	}
	return address(runPath(alias)+"/changes", "view", view, "stage", stage, "file", file)
}

// With is the page's address in another layout.
func (b changesBody) With(view string) string {
	return changesPath(b.Alias, view, b.Chosen, b.Only)
}

// Whole is the page's address with all files.
func (b changesBody) Whole() string { return changesPath(b.Alias, b.View, b.Chosen, "") }

// rawChanges sends the whole difference as text.
func (c *cockpit) rawChanges(w http.ResponseWriter, r *http.Request) {
	c.attach(w, r, anyContent, "changes.diff", func(w io.Writer) error {
		return c.svc.Diff(r.Context(), r.PathValue("run"), api.DiffQuery{Stage: r.URL.Query().Get("stage")}, w)
	})
}
