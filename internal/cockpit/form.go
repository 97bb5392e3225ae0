package cockpit

import (
	"net/http"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// sendFunc carries out a form. It returns where to go next, or the page again with
// what was refused and everything that was typed.
type sendFunc func(*http.Request) (p page, where string, err error)

// form serves a page with a form that is sent to the page's own address.
func (c *cockpit) form(mux *http.ServeMux, pattern string, show pageFunc, send sendFunc) {
	c.page(mux, pattern, show)
	mux.HandleFunc("POST "+pattern, c.read(func(w http.ResponseWriter, r *http.Request) {
		p, where, err := send(r)
		switch {
		case err != nil:
			p = refusedPage(r, err)
		case where != "":
			http.Redirect(w, r, where, http.StatusSeeOther)
			return
		}
		c.show(w, r, p)
	}))
}

// wordFunc carries out a form and returns where to go next.
type wordFunc func(*http.Request) (where string, err error)

// word serves a form that steers something. It leads back to the page that the form
// names; a refusal is shown with everything that was typed.
func (c *cockpit) word(mux *http.ServeMux, pattern string, do wordFunc) {
	mux.HandleFunc("POST "+pattern, c.read(func(w http.ResponseWriter, r *http.Request) {
		where, err := do(r)
		if err != nil {
			c.show(w, r, refusedPage(r, err))
			return
		}
		if back := r.PostForm.Get("back"); api.OwnPage(back) {
			where = back
		}
		http.Redirect(w, r, where, http.StatusSeeOther)
	}))
}

// read reads the form that was sent before its handler sees it.
func (c *cockpit) read(handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			c.show(w, r, problemPage(core.Wrap(core.CodeInvalid, err, "the form cannot be read", "go back and send a shorter text")))
			return
		}
		handle(w, r)
	}
}

// refused puts what was refused onto the form's page.
func refused(p page, err error) page {
	p.Status, p.Problem = api.StatusOf(err), problemOf(err)
	return p
}
