package yamlfile

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Schema is a JSON Schema, or a part of one.
type Schema = map[string]any

// Form is how values of one kind are written in a file: it reads them, writes them and describes them.
type Form[V any] struct {
	Read   func(Value) (V, bool)
	Write  func(V) *yaml.Node // nil leaves the key out
	Schema Schema
}

// Word is the form of texts, which read reads.
func Word[V ~string](schema Schema, read func(Value) (V, bool)) Form[V] {
	return Form[V]{Read: read, Schema: schema, Write: func(text V) *yaml.Node { return Text(string(text)) }}
}

// Texts without a form of their own, truth values, and lists of texts.
var (
	AnyText = Word(Schema{"type": "string", "pattern": `\S`}, Value.Text)
	AnyList = ListOf(AnyText)
	Flag    = Form[bool]{Read: Value.Bool, Schema: Schema{"type": "boolean"}, Write: func(on bool) *yaml.Node {
		if !on {
			return nil
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"}
	}}
)

// OneOf is the form of a few words.
func OneOf[V ~string](known ...V) Form[V] {
	words := make([]string, len(known))
	for i, word := range known {
		words[i] = string(word)
	}
	return Word(Schema{"enum": words}, func(v Value) (V, bool) {
		switch text, ok := v.Text(); {
		case !ok:
		case slices.Contains(words, text):
			return V(text), true
		default:
			v.Fail(fmt.Sprintf("%q is not known here", text), Known(text, words))
		}
		return "", false
	})
}

// Number is the form of whole numbers between two bounds; zero stands for none and is not written.
func Number(low, high int) Form[int] {
	return Form[int]{
		Read:   func(v Value) (int, bool) { return v.Int(low, high) },
		Schema: Schema{"type": "integer", "minimum": low, "maximum": high},
		Write: func(n int) *yaml.Node {
			if n == 0 {
				return nil
			}
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(n)}
		},
	}
}

// ListOf is the form of lists, in which a single value stands for a list of one. Items with a problem are left out.
func ListOf[V any](item Form[V]) Form[[]V] {
	return Form[[]V]{
		Schema: OneOrMore(item.Schema),
		Read: func(v Value) (values []V, all bool) {
			all = true
			for _, each := range v.Each() {
				value, ok := item.Read(each)
				if all = all && ok; ok {
					values = append(values, value)
				}
			}
			return values, all
		},
		Write: func(values []V) *yaml.Node {
			if len(values) == 0 {
				return nil
			}
			list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
			for _, value := range values {
				list.Content = append(list.Content, item.Write(value))
			}
			return list
		},
	}
}

// MapOf is the form of maps with free keys, which name reads. Entries with a problem in their key are left out.
func MapOf[V any](names Schema, name func(Value) (string, bool), item Form[V]) Form[map[string]V] {
	return Form[map[string]V]{
		Schema: Schema{"type": "object", "propertyNames": names, "additionalProperties": item.Schema},
		Read: func(v Value) (map[string]V, bool) {
			pairs, ok := v.Pairs()
			values := map[string]V{}
			for _, pair := range pairs {
				if name, ok := name(pair.Key); ok {
					values[name], _ = item.Read(pair.Value)
				}
			}
			return values, ok
		},
		Write: func(values map[string]V) *yaml.Node {
			if len(values) == 0 {
				return nil
			}
			m := NewMap()
			for _, name := range slices.Sorted(maps.Keys(values)) {
				Put(m, name, item.Write(values[name]))
			}
			return m
		},
	}
}

// ObjectOf is the form of objects with fields. then, if any, examines one that was read.
func ObjectOf[V any](fields func(*V) Fields, then func(Object, *V)) Form[V] {
	return Form[V]{
		Schema: fields(new(V)).Schema(),
		Write:  func(value V) *yaml.Node { return fields(&value).Node() },
		Read: func(v Value) (value V, ok bool) {
			ok = Group("", "", fields(&value), func(o Object) {
				if then != nil {
					then(o, &value)
				}
			}).Read(v)
			return value, ok
		},
	}
}

// OneOrMore describes a value, or a list of such values that is not empty.
func OneOrMore(item Schema) Schema {
	return Schema{"oneOf": []Schema{item, {"type": "array", "minItems": 1, "items": item}}}
}

// Text is a text to be written, as a block if it has several lines that a block preserves; nil for no text.
func Text(text string) *yaml.Node {
	if text == "" {
		return nil
	}
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if !strings.Contains(text, "\n") {
		return node
	}
	node.Style = yaml.DoubleQuotedStyle
	odd := func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
	if text[0] != ' ' && text[0] != '\n' && strings.IndexFunc(text, odd) < 0 {
		node.Style = yaml.LiteralStyle
	}
	return node
}

// NewMap is a map to be written, of the values that are put into it.
func NewMap() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode} }

// Put adds a key and its value, unless that is nil.
func Put(m *yaml.Node, key string, value *yaml.Node) {
	if value != nil {
		m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
	}
}
