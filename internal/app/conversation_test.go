package app_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// talkPlaybook has a manager whose turns last until a test lets them end, and a
// worker that does as well.
const talkPlaybook = `
name: tiny
kind: manager
agents:
  waiting: {use: command, run: [sh, -c, "until [ -e go ]; do sleep 0.02; done"]}
  quick: {use: command, run: [sh, -c, "until [ -e go ]; do sleep 0.02; done; rm go; echo hi > hello.txt"]}
roles: {boss: {agent: waiting, prompt: You manage.}, dev: {agent: quick, prompt: You build.}}
manager: {role: boss}
steps: {role: dev, done: {command: test -f hello.txt}}
`

// errHappened ends a wait.
var errHappened = errors.New("happened")

// booth is a person who speaks to a manager that the test plays.
type booth struct {
	*desk
	run api.Run
}

func newBooth(t *testing.T) *booth {
	t.Helper()
	d := newDesk(t, talkPlaybook)
	return &booth{desk: d}
}

// say speaks as a person does.
func (b *booth) say(text string) api.Spoken {
	b.t.Helper()
	spoken, err := b.app.Service.Speak(b.person(), api.Speak{Dir: b.dir, Text: text, Start: &api.StartRun{Playbook: "tiny", Trust: true}})
	if err != nil {
		b.t.Fatal(err)
	}
	b.run = spoken.Run
	return spoken
}

// until waits for an event of the run and returns its sequence number.
func (b *booth) until(after int64, what string, is func(core.Body) bool) int64 {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.person(), waittest.Limit)
	defer cancel()
	seq := int64(0)
	err := b.app.Service.Follow(ctx, b.run.ID, after, func(e core.Event) error {
		b.t.Logf("%d %s %s %.200s", e.Seq, e.Actor.Kind, e.Type, e.Body)
		body, err := core.Decode(e)
		if err == nil && is(body) {
			seq, err = e.Seq, errHappened
		}
		return err
	})
	if !errors.Is(err, errHappened) {
		b.t.Fatalf("waiting for %s: %v", what, err)
	}
	return seq
}

// turns waits for the manager's turn n to be under way and speaks as it.
func (b *booth) turns(n int) (as context.Context, seq int64) {
	b.t.Helper()
	attempt := ""
	task := core.TaskID(core.ManagerStage, n, "")
	seq = b.until(0, "the turn", func(body core.Body) bool {
		started, ok := body.(core.AttemptStarted)
		if ok && strings.HasPrefix(started.Attempt, task+".") {
			attempt = started.Attempt
		}
		return attempt != ""
	})
	return b.agent(attempt), seq
}

func (b *booth) agent(attempt string) context.Context {
	return api.WithCaller(b.t.Context(), api.Caller{Actor: core.Actor{Kind: core.ActorAgent, ID: attempt}, Run: b.run.ID})
}

// ends lets the agent that is asked for go on, and waits for the event.
func (b *booth) ends(as context.Context) {
	b.t.Helper()
	attempt := api.CallerFrom(as).Actor.ID
	b.release(attempt)
	b.until(0, "the end of "+attempt, func(body core.Body) bool {
		exited, ok := body.(core.AttemptExited)
		return ok && exited.Attempt == attempt
	})
}

func (b *booth) release(attempt string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.state, "work", b.run.ID, attempt, "go"), nil, 0o666); err != nil {
		b.t.Fatal(err)
	}
}

