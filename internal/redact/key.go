package redact

import (
	"bytes"
)

// keyName is shown in place of the body of a private key.
const keyName = "private-key"

const (
	keyReach   = 64 << 10 // how far after its first line a key is looked for
	keyMisses  = 8        // other lines in a row that end the search
	keyFillers = 4        // lines between two bodies
	leastRun   = 16       // base64 digits in a row that make a line one of a key
	maxEscape  = 8        // backslashes before a digit beyond the first
)

// keyState follows private keys through a text that comes in pieces. A key lasts from its first line ("BEGIN … PRIVATE
// KEY") to its last, and its lines may be numbered, indented, quoted, part of a diff, or have escaped ends. Only the body is
// hidden. A body without such lines is recognised by its beginning. Because the state says whether a key is open, no line has
// to be held back.
type keyState struct {
	open    bool
	left    int  // bytes until an open key is given up
	misses  int  // lines without a body since the last one with
	fillers int  // lines since then that may stand between two bodies
	width   int  // base64 digits of the last line with a body, 0 before the first
	indent  int  // what stood before them in their line
	hanging bool // the text so far ended in a body: one at the beginning of the next goes on with it
	bare    bool // the key has no first line, and so no last: it ends with any other line, or when
	owed    int  // no more digits are to come; 0 if that is not known
	full    int  // digits of its first line: in a diff, others seem to have one more
}

// find appends to spans the bodies of private keys in text, and moves the state past it.
func (s *keyState) find(text []byte, spans []span) []span {
	f := keyFinder{keyState: *s, text: text, spans: spans}
	f.resume = s.open && s.hanging
	f.hanging = false
	marks := newMarkReader(text)
	at := 0
	for {
		next, found := marks.after(at)
		until := len(text)
		if found {
			until = next.line
		}
		f.lines(at, until, found)
		if !found {
			break
		}
		if next.isBody {
			at = f.begin(next)
			continue
		}
		if next.isEnd && !f.open {
			f.backwards(at, next.start)
		}
		f.close()
		if !next.isEnd {
			f.open, f.left = true, keyReach
		}
		at = next.end
	}
	*s = f.keyState
	return f.spans
}

type keyFinder struct {
	keyState
	text   []byte
	spans  []span
	resume bool // the first body goes on with one of the text before
	region int  // index in spans plus one of the body that could go on
}

// begin opens a key whose body begins at m, unless a key is open already, and returns where to go on.
func (f *keyFinder) begin(m mark) int {
	if f.open {
		return m.line
	}
	f.open, f.bare, f.left, f.owed = true, true, keyReach, m.owed
	f.width, f.indent, f.full = m.digits, m.start-m.line, m.digits
	f.hide(m.start, m.end)
	f.pay(m.digits)
	return m.end
}

// pay counts digits of a key that has no last line.
func (f *keyFinder) pay(digits int) {
	if f.owed == 0 {
		return
	}
	if f.owed -= digits; f.owed <= 0 {
		f.close()
	}
}

func (f *keyFinder) close() {
	f.keyState = keyState{}
	f.resume, f.region = false, 0
}

// lines looks through text[from:until] while a key is open. The last of them is whole if a mark follows.
func (f *keyFinder) lines(from, until int, marked bool) {
	for at := from; f.open && at < until; {
		end, next := lineEnd(f.text[:until], at)
		f.line(at, end)
		if f.left -= next - at; f.left < 0 || f.misses > keyMisses || f.bare && f.misses > 0 {
			f.close()
			return
		}
		at = next
	}
	if f.open && !marked {
		f.hanging = f.region > 0 || f.resume
	}
}

func (f *keyFinder) line(start, end int) {
	line := f.text[start:end]
	first, last := bodyOf(line)
	if last == 0 && f.width > 0 {
		first, last = tailOf(line, f.indent, f.width)
	}
	switch {
	case last > 0:
		digits := digitsIn(line[first:last])
		f.width, f.indent, f.misses, f.fillers = digits, first, 0, 0
		f.hide(start+first, start+last)
		f.pay(min(digits, f.full))
	case isFiller(line) && f.fillers < keyFillers:
		f.fillers++
	default:
		f.misses++
		f.region, f.resume = 0, false
	}
}

// hide adds a body. It joins it to the one before if only line ends and indentation lie between, and no syntax of a
// document.
func (f *keyFinder) hide(start, end int) {
	if f.resume && isBetween(f.text[:start]) {
		f.spans = append(f.spans, span{start: 0, end: end, name: keyName, rank: keyRank, isRest: true})
		f.resume, f.region = false, len(f.spans)
		return
	}
	f.resume = false
	if f.region > 0 {
		last := &f.spans[f.region-1]
		if isBetween(f.text[last.end:start]) {
			last.end = end
			return
		}
	}
	f.spans = append(f.spans, span{start: start, end: end, name: keyName, rank: keyRank})
	f.region = len(f.spans)
}

