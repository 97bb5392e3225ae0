package dispatch

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/local"
)

// launcher is a place to run attempts that notes what it is asked for.
type launcher struct {
	spawn.Spawner
	place   spawn.Capabilities
	mu      sync.Mutex
	status  spawn.Status
	started spawn.Status // after a start
	broken  error        // in the place of a start
	orders  []spawn.Order
	kills   int
}

func (l *launcher) Capabilities() spawn.Capabilities { return l.place }

func (l *launcher) Probe(context.Context, spawn.ID) (spawn.Status, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.status, nil
}

func (l *launcher) Start(_ context.Context, order spawn.Order) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return l.broken
	}
	l.orders, l.status = append(l.orders, order), l.started
	return nil
}

func (l *launcher) Kill(context.Context, spawn.ID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kills++
	return nil
}

func (l *launcher) asked() (orders []spawn.Order, kills int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.orders), l.kills
}

// phased is a run of phases whose second attempt at its build is to be started.
type phased struct {
	*ended
	workers *launcher
	attempt *core.Attempt
	task    *core.Task
	stage   *core.Stage
}

const builder = "build.r1.a2"

func newPhased(t *testing.T) *phased {
	t.Helper()
	p := &phased{ended: &ended{surf: newSurf(t), engine: &heard{news: make(chan core.Body, 10)}}}
	p.surf.engine, p.Folder = p.ended, shelf{t.TempDir()}
	p.folder = p.Layout.Attempt(p.run.ID, builder)
	p.workers = &launcher{place: local.New(local.Options{}).Capabilities(), status: spawn.Absent, started: spawn.Running}
	environ := map[string]string{"NEEDED": hiddenWord, "KNOWN_KEY": "known", "FOREIGN_KEY": "foreign"}
	p.Spawner, p.Self = p.workers, "/bin/stellwerk"
	p.Environ = func(name string) (string, bool) { v, ok := environ[name]; return v, ok }
	p.SecretNames = func(use string) []string {
		return map[string][]string{"claude": {"KNOWN_KEY", "UNSET_KEY"}}[use]
	}
	p.hidden.search = func() []string { return []string{"/etc/private"} }
	p.attempt = &core.Attempt{ID: builder, N: 2, Base: p.commit}
	before := &core.Attempt{ID: "build.r1.a1", N: 1, Base: p.run.BaseCommit, Delivery: &core.Delivery{Artifacts: []core.Artifact{
		{Name: "notes.md", Digest: p.put(t, "half")}, {Name: reportFile, Digest: p.put(t, "{}")},
	}}}
	p.task = &core.Task{
		ID: "build.r1", Stage: "build", Role: "developer", Writes: core.WritesCode, Limit: 3, Timeout: time.Hour,
		Inputs: []core.Input{{Name: "plan.md"}, {Name: "later.md", Optional: true}}, Attempts: []*core.Attempt{before, p.attempt},
	}
	planned := &core.Task{ID: "plan.r1", Stage: "plan", Status: core.TaskDone, Outputs: []string{"plan.md"}, Attempts: []*core.Attempt{
		{ID: "plan.r1.a1", Verdict: core.VerdictPassed, Delivery: &core.Delivery{Artifacts: []core.Artifact{{Name: "plan.md", Digest: p.put(t, "the plan")}}}},
	}}
	p.stage = &core.Stage{ID: "build", Round: 1, Base: p.run.BaseCommit, Status: core.StageOpen, Tasks: []*core.Task{p.task}}
	p.run.Title, p.run.Goal, p.run.Isolation = "A cart", "A cart, not "+hiddenWord+".", "sandbox"
	p.run.Identity = core.Identity{Name: "A", Email: "a@example.org"}
	p.run.Waves = nil
	p.run.Playbook = &core.Playbook{
		Kind: "phases", Phases: []core.Phase{{ID: "plan"}, {ID: "build", Title: "Build", Role: "developer"}},
		Roles:  map[string]core.Role{"developer": {Name: "developer", Agent: "coder", Prompt: "Write.", Tools: []string{"Read"}}},
		Agents: map[string]core.Agent{"coder": {Use: "claude", Model: "small", Env: map[string]string{"COLOR": "1"}, Secrets: []string{"NEEDED"}}},
	}
	p.run.Stages = []*core.Stage{{ID: "plan", Round: 1, Status: core.StageDone, Tasks: []*core.Task{planned}}, p.stage}
	return p
}

