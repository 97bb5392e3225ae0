// Package githubtest is a double of GitHub's REST API for one repository, as
// far as the forge uses it, written after GitHub's documentation and not after
// the client library: https://docs.github.com/rest/pulls,
// https://docs.github.com/rest/commits/statuses, https://docs.github.com/rest/checks/runs,
// https://docs.github.com/rest/deployments and
// https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api.
// It answers below /api/v3, as an Enterprise Server does. It must not know what
// the forge does with the answers.
package githubtest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/forgetest"
)

const prefix = "/api/v3/repos/{owner}/{repo}"

// Double answers like GitHub, from a ledger.
type Double struct {
	*forgetest.Ledger
	Token string
	// Runs are the check runs of a commit, and Deployments what was deployed,
	// oldest first. They are set before the double is asked.
	Runs        map[string][]Run
	Deployments []Deployment

	mux http.ServeMux
}

// Run is a check run.
type Run struct {
	Name       string `json:"name"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion,omitempty"`
}

// Deployment is a deployment of a commit, with its newest status.
type Deployment struct{ Commit, State, Link string }

// New makes a double whose one repository is what the ledger holds.
func New(ledger *forgetest.Ledger, token string) *Double {
	d := &Double{Ledger: ledger, Token: token}
	d.on("GET", "/pulls", d.list)
	d.on("POST", "/pulls", d.create)
	d.onPull("GET", "/pulls/{number}", func(w http.ResponseWriter, _ *http.Request, p *forgetest.Pull) {
		forgetest.Reply(w, http.StatusOK, d.pull(p, true))
	})
	d.onPull("PATCH", "/pulls/{number}", d.edit)
	d.onPull("GET", "/pulls/{number}/reviews", d.reviews)
	d.onPull("GET", "/pulls/{number}/comments", d.lines)
	d.onPull("GET", "/issues/{number}/comments", d.comments)
	d.on("GET", "/commits/{ref}/status", d.status)
	d.on("GET", "/commits/{ref}/check-runs", d.checkRuns)
	d.on("GET", "/deployments", d.deployments)
	d.on("GET", "/deployments/{id}/statuses", d.deploymentStatuses)
	return d
}

// ServeHTTP implements http.Handler.
func (d *Double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-RateLimit-Limit", "5000")
	w.Header().Set("X-RateLimit-Remaining", "4999")
	w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10))
	if scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); !strings.EqualFold(scheme, "Bearer") || token != d.Token {
		forgetest.Reply(w, http.StatusUnauthorized, failure{Message: "Bad credentials", Documentation: "https://docs.github.com/rest"})
		return
	}
	d.mux.ServeHTTP(w, r)
}

type failure struct {
	Message       string   `json:"message"`
	Errors        []reason `json:"errors,omitempty"`
	Documentation string   `json:"documentation_url"`
}

type reason struct {
	Resource string `json:"resource"`
	Field    string `json:"field,omitempty"`
	Code     string `json:"code"`
	Message  string `json:"message,omitempty"`
}

func notFound(w http.ResponseWriter) {
	forgetest.Reply(w, http.StatusNotFound, failure{Message: "Not Found", Documentation: "https://docs.github.com/rest"})
}

func invalid(w http.ResponseWriter, r reason) {
	r.Resource = "PullRequest"
	forgetest.Reply(w, http.StatusUnprocessableEntity, failure{
		Message: "Validation Failed", Errors: []reason{r}, Documentation: "https://docs.github.com/rest/pulls/pulls#create-a-pull-request",
	})
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

func page[T any](w http.ResponseWriter, r *http.Request, all []T) []T {
	return forgetest.Page(w, r, all, "per_page", 30, 100)
}

// list filters by head only if that is owner:branch, and else leaves the filter
// out, as GitHub does. The newest comes first.
func (d *Double) list(w http.ResponseWriter, r *http.Request, b *forgetest.Books) {
	query := r.URL.Query()
	owner, head, filtered := strings.Cut(query.Get("head"), ":")
	all := []any{}
	for _, p := range slices.Backward(b.Pulls()) {
		state := query.Get("state")
		if state == "" {
			state = "open"
		}
		if filtered && (!strings.EqualFold(owner, d.HeadOwner(p)) || head != p.Head) || query.Has("base") && query.Get("base") != p.Base ||
			state != "all" && state != shown(p) {
			continue
		}
		all = append(all, d.pull(p, false))
	}
	forgetest.Reply(w, http.StatusOK, page(w, r, all))
}

func (d *Double) create(w http.ResponseWriter, r *http.Request, b *forgetest.Books) {
	var asked struct{ Title, Head, Base, Body string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		forgetest.Reply(w, http.StatusBadRequest, failure{Message: "Problems parsing JSON"})
		return
	}
	asked.Head = strings.TrimPrefix(asked.Head, d.Owner+":")
	switch {
	case asked.Title == "":
		invalid(w, reason{Field: "title", Code: "missing_field"})
	case len([]rune(asked.Title)) > 256 || len([]rune(asked.Body)) > 65536:
		invalid(w, reason{Field: "body", Code: "custom", Message: "body is too long (maximum is 65536 characters)"})
	case b.Branch(asked.Head) == "":
		invalid(w, reason{Field: "head", Code: "invalid"})
	case b.Branch(asked.Base) == "":
		invalid(w, reason{Field: "base", Code: "invalid"})
	case b.Open(asked.Head, asked.Base) != nil:
		invalid(w, reason{Code: "custom", Message: "A pull request already exists for " + d.Owner + ":" + asked.Head + "."})
	case slices.ContainsFunc(b.Pulls(), func(p *forgetest.Pull) bool {
		return p.State == forge.Merged && p.Commit == b.Branch(asked.Head) && p.Base == asked.Base
	}):
		invalid(w, reason{Code: "custom", Message: "No commits between " + asked.Base + " and " + asked.Head})
	default:
		p := b.Create(forgetest.Pull{Title: asked.Title, Body: asked.Body, Head: asked.Head, Base: asked.Base})
		forgetest.Reply(w, http.StatusCreated, d.pull(p, true))
	}
}

func (d *Double) edit(w http.ResponseWriter, r *http.Request, p *forgetest.Pull) {
	var asked struct{ Title, Body *string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		forgetest.Reply(w, http.StatusBadRequest, failure{Message: "Problems parsing JSON"})
		return
	}
	if asked.Title != nil {
		p.Title = *asked.Title
	}
	if asked.Body != nil {
		p.Body = *asked.Body
	}
	forgetest.Reply(w, http.StatusOK, d.pull(p, true))
}
