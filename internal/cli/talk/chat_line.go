package talk

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

const chatHelp = `Each line goes to the manager, except these commands:
  /answer QUESTION TEXT   answer a question
  /status                 show the state of the run
  /help                   show this
  /quit                   leave; nothing is lost
To send a line that starts with a slash, type two slashes.
`

// typed handles a line of the person. It prints a refusal, and the chat goes on.
func (c *chat) typed(ctx context.Context, svc api.Service, l shell.Line) error {
	text := strings.TrimSpace(l.Text)
	var err error
	switch {
	case text == "":
	case strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//"):
		err = c.command(ctx, svc, text)
	default:
		err = c.say(ctx, svc, strings.TrimPrefix(text, "/"))
	}
	switch {
	case core.CodeOf(err) == core.CodeUnavailable:
		c.tell("the engine is gone; if your last line does not appear, send it again")
		return err
	case errors.Is(err, errQuit) || ctx.Err() != nil && err != nil:
		return err
	case err != nil:
		c.sh.Complain(err.Error(), wording.Hint(err))
		c.refused = !c.sh.Console.Ask
	}
	switch {
	case l.Err == nil:
		return nil
	case !errors.Is(l.Err, io.EOF):
		return l.Err
	case c.sh.Console.Ask:
		return errQuit
	}
	c.lines = nil
	return nil
}

// say sends a line. The chat follows the run that it starts.
func (c *chat) say(ctx context.Context, svc api.Service, text string) error {
	start := c.o.say.start
	spoken, err := svc.Speak(ctx, api.Speak{Project: c.project, Dir: c.sh.Dir, Text: text, Voice: core.Voice(c.o.say.role), Conversation: c.o.say.in, Start: &start})
	if core.CodeOf(err) == core.CodeUntrusted {
		look := api.Trust{Dir: c.sh.Dir, Playbook: c.o.say.playbook(ctx, c.sh, svc, c.project), Base: start.Base}
		return core.Wrap(core.CodeUntrusted, err, "the run would use files from this repository that nobody has trusted yet",
			playbook.TrustCommand(look)+" (after reading what it shows), or chat --trust")
	}
	if err != nil {
		return err
	}
	c.spoken(spoken)
	return nil
}

// spoken notes what the engine did with the person's line, and prints what they
// would not see otherwise.
func (c *chat) spoken(s api.Spoken) {
	c.sh.Warn(slices.Concat(s.Run.Warnings, s.Run.Notes))
	c.sent[s.Event] = c.sh.Console.Ask // it is on the screen already
	if s.Run.ID != c.run.ID {
		c.seen, c.since = s.Seq, s.Seq
	}
	c.run = s.Run
	c.tell(s.Next)
}

func (c *chat) command(ctx context.Context, svc api.Service, text string) error {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "/quit", "/exit", "/q":
		return errQuit
	case "/help":
		c.sh.Printf("%s", chatHelp)
		return nil
	case "/status":
		return c.status(ctx, svc)
	case "/answer":
		id, answer, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if answer = strings.TrimSpace(answer); answer == "" {
			return core.Errorf(core.CodeInvalid, "name a question and give your answer").WithHint("/answer QUESTION TEXT")
		}
		spoken, err := svc.Answer(ctx, id, api.Answer{Text: answer})
		if err != nil {
			return err
		}
		if spoken.Run.ID == c.run.ID { // a question of another project is answered, too
			c.run = spoken.Run
		}
		c.tell(spoken.Next)
		return nil
	}
	return core.Errorf(core.CodeInvalid, "there is no command %s; nothing was sent", word).WithHint("/help lists the commands")
}

func (c *chat) status(ctx context.Context, svc api.Service) error {
	if c.run.ID == "" {
		c.tell("No run is open.")
		return nil
	}
	d, err := svc.Run(ctx, c.run.ID)
	if err == nil {
		c.sh.PrintLines(c.sh.View().Run(d))
	}
	return err
}

// show prints an event: a message, or a line about what happened.
func (c *chat) show(ctx context.Context, svc api.Service, e core.Event) {
	c.listen(ctx, svc, e)
	m, spoken, err := messageOf(e)
	switch {
	case err != nil:
		c.tell("an event that this version does not know: " + string(e.Type))
	case spoken && c.elsewhere(m):
	case spoken && !c.sent[e.ID]:
		c.print(m)
		if m.Kind == core.SaidQuestion {
			c.tell("answer with: /answer " + m.Question + " TEXT")
		}
	case !spoken && e.Seq > c.since && !c.sh.JSON && view.Newsworthy(e):
		c.sh.PrintLines(c.sh.View().Notice(e))
		if e.Type == core.TypeApprovalRequested || e.Type == core.TypeRunPaused || e.Type == core.TypeReviewAwaited {
			if d, err := svc.Run(ctx, c.run.ID); err == nil && d.Status != core.StatusActive {
				c.hint(d)
			}
		}
	}
}

// listen rings if a new event waits for the person. An error means that the engine
// is gone, which the chat notices itself.
func (c *chat) listen(ctx context.Context, svc api.Service, e core.Event) {
	if e.Seq <= c.since || e.Type != core.TypeQuestionAsked && !drive.Beckons(e) {
		return
	}
	d, err := svc.Run(ctx, c.run.ID)
	if err == nil && (e.Type == core.TypeQuestionAsked || d.Status != core.StatusActive) {
		drive.Ring(c.sh, drive.Sound(e.Type))
	}
}

func (c *chat) print(m api.Message) {
	if !c.sh.JSON {
		c.sh.PrintLines(c.sh.View().Message(m))
		return
	}
	if err := c.sh.PrintJSONLine(m); err != nil {
		c.sh.Complain(err.Error(), "")
	}
}