func (p *phased) action() core.StartAttempt {
	return core.StartAttempt{Event: "e1", Stage: "build", Task: p.task.ID, Attempt: builder}
}

func (p *phased) spec(t *testing.T) shim.Spec {
	t.Helper()
	spec, err := shim.ReadSpec(p.folder)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// began starts the attempt and returns what is said of it.
func (p *phased) began(t *testing.T) core.Body {
	t.Helper()
	p.Reconcile(p.run, 1, []core.Action{p.action()})
	return p.engine.await(t)
}

// TestAPlaceThatOffersLess: an attempt that it cannot hold as the run wants is neither prepared nor started there, and
// says why; another try would fail in the same way. One that is under way is not ended for that.
func TestAPlaceThatOffersLess(t *testing.T) {
	pod := spawn.Capabilities{Name: "pod", Isolation: []string{"sandbox"}, Resources: true, Sessions: true}
	for name, c := range map[string]struct {
		bend func(*phased, *core.StartAttempt)
		says string
	}{
		"no isolation":   {func(p *phased, _ *core.StartAttempt) { p.workers.place.Isolation = []string{"container"} }, `no isolation "sandbox", only ["container"]`},
		"less isolation": {func(p *phased, _ *core.StartAttempt) { p.run.Isolation = "none" }, `no isolation "none", only ["sandbox"]`},
		"no limits": {func(p *phased, _ *core.StartAttempt) {
			p.workers.place.Resources, p.run.Resources.Attempt.Processes = false, 7
		}, "no limits of memory"},
		"no limits, none wanted": {bend: func(p *phased, _ *core.StartAttempt) { p.workers.place.Resources = false }},
		"no sessions": {func(p *phased, a *core.StartAttempt) {
			p.workers.place.Sessions, p.Sessions, a.Session = false, typedSessions{make(chan string, 1)}, "s1"
		}, "no agents of an interactive session"},
		"no sessions, none wanted": {bend: func(p *phased, _ *core.StartAttempt) { p.workers.place.Sessions = false }},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPhased(t)
			a := p.action()
			p.workers.place = pod
			c.bend(p, &a)
			p.Reconcile(p.run, 1, []core.Action{a})
			said := p.engine.await(t)
			if c.says == "" {
				if began, ok := said.(core.AttemptStarted); !ok || began.Spawner != "pod" {
					t.Errorf("reported is %+v", said)
				}
				return
			}
			end, ok := said.(core.AttemptExited)
			if !ok || end.Kind != core.ExitNoStart || !end.Hopeless || !strings.Contains(end.Message, "pod has "+c.says) {
				t.Errorf("reported is %+v", said)
			}
			orders, _ := p.workers.asked()
			if _, err := os.Stat(p.folder); !errors.Is(err, os.ErrNotExist) || len(orders) > 0 {
				t.Errorf("ordered is %+v, and its folder is there: %v", orders, err)
			}
		})
	}
	p := newPhased(t)
	if began, ok := p.began(t).(core.AttemptStarted); !ok || began.Spawner != "local" {
		t.Fatalf("reported is %+v", began)
	}
	p.work.Wait() // it has reported, and may not have ended
	p.workers.place, p.workers.status = spawn.Capabilities{Name: "less"}, spawn.Running
	if began, ok := p.began(t).(core.AttemptStarted); !ok {
		t.Errorf("of one under way is reported %+v", began)
	}
}

