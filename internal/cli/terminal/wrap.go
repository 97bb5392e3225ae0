package terminal

import "strings"

// Wrap breaks a line at its words into lines of at most so many columns; 0
// leaves it whole. A command between backquotes stays on one line, and what is
// longer than a line is left for the terminal to break, so that both can be copied.
func Wrap(line string, columns int) []string { return Hang("", line, columns) }

// Hang wraps a line behind a prefix; the lines that follow are indented by the
// prefix's width. columns is for both. A name or a command that would not fit behind
// the indentation gets a line of its own with less of it, so that the terminal does not
// break it in the middle of a word.
func Hang(prefix, line string, columns int) []string {
	indent := Width(prefix)
	room := max(columns-indent, min(minRoom, columns))
	if columns <= 0 || Width(line) <= room {
		return []string{prefix + line}
	}
	var lines []string
	current, empty := prefix, true
	for _, word := range words(line) {
		used := Width(current)
		switch {
		case empty && Width(word) <= room:
			current, empty = current+word, false
		case !empty && used+1+Width(word) <= indent+room:
			current += " " + word
		default:
			lines = append(lines, strings.TrimRight(current, " "))
			less := max(0, min(indent, columns-Width(word)))
			current, empty = strings.Repeat(" ", less)+word, false
		}
	}
	lines = append(lines, current)
	if strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:] // a prefix of blanks alone
	}
	return lines
}

// minRoom keeps text behind a long prefix from becoming a column of words.
const minRoom = 20

// words are the pieces between which a line may be broken.
func words(line string) []string {
	var all []string
	fields := strings.Fields(line)
	for i := 0; i < len(fields); i++ {
		if span := quoted(fields[i:]); span > 1 {
			all = append(all, strings.Join(fields[i:i+span], " "))
			i += span - 1
			continue
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
