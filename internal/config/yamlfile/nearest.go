package yamlfile

import "strings"

// Nearest is the word a misspelt one was probably meant to be, or empty.
func Nearest(word string, words []string) string {
	best, bestAt := "", 1+max(1, min(2, len(word)/3))
	for _, candidate := range words {
		d := distance(strings.ToLower(word), strings.ToLower(candidate))
		if d < bestAt || d == bestAt && best != "" && candidate < best {
			best, bestAt = candidate, d
		}
	}
	return best
}

// distance counts the insertions, deletions, replacements and swaps of neighbours that turn a into b. Long words are not
// compared: they are not slips of a known key.
func distance(a, b string) int {
	const longest = 64
	if len(a) > longest || len(b) > longest {
		return longest
	}
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		older := before
		before, row = row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(before[j]+1, row[j-1]+1, before[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
