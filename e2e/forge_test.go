package e2e

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/forgetest"
	"github.com/stellwerk-dev/stellwerk/internal/forge/gitea/giteatest"
	"github.com/stellwerk-dev/stellwerk/internal/forge/github/githubtest"
	"github.com/stellwerk-dev/stellwerk/internal/githttptest"
)

const (
	forgeOwner, forgeRepository = "acme", "rocket"
	firstToken                  = "forge-token-of-a-scenario-0001"
	hookSecret                  = "a-secret-that-signs-deliveries"
)

// forges is the key of a scenario's forge.
type forges struct{}

// forgeHost is a forge with one repository: the double of its API, and git over
// http beside it, both for who has the token. Git's own data is real.
type forgeHost struct {
	kind, bare string
	ledger     *forgetest.Ledger
	server     *httptest.Server
	git        http.Handler

	mu     sync.Mutex
	api    http.Handler
	token  string
	fault  forgetest.Fault
	posted int
}

// forgeCommands are:
//
//	forge start KIND DIR          a forge whose repository is a copy of DIR's, its remote origin, and settings that name it
//	forge down | up               answers nothing but 503, or works again
//	forge lose                    the next answer to a creation is a 500, after it was done
//	forge token TOKEN             takes only this token from now on
//	forge review N TEXT           a member requests changes; comment N TEXT is a stranger's comment
//	forge check N STATE LINK      a program says of the newest commit: pending, passed, failed
//	forge merge N                 merges into the base branch
//	forge pulls N                 there are so many pull requests
//	forge deliver ADDRESS N [SECRET]  sends a webhook about a pull request; the status must be 2xx, else with ! before it
func forgeCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){"forge": forgeCommand}
}

func forgeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 3 && args[0] == "start" {
		startForge(ts, args[1], ts.MkAbs(args[2]))
		return
	}
	h, ok := ts.Value(forges{}).(map[string]*forgeHost)["forge"]
	if !ok || len(args) == 0 {
		ts.Fatalf("usage: forge start KIND DIR first")
	}
	rest := slices.Concat(args[1:], []string{"", "", ""})
	number, _ := strconv.Atoi(rest[0])
	switch args[0] {
	case "down":
		h.set(func() { h.fault = forgetest.Answer(http.StatusServiceUnavailable, "down for maintenance") })
	case "up":
		h.set(func() { h.fault = nil })
	case "lose":
		h.set(func() { h.fault = h.lose })
	case "token":
		h.set(func() { h.token, h.api = rest[0], newDouble(h.kind, h.ledger, rest[0]) })
	case "review":
		h.ledger.Review(nil, number, forge.NoteChanges, rest[1], forge.Note{File: "README.md", Line: 1, Body: "Here, for one."})
	case "comment":
		h.ledger.CommentAsStranger(nil, number, rest[1])
	case "check":
		h.ledger.Check(nil, number, "preview", forge.CI(rest[1]), rest[2])
	case "merge":
		h.merge(ts, number)
	case "pulls":
		if n := h.ledger.Count(nil); n != number {
			ts.Fatalf("there are %d pull requests, not %d", n, number)
		}
	case "deliver":
		status := h.deliver(ts, rest[0], rest[1], rest[2])
		if (status < 300) == neg {
			ts.Fatalf("the delivery was answered with %d", status)
		}
	default:
		ts.Fatalf("unknown: forge %s", args[0])
	}
}

func newDouble(kind string, ledger *forgetest.Ledger, token string) http.Handler {
	if kind == "github" {
		return githubtest.New(ledger, token)
	}
	return giteatest.NewDouble(ledger, token)
}

