package yamlfile

import (
	"bytes"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// linePrefix is how the parser names a line. Its number is off by one or more for some errors, so it is not used.
var linePrefix = regexp.MustCompile(`^yaml: (line \d+: )?`)

// syntaxProblem gives an error of the parser a place and, for the usual slips, a hint.
func syntaxProblem(data []byte, err error) Problem {
	lines := bytes.SplitAfter(data, []byte("\n"))
	bad := firstBadLine(lines)
	text := strings.TrimRight(string(lines[bad]), "\r\n")
	p := Problem{
		Line:    bad + 1,
		Column:  len(text) - len(strings.TrimLeft(text, " \t")) + 1,
		Message: linePrefix.ReplaceAllString(err.Error(), ""),
	}
	indent := text[:p.Column-1]
	value := strings.TrimSpace(text)
	if _, after, found := strings.Cut(value, ": "); found {
		value = strings.TrimSpace(after)
	} else {
		value = strings.TrimSpace(strings.TrimPrefix(value, "- "))
	}
	switch {
	case strings.Contains(indent, "\t"):
		p.Column = strings.Index(indent, "\t") + 1
		p.Message, p.Hint = "a tab indents this line", "YAML is indented with spaces"
	case strings.HasPrefix(value, "*"):
		p.Hint = "a value that begins with * must be quoted"
	case strings.HasPrefix(value, "!"), strings.HasPrefix(value, "%"), strings.HasPrefix(value, "@"), strings.HasPrefix(value, "`"):
		p.Hint = "a value that begins with " + value[:1] + " must be quoted"
	case strings.Contains(value, ": "):
		p.Hint = `a value that contains ": " must be quoted`
	}
	return p
}

// firstBadLine is the index of the line after the longest beginning of the file that parses. A beginning that includes
// the faulty line never parses; one that ends within a bracket or quotation does not either, which is why the search
// looks a little further after it has found a border.
func firstBadLine(lines [][]byte) int {
	low, high := 0, len(lines) // low parses, high does not
	for high-low > 1 {
		if middle := (low + high) / 2; parses(lines[:middle]) {
			low = middle
		} else {
			high = middle
		}
	}
	const further = 40
	for k := low + 1; k < len(lines) && k <= low+further; k++ {
		if parses(lines[:k]) {
			low = k
		}
	}
	return min(low, len(lines)-1)
}

func parses(lines [][]byte) bool {
	var node yaml.Node
	return yaml.Unmarshal(bytes.Join(lines, nil), &node) == nil
}
