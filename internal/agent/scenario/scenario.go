// Package scenario decodes scenario files, the parts that scripted agents and
// scripted models play, from what yamlfile reads. Like that, it names file, line
// and column of a mistake and refuses unknown and repeated keys, so that a
// misspelt step is never silently left out of a test. It knows nothing of what a
// scenario means; that belongs to the package that plays it.
package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
)

// Errorf is a mistake at node; Read adds the file's name.
func Errorf(node *yaml.Node, format string, args ...any) error {
	return yamlfile.Problems{{Line: node.Line, Column: node.Column, Message: fmt.Sprintf(format, args...)}}
}

// Decoder stores one YAML value, or says what is wrong with it.
type Decoder func(*yaml.Node) error

// Read decodes the single document in data, up to the first mistake. The name
// appears in errors, which are yamlfile.Problems.
func Read(name string, data []byte, decode Decoder) error {
	root, report := yamlfile.Read(name, data)
	if err := report.Err(); err != nil {
		return err
	}
	err := decode(root.Node())
	if mistakes, ok := errors.AsType[yamlfile.Problems](err); ok {
		for i := range mistakes {
			mistakes[i].File = name
		}
	}
	return err
}

// Fields decodes a mapping, one Decoder per key.
type Fields map[string]Decoder

// Decode is the Decoder of a mapping with these fields, all of them optional.
func (f Fields) Decode(node *yaml.Node) error {
	node = resolve(node)
	if node.Kind != yaml.MappingNode {
		return Errorf(node, "expected a mapping with %s", f.names())
	}
	seen := make(map[string]bool)
	for i := 0; i < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		decode, known := f[key.Value]
		if !known {
			return Errorf(key, "unknown key %q; expected %s", key.Value, f.names())
		}
		if seen[key.Value] {
			return Errorf(key, "key %q is given twice", key.Value)
		}
		seen[key.Value] = true
		if err := decode(value); err != nil {
			return err
		}
	}
	return nil
}

func (f Fields) names() string {
	names := make([]string, 0, len(f))
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// List is the Decoder of a sequence whose elements are decoded one by one.
func List(element Decoder) Decoder {
	return func(node *yaml.Node) error {
		node = resolve(node)
		if node.Kind != yaml.SequenceNode {
			return Errorf(node, "expected a list")
		}
		for _, item := range node.Content {
			if err := element(item); err != nil {
				return err
			}
		}
		return nil
	}
}

// resolve follows an alias to what it stands for, which is never one itself.
func resolve(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}
