package runfolder

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// MaxLine is the longest line a manifest may have, in bytes.
const MaxLine = 16 << 20

// LineError says in which line of a manifest something is wrong.
type LineError struct {
	Path string
	Line int64
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// Torn is an unfinished last line: its writer crashed before it reported the line
// as written.
type Torn struct {
	Line   int64 // 0 if lines were not counted
	Offset int64 // where it begins
	Bytes  int64
}

func (t *Torn) String() string {
	return fmt.Sprintf("the last line was not written to its end (%d bytes from offset %d)", t.Bytes, t.Offset)
}

var errTooLong error = core.Errorf(core.CodeInvalid, "the line is longer than %d MiB", MaxLine>>20)

// readLine reads a line without its newline. whole is false if the input ended
// first. It does not keep a line that is too long in memory.
func readLine(r *bufio.Reader) (line []byte, whole bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > MaxLine+1 {
			return nil, false, errTooLong
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line[:len(line)-1], true, nil
		case errors.Is(err, io.EOF):
			return line, false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, false, err
		}
	}
}

// eachLine hands over whole lines, and returns how many bytes they have. It ends at a line that is being written, or that a
// crash of the machine left a hole in: then no line from there on was acknowledged.
func eachLine(r io.Reader, fn func(line []byte) error) (n int64, err error) {
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		line, whole, err := readLine(lines)
		if err == nil && (!whole || bytes.IndexByte(line, 0) >= 0) {
			return n, nil
		}
		if err == nil {
			err = fn(line)
		}
		if err != nil {
			return n, err
		}
		n += int64(len(line)) + 1
	}
}

// eachBefore hands over the lines of a manifest that come before an event. Events are numbered as lines are. path is for
// messages.
func eachBefore(r io.Reader, path string, event int64, fn func(n int64, line []byte) error) error {
	lines := bufio.NewReaderSize(r, 64<<10)
	for n := int64(1); n < event; n++ {
		line, whole, err := readLine(lines)
		if err == nil && !whole {
			err = core.Errorf(core.CodeInvalid, "lines are missing before event %d", event)
		}
		if err == nil {
			err = fn(n, line)
		}
		if err != nil {
			return &LineError{Path: path, Line: n, Err: err}
		}
	}
	return nil
}

// parseLine reads an event from its line. It refuses a line that is not written
// exactly as its event is encoded, so two readers never understand it differently.
func parseLine(line []byte) (core.Event, error) {
	var e core.Event
	if i := bytes.IndexByte(line, 0); i >= 0 {
		return e, core.Errorf(core.CodeInvalid, "a NUL byte at column %d", i+1)
	}
	if err := strictjson.Unmarshal(line, &e); err != nil {
		return e, core.Wrap(core.CodeInvalid, err, "not an event", "")
	}
	canonical, err := e.Line()
	if err != nil {
		return e, err
	}
	if !bytes.Equal(canonical, line) {
		return e, core.Errorf(core.CodeInvalid, "event %.80q is not written the way stellwerk writes it", e.ID)
	}
	return e, nil
}

func hashOf(line []byte) string {
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}
