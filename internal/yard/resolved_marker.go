package yard

import (
	"context"
	"regexp"
	"slices"
	"strings"
)

var marker = regexp.MustCompile(`^(<{7}|\|{7}|>{7})( |$)`)

// judgeMarkers looks for conflict markers that none of the sides has. A text about merging may have some of its own.
func (j *judge) judgeMarkers(ctx context.Context, path string, result entry, sides conflict) (marked bool, err error) {
	content, _, err := j.text(ctx, result)
	if err != nil {
		return false, err
	}
	found := markerLines(content)
	if len(found) == 0 {
		return false, nil
	}
	for _, side := range []entry{sides.into, sides.from} {
		content, _, err := j.text(ctx, side)
		if err != nil {
			return false, err
		}
		for line := range markerLines(content) {
			delete(found, line)
		}
	}
	for line := range found {
		j.complain("%q has conflict markers in it, such as %.80q", path, line)
		return true, nil
	}
	return false, nil
}

func markerLines(text string) map[string]bool {
	found := map[string]bool{}
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); marker.MatchString(line) {
			found[line] = true
		}
	}
	return found
}

// place is one conflict in a text that git merged: the lines from the first marker to the last.
type place struct {
	first, middle, last int
}

type places []place

// places finds the conflicts in git's merge, which labels its markers with the two commits.
func (j *judge) places(text string) places {
	var found places
	current, n := place{}, 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		switch {
		case current.first == 0 && strings.HasPrefix(line, "<<<<<<< "+j.into):
			current.first = n
		case current.first != 0 && current.middle == 0 && line == "=======":
			current.middle = n
		case current.middle != 0 && strings.HasPrefix(line, ">>>>>>> "+j.from):
			current.last = n
			found = append(found, current)
			current = place{}
		}
	}
	return found
}

// touch reports whether a hunk reaches into a conflict. One that only adds does so from right beside it.
func (p places) touch(h hunk) bool {
	first, last := min(h.first, h.last), max(h.first, h.last)
	return slices.ContainsFunc(p, func(at place) bool { return first <= at.last && last >= at.first })
}

// decidedFor returns the lines of into that were dropped, if the result is the merge with from's half of every conflict.
func (p places) decidedFor(merged, result string) []string {
	if len(p) == 0 {
		return nil
	}
	var ofInto, decided strings.Builder
	n, rest := 0, p
	for line := range strings.Lines(merged) {
		n++
		if len(rest) > 0 && n > rest[0].last {
			rest = rest[1:]
		}
		switch {
		case len(rest) == 0 || n < rest[0].first:
			decided.WriteString(line)
		case n > rest[0].first && n < rest[0].middle:
			ofInto.WriteString(line)
		case n > rest[0].middle && n < rest[0].last:
			decided.WriteString(line)
		}
	}
	if strings.TrimRight(decided.String(), "\r\n") != strings.TrimRight(result, "\r\n") {
		return nil
	}
	return more(ofInto.String(), result)
}
