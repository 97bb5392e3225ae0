package redact

import (
	"bytes"
	"errors"
	"io"
)

// ErrClosed is returned by a write to a closed Writer.
var ErrClosed = errors.New("redact: write after close")

const (
	blockSize = 64 << 10 // looked at together
	tailSize  = 8 << 10  // context kept of a line that is longer than a block
)

// Writer returns a writer that passes on to w what is written to it, without secrets. It works by whole lines: a line
// is passed on once it is complete and nothing in it can be the beginning of a secret that later input completes. Lines
// longer than 64 KiB are passed on in pieces. Memory is bounded by a few blocks and the longest secret. Close passes on
// the rest; it does not close w. After an error of w the text it refused is gone and every later call returns that error.
// A Writer is not safe for concurrent use.
func (r *Redactor) Writer(w io.Writer) io.WriteCloser {
	return &writer{redactor: r, out: w, most: blockSize + r.exact.reach(), work: &budget{left: r.baseWork}}
}

type writer struct {
	redactor *Redactor
	out      io.Writer
	most     int    // length of held that forces a piece out
	held     []byte // not yet passed on
	tryAt    int    // length of held at which looking again is worth it
	swallow  bool   // the last piece ended inside a secret: drop the rest of the token
	before   []byte // the end of what was passed on, as it was written
	rendered []byte
	work     *budget  // grows with what is written
	keys     keyState // before held
	err      error
}

func (w *writer) Write(p []byte) (int, error) {
	for n := 0; n < len(p); {
		if w.err != nil {
			return n, w.err
		}
		part := p[n:min(len(p), n+blockSize)]
		w.held = append(w.held, part...)
		w.work.grow(len(part))
		n += len(part)
		hasLine := bytes.IndexByte(part, '\n') >= 0
		if hasLine && len(w.held) >= w.tryAt || len(w.held) >= w.most {
			w.advance()
		}
	}
	return len(p), w.err
}

func (w *writer) Close() error {
	if errors.Is(w.err, ErrClosed) {
		return nil
	}
	err := w.err
	if err == nil {
		w.dropToken()
		spans, _ := w.find(&w.keys)
		w.pass(len(w.held), spans)
		err = w.err
	}
	w.held, w.err = nil, ErrClosed
	return err
}

// advance passes on as much of held as is safe.
func (w *writer) advance() {
	w.dropToken()
	keys := w.keys
	spans, pending := w.find(&keys)
	if pending < len(w.held) {
		pending -= pendingMargin
	}
	cut := lineStart(w.held, min(pending, openEnd(w.held, keys.open)))
	for i := len(spans) - 1; i >= 0; i-- {
		if spans[i].start < cut && cut < spans[i].end {
			cut = lineStart(w.held, spans[i].start)
		}
	}
	if cut == 0 && len(w.held) >= w.most {
		cut = w.force(spans, pending)
	}
	w.pass(w.follow(cut, spans), spans)
	w.tryAt = len(w.held) + min(len(w.held)/2, blockSize/16)
	if bytes.IndexByte(w.held, '\n') < 0 {
		w.tryAt = 0
	}
}

// follow moves the state of keys to the cut. It holds back the text between the last body and the cut, which is hidden if
// the key goes on, and the line of a find that reaches beyond that body, which is found again only as a whole.
func (w *writer) follow(cut int, spans []span) int {
	if !w.redactor.hasKeys || cut <= 0 {
		return cut
	}
	keys := w.keys
	bodies := keys.find(w.held[:cut], nil)
	if keys.hanging && len(w.held) < w.most {
		end := 0
		if len(bodies) > 0 {
			end = bodies[len(bodies)-1].end
		}
		if end = clearOf(w.held, end, spans); end == 0 {
			return 0
		}
		cut, keys = end, w.keys
		keys.find(w.held[:cut], nil)
	}
	w.keys = keys
	return cut
}

