package app_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/local"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

const sessionPlaybook = `
name: tiny
kind: phases
agents: {c: {use: claude}}
roles: {dev: {agent: c, prompt: You build.}, critic: {agent: c, prompt: You look.}}
phases:
  - id: build
    role: dev
    outputs: [build.md]
    gate: approval
    done:
      - changed: "*.txt"
      - command: test -f hello.txt
  - id: publish
    act: pull-request
    gate: approval
`

// desk is a person's session with an engine beside it.
type desk struct {
	t       *testing.T
	app     *app.App
	state   string
	dir     string
	session string
}

func newDesk(t *testing.T, playbook string) *desk {
	t.Helper()
	d := &desk{t: t, state: stateFolder(t), session: "5e551011-aaaa"}
	d.dir = repository(t, map[string]string{"README.md": "x\n", ".stellwerk/playbooks/tiny.yaml": playbook})
	t.Cleanup(d.clear)
	d.open()
	return d
}

// clear ends the attempts that a test leaves, and sees them end.
func (d *desk) clear() {
	folders, err := filepath.Glob(filepath.Join(d.state, "attempts", "*", "*"))
	if err != nil {
		d.t.Error(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	for _, folder := range folders {
		if err := shim.Cancel(folder); err != nil {
			d.t.Error(err)
		}
		if _, err := local.New(local.Options{Folder: func(spawn.ID) string { return folder }}).Wait(ctx, spawn.ID{}); err != nil {
			d.t.Error(err)
		}
	}
}

func (d *desk) open() {
	d.t.Helper()
	a, err := app.Open(d.person(), app.Options{State: d.state, Version: "test", Log: d.t.Output(), Verbose: true})
	if err != nil {
		d.t.Fatal(err)
	}
	d.app = a
	d.t.Cleanup(func() {
		if d.app != a {
			return
		}
		if err := a.Close(); err != nil {
			d.t.Error(err)
		}
	})
}

func (d *desk) person() context.Context {
	return api.WithCaller(d.t.Context(), api.Caller{Actor: core.Person("me")})
}

func (d *desk) orchestrator() context.Context {
	return api.WithCaller(d.t.Context(), api.Caller{Actor: core.Actor{Kind: core.ActorSession, ID: d.session}})
}

func (d *desk) start() api.Run {
	d.t.Helper()
	d.trust()
	run, err := d.app.Service.StartRun(d.orchestrator(), api.StartRun{Dir: d.dir, Goal: "say hello", Playbook: "tiny", Session: d.session})
	if err != nil {
		d.t.Fatal(err)
	}
	return run
}

// trust is a person's, in or out of a session.
func (d *desk) trust() {
	d.t.Helper()
	trusted, err := d.app.Service.Trust(d.person(), api.Trust{Dir: d.dir, Playbook: "tiny"})
	if err == nil {
		_, err = d.app.Service.Trust(d.person(), api.Trust{Dir: d.dir, Playbook: "tiny", Confirm: trusted.Hash})
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) turn(want api.TurnKind) api.Turn {
	d.t.Helper()
	turn, err := d.app.Service.Turn(d.person(), d.session, api.TurnQuery{Wait: time.Minute})
	if err != nil {
		d.t.Fatal(err)
	}
	if turn.Kind != want {
		d.t.Fatalf("the turn is %q, want %q: %+v", turn.Kind, want, turn)
	}
	return turn
}

func (d *desk) take(agent, kind string) api.Assignment {
	d.t.Helper()
	lease, err := d.app.Service.Lease(d.person(), d.session, api.Lease{Agent: agent})
	if err != nil {
		d.t.Fatal(err)
	}
	work, err := d.app.Service.Take(d.person(), d.session, api.Take{Agent: agent, Type: kind, Dir: lease.Dir})
	if err != nil {
		d.t.Fatal(err)
	}
	return work
}

func (d *desk) say(text string) api.Turn {
	d.t.Helper()
	turn, err := d.app.Service.Say(d.person(), d.session, api.Say{Text: text})
	if err != nil {
		d.t.Fatal(err)
	}
	return turn
}

// shell runs a line as the hook would have the session's program run it.
func (d *desk) shell(agent, line string) (string, error) {
	d.t.Helper()
	return run(d.agent(agent).Shell, line)
}

func (d *desk) agent(id string) snapshot.Agent {
	d.t.Helper()
	snap, err := snapshot.Read(d.state, d.session)
	if err != nil {
		d.t.Fatal(err)
	}
	return snap.Agents[id]
}

func run(argv []string, line string) (string, error) {
	argv = append(slices.Clone(argv), line)
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func TestSessionStartsTheAgents(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sessionPlaybook)
	run := d.start()
	turn := d.turn(api.TurnStart)
	if len(turn.Offers) != 1 || turn.Offers[0].Type != "stellwerk:worker" || turn.Offers[0].Role != "dev" {
		t.Fatalf("offered are %+v", turn.Offers)
	}
	work := d.take("a1", "stellwerk:worker")
	if prompt, err := os.ReadFile(work.Prompt); err != nil || !strings.Contains(string(prompt), "You build.") {
		t.Errorf("the prompt is %q, %v", prompt, err)
	}
	d.turn(api.TurnWorking)
	if out, err := d.shell("a1", `pwd && echo hi > hello.txt && echo did it > "$STELLWERK_OUT/build.md" && ls `+d.dir+` 2>&1 | head -1`); err != nil || !strings.HasPrefix(out, work.Dir) {
		t.Fatalf("the shell said %q, %v", out, err)
	}
	if err := d.app.Service.HandIn(d.person(), d.session, api.HandIn{Agent: "a1", Message: "Done."}); err != nil {
		t.Fatal(err)
	}
	gate := d.turn(api.TurnGate)
	if len(gate.Shown) != 1 || filepath.Base(gate.Shown[0]) != "build.md" {
		t.Errorf("shown are %v", gate.Shown)
	}
	d.approves(run)
	d.turn(api.TurnGate) // the pull request
	d.approves(run)
	d.turn(api.TurnOver)
	if got := git(t, d.dir, "show", run.Branch+":hello.txt"); got != "hi" {
		t.Errorf("the branch has %q", got)
	}
	if turn, err := d.app.Service.Turn(d.person(), d.session, api.TurnQuery{}); err != nil || turn.Kind != api.TurnNone {
		t.Errorf("a session that was told its run is over owns %+v, %v", turn, err)
	}
}

// approves goes through everything that is no approval first.
func (d *desk) approves(run api.Run) {
	d.t.Helper()
	detail, err := d.app.Service.Run(d.person(), run.ID)
	if err != nil {
		d.t.Fatal(err)
	}
	approval := api.Approve{Subject: &detail.Gate.Subject}
	refused := func(why string) {
		d.t.Helper()
		_, err := d.app.Service.Approve(d.orchestrator(), run.ID, approval)
		if core.CodeOf(err) != core.CodeForbidden {
			d.t.Fatalf("an approval %s: %v", why, err)
		}
	}
	refused("without a word")
	for _, objection := range []string{"I do not approve", "approve? no!", "don't approve this", "ok", "not approved", "looks fine but fix the tests"} {
		d.say(objection)
		refused("after " + objection)
	}
	if turn := d.say("Approve!"); turn.Heard != core.MeansApprove {
		d.t.Fatalf("heard %q", turn.Heard)
	}
	if _, err := d.app.Service.Approve(d.orchestrator(), run.ID, approval); err != nil {
		d.t.Fatal(err)
	}
}

func TestSessionAgentThatDiesIsReplaced(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sessionPlaybook)
	d.start()
	first := d.turn(api.TurnStart).Offers[0]
	work := d.take("a1", "stellwerk:worker")
	if err := os.WriteFile(filepath.Join(work.Dir, "half.txt"), []byte("half\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	given := d.agent("a1").Shell
	turn, err := d.app.Service.Turn(d.person(), d.session, api.TurnQuery{Wait: time.Minute, Idle: true, Alive: []string{"other"}})
	if err != nil || turn.Kind != api.TurnStart {
		t.Fatalf("%+v, %v", turn, err)
	}
	if turn.Offers[0].Attempt == first.Attempt || turn.Offers[0].Base == first.Base {
		t.Errorf("the second offer is %+v after %+v: work is continued in a new attempt", turn.Offers[0], first)
	}
	if out, err := run(given, "true"); err == nil || d.agent("a1").Attempt != "" {
		t.Errorf("an agent that was given up still has a shell: %q, %v, %+v", out, err, d.agent("a1"))
	}
	again := d.take("a2", "stellwerk:worker")
	if _, err := os.Stat(filepath.Join(again.Dir, "half.txt")); err != nil {
		t.Errorf("what the first agent left is gone: %v", err)
	}
}

func TestRunMovesBetweenSessionAndEngine(t *testing.T) {
	t.Parallel()
	d := newDesk(t, strings.Replace(sessionPlaybook, "{use: claude}", "{use: scripted, scenario: scenario.yaml}", 1))
	if err := os.WriteFile(filepath.Join(d.dir, "scenario.yaml"), []byte(scenarioText), 0o600); err != nil {
		t.Fatal(err)
	}
	git(t, d.dir, "add", "-A")
	git(t, d.dir, "commit", "-qm", "scenario")
	run := d.start()
	d.turn(api.TurnStart)
	d.take("a1", "stellwerk:worker")
	none := ""
	if _, err := d.app.Service.Resume(d.person(), run.ID, api.Resume{Session: &none}); err != nil {
		t.Fatal(err)
	}
	if _, err := snapshot.Read(d.state, d.session); err != snapshot.ErrOver { //nolint:errorlint // exactly this
		t.Errorf("the session still has a snapshot: %v", err)
	}
	awaitStatus(t, d, run.ID, core.StatusAwaiting)
	if _, err := d.app.Service.Resume(d.person(), run.ID, api.Resume{Session: &d.session}); err != nil {
		t.Fatal(err)
	}
	d.turn(api.TurnGate)
}

var errSeen = errors.New("seen")

func awaitStatus(t *testing.T, d *desk, run string, want core.RunStatus) {
	t.Helper()
	ctx, cancel := context.WithTimeout(d.person(), waittest.Limit)
	defer cancel()
	err := d.app.Service.Follow(ctx, run, 0, func(core.Event) error {
		detail, err := d.app.Service.Run(ctx, run)
		if err == nil && detail.Status == want {
			return errSeen
		}
		return err
	})
	if err != errSeen { //nolint:errorlint // exactly this
		t.Fatal(err)
	}
}

func TestSessionOwnsOneRunAndOthersAreLeftAlone(t *testing.T) {
	d := newDesk(t, sessionPlaybook)
	d.start()
	_, err := d.app.Service.StartRun(d.orchestrator(), api.StartRun{Dir: d.dir, Goal: "another", Playbook: "tiny", Session: d.session})
	if core.CodeOf(err) != core.CodeConflict || !strings.Contains(err.Error(), "under way") {
		t.Errorf("a second run: %v", err)
	}
	turn, err := d.app.Service.Turn(d.person(), "another-session", api.TurnQuery{})
	if err != nil || turn.Kind != api.TurnNone {
		t.Errorf("another session: %+v, %v", turn, err)
	}
	if _, err := d.app.Service.Lease(d.person(), "another-session", api.Lease{Agent: "x"}); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("another session's lease: %v", err)
	}
}

func TestSnapshotThatIsDamagedIsWrittenAnew(t *testing.T) {
	d := newDesk(t, sessionPlaybook)
	d.start()
	d.turn(api.TurnStart)
	dir, err := snapshot.Dir(d.state, d.session)
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"", "{", `{"proto":99,"session":"x"}`} {
		if err := os.WriteFile(filepath.Join(dir, "snapshot.json"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		d.turn(api.TurnStart)
		if snap, err := snapshot.Read(d.state, d.session); err != nil || len(snap.Offers) != 1 {
			t.Errorf("after %q: %+v, %v", content, snap, err)
		}
	}
}

func TestEngineThatEndsFindsTheOfferAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sessionPlaybook)
	d.start()
	d.turn(api.TurnStart)
	if err := d.app.Close(); err != nil {
		t.Fatal(err)
	}
	d.open()
	d.turn(api.TurnStart)
	d.take("a1", "stellwerk:worker")
	if err := d.app.Close(); err != nil {
		t.Fatal(err)
	}
	d.open()
	d.turn(api.TurnWorking)
	if err := d.app.Service.HandIn(d.person(), d.session, api.HandIn{Agent: "a1"}); err != nil {
		t.Fatal(err)
	}
	if turn := d.turn(api.TurnStart); turn.Offers[0].N != 2 {
		t.Errorf("after an empty delivery %+v is offered", turn.Offers)
	}
}

func TestTeamWorksInParallelInASession(t *testing.T) {
	t.Parallel()
	d := newDesk(t, `
name: tiny
kind: phases
agents: {c: {use: claude}}
roles: {left: {agent: c, prompt: Left.}, right: {agent: c, prompt: Right.}, hub: {agent: c, prompt: Hub.}}
phases:
  - id: plan
    team: {spokes: [left, right], hub: hub}
    outputs: [plan.md]
    gate: approval
`)
	d.start()
	if turn := d.turn(api.TurnStart); len(turn.Offers) != 2 {
		t.Fatalf("of the team only %+v is offered", turn.Offers)
	}
	var works []api.Assignment
	for _, agent := range []string{"a1", "a2"} {
		works = append(works, d.take(agent, "stellwerk:worker"))
	}
	if works[0].Role == works[1].Role || works[0].Dir == works[1].Dir {
		t.Fatalf("two agents got %+v", works)
	}
	d.turn(api.TurnWorking)
	for i, agent := range []string{"a1", "a2"} {
		if _, err := d.shell(agent, `for f in $(grep -o "[a-z.-]*[.]md" "$STELLWERK_PROMPT" | sort -u); do echo "from $0" > "$STELLWERK_OUT/$(basename $f)"; done`); err != nil {
			t.Fatal(err)
		}
		if err := d.app.Service.HandIn(d.person(), d.session, api.HandIn{Agent: agent}); err != nil {
			t.Fatal(err, i)
		}
	}
	if hub := d.turn(api.TurnStart); len(hub.Offers) != 1 || hub.Offers[0].Role != "hub" {
		t.Fatalf("after the spokes %+v is offered", hub.Offers)
	}
}

func TestWhoIsInsideTheSessionIsNotThePerson(t *testing.T) {
	d := newDesk(t, sessionPlaybook)
	run := d.start()
	inside := api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me"), Inside: []string{d.session}})
	if _, err := d.app.Service.Say(inside, d.session, api.Say{Text: "approve"}); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("a word from inside: %v", err)
	}
	if _, err := d.app.Service.Cancel(inside, run.ID, api.Cancel{}); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("a cancellation from inside: %v", err)
	}
	if _, err := d.app.Service.Cancel(d.person(), run.ID, api.Cancel{}); err != nil {
		t.Errorf("a person's cancellation: %v", err)
	}
}
