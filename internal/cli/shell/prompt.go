package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

// typed reads what the person types, line by line. A read cannot be cancelled, so
// one that a question no longer waits for serves the next question.
type typed struct{ reading chan Line }

type Line struct {
	Text string
	Err  error
}

// next returns a channel for the next line. It drops a line that came while nobody
// asked.
func (t *typed) next(in io.Reader) <-chan Line {
	select {
	case l := <-t.reading: // nil if nothing is read
		t.reading = nil
		if l.Err != nil {
			done := make(chan Line, 1)
			done <- l
			return done
		}
	default:
	}
	if t.reading == nil {
		reading := make(chan Line, 1)
		t.reading = reading
		go func() {
			text, err := ReadLine(in)
			reading <- Line{text, err}
		}()
	}
	return t.reading
}

// Prompt is Answer for which the end of the input is an empty line.
func (sh *Shell) Prompt(ctx context.Context, question string) (string, error) {
	line, err := sh.Answer(ctx, question)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return line, err
}

// Answer asks a question and reads a line; io.EOF if there is none. It discards what
// was typed before the question, and what is being typed when ctx ends.
func (sh *Shell) Answer(ctx context.Context, question string) (string, error) {
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	if err := sh.discard(); err != nil {
		return "", err
	}
	lines := sh.typed.next(sh.Console.In)
	sh.Printf("%s", question)
	select {
	case l := <-lines:
		sh.typed.reading = nil
		if errors.Is(l.Err, io.EOF) {
			sh.Printf("\n")
		}
		return strings.TrimSpace(l.Text), l.Err
	case <-ctx.Done():
		sh.Printf("\n")
		return "", errors.Join(context.Cause(ctx), sh.discard())
	}
}

func (sh *Shell) discard() error {
	if sh.Console.Discard == nil {
		return nil
	}
	if err := sh.Console.Discard(); err != nil {
		return fmt.Errorf("read from the terminal: %w", err)
	}
	return nil
}

// ReadLine reads byte by byte, to leave what follows the line for the next
// question.
func ReadLine(r io.Reader) (string, error) {
	var line []byte
	one := make([]byte, 1)
	for {
		n, err := r.Read(one)
		if n == 1 && one[0] == '\n' {
			return string(line), nil
		}
		line = append(line, one[:n]...)
		if err != nil {
			return string(line), err
		}
	}
}

// Confirm asks a question; anything but y or yes is a no.
func (sh *Shell) Confirm(ctx context.Context, question string) (bool, error) {
	lines := terminal.Wrap(terminal.Line(question)+" [y/N]", sh.Console.Width())
	line, err := sh.Prompt(ctx, strings.Join(lines, "\n")+" ")
	if err != nil {
		return false, err
	}
	line = strings.ToLower(line)
	return line == "y" || line == "yes", nil
}
