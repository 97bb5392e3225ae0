package e2e

import (
	"context"
	"net/http/httptest"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stellwerk-dev/stellwerk/internal/githttptest"
)

// servers are the commands of a scenario whose repository is on a server.
//
//	serve-git DIR   serves the repositories in DIR over http, for reading and writing; GIT_URL is where
func servers() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){"serve-git": plain(serveGit)}
}

func serveGit(ts *testscript.TestScript, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: serve-git DIR")
	}
	handler, err := githttptest.Handler(context.Background(), ts.MkAbs(args[0]), "anybody")
	ts.Check(err)
	server := httptest.NewServer(handler)
	ts.Defer(server.Close)
	ts.Setenv("GIT_URL", server.URL)
}
