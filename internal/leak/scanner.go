// Package leak finds secrets in what commits add: it reads what git prints of them and says where something looks like a
// secret, by file and line. It must not keep, return or log a secret, and it does not run git.
package leak

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// Format is the --format of git log in which a [Scanner] reads to which commit a patch belongs. [Scanner.Commits] searches the
// commits themselves as objects, because git log leaves out their headers and what follows a zero byte.
const Format = "format:%x00%H"

// Bounds of what is held at once: a file is searched piece by piece, and the end of a long line again with what follows.
const (
	pieceSize   = 1 << 20
	overlap     = 4 << 10
	maxControl  = 64 << 10
	maxFinds    = 1000
	hiddenBytes = 8
)

// Find is a place that looks like a secret.
type Find struct {
	Rule   string
	Commit string // empty in a plain difference
	File   string // empty for the commit itself: its message, author, committer and other headers
	Line   int
	digest [hiddenBytes]byte // of what was found, to tell whether it is the same elsewhere
}

// Same says whether the same secret was found in the same file.
func (f Find) Same(other Find) bool {
	return f.File == other.File && f.Rule == other.Rule && f.digest == other.digest
}

// Scanner takes the output of `git diff-tree -p -U0` or `git log -p -U0 --format=Format`. It is an [io.Writer], so that
// nothing has to be held whole. After Close it has every find.
type Scanner struct {
	threads func() *redact.Thread
	finds   []Find
	more    int // finds beyond maxFinds

	thread *redact.Thread
	commit string
	file   string
	header string // the file that git announces
	text   []byte // added lines of the file, or a commit
	starts []start
	seen   []place // finds that reach into the beginning of text, which was searched before

	plus, minus int // lines of the hunk that are still to come
	next        int // number of the next added line
	state       state
	control     []byte // a line of git's own, which belongs to no file
}

// start is where a line begins in text.
type start struct{ at, line int }

// place is a part of text.
type place struct{ start, end int }

type state int

const (
	fresh   state = iota // at the beginning of a line
	added                // inside an added line
	ignored              // inside a line that does not matter
	steered              // inside a line of git's own
)

// New makes a scanner that looks at each file and message with a thread of its own.
func New(threads func() *redact.Thread) *Scanner {
	return &Scanner{threads: threads, thread: threads()}
}

// Finds are those so far, but never more than a thousand.
func (s *Scanner) Finds() []Find { return s.finds }

// More is how many finds there are beyond those that Finds returns.
func (s *Scanner) More() int { return s.more }

// Write implements io.Writer.
func (s *Scanner) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if s.state == fresh && s.begin(p[0]) {
			p = p[1:]
			continue
		}
		part, ended := p, false
		if i := bytes.IndexByte(p, '\n'); i >= 0 {
			part, ended = p[:i+1], true
		}
		p = p[len(part):]
		switch s.state {
		case added:
			s.add(part)
		case steered:
			s.control = append(s.control, part[:min(len(part), maxControl-len(s.control))]...)
		case fresh, ignored:
		}
		if ended {
			s.endLine()
		}
	}
	return n, nil
}

// Close searches what is left.
func (s *Scanner) Close() {
	s.endLine()
	s.flush(0)
}

// begin decides what a line is by its first byte, and reports that the byte is not part of the line's text.
func (s *Scanner) begin(c byte) bool {
	switch {
	case s.plus == 0 && s.minus == 0:
		s.state = steered
	case c == '+' && s.plus > 0:
		s.state = added
		s.plus--
		s.starts = append(s.starts, start{at: len(s.text), line: s.next})
		s.next++
		return true
	default:
		s.state = ignored
		if c == '-' && s.minus > 0 {
			s.minus--
		}
	}
	return false
}

func (s *Scanner) endLine() {
	if s.state == steered {
		s.steer(bytes.TrimSuffix(s.control, []byte{'\n'}))
		s.control = s.control[:0]
	}
	s.state = fresh
}

