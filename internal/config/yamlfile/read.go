package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Limits of a file. They are far above what a person writes and far below what could hurt.
const (
	MaxBytes = 256 << 10
	maxDepth = 32
	maxNodes = 20_000 // after aliases are followed
)

// Read parses data, which must hold exactly one YAML document. The returned value is valid only if the report has no
// problem yet. The caller adds what it finds later to the report.
func Read(file string, data []byte) (Value, *Report) {
	r := NewReport(file)
	node := r.parse(data)
	if node == nil {
		return Value{}, r
	}
	r.measure(node)
	return Value{report: r, node: follow(node), place: node}, r
}

func (r *Report) parse(data []byte) *yaml.Node {
	if len(data) > MaxBytes {
		r.Add(Problem{Line: 1, Column: 1, Message: fmt.Sprintf("the file has %d bytes; at most %d are read", len(data), MaxBytes)})
		return nil
	}
	if line, column, ok := invalidText(data); !ok {
		r.Add(Problem{Line: line, Column: column, Message: "the file is not UTF-8 text", Hint: "save it as UTF-8"})
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, more yaml.Node
	err := decoder.Decode(&document)
	switch {
	case errors.Is(err, io.EOF):
		r.Add(Problem{Line: 1, Column: 1, Message: "the file is empty"})
		return nil
	case err != nil:
		r.Add(syntaxProblem(data, err))
		return nil
	}
	switch err := decoder.Decode(&more); {
	case err == nil:
		r.Add(Problem{Line: more.Line, Column: more.Column, Message: "the file holds more than one document",
			Hint: "keep one, and remove the line ---"})
		return nil
	case !errors.Is(err, io.EOF):
		r.Add(syntaxProblem(data, err))
		return nil
	}
	return document.Content[0]
}

// invalidText finds the first byte that cannot be part of a text file.
func invalidText(data []byte) (line, column int, ok bool) {
	line, column = 1, 1
	for len(data) > 0 {
		char, size := utf8.DecodeRune(data)
		switch {
		case char == utf8.RuneError && size <= 1, char < ' ' && char != '\t' && char != '\n' && char != '\r':
			return line, column, false
		case char == '\n':
			line, column = line+1, 1
		default:
			column++
		}
		data = data[size:]
	}
	return 0, 0, true
}

func follow(node *yaml.Node) *yaml.Node {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}

// measure refuses documents that grow without bound when aliases are followed, or that contain themselves.
func (r *Report) measure(root *yaml.Node) {
	m := measurer{size: map[*yaml.Node]int{}, open: map[*yaml.Node]bool{}}
	total, culprit := m.count(root, 0)
	if culprit == nil && total <= maxNodes {
		return
	}
	if culprit == nil {
		culprit = root
	}
	r.Add(Problem{Line: culprit.Line, Column: culprit.Column,
		Message: "the file is nested too deeply or repeats itself too often through aliases",
		Hint:    fmt.Sprintf("at most %d levels and %d values", maxDepth, maxNodes)})
}

type measurer struct {
	size map[*yaml.Node]int
	open map[*yaml.Node]bool
}

// count is the number of values below node; the second result is the node at which a limit was exceeded.
func (m *measurer) count(node *yaml.Node, depth int) (int, *yaml.Node) {
	target := follow(node)
	if depth > maxDepth || m.open[target] {
		return 0, node
	}
	if known, ok := m.size[target]; ok {
		return known, nil
	}
	m.open[target] = true
	defer delete(m.open, target)
	total := 1
	for _, child := range target.Content {
		below, culprit := m.count(child, depth+1)
		if culprit != nil {
			return 0, culprit
		}
		if total += below; total > maxNodes {
			return 0, child
		}
	}
	m.size[target] = total
	return total, nil
}
