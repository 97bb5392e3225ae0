package patch

import (
	"strconv"
	"strings"
)

// take reads one line. Lines of a hunk are counted, so that a file that holds
// the text of a difference does not become part of this one.
func (r *Reader) take(line string) {
	if r.hunk && r.inHunk(line) {
		return
	}
	r.hunk = false
	if names, ok := strings.CutPrefix(line, "diff --git "); ok {
		r.begin(names)
		return
	}
	if r.file == nil {
		return
	}
	if ranges, ok := strings.CutPrefix(line, "@@ -"); ok {
		r.open(ranges)
		return
	}
	r.header(line)
}

func (r *Reader) begin(names string) {
	r.settle()
	if len(r.patch.Files) >= r.bounds.Files {
		r.patch.Unnamed++
		r.beyond = File{Cut: true}
		r.file = &r.beyond
		return
	}
	f := File{Status: Modified}
	f.Old, f.New = bothNames(names)
	r.patch.Files = append(r.patch.Files, f)
	r.file = &r.patch.Files[len(r.patch.Files)-1]
}

// header reads what git says about a file before its hunks.
func (r *Reader) header(line string) {
	f := r.file
	for _, h := range []struct {
		prefix string
		set    func(string)
	}{
		{"--- ", func(s string) { f.Old = sideName(s, "a/", f.Old) }},
		{"+++ ", func(s string) { f.New = sideName(s, "b/", f.New) }},
		{"rename from ", func(s string) { f.Status, f.Old = Renamed, unquote(s) }},
		{"rename to ", func(s string) { f.Status, f.New = Renamed, unquote(s) }},
		{"copy from ", func(s string) { f.Status, f.Old = Copied, unquote(s) }},
		{"copy to ", func(s string) { f.Status, f.New = Copied, unquote(s) }},
		{"new file mode ", func(s string) { f.Status, f.NewMode = Added, mode(s) }},
		{"deleted file mode ", func(s string) { f.Status, f.OldMode = Deleted, mode(s) }},
		{"old mode ", func(s string) { f.OldMode = mode(s) }},
		{"new mode ", func(s string) { f.NewMode = mode(s) }},
		{"Binary files ", func(string) { f.Binary = true }},
		{"GIT binary patch", func(string) { f.Binary = true }},
	} {
		if rest, ok := strings.CutPrefix(line, h.prefix); ok {
			h.set(rest)
			return
		}
	}
}

// open begins a hunk: "old[,count] +new[,count] @@ section" follows "@@ -".
func (r *Reader) open(ranges string) {
	oldRange, rest, ok := strings.Cut(ranges, " +")
	newRange, section, closed := strings.Cut(rest, " @@")
	h := Hunk{Section: strings.TrimSpace(section)}
	var fine, alsoFine bool
	h.OldStart, h.OldCount, fine = span(oldRange)
	h.NewStart, h.NewCount, alsoFine = span(newRange)
	if !ok || !closed || !fine || !alsoFine {
		return
	}
	r.hunk, r.old, r.new, r.oldLeft, r.newLeft = true, h.OldStart, h.NewStart, h.OldCount, h.NewCount
	if whole := r.bounds.Whole; whole != "" && r.file.New != whole && r.file.Old != whole {
		r.file.Cut = true
	}
	if !r.file.Cut {
		r.file.Hunks = append(r.file.Hunks, h)
	}
}

// inHunk takes a line of a hunk. It returns false if the line does not belong to it.
func (r *Reader) inHunk(line string) bool {
	if line == "" {
		line = " " // some programs take the blank of an empty line away
	}
	l := Line{Kind: Kind(line[0]), Cut: r.cut}
	switch {
	case l.Kind == '\\':
		r.leaveOpen()
		return true
	case l.Kind == Same && r.oldLeft > 0 && r.newLeft > 0:
		l.Old, l.New = r.old, r.new
	case l.Kind == Less && r.oldLeft > 0:
		l.Old = r.old
		r.file.Deleted++
	case l.Kind == Plus && r.newLeft > 0:
		l.New = r.new
		r.file.Added++
	default:
		return false
	}
	if l.Old > 0 || l.Kind != Plus {
		r.old, r.oldLeft = r.old+1, r.oldLeft-1
	}
	if l.New > 0 || l.Kind != Less {
		r.new, r.newLeft = r.new+1, r.newLeft-1
	}
	r.file.Bytes += max(r.length, 1)
	l.Text = strings.ToValidUTF8(line[1:], "\uFFFD")
	r.keep(l)
	return true
}

// perLine is what a line costs beside its text: a page needs much more for it.
const perLine = 40

// keep keeps a line if there is room. A file that is too large is kept without lines,
// unless it is the one that was asked for: of that, as much as fits is kept.
func (r *Reader) keep(l Line) {
	f, cost := r.file, int64(len(l.Text)+perLine)
	switch whole := r.bounds.Whole != ""; {
	case f.Cut:
		return
	case whole && r.kept+cost > r.bounds.All:
		f.Cut = true
		return
	case !whole && (f.kept+cost > r.bounds.File || r.kept+cost > r.bounds.All):
		r.kept -= f.kept
		f.Cut, f.Hunks, f.kept = true, nil, 0
		return
	}
	r.kept += cost
	f.kept += cost
	h := &f.Hunks[len(f.Hunks)-1]
	h.Lines = append(h.Lines, l)
}

// leaveOpen marks the last line as one without a line break.
func (r *Reader) leaveOpen() {
	if n := len(r.file.Hunks); n > 0 {
		if lines := r.file.Hunks[n-1].Lines; len(lines) > 0 {
			lines[len(lines)-1].Open = true
		}
	}
}

// span reads "start" or "start,count".
func span(s string) (start, count int, ok bool) {
	first, second, both := strings.Cut(s, ",")
	a, err := strconv.ParseUint(first, 10, 30)
	b := uint64(1)
	if err == nil && both {
		b, err = strconv.ParseUint(second, 10, 30)
	}
	return int(a), int(b), err == nil //nolint:gosec // at most 30 bits
}

// mode is a file's mode, six octal digits.
func mode(s string) string {
	if len(s) != 6 || strings.Trim(s, "01234567") != "" {
		return ""
	}
	return s
}

// sideName is the name behind --- or +++. Git ends a name that contains blanks with a
// tab.
func sideName(s, prefix, otherwise string) string {
	name := unquote(strings.TrimSuffix(s, "\t"))
	if name == "/dev/null" {
		return otherwise
	}
	return strings.TrimPrefix(name, prefix)
}

// bothNames are the names behind "diff --git". If they are not quoted, they can only
// be told apart if both are the same; if they differ, git repeats them below.
func bothNames(s string) (before, after string) {
	if first, err := strconv.QuotedPrefix(s); err == nil {
		return strings.TrimPrefix(unquote(first), "a/"), strings.TrimPrefix(unquote(strings.TrimSpace(s[len(first):])), "b/")
	}
	if half := len(s) / 2; len(s)%2 == 1 && s[half] == ' ' {
		a, isOld := strings.CutPrefix(s[:half], "a/")
		b, isNew := strings.CutPrefix(s[half+1:], "b/")
		if isOld && isNew && a == b {
			return a, b
		}
	}
	a, b, _ := strings.Cut(s, " ")
	return strings.TrimPrefix(a, "a/"), strings.TrimPrefix(unquote(b), "b/")
}

// unquote reads a name as git writes one with unusual characters: with the escapes
// of C, of which Go has those that git uses.
func unquote(s string) string {
	if name, err := strconv.Unquote(s); err == nil && s[0] == '"' {
		s = name
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
