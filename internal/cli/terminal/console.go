package terminal

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// columns is taken for the width of a terminal that does not say.
const columns = 80

// Console is where a command reads and writes.
type Console struct {
	In       io.Reader
	Out, Err io.Writer
	Ask      bool // a person can be asked
	Live     bool // Out can be redrawn
	Style    Style
	// Discard throws away what was typed before a question was put: an answer
	// must not come before what it answers. It is nil where nobody types.
	Discard func() error
	Width   func() int // of Out, in columns; 0 for no limit
}

// Detect finds out what the process's terminal can do. A screen that cannot
// be redrawn, or a person who wants no colour, gets plain lines. In a file or a
// pipe they are not cut: what is cut there cannot be seen by widening a window.
func Detect(in, out, err *os.File, env func(string) string) Console {
	screen := term.IsTerminal(int(out.Fd()))
	plain := env("NO_COLOR") != "" || env("TERM") == "dumb" || env("TERM") == ""
	c := Console{In: in, Out: out, Err: err, Width: func() int { return 0 }}
	c.Ask = screen && term.IsTerminal(int(in.Fd()))
	if c.Ask {
		c.Discard = func() error { return discard(int(in.Fd())) }
	}
	c.Live = screen && !plain
	c.Style = Style{Colour: c.Live, Unicode: showsUnicode(env)}
	if screen {
		c.Width = func() int {
			width, _, err := term.GetSize(int(out.Fd()))
			if err != nil || width < 20 {
				return columns
			}
			return width
		}
	}
	return c
}

// showsUnicode follows the locale as the C library does: the first variable
// that is set decides. Without any, the terminal is taken to be of this century.
func showsUnicode(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToUpper(env(name)); v != "" {
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return true
}
