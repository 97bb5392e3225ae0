package app_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/forge/forgetest"
	"github.com/stellwerk-dev/stellwerk/internal/forge/gitea/giteatest"
	"github.com/stellwerk-dev/stellwerk/internal/githttptest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// newForge is a Gitea's double with the repository acme/rocket. It returns a clone, the double's books, and what is asked of it.
func newForge(t *testing.T) (clone string, ledger *forgetest.Ledger, line *forgetest.Line) {
	t.Helper()
	clone = repository(t, map[string]string{
		"scenario.yaml": projectScenario, ".stellwerk/playbooks/project.yaml": projectPlaybook, ".ai/plan.md": projectPlan,
	})
	root := t.TempDir()
	bare := filepath.Join(root, "acme", "rocket.git")
	git(t, clone, "clone", "-q", "--bare", ".", bare)
	git(t, bare, "config", "http.receivepack", "true")
	ledger = forgetest.NewLedger("acme", "rocket")
	double := giteatest.NewDouble(ledger, forgetest.Token)
	program, err := githttptest.Handler(t.Context(), root, "")
	if err != nil {
		t.Fatal(err)
	}
	line = forgetest.NewLine(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, ".git/") {
			program.ServeHTTP(w, r)
			return
		}
		branches := map[string]string{}
		for row := range strings.Lines(git(t, bare, "for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads")) {
			commit, name, _ := strings.Cut(strings.TrimSpace(row), " ")
			branches[name] = commit
		}
		ledger.Follow(branches)
		double.ServeHTTP(w, r)
	}))
	git(t, clone, "remote", "add", "origin", line.URL+"/acme/rocket.git")
	return clone, ledger, line
}

var heardAt = regexp.MustCompile(`webhooks are heard.* address=(\S+)`)

// sendHook sends a webhook as Gitea signs it.
func sendHook(t *testing.T, address, secret, body string) {
	t.Helper()
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/gitea", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "X-Gitea-Event": "pull_request", "X-Gitea-Delivery": "1", "X-Gitea-Signature": hex.EncodeToString(mac.Sum(nil)),
	} {
		req.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil || answer.StatusCode != http.StatusNoContent {
		t.Fatalf("%v, %v", answer, err)
	}
	if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
}

// TestAWebhookAtAnyEngine brings the owner to look at the pull request, an hour before its time.
func TestAWebhookAtAnyEngine(t *testing.T) {
	const secret = "a-secret-of-a-test"
	clone, ledger, line := newForge(t)
	for name, value := range map[string]string{
		"STELLWERK_FORGE": "gitea", "STELLWERK_FORGE_URL": line.URL, "STELLWERK_FORGE_POLL": "1h", "GITEA_TOKEN": forgetest.Token,
		"STELLWERK_WEBHOOK_SECRET_ENV": "SECRET_OF_HOOKS", "SECRET_OF_HOOKS": secret,
	} {
		t.Setenv(name, value)
	}
	common, ctx := t.TempDir(), api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me")})
	options := app.Options{
		State: stateFolder(t), Version: "test", Log: t.Output(), Look: 50 * time.Millisecond,
		Database: filepath.Join(common, "db"), Objects: filepath.Join(common, "objects"),
	}
	owner, err := app.Open(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := owner.Close(); err != nil {
			t.Error(err)
		}
	}()
	run, err := owner.Service.StartRun(ctx, api.StartRun{Dir: clone, Goal: "one", Playbook: "project", Isolation: "none", Trust: true})
	if err != nil {
		t.Fatal(err)
	}
	gate := reach(ctx, t, owner, run.ID, core.StatusAwaiting).Gate
	if _, err := owner.Service.Approve(ctx, run.ID, api.Approve{Subject: &gate.Subject}); err != nil {
		t.Fatal(err)
	}
	reach(ctx, t, owner, run.ID, core.StatusReview)
	looks := func() (n int) {
		for _, call := range line.Calls() {
			if strings.HasPrefix(call, "GET") && strings.HasSuffix(call, "/pulls/1") {
				n++
			}
		}
		return n
	}
	if !waittest.Until(func() bool { return looks() > 0 }) {
		t.Fatal("nobody looked at the pull request")
	}
	var log noted
	options.State, options.Log, options.Webhook = t.TempDir(), &log, "127.0.0.1:0"
	_, stop, err := app.Connect(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	ledger.Close(t, 1)
	sendHook(t, log.find(heardAt), secret, `{"pull_request":{"number":1},"repository":{"full_name":"acme/rocket"}}`)
	seen := func() bool {
		detail, err := owner.Service.Run(ctx, run.ID)
		if err != nil {
			t.Fatal(err)
		}
		return detail.PullRequest.State == core.PullRequestClosed
	}
	if !waittest.Until(seen) {
		t.Error("the owner did not look at the pull request")
	}
}
