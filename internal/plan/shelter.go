package plan

import "strings"

// shelter follows what keeps a line of Markdown from being a heading although it looks like one: fenced code, HTML
// comments and preformatted HTML, and list items, whose content is indented. The zero value stands before the first
// line.
type shelter struct {
	fence  string // of the open code block, e.g. three backticks
	ends   string // what ends the open HTML block, in lower case
	opened int    // line of whichever is open
	list   int    // column of the content of the open list item; 0 where none is open
}

// covers takes the next line, without its end, and reports whether it is within something.
func (s *shelter) covers(line string, number int) bool {
	indent, rest := indentation(line)
	switch {
	case s.fence != "":
		if indent <= 3 && closesFence(rest, s.fence) {
			s.fence = ""
		}
		return true
	case s.ends != "":
		s.endHTML(rest)
		return true
	case rest == "":
		return false
	case s.list > 0 && indent >= s.list:
		return true
	}
	s.list = 0
	if indent > 3 {
		return true
	}
	s.opened = number
	if s.fence = opensFence(rest); s.fence != "" {
		return true
	}
	if s.ends = opensHTML(rest); s.ends != "" {
		s.endHTML(rest)
		return true
	}
	s.list = listContent(indent, rest)
	return false
}

// closing is the line that ends what is open; empty where nothing is.
func (s *shelter) closing() string { return s.fence + s.ends }

func (s *shelter) endHTML(line string) {
	if strings.Contains(strings.ToLower(line), s.ends) {
		s.ends = ""
	}
}

// indentation is how far a line is indented, in columns, and what follows; nothing follows on a blank line.
func indentation(line string) (columns int, rest string) {
	for i := range len(line) {
		switch line[i] {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns, line[i:]
		}
	}
	return columns, ""
}

// opensFence returns the fence that a line begins, without what follows it.
func opensFence(line string) string {
	width := run(line)
	if width < 3 || line[0] != '`' && line[0] != '~' || line[0] == '`' && strings.Contains(line[width:], "`") {
		return ""
	}
	return line[:width]
}

func closesFence(line, fence string) bool {
	if line == "" || line[0] != fence[0] {
		return false
	}
	width := run(line)
	return width >= len(fence) && strings.Trim(line[width:], " \t") == ""
}

// run is how often the first byte of a line is repeated.
func run(line string) int { return len(line) - len(strings.TrimLeft(line, line[:1])) }

// opensHTML returns what ends the block of HTML that a line begins.
func opensHTML(line string) string {
	if strings.HasPrefix(line, "<!--") {
		return "-->"
	}
	if line[0] != '<' {
		return ""
	}
	for _, tag := range [...]string{"pre", "script", "style", "textarea"} {
		after := 1 + len(tag)
		if len(line) >= after && strings.EqualFold(line[1:after], tag) && (len(line) == after || strings.IndexByte(" \t>", line[after]) >= 0) {
			return "</" + tag + ">"
		}
	}
	return ""
}

// listContent is the column at which the content of a list item begins; 0 where the line begins no item.
func listContent(indent int, line string) int {
	marker := 0
	if strings.IndexByte("-*+", line[0]) >= 0 {
		marker = 1
	} else if digits := len(line) - len(strings.TrimLeft(line, "0123456789")); digits > 0 && digits < 10 && len(line) > digits && (line[digits] == '.' || line[digits] == ')') {
		marker = digits + 1
	}
	if marker == 0 || len(line) > marker && line[marker] != ' ' && line[marker] != '\t' {
		return 0
	}
	gap, rest := indentation(line[marker:])
	if rest == "" || gap > 4 {
		gap = 1
	}
	return indent + marker + gap
}