// backwards hides the lines before the last line of a key whose first is not in the text.
func (f *keyFinder) backwards(from, until int) {
	from = max(from, until-keyReach)
	var bodies []window
	for at, first := until, true; at > from; first = false {
		start, end := lineBefore(f.text, from, at)
		line := f.text[start:end]
		a, b := bodyOf(line)
		if b == 0 && first && len(bodies) == 0 {
			a, b = tailOf(line, 0, 80)
		}
		switch {
		case b > 0:
			bodies = append(bodies, window{start + a, start + b})
		case !isFiller(line):
			at = from
			continue
		}
		at = start
	}
	for i := len(bodies) - 1; i >= 0; i-- {
		f.hide(bodies[i].start, bodies[i].end)
	}
}

// lineEnd finds the end of the line at text[at:] and the beginning of the next. An end may be written as an escape.
func lineEnd(text []byte, at int) (end, next int) {
	for i := at; i < len(text); i++ {
		switch text[i] {
		case '\n', '\r':
			return i, i + 1
		case '\\':
			j := i
			for j < len(text) && text[j] == '\\' {
				j++
			}
			if j < len(text) && (text[j] == 'n' || text[j] == 'r') {
				return i, j + 1
			}
			i = j - 1
		}
	}
	return len(text), len(text)
}

// lineBefore is the line that ends before text[until].
func lineBefore(text []byte, from, until int) (start, end int) {
	end = until
	for end > from {
		n := breakBefore(text[from:end])
		if n == 0 {
			break
		}
		end -= n
	}
	start = end
	for start > from && breakBefore(text[from:start]) == 0 {
		start--
	}
	return start, end
}

// breakBefore is the length of the line end that text ends with.
func breakBefore(text []byte) int {
	n := len(text)
	if n == 0 {
		return 0
	}
	if c := text[n-1]; c == '\n' || c == '\r' {
		return 1
	} else if n > 1 && text[n-2] == '\\' && (c == 'n' || c == 'r') {
		for n -= 2; n > 0 && text[n-1] == '\\'; n-- {
		}
		return len(text) - n
	}
	return 0
}

// bodyOf finds the part of a line that is the body of a key: base64 digits that make up most of it. last is 0 if there is
// none.
func bodyOf(line []byte) (first, last int) {
	total := 0
	for i := 0; i < len(line); {
		n, digits := digitRun(line[i:], len(line))
		if digits >= leastRun {
			if last == 0 {
				first = i
			}
			last = i + n
			total += n
		}
		i += max(n, 1)
	}
	if 2*total < len(bytes.TrimSpace(line)) {
		return 0, 0
	}
	return first, last
}

// tailOf finds the short last line of a body, which begins at the same column as the others and holds nothing else, or ends
// the quoted text that holds them.
func tailOf(line []byte, indent, width int) (first, last int) {
	if len(line) <= indent {
		indent = len(line) - len(bytes.TrimLeft(line, " \t"))
	}
	n, digits := digitRun(line[indent:], len(line))
	rest := bytes.TrimLeft(line[indent+n:], "\\")
	isQuoted := len(rest) > 0 && bytes.IndexByte([]byte("\"'`"), rest[0]) >= 0
	if n == 0 || digits > width || !isQuoted && len(bytes.Trim(rest, " \t,;+\\")) > 0 {
		return 0, 0
	}
	return indent, indent + n
}

// digitRun counts the base64 digits that text begins with, at most so many, and their bytes.
func digitRun(text []byte, most int) (size, digits int) {
	for digits < most {
		_, n := digitAt(text[size:])
		if n == 0 {
			break
		}
		size += n
		digits++
	}
	return size, digits
}

// digitAt reads the base64 digit that text begins with. It may be escaped, also more than once. size is 0 if there is none.
func digitAt(text []byte) (digit byte, size int) {
	if len(text) == 0 {
		return 0, 0
	}
	if c := text[0]; c != '\\' {
		if isAlnum(c) || c == '+' || c == '/' || c == '=' {
			return c, 1
		}
		return 0, 0
	}
	last := 0
	for last+1 < len(text) && last < maxEscape && text[last+1] == '\\' {
		last++
	}
	r, n, _ := unescapeOne(text[last:])
	if n < 2 || r != '/' && r != '+' && r != '=' {
		return 0, 0
	}
	return byte(r), last + n
}

// digitsIn counts the base64 digits of a body.
func digitsIn(body []byte) int {
	sum := 0
	for len(body) > 0 {
		size, digits := digitRun(body, len(body))
		sum += digits
		body = body[max(size, 1):]
	}
	return sum
}

// isFiller reports a line that a key may have between others: an empty one, or a header ("DEK-Info: AES-128-CBC,…").
func isFiller(line []byte) bool {
	line = bytes.Trim(line, " \t>+|#*-\"'`,;\\")
	if len(line) == 0 || isDigits(line) {
		return true
	}
	name, _, found := bytes.Cut(line, []byte(": "))
	return found && len(line) < 200 && bytes.IndexFunc(name, func(r rune) bool { return r != '-' && !isAlnum(r) }) < 0
}

func isDigits(b []byte) bool {
	return bytes.IndexFunc(b, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// isBetween reports text that can be hidden together with the bodies on both sides.
func isBetween(text []byte) bool { return len(text) <= 512 && !bytes.ContainsAny(text, "\"'`{}[]<>") }
