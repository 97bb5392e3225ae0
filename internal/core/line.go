package core

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Line is the event's one canonical encoding: the manifest's line and the
// input of the hash chain. It ends without a newline. It is byte for byte what
// encoding/json makes of the event; the lines of most events are put together
// here directly, because each is made several times on its way to the disk and
// again in every replay.
func (e Event) Line() ([]byte, error) {
	if e.plain() {
		return e.appendLine(make([]byte, 0, 512+len(e.Body))), nil
	}
	line, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", e.ID, err)
	}
	return line, nil
}

// plain reports that nothing in the event has to be escaped, compacted or refused.
func (e Event) plain() bool {
	for _, s := range [...]string{
		e.ID, e.Stream, string(e.Type), string(e.Actor.Kind), e.Actor.ID, e.Actor.Version, e.Cause, e.PrevHash,
	} {
		if !plainString(s) {
			return false
		}
	}
	year := e.At.Year()
	return year >= 0 && year <= 9999 && e.At.Location() == time.UTC && compactObject(e.Body)
}

func (e Event) appendLine(b []byte) []byte {
	b = appendField(b, `{"id":`, e.ID)
	b = appendField(b, `,"stream":`, e.Stream)
	b = strconv.AppendInt(append(b, `,"seq":`...), e.Seq, 10)
	b = appendField(b, `,"type":`, string(e.Type))
	b = strconv.AppendInt(append(b, `,"v":`...), int64(e.V), 10)
	b = e.At.AppendFormat(append(b, `,"at":"`...), time.RFC3339Nano)
	b = appendField(b, `","actor":{"kind":`, string(e.Actor.Kind))
	b = appendPresent(b, `,"id":`, e.Actor.ID)
	b = appendPresent(b, `,"version":`, e.Actor.Version)
	b = append(b, '}')
	b = appendPresent(b, `,"cause":`, e.Cause)
	b = appendPresent(b, `,"prev_hash":`, e.PrevHash)
	b = append(append(b, `,"body":`...), e.Body...)
	return append(b, '}')
}

func appendField(b []byte, name, value string) []byte {
	return append(append(append(append(b, name...), '"'), value...), '"')
}

// appendPresent is appendField for a field that is left out if empty.
func appendPresent(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	return appendField(b, name, value)
}

func plainString(s string) bool {
	for i := range len(s) {
		if !plainByte(s[i]) || s[i] == '"' || s[i] == '\\' {
			return false
		}
	}
	return true
}

// plainByte reports a byte that encoding/json leaves as it is: printable ASCII
// but for what it escapes for HTML's sake.
func plainByte(c byte) bool {
	return c >= ' ' && c < 0x7f && c != '<' && c != '>' && c != '&'
}

// compactObject reports a JSON object without space between its tokens and
// with nothing in its strings that would be written otherwise. It looks at
// brackets and strings only: a body is what encoding/json once wrote, or was
// read as JSON before.
func compactObject(raw []byte) bool {
	if len(raw) < 2 || raw[0] != '{' || raw[len(raw)-1] != '}' {
		return false
	}
	depth, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case !plainByte(c) || c == ' ' && !quoted:
			return false
		case c == '\\':
			i++ // what is escaped was checked by who wrote it
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 && i < len(raw)-1 {
				return false
			}
		}
	}
	return depth == 0 && !quoted
}
