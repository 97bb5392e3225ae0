package drive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

// PrintDiff prints a diff: unchanged to a file or pipe, made harmless and coloured
// on a screen. It explains an empty one on standard error.
func PrintDiff(ctx context.Context, sh *shell.Shell, svc api.Service, d api.RunDetail, q api.DiffQuery) error {
	out := &written{w: sh.Console.Out}
	screen := &diffScreen{out: out, style: sh.Console.Style}
	var err error
	if sh.Console.Live || sh.Console.Ask {
		err = errors.Join(svc.Diff(ctx, d.ID, q, screen), screen.flush())
	} else {
		err = svc.Diff(ctx, d.ID, q, out)
	}
	if err == nil && !out.any {
		sh.Warn([]string{noDiff(d, q)})
	}
	return err
}

// noDiff says why a diff is empty.
func noDiff(d api.RunDetail, q api.DiffQuery) string {
	switch {
	case q.Stage != "":
		return fmt.Sprintf("stage %s has changed no files in its current round", q.Stage)
	case d.Attempts == 0:
		return d.Alias + " has changed no files: no agent has begun yet"
	}
	return fmt.Sprintf("%s has changed no files so far: its branch still equals %s as of its start", d.Alias, d.Base)
}

// written notes whether anything was written.
type written struct {
	w   io.Writer
	any bool
}

func (w *written) Write(p []byte) (int, error) {
	w.any = w.any || len(p) > 0
	return w.w.Write(p)
}

// diffScreen shows a diff line by line.
type diffScreen struct {
	out   io.Writer
	style terminal.Style
	rest  []byte
}

func (d *diffScreen) Write(p []byte) (int, error) {
	d.rest = append(d.rest, p...)
	for {
		line, rest, found := bytes.Cut(d.rest, []byte("\n"))
		if !found {
			return len(p), nil
		}
		if err := d.line(string(line)); err != nil {
			return 0, err
		}
		d.rest = rest
	}
}

func (d *diffScreen) flush() error {
	if len(d.rest) == 0 {
		return nil
	}
	return d.line(string(d.rest))
}

func (d *diffScreen) line(l string) error {
	l = strings.ReplaceAll(terminal.Text(strings.TrimSuffix(l, "\r")), "\t", "    ")
	switch {
	case strings.HasPrefix(l, "+++"), strings.HasPrefix(l, "---"), strings.HasPrefix(l, "diff "):
		l = d.style.Strong(l)
	case strings.HasPrefix(l, "+"):
		l = d.style.Good(l)
	case strings.HasPrefix(l, "-"):
		l = d.style.Bad(l)
	case strings.HasPrefix(l, "@@"):
		l = d.style.Faint(l)
	}
	_, err := io.WriteString(d.out, l+"\n")
	return err
}