func (b *booth) detail() api.RunDetail {
	b.t.Helper()
	d, err := b.app.Service.Run(b.person(), b.run.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	return d
}

// history is the conversation in a line.
func (b *booth) history(q api.MessageQuery) string {
	b.t.Helper()
	messages, err := b.app.Service.Messages(b.person(), q)
	if err != nil {
		b.t.Fatal(err)
	}
	var parts []string
	for _, m := range messages {
		parts = append(parts, string(m.Kind)+"/"+string(m.Voice)+": "+m.Text)
	}
	return strings.Join(parts, " | ")
}

// TestAMessageOpensARun: the first words begin a run, the next are heard by it.
func TestAMessageOpensARun(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	first := b.say("greet the world")
	if !first.Started || !strings.Contains(first.Next, "begins with your words") {
		t.Fatalf("%+v", first)
	}
	boss, _ := b.turns(1)
	second := b.say("and say it twice")
	if second.Started || second.Run.ID != first.Run.ID || !strings.Contains(second.Next, "turn 1") {
		t.Fatalf("%+v", second)
	}
	if _, err := b.app.Service.Tell(boss, b.run.ID, api.Tell{Text: "on it"}); err != nil {
		t.Fatal(err)
	}
	b.ends(boss)
	b.turns(2)
	woken := b.detail().Manager
	if woken == nil || woken.Turn != 2 || len(woken.Woken) != 1 || woken.Woken[0].Kind != core.WakeMessage {
		t.Fatalf("turn 2 was woken by %+v", woken)
	}
	if projects, err := b.app.Service.Projects(b.person(), api.ProjectQuery{}); err != nil || projects[0].Tasks != 2 || projects[0].CompletedTasks != 1 {
		t.Errorf("the first turn is over, the second is under way: %+v, %v", projects, err)
	}
	const want = "goal/user: greet the world | message/user: and say it twice | message/green: on it"
	for _, name := range []string{"", b.dir, first.Run.Project, filepath.Base(b.dir), first.Run.Alias} {
		if got := b.history(api.MessageQuery{Project: name, Dir: b.dir}); got != want {
			t.Errorf("as %q: %s", name, got)
		}
	}
	if got := b.history(api.MessageQuery{Dir: b.dir, Last: true, Limit: 1}); got != "message/green: on it" {
		t.Errorf("the last: %s", got)
	}
	if _, err := b.app.Service.Speak(b.person(), api.Speak{Project: "nobody", Dir: b.dir, Text: "x"}); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("an unknown project: %v", err)
	}
}

// TestAMessageOutlivesTheEngine: it was said, the engine ended, the turn that ran
// ended without one; the next engine wakes the manager with it.
func TestAMessageOutlivesTheEngine(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	b.say("greet the world")
	boss, _ := b.turns(1)
	b.say("and say it twice")
	if err := b.app.Close(); err != nil {
		t.Fatal(err)
	}
	b.release(api.CallerFrom(boss).Actor.ID)
	b.open()
	b.turns(2)
	if woken := b.detail().Manager.Woken; len(woken) != 1 || woken[0].Text != "and say it twice" {
		t.Errorf("turn 2 was woken by %+v", woken)
	}
	if got := b.history(api.MessageQuery{Dir: b.dir}); got != "goal/user: greet the world | message/user: and say it twice" {
		t.Error(got)
	}
}

// TestOneRunIsOpenedByManyVoices: who is not the first is heard by the run that
// the first began.
func TestOneRunIsOpenedByManyVoices(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	b.trust()
	const voices = 4
	spoken, errs := make([]api.Spoken, voices), make([]error, voices)
	var wg sync.WaitGroup
	for i := range voices {
		wg.Go(func() {
			req := api.Speak{Dir: b.dir, Text: fmt.Sprint("wish ", i), Start: &api.StartRun{Playbook: "tiny"}}
			spoken[i], errs[i] = b.app.Service.Speak(b.person(), req)
		})
	}
	wg.Wait()
	started := 0
	for i := range voices {
		if errs[i] != nil || spoken[i].Run.ID != spoken[0].Run.ID {
			t.Errorf("%d: %+v, %v", i, spoken[i], errs[i])
		}
		if spoken[i].Started {
			started++
		}
	}
	if got := b.history(api.MessageQuery{Dir: b.dir}); started != 1 || strings.Count(got, "wish") != voices {
		t.Errorf("%d runs began; said was %s", started, got)
	}
	b.run = spoken[0].Run
	b.turns(1)
}

