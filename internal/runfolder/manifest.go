package runfolder

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Manifest is the content of a manifest, checked as a whole.
type Manifest struct {
	Stream   string
	Events   []core.Event
	Head     core.Head
	TornTail *Torn // nil if the last line is whole
}

// Fork says that two histories of one stream differ from event Seq on.
type Fork struct {
	Stream string
	Seq    int64
}

func (e *Fork) Error() string {
	return fmt.Sprintf("the history of %s forks at event %d", e.Stream, e.Seq)
}

func forked(stream string, seq int64) error {
	return core.Wrap(core.CodeForked, &Fork{Stream: stream, Seq: seq}, "two histories of one run",
		"keep the one that is right and move the other away")
}

// ReadManifest reads and checks a manifest: every line an event of a known
// type, in order, each following the one before by its hash. A torn last line
// is left out and reported. The file is not changed.
func ReadManifest(path string) (m Manifest, err error) {
	file, err := os.Open(path)
	if err != nil {
		return Manifest{}, explain(err, path)
	}
	defer func() { err = errors.Join(err, explain(file.Close(), path)) }()
	sum, err := Scan(file, path, func(e core.Event) error {
		m.Events = append(m.Events, e)
		return nil
	})
	if err != nil {
		return Manifest{}, err
	}
	m.Stream, m.Head, m.TornTail = sum.Stream, sum.Head, sum.TornTail
	return m, nil
}

// Scan is ReadManifest event by event, in memory bounded by the longest line.
// The Manifest it returns has no Events; path is for messages.
func Scan(r io.Reader, path string, each func(core.Event) error) (Manifest, error) {
	s := scanner{path: path}
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		line, whole, err := readLine(lines)
		if err != nil {
			return Manifest{}, s.fail(err)
		}
		if !whole && len(line) == 0 {
			return s.found, nil
		}
		if torn, err := s.torn(lines, line, whole); torn || err != nil {
			return s.found, err
		}
		e, err := s.next(line)
		if err == nil {
			err = each(e)
		}
		if err != nil {
			return Manifest{}, s.fail(err)
		}
	}
}

type scanner struct {
	path   string
	lines  int64 // whole lines read
	offset int64 // of the current line
	found  Manifest
}

func (s *scanner) fail(err error) error {
	return &LineError{Path: s.path, Line: s.lines + 1, Err: err}
}

// torn reports a last line that its writer did not finish: one without a newline,
// or with zeros that were never overwritten.
func (s *scanner) torn(rest *bufio.Reader, line []byte, whole bool) (bool, error) {
	size := int64(len(line))
	if whole {
		if bytes.IndexByte(line, 0) < 0 {
			return false, nil
		}
		size++
		if _, err := rest.Peek(1); err == nil {
			return false, nil
		} else if err != io.EOF {
			return false, s.fail(err)
		}
	}
	s.found.TornTail = &Torn{Line: s.lines + 1, Offset: s.offset, Bytes: size}
	return true, nil
}

// next reads a line and checks that it follows the one before.
func (s *scanner) next(line []byte) (core.Event, error) {
	e, err := parseLine(line)
	if err != nil {
		return e, err
	}
	if err := s.follows(e); err != nil {
		return e, err
	}
	if _, err := core.Decode(e); err != nil {
		return e, err
	}
	s.found.Stream = e.Stream
	s.found.Head = core.Head{Seq: e.Seq, Hash: hashOf(line), At: e.At}
	s.lines++
	s.offset += int64(len(line)) + 1
	return e, nil
}

func (s *scanner) follows(e core.Event) error {
	due := s.lines + 1 // events are numbered as lines are
	switch {
	case s.lines > 0 && e.Stream != s.found.Stream:
		return core.Errorf(core.CodeInvalid, "event of %q in the manifest of %q", e.Stream, s.found.Stream)
	case e.Seq < due && e.Seq > 0:
		return core.Errorf(core.CodeInvalid, "event %d appears twice: it is already in line %d", e.Seq, e.Seq)
	case e.Seq != due:
		return core.Errorf(core.CodeInvalid, "found event %d instead of event %d: events are missing", e.Seq, due)
	case e.ID != core.EventID(e.Stream, e.Seq):
		return core.Errorf(core.CodeInvalid, "event %d has the id %.80q, want %q", e.Seq, e.ID, core.EventID(e.Stream, e.Seq))
	case e.PrevHash != s.found.Head.Hash:
		return forked(e.Stream, e.Seq)
	}
	return nil
}
