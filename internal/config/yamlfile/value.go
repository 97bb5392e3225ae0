package yamlfile

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// Value is a value of a file and its place. Its readers return false after they have reported a problem.
type Value struct {
	report *Report
	node   *yaml.Node // what an alias stands for
	place  *yaml.Node // where it is
	key    *yaml.Node // of a value in a map
	path   string
}

// Node is the value for callers that decode it themselves; aliases below it are not followed.
func (v Value) Node() *yaml.Node { return v.node }

// Key is the key of a value in a map, for problems that concern its presence.
func (v Value) Key() Value { return v.child(v.key, v.path) }

// Line is the line of the value.
func (v Value) Line() int { return v.place.Line }

// Failf reports a problem with the value.
func (v Value) Failf(format string, args ...any) { v.Fail(fmt.Sprintf(format, args...), "") }

// Fail reports a problem with the value and a hint.
func (v Value) Fail(message, hint string) {
	v.report.Add(Problem{Line: v.place.Line, Column: v.place.Column, Path: v.path, Message: message, Hint: hint})
}

// Warn adds a warning about the value.
func (v Value) Warn(message, hint string) {
	v.report.Warn(Warning{Line: v.place.Line, Column: v.place.Column, Path: v.path, Message: message, Hint: hint})
}

// IsMap, IsList and IsText tell the forms of a value apart.
func (v Value) IsMap() bool { return v.node.Kind == yaml.MappingNode }

// IsList reports a sequence.
func (v Value) IsList() bool { return v.node.Kind == yaml.SequenceNode }

// IsText reports a scalar that YAML reads as text.
func (v Value) IsText() bool { return v.node.Kind == yaml.ScalarNode && v.node.ShortTag() == "!!str" }

// Text reads text that is not blank.
func (v Value) Text() (string, bool) {
	if !v.IsText() {
		hint := ""
		if v.node.Kind == yaml.ScalarNode {
			hint = "quote it: " + strconv.Quote(v.node.Value)
		}
		v.Fail("expected text, got "+v.kind(), hint)
		return "", false
	}
	if strings.TrimSpace(v.node.Value) == "" {
		v.Fail("is empty", "")
		return "", false
	}
	return v.node.Value, true
}

// Bool reads true or false.
func (v Value) Bool() (value, ok bool) {
	if v.node.Kind != yaml.ScalarNode || v.node.ShortTag() != "!!bool" {
		v.Fail("expected true or false, got "+v.kind(), "")
		return false, false
	}
	return strings.EqualFold(v.node.Value, "true"), true
}

// Int reads a whole number between two bounds.
func (v Value) Int(low, high int) (int, bool) {
	if v.node.Kind != yaml.ScalarNode || v.node.ShortTag() != "!!int" {
		v.Fail("expected a whole number, got "+v.kind(), "")
		return 0, false
	}
	n, err := strconv.ParseInt(v.node.Value, 10, 64)
	if err != nil || n < int64(low) || n > int64(high) {
		v.Failf("%s is not a whole number between %d and %d", clip(v.node.Value), low, high)
		return 0, false
	}
	return int(n), true
}

// Duration reads a length of time with its unit, such as 90s or 1h30m.
func (v Value) Duration(low, high time.Duration) (time.Duration, bool) {
	if v.node.Kind == yaml.ScalarNode && (v.node.ShortTag() == "!!int" || v.node.ShortTag() == "!!float") {
		v.Fail(fmt.Sprintf("%s has no unit", clip(v.node.Value)), "write 90s, 30m or 2h")
		return 0, false
	}
	text, ok := v.Text()
	if !ok {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		v.Fail(fmt.Sprintf("%q is not a duration", clip(text)), "write 90s, 30m or 2h")
		return 0, false
	}
	if d < low || d > high {
		v.Failf("%s is not between %s and %s", text, FormatDuration(low), FormatDuration(high))
		return 0, false
	}
	return d, true
}

// Scalar is the text of any scalar as the file has it; it reports lists and maps.
func (v Value) Scalar() (string, bool) {
	if v.node.Kind != yaml.ScalarNode {
		v.Fail("expected a single value, got "+v.kind(), "")
		return "", false
	}
	return v.node.Value, true
}

// List reads a list.
func (v Value) List() ([]Value, bool) {
	if !v.IsList() {
		v.Fail("expected a list, got "+v.kind(), "")
		return nil, false
	}
	items := make([]Value, len(v.node.Content))
	for i, child := range v.node.Content {
		items[i] = v.child(child, fmt.Sprintf("%s[%d]", v.path, i))
	}
	return items, true
}

// Each reads a list, or a single value in place of a list of one.
func (v Value) Each() []Value {
	if !v.IsList() {
		return []Value{v}
	}
	items, _ := v.List()
	if len(items) == 0 {
		v.Fail("the list is empty", "")
	}
	return items
}

// JSON is the value as JSON.
func (v Value) JSON() (json.RawMessage, bool) {
	var decoded any
	err := v.node.Decode(&decoded)
	if err == nil {
		var data []byte
		if data, err = json.Marshal(decoded); err == nil {
			return data, true
		}
	}
	v.Fail("cannot be written as JSON", "use text keys and plain values")
	return nil, false
}

func (v Value) child(node *yaml.Node, path string) Value {
	return Value{report: v.report, node: follow(node), place: node, path: path}
}

// kind names what the value is, for messages.
func (v Value) kind() string {
	switch v.node.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	default: // a scalar, which its tag names
	}
	value := clip(v.node.Value)
	switch v.node.ShortTag() {
	case "!!int", "!!float":
		return "the number " + value
	case "!!bool":
		return "the boolean " + value
	case "!!null":
		return "nothing"
	case "!!timestamp":
		return "the date " + value
	case "!!str":
		return "the text " + Quote(v.node.Value)
	}
	return "a value with the tag " + clip(v.node.Tag)
}

// FormatDuration writes a duration as a person does: 30m, not 30m0s.
func FormatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Quote quotes text of a file that is repeated in a message.
func Quote(s string) string { return strconv.Quote(clip(s)) }

// clip bounds text of a file that is repeated in a message.
func clip(s string) string { return plain.Clip(s, 60) }