// TestAnAnswerLetsTheRunGoOn: a question pauses the run, words do not answer it,
// and an answer is given once.
func TestAnAnswerLetsTheRunGoOn(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	b.say("greet the world")
	boss, _ := b.turns(1)
	asked, err := b.app.Service.Ask(boss, b.run.ID, api.Ask{Text: "In which language?"})
	if err != nil {
		t.Fatal(err)
	}
	b.ends(boss)
	b.until(0, "the pause", func(body core.Body) bool { _, ok := body.(core.RunPaused); return ok })
	if spoken := b.say("yes"); !strings.Contains(spoken.Next, asked.ID) || spoken.Run.Status != core.StatusPaused {
		t.Fatalf("plain words: %+v", spoken)
	}
	waiting, err := b.app.Service.Inbox(b.person())
	if err != nil || len(waiting) != 1 || waiting[0].Question == nil || waiting[0].Question.ID != asked.ID ||
		waiting[0].Next != "`stellwerk answer "+asked.ID+" \"…\"`" {
		t.Fatalf("%+v, %v", waiting, err)
	}
	spoken, err := b.app.Service.Answer(b.person(), asked.ID[:5], api.Answer{Text: "in German"})
	if err != nil || spoken.Run.Status != core.StatusActive || !strings.Contains(spoken.Next, "woken") {
		t.Fatalf("%+v, %v", spoken, err)
	}
	_, err = b.app.Service.Answer(b.person(), asked.ID, api.Answer{Text: "in French"})
	if core.CodeOf(err) != core.CodeConflict || !strings.Contains(err.Error(), "in German") {
		t.Fatalf("answered twice: %v", err)
	}
	again, _ := b.turns(2)
	if woken := b.detail().Manager.Woken; len(woken) != 2 {
		t.Errorf("turn 2 was woken by %+v", woken)
	}
	if _, err := b.app.Service.Ask(again, b.run.ID, api.Ask{Text: "in which  language"}); err == nil || !strings.Contains(err.Error(), "in German") {
		t.Errorf("asked again: %v", err)
	}
	_, err = b.app.Service.Answer(again, asked.ID, api.Answer{Text: "x"})
	if err == nil {
		t.Error("an agent answers")
	}
	if got := b.history(api.MessageQuery{Dir: b.dir}); !strings.HasSuffix(got, "question/green: In which language? | message/user: yes | answer/user: in German") {
		t.Error(got)
	}
}

// TestADefaultAnswersInTime: nobody answers, and the run goes on.
func TestADefaultAnswersInTime(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	b.say("greet the world")
	boss, _ := b.turns(1)
	if _, err := b.app.Service.Ask(boss, b.run.ID, api.Ask{Text: "Loud?", Default: "no", After: 50 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	b.ends(boss)
	b.turns(2)
	if got := b.history(api.MessageQuery{Dir: b.dir}); !strings.HasSuffix(got, "answer/: no") {
		t.Error(got)
	}
	if _, err := b.app.Service.Answer(b.person(), core.QuestionID(b.run.Project, "Loud?"), api.Answer{Text: "yes"}); core.CodeOf(err) != core.CodeConflict ||
		!strings.Contains(err.Error(), "default") {
		t.Errorf("too late: %v", err)
	}
}

// TestAConversationIsRebuiltFromTheFolder: what a state folder lost is told again
// by the run's own.
func TestAConversationIsRebuiltFromTheFolder(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	b.say("greet the world")
	b.turns(1)
	b.say(strings.Repeat("long ", 2000))
	if _, err := b.app.Service.Cancel(b.person(), b.run.ID, api.Cancel{}); err != nil { // nothing is to begin elsewhere
		t.Fatal(err)
	}
	want := b.history(api.MessageQuery{Dir: b.dir})
	folder := b.detail().Folder
	other, err := app.Open(b.person(), app.Options{State: stateFolder(t), Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := other.Service.Import(b.person(), api.Import{Folder: folder, Trust: true}); err != nil {
		t.Fatal(err)
	}
	b.app, other = other, b.app
	if got := b.history(api.MessageQuery{Dir: b.dir}); got != want || len(want) < 10000 {
		t.Errorf("%d bytes became %d", len(want), len(got))
	}
	b.app, other = other, b.app
}
