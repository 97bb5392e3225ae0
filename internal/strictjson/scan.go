package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"
)

// scanner checks one document in a single pass. It remembers the keys of the open objects only.
type scanner struct {
	dec    *jsontext.Decoder
	data   []byte
	limits Limits
	fields fieldCache
}

// newScanner lets the decoder read repeated keys, because they are told apart here from those that differ only in case.
func newScanner(data []byte, limits Limits) *scanner {
	dec := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
	return &scanner{dec: dec, data: data, limits: limits, fields: fieldCache{}}
}

func (s *scanner) failf(kind error, offset int64, format string, args ...any) *Error {
	return &Error{Path: pathOf(s.dec.StackPointer()), Offset: int(offset), Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// syntax gives the decoder's complaint the shape of every other error of this package.
func (s *scanner) syntax(err error) error {
	var bad *jsontext.SyntacticError
	if errors.As(err, &bad) {
		detail := clip(bad.Err.Error())
		if errors.Is(err, io.ErrUnexpectedEOF) {
			detail = "the document ends too early"
		}
		return &Error{Path: pathOf(bad.JSONPointer), Offset: int(bad.ByteOffset), Kind: ErrSyntax, Detail: detail, cause: err}
	}
	return s.failf(ErrSyntax, int64(len(s.data)), "the document is empty")
}

func (s *scanner) document(target reflect.Type) error {
	if err := s.value(target); err != nil {
		return err
	}
	rest := bytes.TrimLeft(s.data[s.dec.InputOffset():], " \t\r\n")
	if len(rest) == 0 {
		return nil
	}
	return &Error{Path: pathOf(""), Offset: len(s.data) - len(rest), Kind: ErrTrailing, Detail: fmt.Sprintf("%d bytes follow", len(rest))}
}

// value reads one value. target is the Go type it will be stored in, nil if that is unknown.
func (s *scanner) value(target reflect.Type) error {
	switch kind := s.dec.PeekKind(); kind {
	case '{', '[':
		if _, err := s.dec.ReadToken(); err != nil {
			return s.syntax(err)
		}
		if s.dec.StackDepth() > s.limits.Depth {
			return s.failf(ErrDepth, s.dec.InputOffset()-1, "at most %d levels allowed", s.limits.Depth)
		}
		if kind == '{' {
			return s.object(shapeOf(target))
		}
		return s.array(elemOf(shapeOf(target)))
	default:
		if _, err := s.dec.ReadToken(); err != nil {
			return s.syntax(err)
		}
		return nil
	}
}

func (s *scanner) array(elem reflect.Type) error {
	for s.dec.PeekKind() != ']' {
		if err := s.value(elem); err != nil {
			return err
		}
	}
	return s.end()
}

func (s *scanner) object(target reflect.Type) error {
	seen := map[string]string{}
	for s.dec.PeekKind() != '}' {
		elem, err := s.member(target, seen)
		if err != nil {
			return err
		}
		if err := s.value(elem); err != nil {
			return err
		}
	}
	return s.end()
}

func (s *scanner) end() error {
	if _, err := s.dec.ReadToken(); err != nil {
		return s.syntax(err)
	}
	return nil
}

// member reads a key, and returns the Go type of the value that follows.
func (s *scanner) member(target reflect.Type, seen map[string]string) (reflect.Type, error) {
	raw, err := s.dec.ReadValue()
	if err != nil {
		return nil, s.syntax(err)
	}
	start := s.dec.InputOffset() - int64(len(raw))
	name, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return nil, s.syntax(err)
	}
	key, folded := string(name), fold(string(name))
	if earlier, dup := seen[folded]; dup {
		repeated := s.failf(ErrCaseKey, start, "%q and %q", clip(earlier), clip(key))
		if earlier == key {
			repeated = s.failf(ErrDuplicateKey, start, "%q is already set", clip(key))
		}
		if s.limits.Repeated == nil {
			return nil, repeated
		}
		s.limits.Repeated(repeated)
	}
	seen[folded] = key
	elem, clash := s.fields.member(target, key, folded)
	if clash != "" {
		return nil, s.failf(ErrCaseKey, start, "got %q, the field is %q", clip(key), clash)
	}
	return elem, nil
}
