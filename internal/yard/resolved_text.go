package yard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// maxText is the size up to which a file is compared line by line.
const maxText = 8 << 20

// text returns the content of a file that can be compared line by line. A missing file is an empty text.
func (j *judge) text(ctx context.Context, e entry) (content string, isText bool, err error) {
	if !e.exists() {
		return "", true, nil
	}
	if !e.isRegular() {
		return "", false, nil
	}
	_, raw, err := j.yard.reader.read(ctx, e.hash, maxText)
	if _, big := errors.AsType[*TooBigError](err); big {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	const looked = 8000 // as git does
	if bytes.IndexByte(raw[:min(len(raw), looked)], 0) >= 0 {
		return "", false, nil
	}
	return string(raw), true, nil
}

// judgeText judges the lines of a path. before is from's version, merged the one git makes of both sides, with markers
// around the conflicts.
func (j *judge) judgeText(ctx context.Context, path string, before, merged, result entry) error {
	if !merged.exists() {
		return nil // git wrote the two sides to paths of their own, which are judged themselves
	}
	var texts [3]string
	for i, e := range []entry{before, merged, result} {
		content, isText, err := j.text(ctx, e)
		if err != nil {
			return err
		}
		if _, conflicting := j.merged.conflicts[path]; !isText && conflicting && i < 2 {
			return nil // the resolver had to choose a side, and did not choose from's
		} else if !isText {
			j.complain("%q differs from git's merge and cannot be compared line by line: use the version of %.12s", path, j.into)
			return nil
		}
		texts[i] = content
	}
	places := j.places(texts[1])
	if dropped := places.decidedFor(texts[1], texts[2]); len(dropped) > 0 {
		j.complain("%q keeps the branch's side of every conflict: the merge dropped what %.12s changed there, such as %.80q; merge both changes", path, j.into, dropped[0])
		return nil
	}
	hunks, err := j.hunks(ctx, merged, result)
	if err != nil {
		return err
	}
	lines := compare(path, texts[0], texts[1])
	for _, h := range hunks {
		if places.touch(h) {
			continue
		}
		if done, err := j.judgeHunk(ctx, lines, h); err != nil || done {
			return err
		}
	}
	return nil
}

// comparison has the lines that into adds to a path, and those of which it removes every copy.
type comparison struct {
	path              string
	brought, takenOut map[string]bool
}

func compare(path, before, merged string) comparison {
	c := comparison{path: path, brought: map[string]bool{}, takenOut: map[string]bool{}}
	for _, line := range more(merged, before) {
		c.brought[line] = true
	}
	left := tally(merged)
	for _, line := range more(before, merged) {
		c.takenOut[line] = left[line] == 0
	}
	return c
}

// judgeHunk judges one place where the result differs from git's merge. New lines may replace lines of into: two changes that
// are right by themselves may need an adjustment to work together.
func (j *judge) judgeHunk(ctx context.Context, lines comparison, h hunk) (done bool, err error) {
	var lost, back, fresh []string
	for _, line := range h.removed {
		if lines.brought[line] {
			lost = append(lost, line)
		}
	}
	for _, line := range h.added {
		if lines.takenOut[line] {
			back = append(back, line)
		} else {
			fresh = append(fresh, line)
		}
	}
	if len(back) > 0 && len(fresh) == 0 {
		j.complain("%q: %.12s removed %s, but the result has it again", lines.path, j.into, quoted(back))
		return true, nil
	}
	if lost, err = j.missing(ctx, lost); err != nil {
		return true, err
	}
	if len(lost) > len(fresh) {
		j.complain("%q: %.12s adds %s, but the result does not have it", lines.path, j.into, quoted(lost))
		return true, nil
	}
	return false, nil
}

// quoted names lines by the first of them.
func quoted(lines []string) string {
	if len(lines) == 1 {
		return fmt.Sprintf("the line %.80q", lines[0])
	}
	return fmt.Sprintf("%d lines, the first of them %.80q,", len(lines), lines[0])
}

// missing returns the lines that are in none of the paths that the result changed or decided.
func (j *judge) missing(ctx context.Context, lines []string) ([]string, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	if j.present == nil {
		if err := j.collectPresent(ctx); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return j.present[line] }), nil
}

func (j *judge) collectPresent(ctx context.Context) error {
	j.present = map[string]bool{}
	var entries []entry
	for _, path := range j.merged.paths() {
		if _, changed := j.changed[path]; changed {
			continue
		}
		e, err := j.lookUp(ctx, j.result, path)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	for _, changed := range j.changed {
		entries = append(entries, changed.new)
	}
	for _, e := range entries[:min(len(entries), maxJudged)] {
		content, _, err := j.text(ctx, e)
		if err != nil {
			return err
		}
		for line := range tally(content) {
			j.present[line] = true
		}
	}
	return nil
}

// hunk is one place where two texts differ. Only lines that count are in it.
type hunk struct {
	first, last    int // lines of the old text that it replaces; last < first if it only adds lines after last
	removed, added []string
}

var hunkHeader = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+`)

func (j *judge) hunks(ctx context.Context, old, result entry) ([]hunk, error) {
	out, err := j.yard.git().run(ctx, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--text", "-U0", old.hash, result.hash, "--")
	if err != nil {
		return nil, err
	}
	var hunks []hunk
	for line := range strings.Lines(string(out)) {
		if header := hunkHeader.FindStringSubmatch(line); header != nil {
			hunks = append(hunks, newHunk(header))
			continue
		}
		if len(hunks) == 0 {
			continue
		}
		h := &hunks[len(hunks)-1]
		if text, counts := plain(line[1:]); counts && line[0] == '-' {
			h.removed = append(h.removed, text)
		} else if counts && line[0] == '+' {
			h.added = append(h.added, text)
		}
	}
	return hunks, nil
}

func newHunk(header []string) hunk {
	first, count := 0, 1
	_, _ = fmt.Sscan(header[1], &first) // digits, as the pattern says
	if header[2] != "" {
		_, _ = fmt.Sscan(header[2], &count)
	}
	if count == 0 {
		return hunk{first: first + 1, last: first}
	}
	return hunk{first: first, last: first + count - 1}
}

// plain normalises a line for comparison, and reports whether the line counts.
func plain(line string) (string, bool) {
	text := strings.Join(strings.Fields(line), " ")
	return text, strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// tally counts the lines of a text.
func tally(text string) map[string]int {
	counts := map[string]int{}
	for line := range strings.Lines(text) {
		if text, ok := plain(line); ok {
			counts[text]++
		}
	}
	return counts
}

// more lists, in order, the lines that a text has more often than another.
func more(text, other string) []string {
	var lines []string
	counts := tally(other)
	for line := range strings.Lines(text) {
		text, ok := plain(line)
		if !ok {
			continue
		}
		if counts[text]--; counts[text] < 0 {
			lines = append(lines, text)
		}
	}
	return lines
}
