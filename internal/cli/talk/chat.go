package talk

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

type chatOptions struct {
	say    sayOptions
	last   uint
	follow bool
}

func NewChat(sh *shell.Shell) *cobra.Command {
	o := &chatOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "chat [PROJECT] [flags]",
		Short:       "Talk with a project's manager",
		Long: `Shows a project's conversation, follows it, and sends each line that you type.
Delegations, merges, failures and publications appear as one line each. Name the
PROJECT as for say.

A line never answers a question and never approves anything. To answer, type

  /answer QUESTION TEXT

/help lists the other commands. If standard input is not a terminal, the command
sends its lines and follows the conversation until nothing is left to do, or
with --follow until the run ends. If no engine runs in the background, this
command drives the run while it is open.`,
		Example: `  stellwerk chat
  stellwerk chat shop --last 100
  echo "how far are we?" | stellwerk chat shop`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteAddressees(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, shell.First(args)) },
	}
	o.say.flags(sh, cmd)
	cmd.Flags().UintVarP(&o.last, "last", "n", 20, "show the last `N` messages first")
	cmd.Flags().BoolVarP(&o.follow, "follow", "f", false, "follow the run until it ends")
	return cmd
}

func (o *chatOptions) run(ctx context.Context, sh *shell.Shell, project string) error {
	if err := o.say.check(sh); err != nil {
		return err
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	c := &chat{sh: sh, o: o, project: project, lines: typedLines(reading, sh.Console.In), sent: map[string]bool{}, asked: map[string]bool{}}
	return c.over(ctx, drive.MaxHandovers)
}

// chat is a conversation that a person takes part in.
type chat struct {
	sh      *shell.Shell
	o       *chatOptions
	project string
	lines   <-chan shell.Line // nil once there are no more
	begun   bool              // what was said before is on the screen
	run     api.Run           // that is followed; without an id if none is open
	seen    int64             // its newest event that was shown
	since   int64             // only what was said is shown of events up to here
	sent    map[string]bool
	refused bool            // a line that no person typed was refused
	in      string          // id of the only conversation that is shown; "" for all
	asked   map[string]bool // questions of it
}

// errQuit ends the chat.
var errQuit = errors.New("quit")

// typedLines reads lines until the input ends; the last one has the error.
func typedLines(ctx context.Context, in interface{ Read([]byte) (int, error) }) <-chan shell.Line {
	lines := make(chan shell.Line)
	go func() {
		for {
			text, err := shell.ReadLine(in)
			select {
			case lines <- shell.Line{Text: text, Err: err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// over talks through one engine after the other: one that lives in another command
// may end.
func (c *chat) over(ctx context.Context, handovers int) error {
	return c.sh.Connect(ctx, func(svc api.Service) error {
		err := c.talk(ctx, svc)
		switch {
		case core.CodeOf(err) == core.CodeUnavailable && handovers > 0:
			return c.over(ctx, handovers-1)
		case errors.Is(err, errQuit) || errors.Is(err, shell.ErrInterrupted):
			if c.run.ID == "" {
				return nil
			}
			drive.TellLeft(c.sh, svc, c.run)
			return nil
		}
		return err
	})
}

// talk goes on until the person leaves or there is nothing to wait for.
func (c *chat) talk(ctx context.Context, svc api.Service) error {
	if err := c.begin(ctx, svc); err != nil {
		return err
	}
	for {
		f := c.followed(ctx, svc)
		err := c.loop(ctx, svc, f)
		f.Stop()
		if err != nil || c.lines == nil && c.run.ID == "" {
			if err == nil && c.refused {
				err = shell.Exit(shell.ExitError)
			}
			return err
		}
	}
}

// loop goes on until the followed run ends or another one begins.
func (c *chat) loop(ctx context.Context, svc api.Service, f *drive.Stream) error {
	for {
		if done, err := c.done(ctx, svc); done || err != nil {
			return err
		}
		select {
		case l := <-c.lines:
			before := c.run.ID
			if err := c.typed(ctx, svc, l); err != nil || c.run.ID != before {
				return err
			}
		case e := <-f.Events:
			c.show(ctx, svc, e)
			c.seen = e.Seq
		case err := <-f.Ended:
			if err == nil {
				err = c.ended(ctx, svc)
			}
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// ended lets go of a run that is over. If nobody types any more, the chat ends with
// its exit code.
func (c *chat) ended(ctx context.Context, svc api.Service) error {
	run := c.run.ID
	c.run = api.Run{}
	if c.lines != nil {
		c.tell("The run is over: your next message starts another.")
		return nil
	}
	d, err := svc.Run(ctx, run)
	if err != nil {
		return err
	}
	return shell.Exit(shell.ExitByStatus(d.Status))
}

// done reports that nobody types any more and there is nothing to wait for.
func (c *chat) done(ctx context.Context, svc api.Service) (bool, error) {
	if c.lines != nil || c.run.ID == "" {
		return c.lines == nil, nil
	}
	d, err := svc.Run(ctx, c.run.ID)
	if err != nil || c.o.follow || c.seen < d.Seq {
		return false, err
	}
	if !view.Due(d).IsZero() || d.Status == core.StatusActive && (d.Manager == nil || !d.Manager.Idle) {
		return false, nil
	}
	if d.Status != core.StatusActive && !c.sh.JSON {
		c.sh.PrintLines(c.sh.View().Run(d))
	}
	if waitExit(d) != shell.ExitOK {
		return true, shell.Exit(waitExit(d))
	}
	c.run = api.Run{}
	return true, nil
}

// followed streams the run of the conversation; nothing arrives if there is none.
func (c *chat) followed(ctx context.Context, svc api.Service) *drive.Stream {
	if c.run.ID == "" {
		return &drive.Stream{Stop: func() {}}
	}
	return drive.Follow(ctx, svc, c.run.ID, c.seen)
}

// begin shows what was said before, once, and finds the run to follow.
func (c *chat) begin(ctx context.Context, svc api.Service) error {
	if c.begun {
		return nil
	}
	messages, err := svc.Messages(ctx, api.MessageQuery{Project: c.project, Dir: c.sh.Dir, Last: true, Limit: max(int(c.o.last), 1), Conversation: c.o.say.in})
	if err != nil {
		return err
	}
	if err := c.enter(ctx, svc); err != nil {
		return err
	}
	c.begun = true
	if len(messages) == 0 {
		c.tell("No messages yet. If no run is open, your first message starts one and becomes its goal.")
		return nil
	}
	newest := messages[len(messages)-1]
	if c.o.last > 0 {
		for _, m := range messages {
			c.print(m)
		}
	}
	d, err := svc.Run(ctx, newest.Run)
	if err != nil {
		return err
	}
	if d.Status.Terminal() {
		c.tell("Run " + d.Alias + " is " + string(d.Status) + ": your next message starts another and becomes its goal.")
		return nil
	}
	c.run, c.seen, c.since = d.Run, newest.Seq, d.Seq
	if !c.sh.JSON {
		c.sh.PrintLines(c.sh.View().Standing(d))
	}
	c.hint(d)
	return nil
}

// enter finds the conversation that the person named.
func (c *chat) enter(ctx context.Context, svc api.Service) error {
	if c.o.say.in == "" {
		return nil
	}
	list, err := svc.Conversations(ctx, api.ConversationQuery{Project: c.project, Dir: c.sh.Dir})
	for _, t := range list {
		if called := c.o.say.in; called == t.ID || strings.EqualFold(called, t.Name) || strings.HasSuffix(t.ID, "-"+called) {
			c.in = t.ID
		}
	}
	return err
}

// elsewhere reports a message of another conversation than the one that is shown.
// An answer belongs to its question's.
func (c *chat) elsewhere(m api.Message) bool {
	if c.in == "" {
		return false
	}
	if m.Kind == core.SaidAnswer {
		return !c.asked[m.Question]
	}
	first := m.Conversation == "" && !strings.Contains(c.in, "-c") // it is known by the project's own id
	here := m.Conversation == c.in || first
	if here && m.Kind == core.SaidQuestion {
		c.asked[m.Question] = true
	}
	return !here
}

// tell prints a remark of the program.
func (c *chat) tell(text string) {
	if c.sh.JSON {
		return
	}
	for _, l := range terminal.Hang("  ", terminal.Line(text), c.sh.Console.Width()) {
		c.sh.Printf("%s\n", c.sh.Console.Style.Faint(l))
	}
}

// hint prints what to type here for what waits.
func (c *chat) hint(d api.RunDetail) {
	if d.Manager == nil {
		return
	}
	for _, q := range d.Manager.Questions {
		c.tell("answer with: /answer " + q.ID + " TEXT")
	}
	if d.Status != core.StatusActive && d.Next != "" && len(d.Manager.Questions) == 0 {
		c.tell("next: " + d.Next)
	}
}
