package yamlfile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Pair is an entry of a map: Key is the value of the key itself, for problems that concern the name.
type Pair struct {
	Name  string
	Key   Value
	Value Value
}

// Pairs reads a map with free keys in the order of the file. Repeated keys and keys without a value are reported.
func (v Value) Pairs() ([]Pair, bool) {
	if !v.IsMap() {
		v.Fail("expected a map, got "+v.kind(), "")
		return nil, false
	}
	var pairs []Pair
	first := map[string]int{}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		keyNode := v.node.Content[i]
		key := v.child(keyNode, v.path)
		if key.node.Kind == yaml.ScalarNode && key.node.ShortTag() == "!!merge" {
			key.Fail("merge keys are not supported", "write the keys out")
			continue
		}
		name, ok := key.Scalar()
		if !ok {
			continue
		}
		key.path = join(v.path, name)
		if line, dup := first[name]; dup {
			key.Failf("is given twice, first in line %d", line)
			continue
		}
		first[name] = keyNode.Line
		pairs = append(pairs, Pair{Name: name, Key: key, Value: v.child(v.node.Content[i+1], key.path)})
		pairs[len(pairs)-1].Value.key = keyNode
	}
	return pairs, true
}

// Object is a map with known keys.
type Object struct {
	value  Value
	fields map[string]Pair
}

// Object reads a map with the given keys; other keys and keys without a value are reported.
func (v Value) Object(keys ...string) (Object, bool) {
	pairs, ok := v.Pairs()
	if !ok {
		return Object{}, false
	}
	o := Object{value: v, fields: map[string]Pair{}}
	for _, p := range pairs {
		switch {
		case !slices.Contains(keys, p.Name):
			p.Key.Fail("unknown key", Known(p.Name, keys))
		case p.Value.node.Kind == yaml.ScalarNode && p.Value.node.ShortTag() == "!!null":
			p.Value.Fail("is empty", "give it a value or remove the key")
		default:
			o.fields[p.Name] = p
		}
	}
	return o, true
}

// Is reports an object that was read, as the zero one was not.
func (o Object) Is() bool { return o.fields != nil }

// Get finds the value of a key.
func (o Object) Get(key string) (Value, bool) {
	p, ok := o.fields[key]
	return p.Value, ok
}

// Has reports that a key has a value.
func (o Object) Has(key string) bool { _, ok := o.fields[key]; return ok }

// Key is the key itself, for problems that concern its presence.
func (o Object) Key(key string) Value { return o.fields[key].Key }

// Need finds the value of a key that must be there.
func (o Object) Need(key, hint string) (Value, bool) {
	v, ok := o.Get(key)
	if !ok && !o.empty(key) {
		o.value.Fail(key+" is missing", hint)
	}
	return v, ok
}

// empty reports that the key is there without a value, which was reported already.
func (o Object) empty(key string) bool {
	for i := 0; i+1 < len(o.value.node.Content); i += 2 {
		if o.value.node.Content[i].Value == key {
			return true
		}
	}
	return false
}

// Value is the map itself.
func (o Object) Value() Value { return o.value }

// The length of a key is bounded apart: a counted repetition takes a while to compile, in every process.
var plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

const longestPlainKey = 60

func join(path, key string) string {
	if len(key) > longestPlainKey || !plainKey.MatchString(key) {
		return fmt.Sprintf("%s[%q]", path, clip(key))
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// Known is the hint that follows an unknown word: the word that was probably meant, or all there are.
func Known(word string, words []string) string {
	if len(words) == 0 {
		return "none are known"
	}
	if near := Nearest(word, words); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	sorted := slices.Sorted(slices.Values(words))
	return "known: " + strings.Join(sorted, ", ")
}
