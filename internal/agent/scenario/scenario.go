// Package scenario reads the YAML of scenario files: the parts that scripted
// agents and scripted models play. It turns every mistake into an error that
// names file, line and column, and refuses unknown and repeated keys, so that a
// misspelt step is never silently left out of a test. It knows nothing of what a
// scenario means; that belongs to the package that plays it.
package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Error is a mistake in a scenario file.
type Error struct {
	File         string
	Line, Column int
	Message      string
}

// Error renders the mistake as file:line:column: message.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// Errorf is a mistake at node; Read adds the file's name.
func Errorf(node *yaml.Node, format string, args ...any) error {
	return &Error{Line: node.Line, Column: node.Column, Message: fmt.Sprintf(format, args...)}
}

// Decoder stores one YAML value, or says what is wrong with it.
type Decoder func(*yaml.Node) error

// Read decodes the single document in data. The name appears in errors.
func Read(name string, data []byte, decode Decoder) error {
	err := read(data, decode)
	if mistake, ok := errors.AsType[*Error](err); ok {
		mistake.File = name
		return mistake
	}
	if err != nil {
		return syntaxError(name, err)
	}
	return nil
}

// syntaxError gives an error of the YAML parser, which knows the line only as
// part of its text, the form of all others.
func syntaxError(name string, err error) error {
	mistake := &Error{File: name, Message: strings.TrimPrefix(err.Error(), "yaml: ")}
	var line int
	if _, scanErr := fmt.Sscanf(mistake.Message, "line %d:", &line); scanErr == nil {
		_, mistake.Message, _ = strings.Cut(mistake.Message, ": ")
		mistake.Line, mistake.Column = line, 1
	}
	return mistake
}

func read(data []byte, decode Decoder) error {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return errors.New("the scenario is empty")
	}
	if err != nil {
		return err
	}
	var more yaml.Node
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		return Errorf(&more, "a scenario is a single YAML document; remove what follows the first")
	}
	return decode(document.Content[0])
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

// resolve follows an alias to what it stands for. Aliases cannot nest: YAML
// resolves them to anchors, which are never aliases themselves.
func resolve(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}
