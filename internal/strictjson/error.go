package strictjson

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// Reasons for refusing a document. Every [Error] matches exactly one of them with [errors.Is].
var (
	ErrSyntax       = errors.New("not valid JSON")
	ErrDuplicateKey = errors.New("duplicate key")
	ErrCaseKey      = errors.New("key differs only in case")
	ErrTrailing     = errors.New("data after the JSON value")
	ErrDepth        = errors.New("nested too deeply")
	ErrSize         = errors.New("document too large")
	ErrType         = errors.New("wrong type")
)

// Error says why a document was refused and where.
type Error struct {
	Path   string // the JSON Pointer of the value, or "the document"
	Offset int    // byte offset in the document
	Kind   error  // one of the Err values of this package
	Detail string // what was found; bounded in length, so safe to log

	cause error
}

func (e *Error) Error() string {
	msg := fmt.Sprintf("json: %v at %s (byte %d)", e.Kind, e.Path, e.Offset)
	if e.Detail != "" {
		msg += ": " + e.Detail
	}
	return msg
}

// Unwrap yields the kind and, for [ErrType], the error of encoding/json.
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.cause}
}

// pathOf shows where a pointer leads: the document itself, or the names and numbers on the way to a value. A document may
// have keys of any length.
func pathOf(p jsontext.Pointer) string {
	if p == "" {
		return "the document"
	}
	return clip(string(p))
}

// clip bounds text taken from a document, because errors are stored and shown.
func clip(s string) string { return plain.ClipBytes(s, 80) }
