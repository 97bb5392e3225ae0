package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// ErrJSON is returned for input that is not JSON. Nothing of such input is returned.
var ErrJSON = errors.New("redact: not valid JSON")

// JSON redacts inside the strings of a JSON value, keys included, and leaves everything else as it was written. A
// string's key counts as its context: {"password": …}. A number that holds a secret becomes a string; keys that become
// equal are told apart by a suffix. Where a secret stretches over several strings the whole value becomes one marker.
func (r *Redactor) JSON(raw json.RawMessage) (json.RawMessage, error) {
	if !json.Valid(raw) {
		return nil, ErrJSON
	}
	j := jsonRewriter{redactor: r, in: raw}
	if err := j.rewrite(); err != nil {
		return nil, err
	}
	if !j.changed {
		j.out = raw
	}
	for _, s := range r.find(j.out) {
		if s.isExact() {
			r.count.Add(1)
			return json.RawMessage(strconv.Quote(markerOpen + s.name + markerClose)), nil
		}
	}
	return j.out, nil
}

// jsonRewriter copies valid JSON token by token.
type jsonRewriter struct {
	redactor *Redactor
	in       []byte
	out      []byte
	changed  bool
	open     []jsonScope
}

// jsonScope is an open object or array.
type jsonScope struct {
	isObject bool
	wantKey  bool
	key      string          // of the member being read
	keys     map[string]bool // written so far, kept once one of them was changed
}

func (j *jsonRewriter) rewrite() error {
	for i := 0; i < len(j.in); {
		end := i + 1
		switch c := j.in[i]; {
		case c == '"':
			end = stringEnd(j.in, i)
			if err := j.text(j.in[i:end]); err != nil {
				return err
			}
			i = end
			continue
		case c == '-' || '0' <= c && c <= '9':
			end = numberEnd(j.in, i)
			j.number(j.in[i:end])
			i = end
			continue
		case c == '{' || c == '[':
			j.open = append(j.open, jsonScope{isObject: c == '{', wantKey: c == '{', keys: map[string]bool{}})
		case c == '}' || c == ']':
			j.open = j.open[:len(j.open)-1]
		case c == ',':
			top := &j.open[len(j.open)-1]
			top.wantKey = top.isObject
		case c == ':':
			j.open[len(j.open)-1].wantKey = false
		}
		j.out = append(j.out, j.in[i:end]...)
		i = end
	}
	return nil
}

func (j *jsonRewriter) text(quoted []byte) error {
	var value string
	if err := json.Unmarshal(quoted, &value); err != nil {
		return fmt.Errorf("%w: string at byte %d of the output", ErrJSON, len(j.out))
	}
	var top *jsonScope
	if len(j.open) > 0 {
		top = &j.open[len(j.open)-1]
	}
	isKey := top != nil && top.wantKey
	clean := ""
	if isKey {
		clean = top.unique(j.redactor.String(value))
		top.key = value
	} else {
		clean = j.member(top, value)
	}
	if clean == value {
		j.out = append(j.out, quoted...)
		return nil
	}
	j.changed = true
	var err error
	j.out, err = appendQuoted(j.out, clean)
	return err
}

// member redacts a value, in the light of its key where it has one.
func (j *jsonRewriter) member(top *jsonScope, value string) string {
	r := j.redactor
	if top == nil || !top.isObject || !r.hasKeyword(top.key) {
		return r.String(value)
	}
	prefix := top.key + `: "`
	text := []byte(prefix + value)
	var spans []span
	for _, s := range r.find(text) {
		if s.end > len(prefix) {
			s.start = max(s.start, len(prefix))
			spans = append(spans, s)
		}
	}
	if len(spans) == 0 {
		return r.String(value)
	}
	return r.String(string(r.render(nil, text, spans)[len(prefix):]))
}

func (r *Redactor) hasKeyword(key string) bool {
	for _, set := range r.rules {
		if set.hasKeyword([]byte(key)) {
			return true
		}
	}
	return false
}

// number replaces a number that is a secret.
func (j *jsonRewriter) number(digits []byte) {
	for _, s := range j.redactor.find(digits) {
		if s.isExact() {
			j.redactor.count.Add(1)
			j.changed = true
			j.out = append(j.out, `"`+markerOpen+s.name+markerClose+`"`...)
			return
		}
	}
	j.out = append(j.out, digits...)
}

// unique makes a key differ from those already written in the same object.
func (s *jsonScope) unique(key string) string {
	name := key
	for n := 2; s.keys[name] && hasMarker([]byte(key)); n++ {
		name = key + "#" + strconv.Itoa(n)
	}
	s.keys[name] = true
	return name
}

// appendQuoted writes s as encoding/json does, without escaping for HTML.
func appendQuoted(dst []byte, s string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("redact: writing a string: %w", err)
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...), nil
}

func stringEnd(b []byte, start int) int {
	for i := start + 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

func numberEnd(b []byte, start int) int {
	i := start
	for i < len(b) && bytes.IndexByte([]byte("+-.eE0123456789"), b[i]) >= 0 {
		i++
	}
	return i
}
