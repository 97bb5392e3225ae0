package shim

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// strict hands out writers that take nothing once they are closed, and hold a line back until then.
type strict struct{ unredacted }

func (strict) Stream(w io.Writer) io.WriteCloser      { return &holding{to: w} }
func (strict) PlainStream(w io.Writer) io.WriteCloser { return &holding{to: w} }

type holding struct {
	to     io.Writer
	held   []byte
	closed bool
}

func (h *holding) Write(p []byte) (int, error) {
	if h.closed {
		return 0, errors.New("closed")
	}
	if _, err := h.to.Write(h.held); err != nil {
		return 0, err
	}
	h.held = []byte(string(p))
	return len(p), nil
}

func (h *holding) Close() error {
	if h.closed {
		return errors.New("closed twice")
	}
	h.closed = true
	_, err := h.to.Write(h.held)
	return err
}

// TestAStreamIsTakenToItsEnd: what is held back for the redactor, and what follows the part that it looks at as it comes.
func TestAStreamIsTakenToItsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		text        string
		first, last string
	}{
		"short": {"first\nlast\n", "first", "last"},
		"long":  {"first\n" + strings.Repeat("middle\n", tailBytes) + "last\n", "first", "last"},
		"torn":  {"first\n" + strings.Repeat("middle\n", tailBytes) + "last", "first", "last"},
	} {
		for _, isPlain := range []bool{false, true} {
			j, err := openJournal(t.TempDir(), strict{}, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			s, err := newStream("stdout", j, 100, isPlain, func(line []byte) []agent.Record { lines = append(lines, string(line)); return nil })
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.WriteString(s.write, c.text)
			s.started()
			if err = errors.Join(err, s.finish(false), j.close()); err != nil {
				t.Fatal(err)
			}
			if len(lines) < 2 || lines[0] != c.first || lines[len(lines)-1] != c.last || s.total != int64(len(c.text)) {
				t.Errorf("%s, plain %v: %d lines of %d bytes, the first %.20q and the last %.20q", name, isPlain, len(lines), s.total, lines[:min(1, len(lines))], lines[max(0, len(lines)-1):])
			}
		}
	}
}

// TestALateReaderLosesNothing: the time to read a pipe ran out while the shim was still busy with what it read before.
func TestALateReaderLosesNothing(t *testing.T) {
	t.Parallel()
	j, err := openJournal(t.TempDir(), unredacted{}, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	busy, free := make(chan struct{}), make(chan struct{})
	s, err := newStream("stdout", j, 100, true, func(line []byte) []agent.Record {
		if lines = append(lines, string(line)); len(lines) == 1 {
			close(busy)
			<-free
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(s.write, "first\n"); err != nil {
		t.Fatal(err)
	}
	<-busy
	_, err = io.WriteString(s.write, "second\nlast\n")
	if err = errors.Join(err, s.read.SetReadDeadline(time.Unix(1, 0))); err != nil {
		t.Fatal(err)
	}
	close(free)
	<-s.done
	s.started()
	if err := errors.Join(s.read.Close(), j.close()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"first", "second", "last"}; !slices.Equal(lines, want) {
		t.Errorf("it read %q, want %q", lines, want)
	}
}
