package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

const (
	maxViolations = 100 // that are looked for in one document
	maxReferences = 64  // that are followed without coming to another value
)

// finder looks for every place of a document that breaks a schema. The library
// stops at the first mistake, so the finder takes the schema apart and has the
// library judge each part alone. A schema that cannot be taken apart is judged as
// a whole.
type finder struct {
	root  *jsonschema.Schema
	parts map[*jsonschema.Schema][]*jsonschema.Resolved
	alone map[*jsonschema.Schema]*jsonschema.Schema // without its reference
	found []string
}

// look finds what is wrong with a value and with everything below it.
func (f *finder) look(place string, s *jsonschema.Schema, v any, references int) {
	if s == nil || len(f.found) >= maxViolations {
		return
	}
	if target := f.target(s.Ref); target != nil && references < maxReferences {
		f.look(place, target, v, references+1)
		if s = f.without(s); s == nil {
			return
		}
	}
	if !f.judge(place, s, v) {
		return // of another type: nothing below it can be right
	}
	for _, all := range s.AllOf {
		f.look(place, all, v, references+1)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			below := s.Properties[name]
			if below == nil && len(s.PatternProperties) == 0 && !never(s.AdditionalProperties) {
				below = s.AdditionalProperties
			}
			f.look(place+"/"+pointer.Replace(name), below, v[name], 0)
		}
	case []any:
		for i, item := range v {
			below := s.Items
			if first := slices.Concat(s.PrefixItems, s.ItemsArray); i < len(first) {
				below = first[i]
			}
			f.look(place+"/"+strconv.Itoa(i), below, item, 0)
		}
	}
}

// pointer escapes a name for a JSON Pointer.
var pointer = strings.NewReplacer("~", "~0", "/", "~1")

// never reports the schema false, which no value fits.
func never(s *jsonschema.Schema) bool {
	return s != nil && s.Not != nil && len(s.Not.Properties)+len(s.Not.Required) == 0
}

// judge has each part of a schema judge the value itself, not what is below it.
// It reports whether the value is of the right type.
func (f *finder) judge(place string, s *jsonschema.Schema, v any) bool {
	for i, part := range f.apart(s) {
		if part == nil {
			continue
		}
		err := part.Validate(v)
		if err == nil {
			continue
		}
		what := strings.TrimPrefix(err.Error(), "validating root: ")
		if i == 0 {
			what = fmt.Sprintf("is %s, and must be %s", kindOf(v), cmp.Or(s.Type, strings.Join(s.Types, " or ")))
		}
		f.found = append(f.found, plain.Line(cmp.Or(place, "the document")+": "+what, 500))
		if i == 0 {
			return false
		}
	}
	return true
}

// kindOf is JSON's name for a value, with the beginning of a scalar.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return fmt.Sprintf("the boolean %v", v)
	case string:
		return fmt.Sprintf("the string %.60q", v)
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return fmt.Sprintf("the number %v", v)
}

// apart takes a schema apart: its type, which names must be there, which may be,
// and the rest. A part that cannot stand alone is nil.
func (f *finder) apart(s *jsonschema.Schema) []*jsonschema.Resolved {
	if parts, ok := f.parts[s]; ok {
		return parts
	}
	rest := *s
	rest.Type, rest.Types, rest.Required, rest.AllOf = "", nil, nil, nil
	rest.Properties, rest.PatternProperties, rest.AdditionalProperties = nil, nil, nil
	rest.Items, rest.PrefixItems, rest.ItemsArray, rest.AdditionalItems = nil, nil, nil, nil
	names := jsonschema.Schema{Properties: blank(s.Properties), PatternProperties: s.PatternProperties}
	if never(s.AdditionalProperties) || len(s.PatternProperties) > 0 {
		names.AdditionalProperties = s.AdditionalProperties
	}
	var parts []*jsonschema.Resolved
	for _, part := range []jsonschema.Schema{{Type: s.Type, Types: s.Types}, {Required: s.Required}, names, rest} {
		part.Schema, part.Defs, part.Definitions, part.ID = f.root.Schema, f.root.Defs, f.root.Definitions, ""
		resolved, err := part.CloneSchemas().Resolve(&jsonschema.ResolveOptions{Loader: nowhere})
		if err != nil {
			resolved = nil // it leads to a place that only the whole has
		}
		parts = append(parts, resolved)
	}
	f.parts[s] = parts
	return parts
}

// blank keeps the names of properties and says nothing about their values.
func blank(properties map[string]*jsonschema.Schema) map[string]*jsonschema.Schema {
	names := map[string]*jsonschema.Schema{}
	for name := range properties {
		names[name] = &jsonschema.Schema{}
	}
	return names
}

// target is the schema that a reference into the document's definitions leads to.
func (f *finder) target(ref string) *jsonschema.Schema {
	if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok {
		return f.root.Defs[name]
	}
	if name, ok := strings.CutPrefix(ref, "#/definitions/"); ok {
		return f.root.Definitions[name]
	}
	return nil
}

// without is the schema without its reference; nil in draft 7, which ignores
// everything beside a reference.
func (f *finder) without(s *jsonschema.Schema) *jsonschema.Schema {
	if strings.Contains(f.root.Schema, "draft-07") {
		return nil
	}
	if f.alone[s] == nil {
		alone := *s
		alone.Ref = ""
		f.alone[s] = &alone
	}
	return f.alone[s]
}

// separable reports that a schema can be taken apart: its references lead to its
// definitions, and no part depends on what other parts have judged.
func separable(schema any) bool {
	switch s := schema.(type) {
	case []any:
		return !slices.ContainsFunc(s, func(member any) bool { return !separable(member) })
	case map[string]any:
		for key, member := range s {
			ref, _ := member.(string)
			switch {
			case key == "$ref" && !strings.HasPrefix(ref, "#/$defs/") && !strings.HasPrefix(ref, "#/definitions/"),
				key == "$dynamicRef", key == "$anchor", strings.HasPrefix(key, "unevaluated"), !separable(member):
				return false
			}
		}
	}
	return true
}