// steer reads a line of git's own.
func (s *Scanner) steer(line []byte) {
	switch {
	case bytes.HasPrefix(line, []byte{0}):
		s.enter("")
		s.commit = string(line[1:])
	case bytes.HasPrefix(line, []byte("diff --git ")):
		s.enter("")
		s.header = string(line[len("diff --git "):])
	case bytes.HasPrefix(line, []byte("new file mode ")): // an empty one has no line with +++
		s.enter(pathOf(s.header[min(len(s.header), len(s.header)/2+1):])) // both halves name the same file
		s.name()
	case bytes.HasPrefix(line, []byte("+++ ")):
		if path := pathOf(string(line[4:])); path != s.file {
			s.enter(path)
			s.name()
		}
	case bytes.HasPrefix(line, []byte("@@ ")):
		s.hunk(string(line))
	}
}

// name searches the name of a file, which is published too.
func (s *Scanner) name() {
	for _, f := range s.threads().Finds([]byte(s.file)) {
		s.found(Find{Rule: f.Name, File: s.file}, []byte(s.file)[f.Start:f.End])
	}
}

// enter goes on to another file.
func (s *Scanner) enter(file string) {
	s.flush(0)
	s.file, s.thread = file, s.threads()
}

// hunk reads "@@ -a,b +c,d @@".
func (s *Scanner) hunk(line string) {
	fields := strings.Fields(line)
	if len(fields) < 3 {
		return
	}
	_, s.minus = rangeOf(fields[1])
	s.next, s.plus = rangeOf(fields[2])
}

func rangeOf(field string) (first, count int) {
	from, size, found := strings.Cut(strings.TrimLeft(field, "+-"), ",")
	first, _ = strconv.Atoi(from) // git wrote it
	if !found {
		return first, 1
	}
	count, _ = strconv.Atoi(size)
	return first, count
}

// pathOf is a path as git writes it behind its prefix.
func pathOf(text string) string {
	text = strings.TrimSuffix(text, "\t")
	if plain, err := strconv.Unquote(text); err == nil {
		text = plain
	}
	if text == "/dev/null" {
		return ""
	}
	return strings.TrimPrefix(text, "b/")
}

func (s *Scanner) add(part []byte) {
	for len(part) > 0 {
		n := min(len(part), pieceSize-len(s.text))
		s.text = append(s.text, part[:n]...)
		part = part[n:]
		if len(s.text) == pieceSize {
			s.flush(overlap)
		}
	}
}

// flush searches what was collected, and keeps its end.
func (s *Scanner) flush(keep int) {
	cut := max(0, len(s.text)-keep)
	var seen []place
	for _, f := range s.thread.Finds(s.text) {
		if f.End > cut && keep > 0 {
			seen = append(seen, place{max(0, f.Start-cut), f.End - cut})
		}
		if !slices.ContainsFunc(s.seen, func(p place) bool { return f.Start < p.end && p.start < f.End }) {
			s.found(Find{Rule: f.Name, File: s.file, Line: s.lineAt(f.Start)}, s.text[f.Start:f.End])
		}
	}
	s.seen = seen
	s.text = append(s.text[:0], s.text[cut:]...)
	if keep == 0 {
		s.starts = s.starts[:0]
		return
	}
	kept := []start{{line: s.lineAt(cut)}}
	for _, l := range s.starts {
		if l.at > cut {
			kept = append(kept, start{at: l.at - cut, line: l.line})
		}
	}
	s.starts = kept
}

// lineAt is the number of the line of text[at].
func (s *Scanner) lineAt(at int) int {
	i := sort.Search(len(s.starts), func(i int) bool { return s.starts[i].at > at })
	if i == 0 {
		return 0
	}
	return s.starts[i-1].line
}

func (s *Scanner) found(f Find, secret []byte) {
	sum := sha256.Sum256(secret)
	f.Commit = s.commit
	copy(f.digest[:], sum[:])
	switch {
	case len(s.finds) > 0 && s.finds[len(s.finds)-1] == f:
	case len(s.finds) == maxFinds:
		s.more++
	default:
		s.finds = append(s.finds, f)
	}
}