// clearOf is cut, or the start of a line before it if a find lies across the cut or after it in the same line.
func clearOf(b []byte, cut int, spans []span) int {
	until := len(b)
	if i := bytes.IndexByte(b[cut:], '\n'); i >= 0 {
		until = cut + i
	}
	for i := len(spans) - 1; i >= 0 && spans[i].end > cut; i-- {
		if spans[i].start < until {
			cut = lineStart(b, spans[i].start)
			until = cut
		}
	}
	return cut
}

// pendingMargin covers the base64 digit before an occurrence, even at the end of the line before.
const pendingMargin = 4

// pass writes held[:cut]. No span may lie across the cut.
func (w *writer) pass(cut int, spans []span) {
	if cut <= 0 {
		return
	}
	for len(spans) > 0 && spans[len(spans)-1].end > cut {
		spans = spans[:len(spans)-1]
	}
	w.rendered = w.redactor.render(w.rendered[:0], w.held[:cut], spans)
	n, err := w.out.Write(w.rendered)
	if err == nil && n < len(w.rendered) {
		err = io.ErrShortWrite
	}
	w.err = err
	w.before = endOf(append(w.before, w.held[max(0, cut-maxBefore):cut]...))
	w.held = append(w.held[:0], w.held[cut:]...)
}

func (w *writer) dropToken() {
	if !w.swallow {
		return
	}
	n := 0
	for n < len(w.held) && isToken(w.held[n]) {
		n++
	}
	w.swallow = n == len(w.held)
	w.held = append(w.held[:0], w.held[n:]...)
}

// lineStart is the start of the line that holds position at.
func lineStart(b []byte, at int) int {
	return bytes.LastIndexByte(b[:max(0, min(at, len(b)))], '\n') + 1
}

// openEnd is the start of the text that a rule over several lines may still need: lines that could belong to a private key or
// something encoded, a token that may go on in the next line, the login before a password, the kind of a web key. The lines
// of a private key that is open need not be held back.
func openEnd(b []byte, inKey bool) int {
	at := lineStart(b, len(b)) // the last line is not complete
	if at == 0 {
		return len(b)
	}
	if isNetrcLogin(b[lineStart(b, at-1) : at-1]) {
		at = lineStart(b, at-1)
	}
	at = min(wrappedStart(b, at), encodedStart(b, at), webKeyStart(b))
	for !inKey && at > 0 {
		start := lineStart(b, at-1)
		if !isEncodedLine(b[start : at-1]) {
			break
		}
		at = start
	}
	return at
}

// wrappedStart is the start of a token that may go on in the line at b[at:]: a few lines before, with nothing but the token
// in between.
func wrappedStart(b []byte, at int) int {
	for start, lines := at, 0; start > 0 && lines < 8; lines++ {
		end := start - 1
		start = lineStart(b, end)
		line := bytes.Trim(b[start:end], "\r \t>|+")
		if hasOpenToken(line) {
			return start
		}
		if len(line) < 4 || bytes.IndexFunc(line, func(r rune) bool { return r > '~' || !isToken(byte(r)) }) >= 0 {
			break
		}
	}
	return at
}

// webKeyStart is the start of the line with the first secret member, or the kind, of a JSON web key whose rest may still
// come.
func webKeyStart(b []byte) int {
	from := max(0, len(b)-webKeyReach)
	from += bytes.LastIndexAny(b[from:], "{}") + 1
	first := len(b)
	for _, name := range append([]string{"kty"}, webKeyNames...) {
		if i := bytes.Index(b[from:first], []byte(`"`+name+`"`)); i >= 0 {
			first = from + i
		}
	}
	if first == len(b) {
		return first
	}
	return lineStart(b, first)
}

// isNetrcLogin reports the line of a netrc file that comes before its password.
func isNetrcLogin(line []byte) bool {
	fields := bytes.Fields(line)
	n := len(fields)
	return n >= 2 && bytes.Equal(fields[n-2], []byte("login")) && (n == 2 || n == 4 && bytes.Equal(fields[0], []byte("machine")))
}

// isEncodedLine reports a line of base64 or hexadecimal digits and little else. A word or a checksum is too short.
func isEncodedLine(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) < 48 || len(line) > 512 {
		return false
	}
	first, last := bodyOf(line)
	return last-first >= 40 && 4*(last-first) >= 3*len(line)
}
