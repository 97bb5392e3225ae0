package plain

import "strings"

// Fence returns the plain text of s as a Markdown code block that nothing inside can close.
func Fence(s string) string {
	s = strings.Trim(Text(s), "\n")
	fence := strings.Repeat("`", max(3, longestRun(s)+1))
	return fence + "text\n" + s + "\n" + fence
}

// Code returns s as a Markdown code span that nothing inside can close: on one line, at most max bytes of it, its spaces
// as they are.
func Code(s string, max int) string {
	s = ClipBytes(strings.NewReplacer("\n", " ", "\t", " ").Replace(strings.Trim(Text(s), "\n")), max)
	run := longestRun(s)
	if run == 0 {
		return "`" + s + "`"
	}
	tick := strings.Repeat("`", run+1)
	return tick + " " + s + " " + tick
}

// longestRun is the length of the longest run of backticks in s.
func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// ShellQuote is s in quotes that a POSIX shell reads back as one word, and as nothing else.
func ShellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// ShellWord is s for a command that a person reads and pastes: in quotes only if it needs them.
func ShellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,") == "" {
		return s
	}
	return ShellQuote(s)
}
