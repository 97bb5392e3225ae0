package cockpit

import (
	"net/http"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// sendFunc does what a form asks for. It says where to look next, or returns the
// page with what was refused and everything that was typed.
type sendFunc func(*http.Request) (p page, where string, err error)

// form serves a page with a form that is sent to the page's own address.
func (c *cockpit) form(mux *http.ServeMux, pattern string, show pageFunc, send sendFunc) {
	c.page(mux, pattern, show)
	mux.HandleFunc("POST "+pattern, func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			c.show(w, r, problemPage(core.Wrap(core.CodeInvalid, err, "the form cannot be read", "go back and send a shorter text")))
			return
		}
		p, where, err := send(r)
		switch {
		case err != nil:
			p = refusedPage(r, err)
		case where != "":
			http.Redirect(w, r, where, http.StatusSeeOther)
			return
		}
		c.show(w, r, p)
	})
}

// refused puts what was refused onto the form's page.
func refused(p page, err error) page {
	p.Status = api.StatusOf(err)
	return p
}