// TestAnAttemptIsFurnished: it begins on its own base and its own branch with what it was promised, gets the secrets of
// its agent in memory, and nothing that is written holds one.
func TestAnAttemptIsFurnished(t *testing.T) {
	p := newPhased(t)
	said, ok := p.began(t).(core.AttemptStarted)
	if !ok || said.Attempt != builder || said.Agent != "claude" || said.Spawner != "local" || said.Session != "" || said.Isolation != "sandbox" {
		t.Fatalf("reported is %+v", said)
	}
	spec := p.spec(t)
	work := p.Layout.Workspace(p.run.ID, builder)
	if at := sh(t, work, "git rev-parse HEAD; git symbolic-ref --short HEAD"); at != p.commit+"\nfeature/x" || spec.Base != p.commit {
		t.Errorf("it works at %q from %s", at, spec.Base)
	}
	if spec.Workspace != work || spec.Job.Dir != work || spec.Branch != "feature/x" || spec.IntegrationBranch != "feature/x" || spec.Writes != core.WritesCode {
		t.Errorf("it works in %+v", spec)
	}
	options := map[string]string{
		agent.OptionSelf: "/bin/stellwerk", optionYard: filepath.Join(p.Layout.State, "yard.git"), agent.OptionTask: "build", agent.OptionRound: "1", agent.OptionAttempt: "2",
	}
	if diff := gocmp.Diff(agent.Job{
		Dir: work, Prompt: filepath.Join(p.folder, promptFile), In: filepath.Join(p.folder, "in"), Out: filepath.Join(p.folder, "out"), Home: filepath.Join(p.folder, "home"),
		Role: agent.Role{Name: "developer", Tools: []string{"Read"}, Model: "small", SystemPrompt: filepath.Join(p.folder, "role.md")}, Options: options,
	}, spec.Job); diff != "" {
		t.Error(diff)
	}
	if spec.Run != p.run.ID || spec.Task != p.task.ID || spec.Attempt != builder || time.Duration(spec.Timeout) != time.Hour || spec.Identity.Email != "a@example.org" {
		t.Errorf("it is %+v", spec)
	}
	if spec.CommitMessage != "wip(phase-1): Build - A cart" || !spec.Mark || string(spec.Isolation) != "sandbox" {
		t.Errorf("it ends in %q (%t) under %q", spec.CommitMessage, spec.Mark, spec.Isolation)
	}
	if !slices.Equal(spec.Masked, []string{p.Layout.State}) || !slices.Equal(spec.Private, []string{"/etc/private"}) {
		t.Errorf("hidden are %q and %q", spec.Masked, spec.Private)
	}
	if !slices.Equal(spec.Secrets, []string{"NEEDED", "KNOWN_KEY"}) || !maps.Equal(spec.Env, map[string]string{"COLOR": "1"}) || spec.Tools != "" {
		t.Errorf("it gets %q, %v and %q", spec.Secrets, spec.Env, spec.Tools)
	}
	orders, kills := p.workers.asked()
	if len(orders) != 1 || kills != 0 || orders[0].ID != (spawn.ID{Run: p.run.ID, Attempt: builder}) || !slices.Equal(orders[0].Env, []string{"NEEDED=" + hiddenWord, "KNOWN_KEY=known"}) {
		t.Errorf("ordered is %+v", orders)
	}
	for path, want := range map[string]string{"in/plan.md": "the plan", "out/notes.md": "half", "role.md": "Write."} {
		if got := content(t, filepath.Join(p.folder, path)); got != want {
			t.Errorf("%s is %q", path, got)
		}
	}
	if info, err := os.Stat(filepath.Join(p.folder, "in", "plan.md")); err != nil || info.Mode().Perm() != 0o400 {
		t.Errorf("an input can be written: %v, %v", info.Mode(), err)
	}
	if shimtest.Exists(t, filepath.Join(p.folder, "out", reportFile)) || shimtest.Exists(t, filepath.Join(p.folder, "in", "later.md")) {
		t.Error("a report was kept, or an input made up")
	}
	prompt := content(t, filepath.Join(p.folder, promptFile))
	if on := stored(t, p.Objects, said.Prompt); on != prompt || !strings.Contains(prompt, "A cart, not [redacted].") || spec.Job.Role.SystemPrompt != filepath.Join(p.folder, "role.md") {
		t.Errorf("asked is %q, on record %q", prompt, on)
	}
	for _, name := range append(under(t, p.folder), under(t, work)...) {
		if strings.Contains(content(t, name), hiddenWord) {
			t.Errorf("%s holds a secret", name)
		}
	}
}

// under lists the files below a folder.
func under(t *testing.T, dir string) []string {
	t.Helper()
	return strings.Fields(sh(t, dir, `find "$PWD" -type f`))
}

