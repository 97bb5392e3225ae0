package check

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

const (
	shownPaths = 20 // in a list of what is there
	nearMisses = 8
	tailLines  = 60
	tailBytes  = 4 << 10
)

// show makes a path or name safe to print in a line of evidence.
func show(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) }) {
		path = strconv.Quote(path)
	}
	return plain.Line(path, 200)
}

// bullets lists items, at most so many of them.
func bullets(items []string, most int) string {
	var b strings.Builder
	for i, item := range items {
		if i == most {
			fmt.Fprintf(&b, "- … and %d more\n", len(items)-most)
			break
		}
		b.WriteString("- " + item + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// clip shortens the evidence of a result. Of a command's output it keeps the end, of anything else the beginning.
func clip(r core.CheckResult, most int) string {
	if len(r.Detail) <= most {
		return r.Detail
	}
	if r.Kind != core.CheckCommand {
		return plain.Head(r.Detail, most)
	}
	first, rest, _ := strings.Cut(r.Detail, "\n")
	first = plain.Line(first, most/2)
	return first + "\n" + plain.Tail(rest, tailLines, most-len(first)-1)
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
