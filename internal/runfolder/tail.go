package runfolder

import (
	"bytes"
	"io"
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// tail is the end of a manifest: its newest event, and the offset of the next line.
type tail struct {
	stream string
	head   core.Head
	size   int64 // of the file when it was read, a torn line included
	end    int64 // of the last whole line
	torn   *Torn
}

// readTail reads a manifest's end from its last line, whatever its length. Of several lines that were written at once, a crash
// of the machine may leave later ones and a hole before them: whatever comes after the first hole is torn, too.
func readTail(file *os.File, path string) (tail, error) {
	info, err := file.Stat()
	if err != nil {
		return tail{}, explain(err, path)
	}
	t := tail{size: info.Size()}
	if t.end, err = firstHole(file, t.size); err != nil {
		return tail{}, explain(err, path)
	}
	if t.end < t.size {
		t.torn = &Torn{Offset: t.end, Bytes: t.size - t.end}
	}
	for {
		line, start, whole, err := lastLine(file, t.end)
		if err != nil {
			return tail{}, explain(err, path)
		}
		if start == t.end {
			return t, nil
		}
		if !whole {
			t.torn = &Torn{Offset: start, Bytes: t.size - start}
			t.end = start
			continue
		}
		e, err := parseLine(line)
		if err != nil {
			return tail{}, core.Wrap(core.CodeOf(err), err, path+": last line", "compare it with a backup of the folder")
		}
		t.stream, t.head = e.Stream, core.Head{Seq: e.Seq, Hash: hashOf(line), At: e.At}
		return t, nil
	}
}

// firstHole is where a file has its first byte that was never written: no line has a zero. It is size if there is none.
func firstHole(file io.ReaderAt, size int64) (int64, error) {
	part := make([]byte, min(size, 64<<10))
	for at := int64(0); at < size; {
		n, err := file.ReadAt(part[:min(size-at, int64(len(part)))], at)
		if i := bytes.IndexByte(part[:n], 0); i >= 0 {
			return at + int64(i), nil
		}
		if err != nil {
			return 0, err
		}
		at += int64(n)
	}
	return size, nil
}

// lastLine reads backwards the line that ends at end, without its newline.
// start is its offset, or end itself if nothing is before it.
func lastLine(file io.ReaderAt, end int64) (line []byte, start int64, whole bool, err error) {
	const step = 4096
	start = end
	for start > 0 {
		n := min(start, step+int64(len(line))) // doubling: a long line costs no more than twice its length
		part := make([]byte, n, n+int64(len(line)))
		if _, err := file.ReadAt(part, start-n); err != nil {
			return nil, 0, false, err
		}
		body := part
		if start == end && body[n-1] == '\n' {
			whole = true
			body = body[:n-1]
		}
		if i := bytes.LastIndexByte(body, '\n'); i >= 0 {
			return append(body[i+1:], line...), start - n + int64(i) + 1, whole, nil
		}
		line = append(body, line...)
		start -= n
		if len(line) > MaxLine {
			return nil, 0, false, errTooLong
		}
	}
	return line, 0, whole, nil
}
