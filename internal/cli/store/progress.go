package store

import (
	"fmt"
	"io"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/truth"
)

// redraw is how often a screen shows how far a step is.
const redraw = 100 * time.Millisecond

// progress says how far long work is: on a screen all the time, in a log at the end of each step, to programs never.
type progress struct {
	out    io.Writer
	screen bool
	now    func() time.Time
	shown  time.Time
	drawn  bool
	last   truth.Progress
}

func newProgress(sh *shell.Shell) *progress {
	p := &progress{out: sh.Console.Err, now: sh.Now}
	p.screen = sh.Console.ErrWidth != nil && sh.Console.ErrWidth() > 0
	if sh.JSON {
		p.out, p.screen = io.Discard, false
	}
	return p
}

// step hears of every bit of progress.
func (p *progress) step(now truth.Progress) {
	ended := now.Done == now.Total
	switch {
	case !p.screen:
		if ended && p.last != now {
			fmt.Fprintln(p.out, line(now))
		}
	case ended || p.now().Sub(p.shown) >= redraw:
		p.shown, p.drawn = p.now(), true
		fmt.Fprintf(p.out, "\r\x1b[K%s", line(now))
	}
	p.last = now
}

// end clears what is on the screen.
func (p *progress) end() {
	if p.drawn {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.drawn = false
	}
}

func line(p truth.Progress) string {
	return fmt.Sprintf("%s: %d of %d", p.Step, p.Done, p.Total)
}
