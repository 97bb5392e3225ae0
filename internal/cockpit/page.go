package cockpit

import (
	"bytes"
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

//go:embed assets templates
var files embed.FS

// page is what one template shows, with what the frame around it needs.
type page struct {
	Name    string // of the template
	Title   string
	Nav     string // entry of the navigation it belongs to
	Trail   []step
	Status  int
	Problem *problem // what went wrong, if the page says so
	Body    any
	Part    string // template of a part of it that can be asked for alone

	// Runs and Projects are what the page is about: the browser asks for it again
	// when one of them moves on. If both are empty, it does so when anything moves;
	// if Still is set, never.
	Runs, Projects []string
	Still          bool

	// Set when the page is rendered.
	At      string
	Version string
	Caller  api.Caller
	Waiting int
	Notice  string
}

// WindowTitle is the title of the browser's tab.
func (p page) WindowTitle() string {
	title := clip(80, p.Title) + " · Stellwerk"
	if p.Waiting > 0 {
		title = fmt.Sprintf("(%d) %s", p.Waiting, title)
	}
	return title
}

// step is one of the pages above this one.
type step struct{ Title, Href string }

// partHeader asks for the inside of a page alone, or for its part.
const partHeader = "Stellwerk-Part"

// pageFunc makes a page out of a request.
type pageFunc func(*http.Request) (page, error)

// page serves a page. The engine's position is read before the page is made, so that
// whatever happens meanwhile makes the browser ask again.
func (c *cockpit) page(mux *http.ServeMux, pattern string, make pageFunc) {
	mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, r *http.Request) { c.serve(w, r, make) })
}

func (c *cockpit) serve(w http.ResponseWriter, r *http.Request, make pageFunc) {
	at, err := c.svc.Position(r.Context())
	var p page
	if err == nil {
		p, err = make(r)
	}
	if err != nil {
		p = problemPage(err)
	}
	p.At = at
	c.show(w, r, p)
}

func (c *cockpit) show(w http.ResponseWriter, r *http.Request, p page) {
	p.Version, p.Caller = c.opts.Version, api.CallerFrom(r.Context())
	p.Waiting = c.inbox.waiting(r.Context(), c.svc, p.At)
	if c.opts.Notice != nil {
		p.Notice = c.opts.Notice()
	}
	name := "frame"
	switch part := r.Header.Get(partHeader); {
	case part == "main":
		name = "inside"
	case part != "" && part == p.Part:
		name = part
	}
	var out bytes.Buffer
	if err := c.templates[p.Name].ExecuteTemplate(&out, name, p); err != nil {
		c.opts.Log.Error("render a page", "page", p.Name, "error", err)
		http.Error(w, "The cockpit could not render this page; the engine's log says why.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Accept-Encoding, "+partHeader)
	c.send(w, r, p.Status, visible(out.Bytes()))
}

// send writes a response, compressed if the client accepts that.
func (c *cockpit) send(w http.ResponseWriter, r *http.Request, status int, data []byte) {
	if status == 0 {
		status = http.StatusOK
	}
	var err error
	if takesGzip(r) {
		w.Header().Set("Content-Encoding", "gzip")
		w.WriteHeader(status)
		err = c.zip(w, data)
	} else {
		w.WriteHeader(status)
		_, err = w.Write(data)
	}
	if err != nil && r.Context().Err() == nil {
		c.opts.Log.Debug("send a page", "error", err)
	}
}

// takesGzip reports that the client accepts gzip.
func takesGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			_, q, weighed := strings.Cut(strings.ReplaceAll(weight, " ", ""), "q=")
			return !weighed || strings.Trim(q, "0.") != ""
		}
	}
	return false
}

// zip compresses fast rather than well: pages repeat themselves, and somebody is
// waiting for the first byte.
func (c *cockpit) zip(w io.Writer, data []byte) error {
	z, ok := c.zips.Get().(*gzip.Writer)
	if !ok {
		var err error
		if z, err = gzip.NewWriterLevel(w, gzip.BestSpeed); err != nil {
			return err
		}
	}
	defer c.zips.Put(z)
	z.Reset(w)
	_, err := z.Write(data)
	return errors.Join(err, z.Close())
}

// problem is what went wrong, and what can be done about it.
type problem struct {
	What string
	Do   core.Advice
}

func problemOf(err error) *problem {
	if e := new(core.Error); errors.As(err, &e) {
		return &problem{e.Error(), e.Advice}
	}
	return &problem{What: err.Error()}
}

func problemPage(err error) page {
	p := refused(page{Name: "problem", Title: "This did not work", Still: true}, err)
	if core.CodeOf(err) == core.CodeNotFound {
		p.Title = "Nothing here"
	}
	return p
}

func (c *cockpit) nowhere(r *http.Request) (page, error) {
	return page{}, core.Errorf(core.CodeNotFound, "there is no page %.200s", r.URL.Path).WithHint("start at the projects")
}
