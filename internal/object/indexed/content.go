package indexed

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
)

// InMemory is how many bytes of a content are gathered in memory. More go to a file.
const InMemory = 1 << 20

// Content is what a Put has been given, whole: its digest is known before anything is written elsewhere.
type Content struct {
	Digest string
	Size   int64
	spooled
}

// Gather reads content to its end. The caller closes it.
func (o *Objects) Gather(ctx context.Context, r io.Reader, max int64) (*Content, error) {
	c := &Content{spooled: spooled{folder: o.spool}}
	digest, size, err := object.Copy(ctx, &c.spooled, r, max)
	if err != nil {
		return nil, errors.Join(explainSpool(err), c.Close())
	}
	c.Digest, c.Size = digest, size
	return c, nil
}

// Reader reads the content from its beginning.
func (c *Content) Reader() *io.SectionReader {
	if c.file != nil {
		return io.NewSectionReader(c.file, 0, c.Size)
	}
	return io.NewSectionReader(bytes.NewReader(c.memory), 0, c.Size)
}

// Small is the content if it is in memory.
func (c *Content) Small() (data []byte, ok bool) { return c.memory, c.file == nil }

// spooled are bytes in memory, or in a file that has no name and goes with its process.
type spooled struct {
	folder string
	memory []byte
	file   *os.File
}

func (s *spooled) Write(b []byte) (int, error) {
	if s.file == nil && len(s.memory)+len(b) <= InMemory {
		s.memory = append(s.memory, b...)
		return len(b), nil
	}
	if s.file == nil {
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	return s.file.Write(b)
}

func (s *spooled) spill() error {
	file, err := os.CreateTemp(s.folder, "stellwerk-object-*")
	if err != nil {
		return err
	}
	s.file = file
	if err := os.Remove(file.Name()); err != nil {
		return err
	}
	_, err = file.Write(s.memory)
	s.memory = nil
	return err
}

// Close gives the space back.
func (s *spooled) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

func explainSpool(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return core.Wrap(core.CodeUnavailable, err, "there is no space to gather an object: the disk is full", "free some space and try again")
	}
	return err
}
