package wave

import (
	"bytes"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

const onlyObject = "write one JSON object, and nothing before or after it"

// document reads the JSON that an agent wrote; false if it cannot.
func (r *reader) document(data []byte) (any, bool) {
	if len(data) > MaxBytes {
		r.problemf("", "the document has %d bytes; at most %d are read. Say it in fewer words, and hand in what is long as a document of its own", len(data), MaxBytes)
		return nil, false
	}
	start, end, fenced := unfence(data)
	if fenced {
		r.notef("", "the JSON object was in a Markdown code fence, which is not needed")
	}
	limits := strictjson.Limits{Bytes: MaxBytes, Depth: MaxDepth, Repeated: func(e *strictjson.Error) {
		r.problemf(e.Path, "%v: %s; write it once", e.Kind, e.Detail)
	}}
	value, err := limits.Decode(data[start:end])
	if err != nil {
		r.problemf("", "%s", unreadable(err, data, start))
		return nil, false
	}
	return value, true
}

// unreadable says why the value that begins at start cannot be read.
func unreadable(err error, data []byte, start int) string {
	var refused *strictjson.Error
	if !errors.As(err, &refused) {
		return plain.Line(err.Error(), 300)
	}
	begin := start + len(data[start:]) - len(bytes.TrimLeft(data[start:], " \t\r\n"))
	at := position(data, start+refused.Offset)
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return "the document is empty; " + onlyObject
	case errors.Is(err, strictjson.ErrSyntax) && start+refused.Offset == begin:
		return fmt.Sprintf("the document is not JSON, it begins with %q; %s", plain.Line(string(data[begin:min(len(data), begin+200)]), 40), onlyObject)
	case errors.Is(err, strictjson.ErrTrailing):
		return fmt.Sprintf("something follows the JSON value, at %s; %s", at, onlyObject)
	case errors.Is(err, strictjson.ErrDepth):
		return fmt.Sprintf("the document is nested too deeply, at %s: at most %d levels are read", at, MaxDepth)
	}
	return fmt.Sprintf("%v, at %s: %s", refused.Kind, at, plain.Line(refused.Detail, 200))
}

// position is the line and column of a byte.
func position(data []byte, offset int) string {
	before := data[:min(offset, len(data))]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return fmt.Sprintf("line %d, column %d", bytes.Count(before, []byte("\n"))+1, utf8.RuneCount(line)+1)
}

// unfence finds the content of a document that is one Markdown code fence. For any other document, it is the whole.
func unfence(data []byte) (start, end int, fenced bool) {
	text := bytes.TrimSpace(data)
	open, _, found := bytes.Cut(text, []byte("\n"))
	last := bytes.LastIndexByte(text, '\n')
	if !found || len(open) < 3 || (open[0] != '`' && open[0] != '~') {
		return 0, len(data), false
	}
	info := bytes.TrimLeft(open, string(open[:1]))
	mark, length := open[:1], len(open)-len(info)
	closing := bytes.TrimSpace(text[last+1:])
	isWord := !bytes.ContainsAny(bytes.TrimSpace(info), " \t`~{}[]\"")
	if length < 3 || !isWord || len(closing) < length || len(bytes.Trim(closing, string(mark))) > 0 || last <= len(open) {
		return 0, len(data), false
	}
	begin := len(data) - len(bytes.TrimLeftFunc(data, unicode.IsSpace))
	return begin + len(open) + 1, begin + last, true
}
