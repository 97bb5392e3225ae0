package browser

import (
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/balancertest"
	"github.com/stellwerk-dev/stellwerk/internal/forge/gitea/giteatest"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/servertest"
)

// team is two machines whose engines share a database, behind a balancer, and a real Gitea on which each has an account.
type team struct {
	t          *testing.T
	front      *balancertest.Balancer
	repo       *giteatest.Repository
	repository string // its address
	one, two   *engine
}

func newTeam(t *testing.T) *team {
	t.Helper()
	program := giteatest.Program()
	if program == "" {
		t.Skip("no Gitea on this machine: internal/forge/gitea/giteatest/build.sh builds one")
	}
	database := pgtest.New(t).Address("postgres")
	gitea := giteatest.Start(t, program)
	line := httptest.NewServer(gitea)
	t.Cleanup(line.Close)
	tm := &team{t: t, front: balancertest.New(t), repo: gitea.Repository(t, "rocket"), one: newMachine(t), two: newMachine(t)}
	tm.repository = line.URL + tm.repo.Path()
	tm.one.repository("rocket")
	tm.repo.Fill(t, line.URL, tm.one.path("rocket"))
	for e, token := range map[*engine]string{tm.one: "TOKEN_OF_STELLA=" + tm.repo.Token, tm.two: "TOKEN_OF_STUART=" + tm.repo.OtherToken} {
		variable, _, _ := strings.Cut(token, "=")
		e.env = append(e.env, "STELLWERK_STORE="+database, "STELLWERK_FORGE=gitea", "STELLWERK_FORGE_URL="+line.URL, "STELLWERK_FORGE_POLL=1s",
			"STELLWERK_FORGE_TOKEN_ENV="+variable, token)
		e.run(".", []int{0}, "git", "config", "--global", "user.name", "Ada Example")
		e.run(".", []int{0}, "git", "config", "--global", "user.email", "ada@example.org")
	}
	return tm
}

// join starts an engine to which the balancer leads, too.
func (tm *team) join(name string, e *engine) {
	tm.t.Helper()
	address, err := servertest.FreeAddress()
	if err != nil {
		tm.t.Fatal(err)
	}
	e.start(address, "--behind-proxy", "--host", "stellwerk.example.com", "--url", tm.front.URL())
	tm.front.WithAddress(name, address)
}

// signIn comes in by the balancer, with a code of whichever engine.
func (tm *team) signIn(p *person, e *engine) {
	tm.t.Helper()
	_, code := e.link()
	p.enter(tm.front.URL() + "/sign-in#" + code)
}

// begin brings the project by its address, starts a run, and returns the run's page.
func (tm *team) begin(p *person) string {
	tm.t.Helper()
	p.allow("status of 428") // what is to be trusted first
	p.press("", "Add a project")
	p.fill("", "Repository", tm.repository)
	p.fill("", "Base branch", "main")
	p.fill("", "Playbook", "project")
	p.press("form.card", "Add the project")
	p.wait("added", `location.pathname === "/projects/rocket"`)
	p.press("", "New goal")
	p.fill("", "Goal", "Greet people")
	p.press("", "Start")
	p.sees("Read before you trust", ".stellwerk/playbooks/project.yaml")
	p.press("", "I have read these files and trust them.")
	p.press("", "Trust and start")
	p.wait("begun", `location.pathname.startsWith("/runs/")`)
	return tm.front.URL() + p.text(`location.pathname`)
}

// watchesLight has a page note how its connection does from now on.
func (p *person) watchesLight() {
	p.t.Helper()
	p.text(`(() => {
		const light = document.getElementById("live");
		window.lights = [];
		new MutationObserver(() => window.lights.push(light.dataset.state)).observe(light, { attributes: true });
	})()`)
}

// TestATeamOnARealGitea: the engine that owns a run, and that its page listens at, is killed while an agent is at work and pages are
// open. The pages go on with the other engine, which takes what the agent hands in, and publishes once, with its own account.
func TestATeamOnARealGitea(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	browser := chromium(t)
	ada, bob := newPerson(browser, t, desk), newPerson(browser, t, desk)
	for _, p := range []*person{ada, bob} {
		p.allow("ERR_") // the connections to the engine that is killed
	}
	tm.join("one", tm.one)
	tm.signIn(ada, tm.one)
	run := tm.begin(ada)
	ada.live()
	ada.sees("with TOKEN_OF_STELLA")
	ada.press("#gate", "Approve")
	release := tm.one.atWork(ada)

	tm.join("two", tm.two)
	tm.signIn(bob, tm.two)
	bob.open(run)
	inbox := bob.tab()
	inbox.allow("ERR_")
	inbox.open(tm.front.URL() + "/inbox")
	ada.live()
	var same []func()
	pages := []*person{ada, bob, inbox}
	for _, p := range pages {
		p.live()
		same = append(same, p.stays())
	}
	ada.watchesLight()
	tm.one.kill()
	ada.wait("cut off", `window.lights.includes("wait")`)
	for _, p := range pages {
		p.live()
	}
	tm.front.Without("one")
	release()
	for _, p := range pages {
		p.sees("Approve and publish")
	}
	ada.sees("with TOKEN_OF_STUART")
	if n := tm.repo.Count(t); n != 0 {
		t.Errorf("%d pull requests before anybody approved", n)
	}
	ada.press("#gate", "Approve and publish")
	for _, p := range []*person{ada, bob} {
		p.sees("Published, waiting for a review")
	}
	if n, author := tm.repo.Count(t), tm.repo.Author(t, 1); n != 1 || author != giteatest.OtherBot {
		t.Errorf("%d pull requests, the first by %s", n, author)
	}
	tm.repo.Merge(t, 1)
	for _, p := range []*person{ada, bob} {
		p.sees("completed")
	}
	for i, p := range pages {
		same[i]()
		p.healthy()
	}
	bob.open(tm.front.URL() + "/settings/engines")
	bob.sees("gone", "shows you this page")
	tm.once(run)
}

// once is what came of the run: each attempt and the pull request once, and what was approved is what was merged.
func (tm *team) once(run string) {
	tm.t.Helper()
	log := tm.two.cli(".", "log", filepath.Base(run), "--json")
	for event, want := range map[string]int{"AttemptRequested": 2, "AttemptExited": 2, "PublishRequested": 1, "PublishConcluded": 1} {
		if n := len(regexp.MustCompile(`"type":\s*"`+event+`"`).FindAllString(log, -1)); n != want {
			tm.t.Errorf("%d times %s, want %d", n, event, want)
		}
	}
	if n := tm.repo.Count(tm.t); n != 1 {
		tm.t.Errorf("%d pull requests", n)
	}
	git := func(folder string, args ...string) string {
		tm.t.Helper()
		return strings.TrimSpace(tm.two.run(folder, []int{0}, append([]string{"git"}, args...)...))
	}
	git(".", "clone", "--quiet", tm.repository, "merged")
	if branches := git("merged", "branch", "--remotes", "--format=%(refname:lstrip=3)"); branches != "HEAD\nfeature/greet-people\nmain" {
		tm.t.Errorf("the branches are %q", branches)
	}
	branch := git("merged", "rev-parse", "origin/feature/greet-people")
	if merged := git("merged", "rev-parse", "main^2"); merged != branch || !strings.Contains(log, branch) {
		tm.t.Errorf("%s was merged, the branch is at %s", merged, branch)
	}
	git("merged", "diff", "--exit-code", "main", branch)
	if text := git("merged", "show", "main:greet.txt"); text != "hello" {
		tm.t.Errorf("merged was %q", text)
	}
}
