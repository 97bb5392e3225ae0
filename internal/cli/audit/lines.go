package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/stellwerk-dev/stellwerk/internal/audit"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// maxLine bounds a line: an event's body as JSON, and what stands around it.
const maxLine = 2*core.MaxBody + 1<<20

// lineWriter hands on what is written line by line, each with its newline.
type lineWriter struct {
	line func([]byte) error
	rest []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	written := len(p)
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			break
		}
		line := p[:end+1]
		if len(w.rest) > 0 {
			line = append(w.rest, line...)
			w.rest = nil
		}
		if err := w.line(line); err != nil {
			return 0, err
		}
		p = p[end+1:]
	}
	if w.rest = append(w.rest, p...); len(w.rest) > maxLine {
		return 0, core.Errorf(core.CodeInvalid, "a line of the export has more than %d bytes", maxLine)
	}
	return written, nil
}

// Close refuses a line without an end.
func (w *lineWriter) Close() error {
	if len(w.rest) > 0 {
		return core.Errorf(core.CodeInvalid, "the export was cut short in the middle of a line").WithHint("export again")
	}
	return nil
}

// progressEvery is after how many lines the progress is shown again.
const progressEvery = 2000

// progress says on a screen how far an export is; nowhere else.
type progress struct {
	screen   io.Writer // nil for none
	n, total int64
	shown    bool
}

func newProgress(sh *shell.Shell) *progress {
	p := &progress{}
	if sh.Console.ErrWidth != nil && sh.Console.ErrWidth() > 0 && !sh.JSON {
		p.screen = sh.Console.Err
	}
	return p
}

// step counts a line. The first says how many events there are.
func (p *progress) step(line []byte) {
	if p.screen == nil {
		return
	}
	if p.n == 0 {
		var head audit.Record
		if json.Unmarshal(line, &head) == nil {
			p.total = head.Total
		}
	}
	if p.n++; p.n%progressEvery == 0 {
		fmt.Fprintf(p.screen, "\r%d of %d events", min(p.n, p.total), p.total)
		p.shown = true
	}
}

// end clears the line.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.screen, "\r\x1b[K")
	}
}
