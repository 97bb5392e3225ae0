package giteatest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	api "code.gitea.io/sdk/gitea"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

const (
	version  = "1.26.0"
	admin    = "amber"
	password = "a-Password-4-tests"
)

// Program is the folder of the Gitea that build.sh made, or that the variable
// STELLWERK_GITEA names; "" where there is none.
func Program() string {
	folder := os.Getenv("STELLWERK_GITEA")
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		folder = filepath.Join(cache, "stellwerk-tools", "gitea-"+version)
	}
	if _, err := os.Stat(filepath.Join(folder, "gitea")); err != nil {
		return ""
	}
	return folder
}

// Real is a Gitea that runs as a process, reached over a socket.
type Real struct {
	http.Handler
	URL string // for clients of the suite's own

	dir, program, static string
	transport            *http.Transport
	admin                *api.Client
	sudo                 map[string]*api.Client
}

const configuration = `RUN_MODE = prod
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
WORK_PATH = %[1]s
[server]
PROTOCOL = http+unix
HTTP_ADDR = %[1]s/s
ROOT_URL = http://127.0.0.1/
DISABLE_SSH = true
OFFLINE_MODE = true
STATIC_ROOT_PATH = %[2]s
[database]
DB_TYPE = sqlite3
PATH = %[1]s/gitea.db
[security]
INSTALL_LOCK = true
SECRET_KEY = only-for-tests
[log]
MODE = console
LEVEL = Critical
logger.router.MODE =
[webhook]
ALLOWED_HOST_LIST = loopback
[cron]
ENABLED = false
[repo-archive]
ENABLED = false
`

// Start starts a Gitea from a folder that build.sh made. It ends with t.
func Start(t testing.TB, folder string) *Real {
	t.Helper()
	dir, err := os.MkdirTemp("", "gt") // the path of a socket is short
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	g := &Real{dir: dir, program: filepath.Join(folder, "gitea"), static: filepath.Join(folder, "static"), sudo: map[string]*api.Client{}}
	must(t, os.WriteFile(filepath.Join(dir, "app.ini"), fmt.Appendf(nil, configuration, dir, g.static), 0o600))
	g.run(t, "migrate")
	g.run(t, "admin", "user", "create", "--username", admin, "--password", password, "--email", admin+"@example.test", "--admin",
		"--must-change-password=false")
	g.serve(t)
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(dir, "s"))
	}
	g.URL = "http://127.0.0.1"
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "127.0.0.1"})
	g.transport = &http.Transport{DialContext: dial}
	t.Cleanup(g.transport.CloseIdleConnections)
	proxy.Transport, g.Handler = g.transport, proxy
	g.admin = g.client(t, api.SetBasicAuth(admin, password))
	for _, name := range []string{Bot, OtherBot, reviewer, drafter, stranger} {
		no := false
		_, _, err := g.admin.AdminCreateUser(api.CreateUserOption{
			Username: name, Email: name + "@example.test", Password: password, MustChangePassword: &no,
		})
		must(t, err)
		g.sudo[name] = g.client(t, api.SetBasicAuth(admin, password), api.SetSudo(name))
	}
	return g
}

func (g *Real) client(t testing.TB, options ...api.ClientOption) *api.Client {
	t.Helper()
	options = append(options, api.SetHTTPClient(&http.Client{Transport: g.transport, Timeout: waittest.Limit}), api.SetGiteaVersion(""))
	client, err := api.NewClient(g.URL, options...)
	must(t, err)
	return client
}

func (g *Real) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, g.program, append([]string{"--config", filepath.Join(g.dir, "app.ini")}, args...)...)
	cmd.Dir, cmd.Env = g.dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + g.dir, "USER=" + os.Getenv("USER"), "GITEA_WORK_DIR=" + g.dir}
	return cmd
}

func (g *Real) run(t testing.TB, args ...string) {
	t.Helper()
	if out, err := g.command(t.Context(), args...).CombinedOutput(); err != nil {
		t.Fatalf("gitea %s: %v\n%s", args[0], err, out)
	}
}

// serve starts the server and waits until its socket answers.
func (g *Real) serve(t testing.TB) {
	t.Helper()
	var log bytes.Buffer
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := g.command(ctx, "web")
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &log, &log, 10*time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	must(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		cancel()
		<-ended
		if t.Failed() {
			t.Logf("gitea said:\n%s", strings.TrimSpace(log.String()))
		}
	})
	deadline := waittest.Over()
	for {
		if conn, err := (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(g.dir, "s")); err == nil {
			_ = conn.Close()
			return
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("gitea ended: %v", err)
		case <-deadline:
			t.Fatal("gitea does not answer in time")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
