package redact

import (
	"bytes"
	"encoding/base64"
)

// firstLines is how many of keyWords are in the first and last line of a key. With the others its body begins.
const firstLines = 3

var keyWords = [][]byte{
	[]byte("PRIVATE KEY"), []byte("OpenVPN Static key"), []byte("Private-Lines: "),
	[]byte("MII"), []byte("MIG"), []byte("MIH"), []byte(opensshDigits), []byte("CAQEE"), []byte("CAQAw"),
}

// The last two of them follow three digits, which say how long a short key is.
const (
	shortKeys   = firstLines + 4
	shortDigits = 3
)

// opensshDigits are openssh-key-v1 in base64. Only private keys of OpenSSH begin with it.
const opensshDigits = "b3BlbnNzaC1rZXktdjE"

// mark is where a key begins or ends: its first or last line, without the text around it, or the digits of its body in its
// first line.
type mark struct {
	start, end int
	line       int // where the lines before it end
	isEnd      bool
	isBody     bool
	digits     int // of the body, in base64
	owed       int // those of the whole body, 0 if that is not known
}

// leastFirstLine is how many digits the first line of a body has at least, unless all of it is shorter.
const leastFirstLine = 48

// bodyAt reads the first line of the body of a key at text[at:], by decoding its digits.
func bodyAt(text []byte, from, at int) (mark, bool) {
	if at < from {
		return mark{}, false
	}
	owed := 0
	most := keyReach
	if !bytes.HasPrefix(text[at:], []byte(opensshDigits)) {
		if owed = keyDigits(text[at:]); owed == 0 {
			return mark{}, false
		}
		most = owed
	}
	n, digits := digitRun(text[at:], most)
	if digits < leastFirstLine && digits != owed {
		return mark{}, false
	}
	line := at
	for line > from && breakBefore(text[from:line]) == 0 {
		line--
	}
	return mark{start: at, end: at + n, line: line, isBody: true, digits: digits, owed: owed}, true
}

// keyDigits is how many base64 digits the private key at the beginning of text has. Such a key is a sequence of a version,
// 0 or 1, and an algorithm, a number or a string of bytes (PKCS #8, PKCS #1, SEC 1). It is 0 for anything else, such as a
// certificate.
func keyDigits(text []byte) int {
	var first [12]byte
	at := 0
	for i := range first {
		digit, n := digitAt(text[at:])
		if n == 0 {
			return 0
		}
		first[i] = digit
		at += n
	}
	var der [9]byte
	if _, err := base64.StdEncoding.Decode(der[:], first[:]); err != nil || der[0] != 0x30 {
		return 0
	}
	head, size := 2, int(der[1])
	switch der[1] {
	case 0x81:
		head, size = 3, int(der[2])
	case 0x82:
		head, size = 4, int(der[2])<<8|int(der[3])
	}
	version, next := der[head:head+3], der[head+3]
	if size < 40 || size > keyReach/2 || version[0] != 2 || version[1] != 1 || version[2] > 1 || next != 0x30 && next != 2 && next != 4 {
		return 0
	}
	return base64.StdEncoding.EncodedLen(head + size)
}

// markReader finds the marks of a text one after the other.
type markReader struct {
	text []byte
	next []int // by word: its next place, len(text) if there is none
}

func newMarkReader(text []byte) *markReader {
	m := &markReader{text: text, next: make([]int, len(keyWords))}
	for i := range m.next {
		m.look(i, 0)
	}
	return m
}

func (m *markReader) look(word, from int) {
	m.next[word] = len(m.text)
	if i := bytes.Index(m.text[from:], keyWords[word]); i >= 0 {
		m.next[word] = from + i
	}
}

// after is the first mark that lies wholly after from.
func (m *markReader) after(from int) (mark, bool) {
	for {
		word := 0
		for i := range m.next {
			if m.next[i] < m.next[word] {
				word = i
			}
		}
		at := m.next[word]
		if at == len(m.text) {
			return mark{}, false
		}
		m.look(word, at+len(keyWords[word]))
		if at < from {
			continue
		}
		if word < firstLines {
			if found, ok := markAt(m.text, from, at, len(keyWords[word])); ok {
				return found, true
			}
			continue
		}
		if word >= shortKeys {
			at -= shortDigits
		}
		if found, ok := bodyAt(m.text, from, at); ok {
			return found, true
		}
	}
}

// markAt reads the line of a key around a word at text[at:at+n]: five dashes (or four and a space) on both sides.
func markAt(text []byte, from, at, n int) (mark, bool) {
	if text[at] == 'P' && text[at+1] == 'r' { // PuTTY: its last line is another of this form
		return mark{start: at, end: at + n, line: at}, true
	}
	before := text[max(from, at-48):at]
	i := bytes.LastIndex(before, []byte("--"))
	if i < 0 {
		return mark{}, false
	}
	label := bytes.TrimLeft(before[i+2:], " ")
	isEnd := bytes.HasPrefix(label, []byte("END"))
	if !isEnd && !bytes.HasPrefix(label, []byte("BEGIN")) {
		return mark{}, false
	}
	start := at - len(before) + i
	for start > from && text[start-1] == '-' {
		start--
	}
	after := text[at+n : min(len(text), at+n+16)]
	dashes := bytes.Index(after, []byte("---"))
	if dashes < 0 {
		return mark{}, false
	}
	end := at + n + dashes
	for end < len(text) && text[end] == '-' {
		end++
	}
	return mark{start: start, end: end, line: start, isEnd: isEnd}, true
}
