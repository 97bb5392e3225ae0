package wave

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// measure checks a value against a schema and normalises it: it cuts prose to its length, and puts a plain text into the
// object that it stands for. It returns nil after reporting a value that cannot be used. It knows only the keywords that
// the schemas of this package use.
func (r *reader) measure(path string, s *jsonschema.Schema, v any) any {
	if len(s.AnyOf) > 0 {
		return r.either(path, s, v)
	}
	what := s.Description
	s = r.resolve(s)
	what = cmp.Or(what, s.Description)
	switch s.Type {
	case "object":
		return r.object(path, s, v)
	case "array":
		return r.list(path, s, v, what)
	case "number":
		return r.number(path, s, v)
	}
	return r.text(path, s, v, what)
}

// resolve follows a reference to a definition.
func (r *reader) resolve(s *jsonschema.Schema) *jsonschema.Schema {
	if name, found := strings.CutPrefix(s.Ref, "#/$defs/"); found {
		return r.form.root.Defs[name]
	}
	return s
}

// either measures an object, or a plain text that stands for an object with that text as its one required field.
func (r *reader) either(path string, s *jsonschema.Schema, v any) any {
	whole := r.resolve(s.AnyOf[len(s.AnyOf)-1])
	if _, plainly := v.(string); !plainly {
		return r.object(path, whole, v)
	}
	field := whole.Required[0]
	text := r.measure(path, whole.Properties[field], v)
	if text == nil {
		return nil
	}
	return map[string]any{field: text}
}

func (r *reader) object(path string, s *jsonschema.Schema, v any) any {
	fields, ok := v.(map[string]any)
	if !ok {
		r.problemf(path, "must be an object, got %s", kind(v))
		return nil
	}
	out, known := map[string]any{}, order(s)
	for _, name := range known {
		required := slices.Contains(s.Required, name)
		value, given := fields[name]
		if !given && required {
			r.problemf(path+"/"+name, "is missing; it is %s", r.about(s.Properties[name]))
		}
		if !given || (!required && void(value)) {
			continue
		}
		if value = r.measure(path+"/"+name, s.Properties[name], value); value != nil {
			out[name] = value
		}
		for _, other := range s.DependentRequired[name] {
			if void(fields[other]) {
				r.problemf(path+"/"+name, "is given without %s, which is %s", other, r.about(s.Properties[other]))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if s.Properties[name] == nil {
			r.problemf(path+"/"+pointer(name), "there is no such field; %s", nearest(name, known))
		}
	}
	return out
}

// void reports a value that some programs write for a missing field.
func void(v any) bool { return v == nil || v == "" }

// order are the fields of an object, required ones first.
func order(s *jsonschema.Schema) []string {
	fields := slices.Clone(s.Required)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(fields, name) {
			fields = append(fields, name)
		}
	}
	return fields
}

func nearest(name string, fields []string) string {
	for _, field := range fields {
		if strings.EqualFold(name, field) {
			return fmt.Sprintf("it is spelt %q", field)
		}
	}
	return "there are " + strings.Join(fields, ", ")
}

func (r *reader) about(s *jsonschema.Schema) string {
	return cmp.Or(s.Description, r.resolve(s).Description)
}

func (r *reader) list(path string, s *jsonschema.Schema, v any, what string) any {
	items, ok := v.([]any)
	switch {
	case !ok:
		r.problemf(path, "must be a list, got %s; it has %s", kind(v), what)
		return nil
	case s.MaxItems != nil && len(items) > *s.MaxItems:
		r.problemf(path, "has %d entries; at most %d are read", len(items), *s.MaxItems)
		return nil
	case s.MinItems != nil && len(items) < *s.MinItems:
		r.problemf(path, "is empty; it has %s", what)
		return nil
	}
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = r.measure(fmt.Sprintf("%s/%d", path, i), s.Items, item)
	}
	return out
}

func (r *reader) number(path string, s *jsonschema.Schema, v any) any {
	n, ok := v.(float64)
	if !ok {
		r.problemf(path, "must be a number, got %s", kind(v))
		return nil
	}
	if n < *s.Minimum || n > *s.Maximum {
		r.problemf(path, "is %v; it is a number from %v to %v", n, *s.Minimum, *s.Maximum)
		return nil
	}
	return n
}

// text measures a text. Prose is made plain and cut; any other text is accepted unchanged or refused.
func (r *reader) text(path string, s *jsonschema.Schema, v any, what string) any {
	given, ok := v.(string)
	if !ok {
		r.problemf(path, "must be text, got %s; it is %s", kind(v), what)
		return nil
	}
	text, prose := plain.Text(given), s.Extra["x-cut"] == true
	length := utf8.RuneCountInString(text)
	switch {
	case s.Pattern != "" && strings.TrimSpace(text) == "":
		r.problemf(path, "is empty; it is %s", what)
	case text != given && !prose:
		r.problemf(path, "has a control character or one that cannot be seen; leave it out")
	case len(s.Enum) > 0 && !slices.Contains(s.Enum, any(text)):
		r.problemf(path, "is %s; it is one of %s", quoted(text), choices(s.Enum))
	case s.Pattern != "" && !r.form.patterns[s.Pattern].MatchString(text):
		r.problemf(path, "is %s; it must be %s", quoted(text), s.Description)
	case s.MaxLength != nil && length > *s.MaxLength && !prose:
		r.problemf(path, "has %d characters; at most %d are allowed, and it cannot be cut: it would not be the same", length, *s.MaxLength)
	case s.MaxLength != nil && length > *s.MaxLength:
		short, gone := cut(text, *s.MaxLength, r.name)
		r.notef(path, "had %d characters, at most %d are kept: %d were cut; the whole text is in %s", length, *s.MaxLength, gone, r.name)
		return short
	default:
		return text
	}
	return nil
}

func quoted(text string) string { return fmt.Sprintf("%q", plain.Line(text, 80)) }

func choices(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, ", ")
}

// kind names the type of a value.
func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case float64:
		return "a number"
	case string:
		return "text"
	case []any:
		return "a list"
	}
	return "an object"
}

// pointer is a key as a step of a JSON Pointer.
func pointer(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(plain.Line(key, 80), "~", "~0"), "/", "~1")
}
