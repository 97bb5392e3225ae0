package leak

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// Commits takes the output of `git cat-file --batch` for commits. It searches them as they are pushed: every header, and the
// message to its end.
func (s *Scanner) Commits() io.Writer { return &commits{scanner: s} }

type commits struct {
	scanner *Scanner
	header  []byte
	left    int // bytes of the object that are still to come
}

// maxHeader is more than the name, kind and size of an object take.
const maxHeader = 200

// Write implements io.Writer.
func (c *commits) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if c.left > 0 {
			size := min(c.left, len(p))
			c.scanner.add(p[:size])
			p = p[size:]
			if c.left -= size; c.left == 0 {
				c.scanner.flush(0)
			}
			continue
		}
		i := bytes.IndexByte(p, '\n')
		c.header = append(c.header, p[:max(0, i)]...)
		if i < 0 {
			c.header = append(c.header, p...)
			if len(c.header) > maxHeader {
				return 0, fmt.Errorf("git names an object with %d bytes", len(c.header))
			}
			return n, nil
		}
		p = p[i+1:]
		if err := c.begin(); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// begin reads "HASH commit SIZE", or the empty line that follows an object.
func (c *commits) begin() error {
	line := string(c.header)
	c.header = c.header[:0]
	if line == "" {
		return nil
	}
	fields := bytes.Fields([]byte(line))
	if len(fields) != 3 || string(fields[1]) != "commit" {
		return fmt.Errorf("git says %q about a commit", line)
	}
	size, err := strconv.Atoi(string(fields[2]))
	if err != nil {
		return fmt.Errorf("git says %q about a commit: %w", line, err)
	}
	c.scanner.enter("")
	c.scanner.commit, c.left = string(fields[0]), size
	return nil
}
