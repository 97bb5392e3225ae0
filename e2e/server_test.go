package e2e

import (
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
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
	core, err := exec.Command("git", "--exec-path").Output()
	ts.Check(err)
	root := ts.MkAbs(args[0])
	server := httptest.NewServer(&cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(core)), "git-http-backend"), Dir: root,
		Env: []string{
			"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "HOME=" + root, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http.receivepack", "GIT_CONFIG_VALUE_0=true",
		},
	})
	ts.Defer(server.Close)
	ts.Setenv("GIT_URL", server.URL)
}