// TestWhoseOptionsTheyAre: a repository says neither where credentials go nor which program gets them, and a person's own
// address is for the program that it is meant for.
func TestWhoseOptionsTheyAre(t *testing.T) {
	p := newPhased(t)
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	theirs := map[string]string{agent.OptionBaseURL: "https://evil.example", agent.OptionBinary: "/evil", "permission_mode": "bypassPermissions", "mine": "1"}
	for name, c := range map[string]struct {
		use, url string
		listed   bool
		want     map[string]string
	}{
		"claude":                 {"claude", "", false, map[string]string{}},
		"claude, elsewhere":      {"claude", "http://own", false, map[string]string{agent.OptionBaseURL: "http://own"}},
		"claude, without leave":  {"claude", "", true, map[string]string{"permission_mode": "dontAsk"}},
		"another":                {"command", "http://own", false, map[string]string{}},
		"another, without leave": {"command", "", true, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			p.Listed = c.listed
			p.Environ = func(name string) (string, bool) { return c.url, name == "ANTHROPIC_BASE_URL" && c.url != "" }
			r := attemptRoom{d: p.Dispatcher, run: p.run, stage: p.stage, task: p.task, attempt: p.attempt, folder: t.TempDir(), yard: y, def: core.Agent{Use: c.use, Options: theirs}}
			got, err := r.options(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{agent.OptionBaseURL, agent.OptionBinary, "permission_mode"} {
				if got[key] != c.want[key] {
					t.Errorf("%s is %q, want %q", key, got[key], c.want[key])
				}
			}
			if got["mine"] != "1" || got[agent.OptionTask] != "build" || got[agent.OptionRound] != "1" || got[agent.OptionAttempt] != "2" || got[agent.OptionSelf] != "/bin/stellwerk" {
				t.Errorf("the options are %v", got)
			}
			if theirs[agent.OptionBaseURL] == "" {
				t.Error("the playbook was changed")
			}
		})
	}
}

// TestWhatAnEarlierEngineLeft: until a shim has claimed the attempt, a half-made room is made again from nothing and one
// that is complete is used; afterwards nothing is touched and nothing started.
func TestWhatAnEarlierEngineLeft(t *testing.T) {
	for name, c := range map[string]struct {
		spec            string // "" for one that is complete
		status          spawn.Status
		again, starting bool
		copied          bool // from another state folder
	}{
		"a room without a spec":      {spec: "none", status: spawn.Absent, again: true, starting: true},
		"a spec that is torn":        {spec: `{"proto": 1, "proj`, status: spawn.Absent, again: true, starting: true},
		"a room that is complete":    {status: spawn.Absent, starting: true},
		"a room of another folder":   {status: spawn.Absent, again: true, starting: true, copied: true},
		"an attempt that runs":       {status: spawn.Running},
		"an attempt that ended":      {status: spawn.Exited},
		"one that ended, and a copy": {status: spawn.Exited, copied: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPhased(t)
			work := p.Layout.Workspace(p.run.ID, builder)
			if c.spec == "" { // as an engine made it that was killed then
				y, err := p.Yards.Yard(t.Context(), "")
				if err != nil {
					t.Fatal(err)
				}
				def, err := agentFor(p.run, p.task)
				if err != nil {
					t.Fatal(err)
				}
				r := attemptRoom{d: p.Dispatcher, run: p.run, stage: p.stage, task: p.task, attempt: p.attempt, def: def, folder: p.folder, yard: y}
				if _, err := r.prepare(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err := shim.FinishSpec(p.folder); err != nil {
					t.Fatal(err)
				}
			} else if c.spec != "none" {
				write(t, filepath.Join(p.folder, "spec.json"), c.spec)
			}
			if c.copied {
				path := filepath.Join(p.folder, "spec.json")
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				write(t, path, strings.ReplaceAll(string(text), p.Layout.State+"/", "/elsewhere/"))
			}
			left := []string{filepath.Join(work, "left.go"), filepath.Join(p.folder, "in", "left.md"), filepath.Join(p.folder, "out", "left.md")}
			for _, path := range left {
				write(t, path, "left")
			}
			p.workers.status = c.status
			if _, ok := p.began(t).(core.AttemptStarted); !ok {
				t.Fatal("it was not reported as started")
			}
			for _, path := range left {
				if shimtest.Exists(t, path) == c.again {
					t.Errorf("%s is there: %t", path, !c.again)
				}
			}
			if orders, _ := p.workers.asked(); (len(orders) == 1) != c.starting {
				t.Errorf("ordered is %+v", orders)
			}
			if got := p.spec(t); got.Base != p.commit {
				t.Errorf("its base is %s", got.Base)
			}
		})
	}
}

