package broker

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// field is the value of a key of a JSON object and its place.
type field struct {
	start, end int
	raw        []byte
}

// fieldsOf reads the keys of a JSON object. A key that is given twice is an error: the broker and the provider might
// take different ones. It leaves mistakes inside a value to the provider.
func fieldsOf(body []byte) (map[string]field, error) {
	in := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if in.PeekKind() != '{' {
		return nil, errors.New("it is not a JSON object")
	}
	fields := map[string]field{}
	_, err := in.ReadToken()
	for err == nil && in.PeekKind() != '}' {
		var key jsontext.Token
		if key, err = in.ReadToken(); err != nil {
			break
		}
		name := key.String()
		if _, twice := fields[name]; twice {
			return nil, fmt.Errorf("%q is given twice", name)
		}
		value, failed := in.ReadValue()
		end := int(in.InputOffset())
		fields[name], err = field{start: end - len(value), end: end, raw: body[end-len(value) : end]}, failed
	}
	if err == nil {
		_, err = in.ReadToken()
	}
	if err != nil {
		return nil, fmt.Errorf("it is not valid JSON: %w", err)
	}
	if _, err := in.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON object")
	}
	return fields, nil
}

// replace puts another value in place of a field's and leaves every other byte as it is.
func replace(body []byte, f field, value string) []byte {
	out := make([]byte, 0, len(body)+len(value))
	out = append(out, body[:f.start]...)
	out = append(out, value...)
	return append(out, body[f.end:]...)
}

// members yields the keys of a JSON text, at any depth, whose values are texts or numbers, with those values as they are
// written. It is for texts of a known form whose size matters more than their exact value.
func members(data []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		var key []byte
		for {
			i := bytes.IndexByte(data, '"')
			until := i
			if i < 0 {
				until = len(data)
			}
			if n := digits(data[:until]); key != nil && len(n) > 0 && !yield(key, n) {
				return
			}
			if i < 0 {
				return
			}
			text, rest := quoted(data[i+1:])
			if colon := unspaced(rest); len(colon) > 0 && colon[0] == ':' {
				key, data = text, colon[1:]
				continue
			}
			if key != nil && !yield(key, text) {
				return
			}
			key, data = nil, rest
		}
	}
}

// quoted is a text up to its closing quotation mark, and what follows that.
func quoted(data []byte) (text, rest []byte) {
	for end := 0; ; end++ {
		i := bytes.IndexByte(data[end:], '"')
		if i < 0 {
			return data, nil
		}
		end += i
		slashes := 0
		for slashes < end && data[end-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return data[:end], data[end+1:]
		}
	}
}

// digits is the number that a value begins with.
func digits(data []byte) []byte {
	data = unspaced(data)
	n := 0
	for n < len(data) && data[n] >= '0' && data[n] <= '9' {
		n++
	}
	return data[:n]
}

func unspaced(data []byte) []byte {
	for len(data) > 0 && (data[0] == ' ' || data[0] == '\t' || data[0] == '\r' || data[0] == '\n') {
		data = data[1:]
	}
	return data
}
