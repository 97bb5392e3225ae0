package terminal

import "strings"

// Wrap breaks a line at its words into lines of at most so many columns; 0
// leaves it whole. A command between backquotes stays on one line where one can
// hold it, and a word that is longer than a line is left for the terminal to
// break, so that both can be copied.
func Wrap(line string, columns int) []string {
	if columns <= 0 || Width(line) <= columns {
		return []string{line}
	}
	var lines []string
	current := ""
	for _, word := range words(line, columns) {
		switch {
		case current == "":
			current = word
		case Width(current)+1+Width(word) <= columns:
			current += " " + word
		default:
			lines = append(lines, current)
			current = word
		}
	}
	return append(lines, current)
}

// Hang wraps a line behind a prefix; the lines that follow are indented by the
// prefix's width. columns is for both.
func Hang(prefix, line string, columns int) []string {
	indent := Width(prefix)
	room := 0
	if columns > 0 {
		room = max(columns-indent, minRoom)
	}
	lines := Wrap(line, room)
	for i := range lines {
		if i > 0 {
			prefix = strings.Repeat(" ", indent)
		}
		lines[i] = prefix + lines[i]
	}
	return lines
}

// minRoom keeps text behind a long prefix from becoming a column of words.
const minRoom = 20

// words are the pieces between which a line may be broken.
func words(line string, columns int) []string {
	var all []string
	fields := strings.Fields(line)
	for i := 0; i < len(fields); i++ {
		if span := quoted(fields[i:]); span > 1 {
			if whole := strings.Join(fields[i:i+span], " "); Width(whole) <= columns {
				all = append(all, whole)
				i += span - 1
				continue
			}
		}
		all = append(all, fields[i])
	}
	return all
}

// quoted is how many fields the backquotes opened in the first one span; 0
// where it opens none or they are not closed.
func quoted(fields []string) int {
	open := false
	for i, f := range fields {
		if strings.Count(f, "`")%2 == 1 {
			open = !open
		}
		if !open {
			if i == 0 {
				return 0
			}
			return i + 1
		}
	}
	return 0
}
