package yamlfile

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Field describes one key of an object, bound to the place where its value is kept.
type Field struct {
	Key    string
	Doc    string
	Schema Schema
	Read   func(Value) bool  // false after it has reported a problem
	Node   func() *yaml.Node // nil leaves the key out; a field without one is not written
	needed bool
	hint   string // shown if the key is missing
}

// At is a field whose value is kept at a place. Before reading, the place holds the default; after a problem it is empty.
func At[V any](key, doc string, at *V, form Form[V]) Field {
	return Field{
		Key: key, Doc: doc, Schema: form.Schema,
		Read: func(v Value) (ok bool) {
			*at, ok = form.Read(v)
			return ok
		},
		Node: func() *yaml.Node { return form.Write(*at) },
	}
}

// Need makes a field required.
func (f Field) Need(hint string) Field { f.needed, f.hint = true, hint; return f }

// Then calls a function after the value was read without a problem.
func (f Field) Then(then func(Value) bool) Field {
	read := f.Read
	f.Read = func(v Value) bool { return read(v) && then(v) }
	return f
}

// If writes the field only on a condition.
func (f Field) If(written bool) Field {
	if !written {
		f.Node = nil
	}
	return f
}

// InOneLine writes the value in one line.
func (f Field) InOneLine() Field {
	write := f.Node
	f.Node = func() *yaml.Node {
		node := write()
		if node != nil {
			node.Style = yaml.FlowStyle
		}
		return node
	}
	return f
}

// Fields describes an object: its keys, in the order in which they are read and written.
type Fields []Field

// Group is a field that is an object. then, if any, examines what was read.
func Group(key, doc string, fields Fields, then func(Object)) Field {
	return Field{
		Key: key, Doc: doc, Schema: fields.Schema(),
		Read: func(v Value) bool {
			o, ok := v.Object(fields.Keys()...)
			if !ok {
				return false
			}
			ok = fields.Read(o)
			if then != nil {
				then(o)
			}
			return ok
		},
		Node: func() *yaml.Node {
			if node := fields.Node(); len(node.Content) > 0 {
				return node
			}
			return nil
		},
	}
}

// Or also lets the field be written short instead of as an object.
func (f Field) Or(short Field, isShort bool) Field {
	long := f
	f.Schema = Schema{"oneOf": []Schema{short.Schema, long.Schema}}
	f.Read = func(v Value) bool {
		if v.IsMap() {
			return long.Read(v)
		}
		return short.Read(v)
	}
	if isShort {
		f.Node = short.Node
	}
	return f
}

// Keys lists the keys of the object.
func (f Fields) Keys() []string {
	keys := make([]string, len(f))
	for i, field := range f {
		keys[i] = field.Key
	}
	return keys
}

// Read reads every field and reports those that are missing. It returns false if it reported anything.
func (f Fields) Read(o Object) bool {
	all := true
	for _, field := range f {
		v, given := o.Get(field.Key)
		switch {
		case given:
			all = field.Read(v) && all
		case field.needed:
			o.Need(field.Key, field.hint)
			all = false
		}
	}
	return all
}

// Node writes the object.
func (f Fields) Node() *yaml.Node {
	m := NewMap()
	for _, field := range f {
		if field.Node != nil {
			Put(m, field.Key, field.Node())
		}
	}
	return m
}

// Schema describes the object. rules are what concerns more than one of its fields.
func (f Fields) Schema(rules ...Schema) Schema {
	properties := Schema{}
	for _, field := range f {
		property := maps.Clone(field.Schema)
		if field.Doc != "" {
			property["description"] = field.Doc
		}
		properties[field.Key] = property
	}
	schema := Schema{"type": "object", "additionalProperties": false, "properties": properties}
	if needed := f.Needed(); len(needed) > 0 {
		schema["required"] = needed
	}
	for _, rule := range rules {
		maps.Copy(schema, rule)
	}
	return schema
}

// Needed lists the required keys.
func (f Fields) Needed() []string {
	return slices.DeleteFunc(f.Keys(), func(key string) bool { return !f.Find(key).needed })
}

// Find is the field with a key.
func (f Fields) Find(key string) Field {
	return f[slices.IndexFunc(f, func(field Field) bool { return field.Key == key })]
}
