// Package cockpit renders the pages in which a person watches and steers runs, and
// keeps them up to date. It shows what the service answers. It decides nothing and
// knows no more than any other client does: the caller is authenticated before it, and
// their role is checked behind it.
package cockpit

import (
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/highlight"
	"github.com/stellwerk-dev/stellwerk/internal/draft"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Options of a cockpit.
type Options struct {
	Version string
	Log     *slog.Logger
	// Documents keep comments until they are sent, and forms that were. If nil,
	// nothing is kept.
	Documents store.Documents
	Now       func() time.Time // time.Now if nil
	Home      string           // folder of the person who runs the engine; paths below it are shown as ~/…
	Notice    func() string    // a warning for every user of the engine; nil for none
	Painting  time.Duration    // how long a page may spend on highlighting; the default if zero
}

// cockpit holds what all pages need.
type cockpit struct {
	svc       api.Service
	opts      Options
	templates map[string]*template.Template // by page
	inbox     count
	once      once
	drafts    *draft.Book
	marks     markCache
	colours   *highlight.Highlighter
	zips      sync.Pool // of gzip.Writer
}

// New returns the cockpit's handler. Its caller has authenticated the request (see
// [api.WithCaller]), guards svc accordingly and bounds what is sent (see
// [api.Bounded]).
func New(svc api.Service, o Options) (http.Handler, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := &cockpit{svc: svc, opts: o, colours: highlight.New(), once: once{docs: o.Documents, log: o.Log}}
	if o.Documents != nil {
		c.drafts = draft.Open(o.Documents)
	}
	var err error
	if c.templates, err = parse(files, c.functions()); err != nil {
		return nil, err
	}
	embedded, err := fs.Sub(files, "assets")
	if err != nil {
		return nil, err
	}
	assets, err := loadAssets(embedded)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /assets/", http.StripPrefix("/assets/", assetHandler(assets)))
	mux.HandleFunc("GET /live", c.live)
	mux.HandleFunc("GET /waiting", c.count)
	c.routes(mux)
	return mux, nil
}

// routes connects each address to its page. Requests that change something are POSTs,
// and redirect to the page to look at next.
func (c *cockpit) routes(mux *http.ServeMux) {
	c.page(mux, "/{$}", c.projects)
	c.page(mux, "/inbox", c.inboxPage)
	c.page(mux, "/runs/{run}", c.ofRun(c.run))
	c.page(mux, "/runs/{run}/tasks/{task}", c.task)
	c.page(mux, "/runs/{run}/attempts/{attempt}/transcript", c.transcript)
	c.page(mux, "/runs/{run}/documents/{digest}/view", c.ofRun(c.document))
	c.page(mux, "/runs/{run}/effects", c.ofRun(c.effects))
	c.page(mux, "/runs/{run}/timeline", c.ofRun(c.timeline))
	mux.HandleFunc("GET /runs/{run}/documents/{digest}", c.download)
	mux.HandleFunc("GET /runs/{run}/attempts/{attempt}/prompt", c.downloadPrompt)
	c.page(mux, "/runs/{run}/waves", c.ofRun(c.waves))
	c.page(mux, "/runs/{run}/graph", c.ofRun(c.waves))
	c.page(mux, "/runs/{run}/facts", c.ofRun(c.facts))
	c.page(mux, "/runs/{run}/costs", c.ofRun(c.runCosts))
	c.page(mux, "/costs", c.costs)
	c.page(mux, "/", c.nowhere)

	c.page(mux, "/runs/{run}/changes", c.ofRun(c.changes))
	c.page(mux, "/runs/{run}/pull-request", c.ofRun(c.pullRequest))
	mux.HandleFunc("GET /runs/{run}/changes/raw", c.rawChanges)
	c.word(mux, "/runs/{run}/changes/comment", c.comment)
	c.word(mux, "/runs/{run}/changes/send", c.sendReview)
	c.word(mux, "/runs/{run}/merge", c.merge)

	c.page(mux, "/runs/{run}/plan", c.ofRun(c.plan))
	c.page(mux, "/runs/{run}/talk", c.ofRun(c.runTalk))
	c.page(mux, "/projects/{project}/talk", c.projectTalk)
	c.word(mux, "/projects/{project}/talk/say", c.speak)
	c.word(mux, "/projects/{project}/talk/open", c.converse)
	c.page(mux, "/runs", c.runsList)
	c.page(mux, "/projects/{project}", c.project)
	c.form(mux, "/add", func(r *http.Request) (page, error) { return c.addWith(r, addBody{}) }, c.addProject)
	mux.HandleFunc("GET /projects/add", c.addMoved)
	c.form(mux, "/projects/{project}/new", c.epicPage, c.startEpic)
	c.page(mux, "/settings", c.settings)
	c.page(mux, "/settings/engines", c.engines)
	c.page(mux, "/settings/roles", c.roles)
	c.form(mux, "/settings/people", func(r *http.Request) (page, error) { return c.peopleWith(r, peopleBody{}) }, c.addToken)
	c.word(mux, "/settings/people/{token}/revoke", c.revokeToken)
	c.page(mux, "/settings/playbooks", c.playbooks)
	c.form(mux, "/settings/playbooks/{playbook}", c.editor, c.checkPlaybook)
	mux.HandleFunc("POST /settings/playbooks/{playbook}/file", c.read(c.savePlaybook))
	c.word(mux, "/projects/{project}/pause", c.pauseProject)
	c.word(mux, "/projects/{project}/resume", c.resumeProject)
	c.word(mux, "/projects/{project}/archive", c.archiveProject)
	c.word(mux, "/projects/{project}/drop", c.dropEpic)
	c.word(mux, "/projects/{project}/requeue", c.requeueEpic)

	c.word(mux, "/runs/{run}/approve", c.approve)
	c.word(mux, "/runs/{run}/feedback", c.feedback)
	c.word(mux, "/runs/{run}/rollback", c.rollback)
	c.word(mux, "/runs/{run}/pause", c.pause)
	c.word(mux, "/runs/{run}/resume", c.resume)
	c.word(mux, "/runs/{run}/retry", c.retry)
	c.word(mux, "/runs/{run}/skip", c.skip)
	c.word(mux, "/runs/{run}/cancel", c.cancel)
	c.word(mux, "/runs/{run}/limits", c.raise)
	c.word(mux, "/questions/{question}/answer", c.answer)
}
