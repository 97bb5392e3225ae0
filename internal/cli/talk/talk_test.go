package talk_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// manage makes a run one that a manager drives.
func manage(b *clitest.Bench, id string, update func(*api.Manager)) {
	d, err := b.Svc.Run(context.Background(), id)
	if err != nil {
		panic(err)
	}
	d.Manager = &api.Manager{Turn: 1, Idle: true}
	if update != nil {
		update(d.Manager)
	}
	b.Svc.Put(d)
	b.Svc.Talk.SpokenAnswer = api.Spoken{Run: d.Run, Seq: d.Seq, Next: "the manager is woken"}
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
		b := clitest.New(t)
		b.Put("1", "active")
		manage(b, "1", nil)
		b.Console.In = strings.NewReader(c.in)
		b.Run(t, shell.ExitOK, c.args...)
		b.Said(t, b.Out, "alias-1: the manager is woken")
		got := b.Svc.Calls()[0].Req.(api.Speak)
		if got.Project != c.want.Project || got.Text != c.want.Text || got.Voice != c.want.Voice || got.Start == nil || got.Dir == "" {
			t.Errorf("%q: %+v", c.args, got)
		}
	}
	b := clitest.New(t)
	b.Run(t, shell.ExitUsage, "say", " ")
	b.Run(t, shell.ExitUsage, "say", "--role", "red", "x")
	b.Run(t, shell.ExitUsage, "say", "--wait", "--detach", "x")
	b.Svc.Talk.Project = "shop"
	b.Run(t, shell.ExitUsage, "say", "shop")
	b.Said(t, b.Err, "shop is a project or a run")
	b.Env["STELLWERK_ATTEMPT"] = "a"
	b.Run(t, shell.ExitError, "say", "x")
	b.Run(t, shell.ExitError, "answer", "q-1", "x")
	b.Run(t, shell.ExitError, "chat")
	b.Asked(t)
}

// TestSayWaits: what a turn under way says is no answer; that of the next is.
func TestSayWaits(t *testing.T) {
	b := clitest.New(t)
	b.Put("1", "active")
	manage(b, "1", nil)
	b.Svc.On = func(c apitest.Call) error {
		if c.Verb != "speak" {
			return nil
		}
		b.Happen("1", core.MessageSent{Voice: core.VoiceUser, Text: "how far?"}, nil)
		b.Svc.Talk.SpokenAnswer.Event = core.EventID(core.RunStream("1"), 2)
		for _, body := range []core.Body{
			core.MessageSent{Voice: core.VoiceGreen, Text: "of before"},
			core.StagePassed{Stage: core.ManagerStage, Round: 1},
			core.StageOpened{Stage: core.ManagerStage, Round: 2},
			core.MessageSent{Voice: core.VoiceRed, Text: "of a worker"},
			core.MessageSent{Voice: core.VoiceGreen, Text: "half \x1b[2Jway"},
			core.StagePassed{Stage: core.ManagerStage, Round: 2},
		} {
			b.Happen("1", body, nil)
		}
		return nil
	}
	b.Run(t, shell.ExitOK, "say", "--wait", "how far?")
	b.Said(t, b.Out, `half \x1b[2Jway`)
	if out := b.Out.String(); strings.Contains(out, "before") || strings.Contains(out, "worker") {
		t.Error(out)
	}
}

func TestAnswer(t *testing.T) {
	b := clitest.New(t)
	b.Put("1", "active")
	manage(b, "1", nil)
	b.Run(t, shell.ExitOK, "answer", "q-12", "in", "German")
	if got := b.Svc.Calls()[0]; got.Run != "q-12" || got.Req != (api.Answer{Text: "in German"}) {
		t.Errorf("%+v", got)
	}
	b.Run(t, shell.ExitUsage, "answer", "q-12")
	b.Svc.On = func(apitest.Call) error {
		return core.Errorf(core.CodeConflict, "question q-12 was answered before by ada: in German")
	}
	b.Run(t, shell.ExitError, "answer", "q-12", "in French")
	b.Said(t, b.Err, "was answered before by ada: in German")
	b.Svc.Talk.Questions = []api.Question{{ID: "q-12", Text: "In which language?"}}
	b.Run(t, shell.ExitOK, "__complete", "answer", "")
	b.Said(t, b.Out, "q-12\tIn which language?")
}