func startForge(ts *testscript.TestScript, kind, dir string) {
	work := ts.Getenv("WORK")
	root := filepath.Join(work, "forge")
	h := &forgeHost{
		kind: kind, bare: filepath.Join(root, forgeOwner, forgeRepository+".git"),
		ledger: forgetest.NewLedger(forgeOwner, forgeRepository), token: firstToken,
	}
	h.api = newDouble(kind, h.ledger, h.token)
	ts.Check(ts.Exec("git", "clone", "--quiet", "--bare", dir, h.bare))
	handler, err := githttptest.Handler(context.Background(), root, "stella")
	ts.Check(err)
	h.git = handler
	h.server = httptest.NewServer(h)
	ts.Defer(h.server.Close)
	ts.Value(forges{}).(map[string]*forgeHost)["forge"] = h
	ts.Check(ts.Exec("git", "-C", dir, "remote", "add", "origin", fmt.Sprintf("%s/%s/%s.git", h.server.URL, forgeOwner, forgeRepository)))
	settings := filepath.Join(ts.Getenv("XDG_CONFIG_HOME"), "stellwerk")
	ts.Check(os.MkdirAll(settings, 0o755))
	for name, text := range map[string]string{
		filepath.Join(work, "token"):  firstToken + "\n",
		filepath.Join(work, "secret"): hookSecret + "\n",
		filepath.Join(settings, "config.yaml"): fmt.Sprintf("forge: %s\nforge_url: %s\nforge_token_file: %s\nforge_poll: 1s\nwebhook_secret_file: %s\n",
			kind, h.server.URL, filepath.Join(work, "token"), filepath.Join(work, "secret")),
	} {
		ts.Check(os.WriteFile(name, []byte(text), 0o600))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv("HOOK", listener.Addr().String()) // free a moment ago, and nobody else's in all likelihood
	ts.Check(listener.Close())
	ts.Setenv("FORGE", h.server.URL)
}

func (h *forgeHost) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
}

// lose does what it is asked to create, once, and answers with a 500.
func (h *forgeHost) lose(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if r.Method != http.MethodPost || strings.Contains(r.URL.Path, ".git/") {
		next.ServeHTTP(w, r)
		return
	}
	h.set(func() { h.fault = nil })
	forgetest.After(forgetest.Answer(http.StatusInternalServerError, "lost"))(w, r, next)
}

// ServeHTTP implements http.Handler.
func (h *forgeHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	fault := h.fault
	h.mu.Unlock()
	if fault == nil {
		h.answer(w, r)
		return
	}
	fault(w, r, http.HandlerFunc(h.answer))
}

func (h *forgeHost) answer(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	api, token := h.api, h.token
	h.mu.Unlock()
	if strings.Contains(r.URL.Path, ".git/") {
		if _, given, _ := r.BasicAuth(); given != token {
			w.Header().Set("WWW-Authenticate", `Basic realm="forge"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		h.git.ServeHTTP(w, r)
		return
	}
	branches, err := h.branches()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h.ledger.Follow(branches)
	api.ServeHTTP(w, r)
}

func (h *forgeHost) branches() (map[string]string, error) {
	out, err := exec.Command("git", "-C", h.bare, "for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads").Output()
	all := map[string]string{}
	for line := range strings.Lines(string(out)) {
		commit, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[name] = commit
	}
	return all, err
}

// merge does in git what the button does, and then says so.
func (h *forgeHost) merge(ts *testscript.TestScript, number int) {
	var pull forgetest.Pull
	h.ledger.Do(func(b *forgetest.Books) { pull = *b.Pull(number) })
	clone, err := os.MkdirTemp(ts.Getenv("WORK"), "merge-")
	ts.Check(err)
	for _, git := range [][]string{
		{"clone", "--quiet", "--branch", pull.Base, h.bare, clone},
		{"-C", clone, "-c", "user.name=Rosa", "-c", "user.email=rosa@example.org", "merge", "--quiet", "--no-ff", "--no-edit", "origin/" + pull.Head},
		{"-C", clone, "push", "--quiet", "origin", pull.Base},
	} {
		ts.Check(ts.Exec("git", git...))
	}
	branches, err := h.branches()
	ts.Check(err)
	h.ledger.Do(func(b *forgetest.Books) {
		p := b.Pull(number)
		p.State, p.Merge = forge.Merged, branches[p.Base]
	})
}

// deliver sends a webhook as the forge would, and returns what it is answered.
func (h *forgeHost) deliver(ts *testscript.TestScript, address, number, secret string) int {
	if secret == "" {
		secret = hookSecret
	}
	h.set(func() { h.posted++ })
	body := fmt.Sprintf(`{"pull_request":{"number":%s},"repository":{"full_name":"%s/%s"},"n":%d}`, number, forgeOwner, forgeRepository, h.posted)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	request, err := http.NewRequest(http.MethodPost, "http://"+address+"/"+h.kind, bytes.NewReader([]byte(body)))
	ts.Check(err)
	name, prefix := "Gitea", ""
	if h.kind == "github" {
		name, prefix = "GitHub", "sha256="
		request.Header.Set("X-Hub-Signature-256", prefix+hex.EncodeToString(mac.Sum(nil)))
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-"+name+"-Event", "pull_request")
	request.Header.Set("X-"+name+"-Delivery", strconv.Itoa(h.posted))
	request.Header.Set("X-"+name+"-Signature", hex.EncodeToString(mac.Sum(nil)))
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	ts.Check(response.Body.Close())
	return response.StatusCode
}
