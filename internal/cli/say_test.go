package cli

import (
	"context"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// manage makes a run one that a manager drives.
func (b *bench) manage(id string, update func(*api.Manager)) {
	d, err := b.svc.Run(context.Background(), id)
	if err != nil {
		panic(err)
	}
	d.Manager = &api.Manager{Turn: 1, Idle: true}
	if update != nil {
		update(d.Manager)
	}
	b.svc.Put(d)
	b.svc.Talk.SpokenAnswer = api.Spoken{Run: d.Run, Seq: d.Seq, Next: "the manager is woken"}
}

func TestSay(t *testing.T) {
	for _, c := range []struct {
		args []string
		in   string
		want api.Speak
	}{
		{[]string{"say", "hello there"}, "", api.Speak{Text: "hello there", Voice: "user"}},
		{[]string{"say", "shop", "hello", "there"}, "", api.Speak{Project: "shop", Text: "hello there", Voice: "user"}},
		{[]string{"say", "shop", "-", "--role", "blue"}, "two\nlines\n", api.Speak{Project: "shop", Text: "two\nlines", Voice: "blue"}},
	} {
		b := newBench(t)
		b.put("1", "active")
		b.manage("1", nil)
		b.Console.In = strings.NewReader(c.in)
		b.run(t, shell.ExitOK, c.args...)
		b.said(t, b.out, "alias-1: the manager is woken")
		got := b.svc.Calls()[0].Req.(api.Speak)
		if got.Project != c.want.Project || got.Text != c.want.Text || got.Voice != c.want.Voice || got.Start == nil || got.Dir == "" {
			t.Errorf("%q: %+v", c.args, got)
		}
	}
	b := newBench(t)
	b.run(t, shell.ExitUsage, "say", " ")
	b.run(t, shell.ExitUsage, "say", "--role", "red", "x")
	b.run(t, shell.ExitUsage, "say", "--wait", "--detach", "x")
	b.svc.Talk.Project = "shop"
	b.run(t, shell.ExitUsage, "say", "shop")
	b.said(t, b.err, "shop is a project or a run")
	b.env["STELLWERK_ATTEMPT"] = "a"
	b.run(t, shell.ExitError, "say", "x")
	b.run(t, shell.ExitError, "answer", "q-1", "x")
	b.run(t, shell.ExitError, "chat")
	b.asked(t)
}

// TestSayWaits: what a turn under way says is no answer; that of the next is.
func TestSayWaits(t *testing.T) {
	b := newBench(t)
	b.put("1", "active")
	b.manage("1", nil)
	b.svc.On = func(c apitest.Call) error {
		if c.Verb != "speak" {
			return nil
		}
		b.happen("1", core.MessageSent{Voice: core.VoiceUser, Text: "how far?"}, nil)
		b.svc.Talk.SpokenAnswer.Event = core.EventID(core.RunStream("1"), 2)
		for _, body := range []core.Body{
			core.MessageSent{Voice: core.VoiceGreen, Text: "of before"},
			core.StagePassed{Stage: core.ManagerStage, Round: 1},
			core.StageOpened{Stage: core.ManagerStage, Round: 2},
			core.MessageSent{Voice: core.VoiceRed, Text: "of a worker"},
			core.MessageSent{Voice: core.VoiceGreen, Text: "half \x1b[2Jway"},
			core.StagePassed{Stage: core.ManagerStage, Round: 2},
		} {
			b.happen("1", body, nil)
		}
		return nil
	}
	b.run(t, shell.ExitOK, "say", "--wait", "how far?")
	b.said(t, b.out, `half \x1b[2Jway`)
	if out := b.out.String(); strings.Contains(out, "before") || strings.Contains(out, "worker") {
		t.Error(out)
	}
}

func TestAnswer(t *testing.T) {
	b := newBench(t)
	b.put("1", "active")
	b.manage("1", nil)
	b.run(t, shell.ExitOK, "answer", "q-12", "in", "German")
	if got := b.svc.Calls()[0]; got.Run != "q-12" || got.Req != (api.Answer{Text: "in German"}) {
		t.Errorf("%+v", got)
	}
	b.run(t, shell.ExitUsage, "answer", "q-12")
	b.svc.On = func(apitest.Call) error {
		return core.Errorf(core.CodeConflict, "question q-12 was answered before by ada: in German")
	}
	b.run(t, shell.ExitError, "answer", "q-12", "in French")
	b.said(t, b.err, "was answered before by ada: in German")
	b.svc.Talk.Questions = []api.Question{{ID: "q-12", Text: "In which language?"}}
	b.run(t, shell.ExitOK, "__complete", "answer", "")
	b.said(t, b.out, "q-12\tIn which language?")
}

func TestMessages(t *testing.T) {
	b := newBench(t)
	b.run(t, shell.ExitOK, "messages")
	b.said(t, b.out, "No messages yet")
	b.svc.Talk.Messages = []api.Message{
		{Said: core.Said{Kind: core.SaidMessage, Voice: core.VoiceUser, By: "ada", Text: "first"}, Event: "1", At: noon},
		{Said: core.Said{Kind: core.SaidMessage, Voice: core.VoiceGreen, Text: "second"}, Event: "2", At: noon},
	}
	b.run(t, shell.ExitOK, "messages", "--last", "1")
	b.said(t, b.out, "manager: second")
	if strings.Contains(b.out.String(), "first") {
		t.Error(b.out)
	}
	b.out.b.Reset()
	b.run(t, shell.ExitOK, "messages", "--json", "-n", "5")
	if got := decode[api.MessageList](t, b.out.String()); len(got.Messages) != 2 {
		t.Errorf("%+v", got)
	}
	b.run(t, shell.ExitUsage, "messages", "--last", "-1")
}

// TestChat: a person who leaves by the end of their input, and what a pipe does.
func TestChat(t *testing.T) {
	talk := func(b *bench) {
		b.put("1", "active")
		b.manage("1", nil)
		b.svc.Talk.Messages = []api.Message{{Said: core.Said{Kind: core.SaidGoal, Voice: core.VoiceUser, By: "ada", Text: "the goal"}, Run: "1", Seq: 1, At: noon}}
	}
	b := newBench(t).at("hello", "/answer q-1 yes", "/nonsense", "//slash")
	talk(b)
	b.run(t, shell.ExitOK, "chat")
	b.asked(t, "speak", "answer", "speak")
	b.said(t, b.out, "ada wants: the goal", "the manager is woken", "It goes on in the background")
	b.said(t, b.err, "there is no command /nonsense")
	if got := b.svc.Calls()[2].Req.(api.Speak).Text; got != "/slash" {
		t.Errorf("said %q", got)
	}

	b = newBench(t)
	talk(b)
	b.Console.In = strings.NewReader("hello")
	b.svc.On = func(apitest.Call) error {
		b.happen("1", core.TaskProposed{Delegation: "t1", Proposal: core.Proposal{Prompt: "Do it"}}, nil)
		b.happen("1", core.QuestionAsked{ID: "q-1", Text: "what?"}, func(d *api.RunDetail) {
			d.Status, d.Manager.Asks = core.StatusPaused, true
			d.Manager.Questions = []api.Question{{ID: "q-1", Text: "what?"}}
		})
		return nil
	}
	b.run(t, shell.ExitWaiting, "chat")
	b.said(t, b.out, "delegated: t1: Do it", "manager asks (q-1): what?", "answer with: /answer q-1 TEXT", "stellwerk answer q-1")

	b = newBench(t)
	talk(b)
	b.Console.In = strings.NewReader("")
	b.ends("1", core.RunCancelled{}, core.StatusCancelled)
	b.run(t, shell.ExitOK, "chat", "--json")
	if got := decode[api.Message](t, b.out.String()); got.Text != "the goal" {
		t.Errorf("%+v", got)
	}
}

// TestFollowGoesOnUntilADefaultHolds: such a pause ends by itself.
func TestFollowGoesOnUntilADefaultHolds(t *testing.T) {
	b := newBench(t)
	b.put("1", "paused")
	b.manage("1", func(m *api.Manager) {
		m.Asks, m.Due = true, noon.Add(1)
		m.Questions = []api.Question{{ID: "q-1", Text: "what?", Default: "that", Due: noon.Add(1)}}
	})
	b.happen("1", core.QuestionAnswered{ID: "q-1", Text: "that", Default: true}, nil)
	go b.ends("1", core.RunCompleted{}, core.StatusCompleted)
	b.run(t, shell.ExitOK, "watch")
	b.said(t, b.out, "completed")
}
