package app_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// losing is a way to the engine of a state folder on which the answer to the first call of a tool is lost: the engine has carried
// it out. It counts the calls.
func losing(t *testing.T, state string) (front string, calls *atomic.Int64) {
	t.Helper()
	socket, err := statefolder.Folder{Dir: state}.WorkersSocket()
	if err != nil {
		t.Fatal(err)
	}
	calls = &atomic.Int64{}
	proxy := &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: "engine"}) },
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}},
		ModifyResponse: func(r *http.Response) error {
			if strings.HasPrefix(r.Request.URL.Path, wire.PathTools) && r.Request.Method == http.MethodPost && calls.Add(1) == 1 {
				return errors.Join(errors.New("lost"), r.Body.Close())
			}
			return nil
		},
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL, calls
}

// TestAFarCallWhoseAnswerIsLost is made again by the same name, through the socket that a worker keeps for its attempt's tools, and
// has one effect.
func TestAFarCallWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	state, common := stateFolder(t), t.TempDir()
	dir := repository(t, map[string]string{".stellwerk/playbooks/tiny.yaml": lastingPlaybook})
	ctx, cancel := context.WithTimeout(api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me")}), waittest.Limit)
	defer cancel()
	front, calls := losing(t, state)
	a, err := app.Open(ctx, memberOptions(state, common, front))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	run, err := a.Service.StartRun(ctx, api.StartRun{Dir: dir, Goal: "greet", Playbook: "tiny", Trust: true, Isolation: "none"})
	if err != nil {
		t.Fatal(err)
	}
	pattern := filepath.Join(state, "workers", "attempt-*")
	var socket string
	if !waittest.Until(func() bool {
		found, err := filepath.Glob(filepath.Join(pattern, wire.ToolsName, statefolder.ToolSocket))
		if err != nil || len(found) != 1 {
			return false
		}
		socket, err = filepath.EvalSymlinks(found[0])
		return err == nil
	}) {
		t.Fatal("the worker has no socket for tools")
	}
	tokens, err := api.OpenAttemptTokens(ctx, sqlitetest.Open(t, filepath.Join(common, "db")))
	if err != nil {
		t.Fatal(err)
	}
	tools, end, err := app.DialTools(ctx, socket, tokens.Issue(run.ID, core.AttemptID(core.TaskID(core.ManagerStage, 1, ""), 1)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tools.Tell(ctx, run.ID, api.Tell{Text: "hello"}); err != nil {
		t.Error(err)
	}
	events, err := a.Service.Events(ctx, run.ID, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, e := range events {
		if e.Type == core.TypeMessageSent {
			told++
		}
	}
	if told != 1 || calls.Load() != 2 {
		t.Errorf("a call that was made %d times was carried out %d times", calls.Load(), told)
	}
	if _, err := a.Service.Cancel(ctx, run.ID, api.Cancel{Reason: "enough"}); err != nil {
		t.Error(err)
	}
	if !waittest.Until(func() bool { left, err := filepath.Glob(pattern); return err == nil && len(left) == 0 }) {
		t.Error("the worker stays")
	}
	if err := end(); err != nil && !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}
