// Package giteatest is what tests of the forge Gitea run against: a real Gitea
// of one's own where it was built, and a double of its REST API for one
// repository, as far as the forge uses it. The double is written after the
// source and the answers of that Gitea. It must not know what the forge does
// with the answers.
package giteatest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/forgetest"
)

const prefix = "/api/v1/repos/{owner}/{repo}"

// Double answers like a Gitea, from a ledger.
type Double struct {
	*forgetest.Ledger
	Token string

	mux http.ServeMux
}

// NewDouble makes a double whose one repository is what the ledger holds.
func NewDouble(ledger *forgetest.Ledger, token string) *Double {
	d := &Double{Ledger: ledger, Token: token}
	d.on("GET", "/pulls", d.list)
	d.on("POST", "/pulls", d.create)
	d.on("GET", "/pulls/{base}/{head...}", d.byBaseHead)
	d.onPull("GET", "/pulls/{number}", func(w http.ResponseWriter, _ *http.Request, p *forgetest.Pull) {
		forgetest.Reply(w, http.StatusOK, d.pull(p))
	})
	d.onPull("PATCH", "/pulls/{number}", d.edit)
	d.onPull("GET", "/pulls/{number}/reviews", d.reviews)
	d.onPull("GET", "/pulls/{number}/reviews/{review}/comments", d.lines)
	d.onPull("GET", "/issues/{number}/comments", d.comments)
	d.on("GET", "/commits/{ref}/statuses", d.statuses)
	d.on("GET", "/assignees", func(w http.ResponseWriter, _ *http.Request, _ *forgetest.Books) {
		forgetest.Reply(w, http.StatusOK, []object{user(d.Owner), user(forgetest.Reviewer)})
	})
	return d
}

// ServeHTTP implements http.Handler.
func (d *Double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if token != d.Token || scheme != "token" && !strings.EqualFold(scheme, "Bearer") {
		fail(w, http.StatusUnauthorized, "invalid username, password or token")
		return
	}
	d.mux.ServeHTTP(w, r)
}

func fail(w http.ResponseWriter, status int, message string) {
	forgetest.Reply(w, status, object{"message": message, "url": "http://gitea.test/api/swagger"})
}

func notFound(w http.ResponseWriter) {
	fail(w, http.StatusNotFound, "The target couldn't be found.")
}

func (d *Double) on(method, path string, answer func(http.ResponseWriter, *http.Request, *forgetest.Books)) {
	d.mux.HandleFunc(method+" "+prefix+path, func(w http.ResponseWriter, r *http.Request) {
		if !strings.EqualFold(r.PathValue("owner"), d.Owner) || !strings.EqualFold(r.PathValue("repo"), d.Name) {
			notFound(w)
			return
		}
		d.Do(func(b *forgetest.Books) { answer(w, r, b) })
	})
}

func (d *Double) onPull(method, path string, answer func(http.ResponseWriter, *http.Request, *forgetest.Pull)) {
	d.on(method, path, func(w http.ResponseWriter, r *http.Request, b *forgetest.Books) {
		number, err := strconv.Atoi(r.PathValue("number"))
		if p := b.Pull(number); err == nil && p != nil {
			answer(w, r, p)
			return
		}
		notFound(w)
	})
}

// page says how many there are, and gives at most 30: a Gitea may be set to
// fewer than it is asked for.
func page[T any](w http.ResponseWriter, r *http.Request, all []T) []T {
	w.Header().Set("X-Total-Count", strconv.Itoa(len(all)))
	return forgetest.Page(w, r, all, "limit", 30, 30)
}

func (d *Double) list(w http.ResponseWriter, r *http.Request, b *forgetest.Books) {
	all := []object{}
	for _, p := range slices.Backward(b.Pulls()) {
		if state := r.URL.Query().Get("state"); state == "all" || state == shown(p) || state == "" && shown(p) == "open" {
			all = append(all, d.pull(p))
		}
	}
	forgetest.Reply(w, http.StatusOK, page(w, r, all))
}

// byBaseHead gives the oldest pull request of two branches, in whatever state.
func (d *Double) byBaseHead(w http.ResponseWriter, r *http.Request, b *forgetest.Books) {
	for _, p := range b.Pulls() {
		if p.Base == r.PathValue("base") && p.Head == r.PathValue("head") && p.Fork == "" {
			forgetest.Reply(w, http.StatusOK, d.pull(p))
			return
		}
	}
	notFound(w)
}

func (d *Double) create(w http.ResponseWriter, r *http.Request, b *forgetest.Books) {
	var asked struct{ Title, Head, Base, Body string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		fail(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	switch {
	case asked.Title == "" || len(asked.Title) > 255:
		fail(w, http.StatusUnprocessableEntity, "[Title]: MaxSize")
	case b.Branch(asked.Head) == "" || b.Branch(asked.Base) == "":
		notFound(w)
	case b.Open(asked.Head, asked.Base) != nil:
		fail(w, http.StatusConflict, "pull request already exists for these targets [...]")
	default:
		p := b.Create(forgetest.Pull{Title: asked.Title, Body: asked.Body, Head: asked.Head, Base: asked.Base})
		forgetest.Reply(w, http.StatusCreated, d.pull(p))
	}
}

func (d *Double) edit(w http.ResponseWriter, r *http.Request, p *forgetest.Pull) {
	var asked struct {
		Title string
		Body  *string
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		fail(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	if asked.Title != "" {
		p.Title = asked.Title
	}
	if asked.Body != nil {
		p.Body = *asked.Body
	}
	forgetest.Reply(w, http.StatusCreated, d.pull(p))
}

func shown(p *forgetest.Pull) string {
	if p.State == forge.Open {
		return "open"
	}
	return "closed"
}
