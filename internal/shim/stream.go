package shim

import (
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// drainTime is how long a pipe is read after every process that could write to it has ended.
const drainTime = 2 * time.Second

// maxPipe is the most that a pipe holds unless root made it larger.
const maxPipe = 1 << 20

// stream reads one of the agent's two pipes to its end.
type stream struct {
	read, write *os.File
	capture     capture
	clean       io.WriteCloser // leads to capture
	total       int64          // bytes read
	done        chan struct{}
}

// newStream makes a pipe and turns its lines into records with parse, which runs on one goroutine. isPlain says that parse
// does not depend on the structure of a line.
func newStream(name string, j *journal, headBytes int64, isPlain bool, parse func(line []byte) []agent.Record) (*stream, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	thread := j.redactor.Thread()
	s := &stream{read: read, write: write, done: make(chan struct{})}
	s.capture = capture{
		head: headBytes,
		line: func(text []byte, cut int64) {
			over := int64(max(0, len(text)-maxLine)) + cut
			if over == 0 {
				j.add(thread, parse(text)...)
				return
			}
			// The redactor sees more than is kept, so that no half of a secret stays at the cut.
			clean := thread(strings.ToValidUTF8(string(text), "\uFFFD"))
			j.add(thread, parse([]byte(clean[:min(len(clean), maxLine)]))...)
			j.notice("a line of %s was longer than %d bytes; %d bytes of it were dropped", name, maxLine, over)
		},
		gap: func(n int64) { j.notice("%s was too long; %d bytes were dropped here", name, n) },
	}
	s.capture.redact = thread
	s.clean = j.redactor.Stream(&s.capture)
	if isPlain {
		s.clean = j.redactor.PlainStream(&s.capture)
	}
	go s.drain(j)
	return s, nil
}

func (s *stream) drain(j *journal) {
	defer close(s.done)
	chunk := make([]byte, 256<<10)
	for {
		n, err := s.read.Read(chunk)
		s.take(chunk[:n])
		j.flush()
		if err != nil {
			// The end of the pipe, or the deadline that finish sets: in both cases nobody is left to write.
			s.leftover(chunk)
			j.flush()
			s.release()
			s.capture.close()
			return
		}
	}
}

// leftover reads what is in the pipe after the deadline: on a busy machine the shim can be further behind than that, and the
// agent's last words matter most. It reads no more than a pipe holds, because a process out of the shim's reach may go on
// writing.
func (s *stream) leftover(chunk []byte) {
	if err := s.read.SetReadDeadline(time.Time{}); err != nil {
		return // the pipe's end was reached, and it takes no deadline any more
	}
	pipe, err := s.read.SyscallConn()
	if err != nil {
		return
	}
	for taken := 0; taken < maxPipe; {
		n := 0
		err := pipe.Read(func(fd uintptr) bool {
			n, _ = unix.Read(int(fd), chunk) // an empty pipe is an error, too: either way there is nothing to take
			return true
		})
		if err != nil || n <= 0 {
			return
		}
		s.take(chunk[:n])
		taken += n
	}
}

// take looks for secrets in the beginning of the stream as it comes. capture keeps only the end of the rest and has it
// redacted when the stream ends, because looking at all of it would hold up a program that floods.
func (s *stream) take(chunk []byte) {
	s.total += int64(len(chunk))
	if s.clean == nil {
		s.capture.write(chunk)
		return
	}
	_, _ = s.clean.Write(chunk) // capture takes everything
	if s.capture.full() {
		s.release()
	}
}

// release passes on what the redactor held back because a secret could have begun there.
func (s *stream) release() {
	if s.clean != nil {
		_ = s.clean.Close() // capture takes everything
		s.clean = nil
	}
}

// started closes the shim's own writing end, which the process has by now. Nothing was written through it, so closing it has
// nothing to report.
func (s *stream) started() { _ = s.write.Close() }

// finish takes the last bytes. It waits for the pipe's end, but no longer than drainTime: a process out of the shim's reach may
// still hold it. If the sandbox stays, it holds the pipe and writes nothing: all that there will be is in the pipe.
func (s *stream) finish(stays bool) error {
	deadline := time.Now()
	if !stays {
		deadline = deadline.Add(drainTime)
	}
	if err := s.read.SetReadDeadline(deadline); err != nil {
		return err
	}
	<-s.done
	return s.read.Close()
}
