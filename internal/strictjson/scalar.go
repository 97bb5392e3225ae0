package strictjson

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// number reads a number of the JSON grammar: no leading zero, no bare sign or point, no NaN or infinity.
func (s *scanner) number() error {
	if s.peek() == '-' {
		s.pos++
	}
	if s.peek() == '0' {
		s.pos++
	} else if err := s.digits(); err != nil {
		return err
	}
	if s.peek() == '.' {
		s.pos++
		if err := s.digits(); err != nil {
			return err
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		return s.digits()
	}
	return nil
}

func (s *scanner) digits() error {
	if !isDigit(s.peek()) {
		return s.syntax("a digit")
	}
	for isDigit(s.peek()) {
		s.pos++
	}
	return nil
}

// text reads a string and returns it as written, quotes included.
func (s *scanner) text() ([]byte, error) {
	start := s.pos
	s.pos++
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			return s.data[start:s.pos], nil
		case c == '\\':
			if err := s.escape(); err != nil {
				return nil, err
			}
		case c < ' ':
			return nil, s.failf(ErrSyntax, s.pos, "unescaped control character %#02x in a string", c)
		case c < utf8.RuneSelf:
			s.pos++
		default:
			r, size := utf8.DecodeRune(s.data[s.pos:])
			if r == utf8.RuneError && size == 1 {
				return nil, s.failf(ErrUTF8, s.pos, "byte %#02x", c)
			}
			s.pos += size
		}
	}
	return nil, s.syntax("the end of the string")
}

func (s *scanner) escape() error {
	start := s.pos
	s.pos++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos++
		return nil
	case 'u':
	default:
		return s.syntax("an escape character")
	}
	r, ok := s.unicodeEscape(start)
	if !ok {
		return s.failf(ErrSyntax, start, `want \u and four hexadecimal digits`)
	}
	s.pos = start + 6
	if !utf16.IsSurrogate(r) {
		return nil
	}
	low, ok := s.unicodeEscape(s.pos)
	if !ok || utf16.DecodeRune(r, low) == utf8.RuneError {
		return s.failf(ErrSurrogate, start, `\u%04x has no partner`, r)
	}
	s.pos += 6
	return nil
}

// unicodeEscape reads the \uXXXX at offset at, without moving.
func (s *scanner) unicodeEscape(at int) (rune, bool) {
	if len(s.data)-at < 6 || s.data[at] != '\\' || s.data[at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s.data[at+2:at+6]), 16, 16)
	return rune(n), err == nil
}
