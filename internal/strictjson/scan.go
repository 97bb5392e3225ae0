package strictjson

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// scanner checks one document in a single pass. Besides the path, it remembers only the keys of the open objects.
type scanner struct {
	data     []byte
	pos      int
	path     []step
	maxDepth int
	fields   fieldCache
}

func (s *scanner) failf(kind error, offset int, format string, args ...any) error {
	return &Error{Path: formatPath(s.path), Offset: offset, Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// syntax reports that the current byte cannot stand where something else was expected.
func (s *scanner) syntax(want string) error {
	if s.pos >= len(s.data) {
		return s.failf(ErrSyntax, s.pos, "want %s, the document ends", want)
	}
	return s.failf(ErrSyntax, s.pos, "want %s, got %q", want, s.data[s.pos])
}

func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

func (s *scanner) document(target reflect.Type) error {
	s.space()
	if err := s.value(target); err != nil {
		return err
	}
	s.space()
	if s.pos < len(s.data) {
		return s.failf(ErrTrailing, s.pos, "%d bytes follow", len(s.data)-s.pos)
	}
	return nil
}

// value reads one value. target is the Go type it will be stored in, nil where that is unknown.
func (s *scanner) value(target reflect.Type) error {
	switch c := s.peek(); {
	case c == '{':
		return s.object(shapeOf(target))
	case c == '[':
		return s.array(shapeOf(target))
	case c == '"':
		_, err := s.text()
		return err
	case c == '-' || isDigit(c):
		return s.number()
	case c == 't':
		return s.literal("true")
	case c == 'f':
		return s.literal("false")
	case c == 'n':
		return s.literal("null")
	default:
		return s.syntax("a value")
	}
}

func (s *scanner) literal(word string) error {
	for i := range len(word) {
		if s.peek() != word[i] {
			return s.syntax(word)
		}
		s.pos++
	}
	return nil
}

func (s *scanner) enter(st step) error {
	if len(s.path) >= s.maxDepth {
		return s.failf(ErrDepth, s.pos, "at most %d levels allowed", s.maxDepth)
	}
	s.path = append(s.path, st)
	return nil
}

func (s *scanner) leave() { s.path = s.path[:len(s.path)-1] }

func (s *scanner) array(target reflect.Type) error {
	if err := s.enter(step{isIndex: true}); err != nil {
		return err
	}
	s.pos++
	if s.space(); s.peek() == ']' {
		s.pos++
		s.leave()
		return nil
	}
	elem := elemOf(target)
	for i := 0; ; i++ {
		s.path[len(s.path)-1].index = i
		s.space()
		if err := s.value(elem); err != nil {
			return err
		}
		s.space()
		switch s.peek() {
		case ',':
			s.pos++
		case ']':
			s.pos++
			s.leave()
			return nil
		default:
			return s.syntax("',' or ']'")
		}
	}
}

func (s *scanner) object(target reflect.Type) error {
	if err := s.enter(step{}); err != nil {
		return err
	}
	s.pos++
	if s.space(); s.peek() == '}' {
		s.pos++
		s.leave()
		return nil
	}
	seen := map[string]string{}
	for {
		s.space()
		elem, err := s.member(target, seen)
		if err != nil {
			return err
		}
		if err := s.value(elem); err != nil {
			return err
		}
		s.space()
		switch s.peek() {
		case ',':
			s.pos++
		case '}':
			s.pos++
			s.leave()
			return nil
		default:
			return s.syntax("',' or '}'")
		}
	}
}

// member reads a key and its colon, and returns the Go type of the value that follows.
func (s *scanner) member(target reflect.Type, seen map[string]string) (reflect.Type, error) {
	if s.peek() != '"' {
		return nil, s.syntax("a key")
	}
	start := s.pos
	key, err := s.key()
	if err != nil {
		return nil, err
	}
	s.path[len(s.path)-1] = step{key: key, isKey: true}
	folded := fold(key)
	if earlier, dup := seen[folded]; dup {
		if earlier == key {
			return nil, s.failf(ErrDuplicateKey, start, "%q is already set", clip(key))
		}
		return nil, s.failf(ErrCaseKey, start, "%q and %q", clip(earlier), clip(key))
	}
	seen[folded] = key
	elem, clash := s.fields.member(target, key, folded)
	if clash != "" {
		return nil, s.failf(ErrCaseKey, start, "got %q, the field is %q", clip(key), clash)
	}
	if s.space(); s.peek() != ':' {
		return nil, s.syntax("':'")
	}
	s.pos++
	s.space()
	return elem, nil
}

func (s *scanner) key() (string, error) {
	raw, err := s.text()
	if err != nil {
		return "", err
	}
	inner := string(raw[1 : len(raw)-1])
	if !strings.ContainsRune(inner, '\\') {
		return inner, nil
	}
	var key string
	if err := json.Unmarshal(raw, &key); err != nil {
		return "", s.failf(ErrSyntax, s.pos, "key: %v", err)
	}
	return key, nil
}