func TestMessages(t *testing.T) {
	b := clitest.New(t)
	b.Run(t, shell.ExitOK, "messages")
	b.Said(t, b.Out, "No messages yet")
	b.Svc.Talk.Messages = []api.Message{
		{Said: core.Said{Kind: core.SaidMessage, Voice: core.VoiceUser, By: "ada", Text: "first"}, Event: "1", At: clitest.Noon},
		{Said: core.Said{Kind: core.SaidMessage, Voice: core.VoiceGreen, Text: "second"}, Event: "2", At: clitest.Noon},
	}
	b.Run(t, shell.ExitOK, "messages", "--last", "1")
	b.Said(t, b.Out, "manager: second")
	if strings.Contains(b.Out.String(), "first") {
		t.Error(b.Out)
	}
	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "messages", "--json", "-n", "5")
	if got := clitest.Decode[api.MessageList](t, b.Out.String()); len(got.Messages) != 2 {
		t.Errorf("%+v", got)
	}
	b.Run(t, shell.ExitUsage, "messages", "--last", "-1")
}

// TestChat: a person who leaves by the end of their input, and what a pipe does.
func TestChat(t *testing.T) {
	talk := func(b *clitest.Bench) {
		b.Put("1", "active")
		manage(b, "1", nil)
		b.Svc.Talk.Messages = []api.Message{{Said: core.Said{Kind: core.SaidGoal, Voice: core.VoiceUser, By: "ada", Text: "the goal"}, Run: "1", Seq: 1, At: clitest.Noon}}
	}
	b := clitest.New(t).At("hello", "/answer q-1 yes", "/nonsense", "//slash")
	talk(b)
	b.Run(t, shell.ExitOK, "chat")
	b.Asked(t, "speak", "answer", "speak")
	b.Said(t, b.Out, "ada wants: the goal", "the manager is woken", "It goes on in the background")
	b.Said(t, b.Err, "there is no command /nonsense")
	if got := b.Svc.Calls()[2].Req.(api.Speak).Text; got != "/slash" {
		t.Errorf("said %q", got)
	}

	b = clitest.New(t)
	talk(b)
	b.Console.In = strings.NewReader("hello")
	b.Svc.On = func(apitest.Call) error {
		b.Happen("1", core.TaskProposed{Delegation: "t1", Proposal: core.Proposal{Prompt: "Do it"}}, nil)
		b.Happen("1", core.QuestionAsked{ID: "q-1", Text: "what?"}, func(d *api.RunDetail) {
			d.Status, d.Manager.Asks = core.StatusPaused, true
			d.Manager.Questions = []api.Question{{ID: "q-1", Text: "what?"}}
		})
		return nil
	}
	b.Run(t, shell.ExitWaiting, "chat")
	b.Said(t, b.Out, "delegated: t1: Do it", "manager asks (q-1): what?", "answer with: /answer q-1 TEXT", "stellwerk answer q-1")

	b = clitest.New(t)
	talk(b)
	b.Console.In = strings.NewReader("")
	b.Ends("1", core.RunCancelled{}, core.StatusCancelled)
	b.Run(t, shell.ExitOK, "chat", "--json")
	if got := clitest.Decode[api.Message](t, b.Out.String()); got.Text != "the goal" {
		t.Errorf("%+v", got)
	}
}

// TestFollowGoesOnUntilADefaultHolds: such a pause ends by itself.
func TestFollowGoesOnUntilADefaultHolds(t *testing.T) {
	b := clitest.New(t)
	b.Put("1", "paused")
	manage(b, "1", func(m *api.Manager) {
		m.Asks, m.Due = true, clitest.Noon.Add(1)
		m.Questions = []api.Question{{ID: "q-1", Text: "what?", Default: "that", Due: clitest.Noon.Add(1)}}
	})
	b.Happen("1", core.QuestionAnswered{ID: "q-1", Text: "that", Default: true}, nil)
	go b.Ends("1", core.RunCompleted{}, core.StatusCompleted)
	b.Run(t, shell.ExitOK, "watch")
	b.Said(t, b.Out, "completed")
}
