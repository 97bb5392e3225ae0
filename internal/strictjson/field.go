package strictjson

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"unicode"
)

// structFields are the names encoding/json would fill in one struct, and what each folds to.
type structFields struct {
	exact  map[string]reflect.Type
	folded map[string]string
}

// fieldCache lives as long as one document.
type fieldCache map[reflect.Type]structFields

// member finds the type that the value under key will be stored in. clash is the name of the field that encoding/json
// would fill although its name is not key.
func (c fieldCache) member(target reflect.Type, key, folded string) (elem reflect.Type, clash string) {
	if target == nil {
		return nil, ""
	}
	if target.Kind() == reflect.Map {
		return target.Elem(), ""
	}
	if target.Kind() != reflect.Struct {
		return nil, ""
	}
	fields, known := c[target]
	if !known {
		fields = structFields{exact: map[string]reflect.Type{}, folded: map[string]string{}}
		fields.collect(target, map[reflect.Type]bool{})
		c[target] = fields
	}
	if elem, ok := fields.exact[key]; ok {
		return elem, ""
	}
	return nil, fields.folded[folded]
}

// collect adds the fields of t and of the structs embedded in it. An outer field hides an inner one of the same name.
func (f structFields) collect(t reflect.Type, visiting map[reflect.Type]bool) {
	if visiting[t] {
		return
	}
	visiting[t] = true
	var embedded []reflect.Type
	for i := range t.NumField() {
		field := t.Field(i)
		tag := field.Tag.Get("json")
		if tag == "-" {
			continue
		}
		name, _, _ := strings.Cut(tag, ",")
		if !isFieldName(name) {
			name = ""
		}
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if field.Anonymous && name == "" && inner.Kind() == reflect.Struct {
			embedded = append(embedded, inner)
			continue
		}
		if !field.IsExported() {
			continue
		}
		if name == "" {
			name = field.Name
		}
		f.add(name, field.Type)
	}
	for _, inner := range embedded {
		f.collect(inner, visiting)
	}
}

func (f structFields) add(name string, t reflect.Type) {
	if _, hidden := f.exact[name]; hidden {
		return
	}
	f.exact[name] = t
	f.folded[fold(name)] = name
}

// isFieldName says whether encoding/json takes a tag's name, rather than ignoring it for the Go name.
func isFieldName(name string) bool {
	for _, r := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return name != ""
}

// shapeOf strips pointers from t. It is nil if encoding/json does not look into t itself.
func shapeOf(t reflect.Type) reflect.Type {
	for t != nil {
		if readsItself(t) || readsItself(reflect.PointerTo(t)) {
			return nil
		}
		if t.Kind() != reflect.Pointer {
			return t
		}
		t = t.Elem()
	}
	return nil
}

func readsItself(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[json.Unmarshaler]()) || t.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

func elemOf(t reflect.Type) reflect.Type {
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		return t.Elem()
	}
	return nil
}

// fold maps names that encoding/json holds equal to the same string: every rune to the least of its case orbit.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		for {
			next := unicode.SimpleFold(r)
			if next <= r {
				return next
			}
			r = next
		}
	}, s)
}
