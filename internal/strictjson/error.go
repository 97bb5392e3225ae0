package strictjson

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Reasons for refusing a document. Every [Error] matches exactly one of them with [errors.Is].
var (
	ErrSyntax       = errors.New("not valid JSON")
	ErrDuplicateKey = errors.New("duplicate key")
	ErrCaseKey      = errors.New("key differs only in case")
	ErrUTF8         = errors.New("invalid UTF-8")
	ErrSurrogate    = errors.New("lone surrogate in escape")
	ErrTrailing     = errors.New("data after the JSON value")
	ErrDepth        = errors.New("nested too deeply")
	ErrSize         = errors.New("document too large")
	ErrType         = errors.New("wrong type")
)

// Error says why a document was refused and where.
type Error struct {
	Path   string // JSON path of the value, $ for the document
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

// step is one element of a path. That of an object whose first key is still to come is neither key nor index.
type step struct {
	key     string
	index   int
	isKey   bool
	isIndex bool
}

func formatPath(steps []step) string {
	var b strings.Builder
	b.WriteByte('$')
	for _, st := range steps {
		switch {
		case !st.isKey && !st.isIndex:
		case st.isIndex:
			fmt.Fprintf(&b, "[%d]", st.index)
		case isPlainKey(st.key):
			b.WriteString("." + clip(st.key))
		default:
			b.WriteString("[" + strconv.QuoteToASCII(clip(st.key)) + "]")
		}
	}
	return b.String()
}

func isPlainKey(key string) bool {
	for _, r := range key {
		if r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return key != ""
}

// clip bounds text taken from a document, because errors are stored and shown.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
