// Package strictjson reads JSON that an agent, a repository or any other untrusted party wrote. It refuses every
// document that two readers could understand differently: repeated keys, keys that differ only in case, keys that fill
// a struct field by a case-insensitive match, invalid UTF-8, lone surrogates, data after the value, and nesting or size
// beyond a limit. What it accepts means to encoding/json exactly what it means here. Unknown fields are allowed. It must
// not repair, guess or skip: a document is read whole or refused with its path and byte offset.
package strictjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// DefaultDepth and DefaultBytes are the limits unless others are given.
const (
	DefaultDepth = 64
	DefaultBytes = 16 << 20
)

// Limits bounds what is read. A zero field means its default, so the zero value is ready for use.
type Limits struct {
	Depth int // arrays and objects open at once
	Bytes int // length of the document
	// Repeated, if set, is called for each key that an object has twice, also in other case, and reading goes on: the
	// document is accepted with the last of them.
	Repeated func(*Error)
}

// Unmarshal reads data into v under the default limits. See [Limits.Unmarshal].
func Unmarshal(data []byte, v any) error { return Limits{}.Unmarshal(data, v) }

// Decode reads data under the default limits. See [Limits.Decode].
func Decode(data []byte) (any, error) { return Limits{}.Decode(data) }

// Unmarshal checks data and then reads it into v as [json.Unmarshal] does. Nothing is written to v unless the whole
// document is acceptable; a value of the wrong type may leave v partly filled, as with encoding/json.
//
// Field names are compared exactly wherever the type of v shows the struct. A type with its own UnmarshalJSON sees
// checked bytes but matches names itself; such a type should call this package again. Structs hidden in an interface
// value that v already holds are not seen.
func (l Limits) Unmarshal(data []byte, v any) error {
	if err := l.scan(data, reflect.TypeOf(v)); err != nil {
		return err
	}
	return typeError(json.Unmarshal(data, v))
}

// Decode checks data and returns it as encoding/json would: map[string]any, []any, string, float64, bool or nil.
func (l Limits) Decode(data []byte) (any, error) {
	var v any
	if err := l.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	return v, nil
}

func (l Limits) scan(data []byte, target reflect.Type) error {
	if l.Depth <= 0 {
		l.Depth = DefaultDepth
	}
	if l.Bytes <= 0 {
		l.Bytes = DefaultBytes
	}
	if len(data) > l.Bytes {
		return &Error{Path: pathOf(""), Offset: l.Bytes, Kind: ErrSize, Detail: fmt.Sprintf("%d bytes, at most %d allowed", len(data), l.Bytes)}
	}
	return newScanner(data, l).document(target)
}

// typeError gives encoding/json's complaint about a Go type the same shape as every other error of this package.
func typeError(err error) error {
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) {
		return err
	}
	path := jsontext.Pointer("")
	if mismatch.Field != "" {
		path = jsontext.Pointer("/" + strings.ReplaceAll(mismatch.Field, ".", "/"))
	}
	return &Error{
		Path: pathOf(path), Offset: int(mismatch.Offset), Kind: ErrType,
		Detail: "got " + clip(mismatch.Value) + ", want " + mismatch.Type.String(),
		cause:  err,
	}
}
