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
	// must not come before what it answers. It is nil if nobody types.
	Discard func() error
	Width   func() int // of Out, in columns; 0 for no limit
	// ErrWidth is that of Err, which may be a screen while Out is a pipe.
	ErrWidth func() int
	// Bell is the screen that can be rung, of Err where Out is a pipe; nil where
	// there is none.
	Bell io.Writer
}

// Detect finds out what the process's terminal can do. A screen that cannot
// be redrawn, or a person who wants no colour, gets plain lines. In a file or a
// pipe they are neither cut nor wrapped: what is cut there cannot be seen by
// widening a window, and what is wrapped is hard to search.
func Detect(in, out, err *os.File, env func(string) string) Console {
	screen := term.IsTerminal(int(out.Fd()))
	plain := env("NO_COLOR") != "" || env("TERM") == "dumb" || env("TERM") == ""
	c := Console{In: in, Out: out, Err: err, Width: width(out), ErrWidth: width(err)}
	switch {
	case screen:
		c.Bell = out
	case term.IsTerminal(int(err.Fd())):
		c.Bell = err
	}
	c.Ask = screen && term.IsTerminal(int(in.Fd()))
	if c.Ask {
		c.Discard = func() error { return discard(int(in.Fd())) }
	}
	c.Live = screen && !plain
	c.Style = Style{Colour: c.Live, Unicode: showsUnicode(env)}
	return c
}

// width looks anew each time: windows are resized.
func width(f *os.File) func() int {
	if !term.IsTerminal(int(f.Fd())) {
		return func() int { return 0 }
	}
	return func() int {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil || width < 20 {
			return columns
		}
		return width
	}
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
