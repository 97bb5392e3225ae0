package naming

import (
	"regexp"
	"strings"
)

// unmarked is a line of Markdown as it reads: without the marks of headings, lists,
// quotations, emphasis and source text, and links as what they say. Names that
// only look like marks (2*3*4, __init__) stay.
func unmarked(line string) string {
	for _, rule := range []struct{ mark, reads string }{
		{`^(?:\s*(?:#{1,6}|>|[-*+]|\d{1,3}[.)]|\[[ xX]\])\s+)+`, ""},
		{`\s+#+\s*$`, ""},
		{`!?\[([^\[\]]+)\]\([^()\s]*\)`, "$1"},
		{"`+([^`]+)`+", "$1"},
		{`(^|[\s("'])\*([^*\s](?:[^*]*[^*\s])?)\*`, "$1$2"},
		{`\*\*(\S(?:[^*]*\S)?)\*\*`, "$1"},
		{`~~(\S(?:[^~]*\S)?)~~`, "$1"},
		{`(^|[\s("'])_([^_\s](?:[^_]*[^_\s])?)_($|[\s)"'.,:;!?])`, "$1$2$3"},
	} {
		if read := regexp.MustCompile(rule.mark).ReplaceAllString(line, rule.reads); strings.TrimSpace(read) != "" {
			line = read
		}
	}
	return strings.TrimSpace(line)
}