// TestAStartThatFails says so in words without a secret, is not counted, and leaves nothing that could still begin: the
// attempt is killed, and there is a spec only where everything it names was made.
func TestAStartThatFails(t *testing.T) {
	for name, c := range map[string]struct {
		fault    func(p *phased)
		want     string
		hopeless bool
		spec     bool
	}{
		"no workspace": {func(p *phased) { p.attempt.Base = strings.Repeat("0", 40) }, "", false, false},
		"no input": {func(p *phased) {
			p.run.Stages[0].Tasks[0].Attempts[0].Delivery.Artifacts[0].Digest = strings.Repeat("0", 64)
		}, "", false, false},
		"no document of before": {func(p *phased) { p.task.Attempts[0].Delivery.Artifacts[0].Digest = strings.Repeat("0", 64) }, "", false, false},
		"no agent":              {func(p *phased) { p.run.Playbook.Agents = nil }, "does not define", false, false},
		"no secret": {func(p *phased) { p.Environ = func(string) (string, bool) { return "", false } },
			"NEEDED, which the agent claude needs, is not set in the environment", true, true},
		"a socket in a folder that agents see": {func(p *phased) {
			p.exposed.search = func() sandbox.Exposed {
				return sandbox.Exposed{Sockets: []sandbox.Socket{{Path: "/srv/data/db.sock", Folder: "/srv/data"}}}
			}
		}, "/srv/data/db.sock lies in /srv/data, which `read_only` shows to agents, and a read-only folder keeps nobody from connecting; take /srv/data off", true, false},
		"no process": {func(p *phased) { p.workers.broken = errors.New("no room for " + hiddenWord) }, "no room for [redacted]", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPhased(t)
			c.fault(p)
			body, ok := p.began(t).(core.AttemptExited)
			if !ok || body.Kind != core.ExitNoStart || body.Attempt != builder || body.Hopeless != c.hopeless || body.Message == "" || !strings.Contains(body.Message, c.want) {
				t.Errorf("reported is %+v", body)
			}
			if strings.Contains(body.Message, hiddenWord) {
				t.Errorf("said is %q", body.Message)
			}
			if orders, kills := p.workers.asked(); len(orders) != 0 || kills != 1 {
				t.Errorf("ordered is %+v, killed %d times", orders, kills)
			}
			if shimtest.Exists(t, filepath.Join(p.folder, "spec.json")) != c.spec {
				t.Errorf("there is a spec: %t", !c.spec)
			}
		})
	}
}

// TestAStartThatIsPreparedOnly makes the room and nothing more until it is wanted; withdrawn, it never begins and nobody
// hears of it.
func TestAStartThatIsPreparedOnly(t *testing.T) {
	for name, wanted := range map[string]bool{"wanted": true, "withdrawn": false} {
		t.Run(name, func(t *testing.T) {
			p := newPhased(t)
			p.Prepare(p.run, 1, []core.Action{core.Notify{Event: "e0"}, p.action()})
			p.Prepare(p.run, 1, []core.Action{p.action()})
			shimtest.Await(t, "the spec", func() bool { return shimtest.Exists(t, filepath.Join(p.folder, "spec.json")) })
			if orders, _ := p.workers.asked(); len(orders) > 0 || len(p.engine.taken()) > 0 {
				t.Fatalf("ordered is %+v", orders)
			}
			if wanted {
				if _, ok := p.began(t).(core.AttemptStarted); !ok {
					t.Error("it was not reported as started")
				}
			} else {
				p.Reconcile(p.run, 1, nil)
				shimtest.Await(t, "the end of the start", func() bool { p.mu.Lock(); defer p.mu.Unlock(); return len(p.flight) == 0 })
			}
			if orders, _ := p.workers.asked(); (len(orders) == 1) != wanted || len(p.engine.taken()) > 0 && !wanted {
				t.Errorf("ordered is %+v", orders)
			}
		})
	}
	p := newPhased(t)
	ofSession, old := p.action(), *p.run
	ofSession.Session = "s1"
	p.Prepare(p.run, 1, []core.Action{ofSession}) // its workspace is where the session's agent is
	p.seen[p.run.ID] = sight{seq: 5}
	old.Stream.Seq = 4
	p.Prepare(&old, 1, []core.Action{p.action()})
	p.Close()
	p.Prepare(p.run, 1, []core.Action{p.action()})
	if len(p.flight) > 0 {
		t.Errorf("begun is %v", p.flight)
	}
}
