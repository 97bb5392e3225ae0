package app

import (
	"net/http"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

// exchangeHandler serves the workers of attempts, and leads the attempts' tools to the engine.
func (a *App) exchangeHandler() http.Handler {
	return a.remote.Handler(func(token string) (spawn.ID, bool) {
		run, attempt, ok := a.tokens.Worker(token)
		return spawn.ID{Run: run, Attempt: attempt}, ok
	}, api.ToolHandler(a.Service, a.tokens, a.opts.Version))
}

// workerToken is the token of an attempt's worker.
func (a *App) workerToken(id spawn.ID) string { return a.tokens.IssueWorker(id.Run, id.Attempt) }
