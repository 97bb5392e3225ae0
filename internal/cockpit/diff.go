package cockpit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/cockpit/highlight"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/patch"
	"github.com/stellwerk-dev/stellwerk/internal/draft"
)

// fileView is a file of a difference as the page shows it.
type fileView struct {
	patch.File
	ID    string // of its element
	View  string // how its lines are laid out
	Hunks []hunkView
	Show  string // address that shows it alone
	Raw   string // address of all changes as text
	Aside bool   // another file is shown alone
}

// Split reports that old and new lines stand side by side.
func (f fileView) Split() bool { return f.View == viewSplit }

// Columns are how many its table has.
func (f fileView) Columns() int {
	if f.Split() {
		return 4
	}
	return 3
}

// Note says what cannot be seen from its lines.
func (f fileView) Note() string {
	var notes []string
	switch {
	case f.Status == patch.Renamed || f.Status == patch.Copied:
		notes = append(notes, fmt.Sprintf("%s from %s", f.Status, clip(200, f.Old)))
	case f.Status != patch.Modified:
		notes = append(notes, string(f.Status))
	}
	if f.OldMode != "" && f.NewMode != "" {
		notes = append(notes, fmt.Sprintf("mode %s became %s", f.OldMode, f.NewMode))
	} else if special := kindOf(f.OldMode + f.NewMode); special != "" {
		notes = append(notes, special)
	}
	if f.Binary {
		notes = append(notes, "not text")
	}
	return strings.Join(notes, ", ")
}

// kindOf names what is no plain file.
func kindOf(mode string) string {
	switch mode {
	case "100755":
		return "a program"
	case "120000":
		return "a link"
	case "160000":
		return "a submodule"
	}
	return ""
}

type hunkView struct {
	Title string
	Rows  []row
}

// From says where the hunk begins: by its new line number, or by the old one if its
// first line was removed.
func (h hunkView) From() string {
	if len(h.Rows) == 0 {
		return ""
	}
	first := cmp.Or(h.Rows[0].Left, h.Rows[0].Right)
	if first.New == 0 {
		return fmt.Sprintf("from line %d before", first.Old)
	}
	return fmt.Sprintf("from line %d", first.New)
}

// row is a line of the table: one side in the unified view, two side by side.
type row struct {
	Left, Right *cell // in the unified view only Left
	Notes       []note
}

// cell is a line of a file.
type cell struct {
	patch.Line
	Code  template.HTML
	Class string
	Key   string // names the place in a comment
	Href  string // opens a comment on it; empty if nothing can be said
	Past  bool   // it shows the old version
}

// Number is the line's, in the version it is in.
func (c cell) Number() int {
	if c.Kind == patch.Less || c.Past {
		return c.Old
	}
	return c.New
}

// Label says what the link of its number does.
func (c cell) Label() string {
	if c.Kind == patch.Less {
		return fmt.Sprintf("Comment on line %d as it was", c.Number())
	}
	return fmt.Sprintf("Comment on line %d", c.Number())
}

// note is a comment below a line, or the form for one.
type note struct {
	Draft remark
	Open  bool
	Back  string
	Form  *reviewForm
}

// painted makes pieces of lines HTML.
func painted(lines [][]highlight.Span) []template.HTML {
	out := make([]template.HTML, len(lines))
	for i, spans := range lines {
		var b strings.Builder
		for _, s := range spans {
			text := template.HTMLEscapeString(s.Text)
			if s.Class == highlight.Plain {
				b.WriteString(text)
				continue
			}
			b.WriteString(`<i class="h-` + string(s.Class) + `">` + text + `</i>`)
		}
		out[i] = template.HTML(b.String()) //nolint:gosec // every piece was escaped
	}
	return out
}

// layout makes files what the page shows.
type layout struct {
	view, here string
	comment    string // key of the place that is commented on
	review     *reviewForm
	paint      func(name string, lines []string) []template.HTML
}

func (l layout) file(f patch.File) fileView {
	v := fileView{File: f, ID: "f-" + fileKey(f.Path()), View: l.view}
	for _, h := range f.Hunks {
		v.Hunks = append(v.Hunks, l.hunk(&f, h))
	}
	return v
}

// fileKey is a short name of a path, whatever characters it has.
func fileKey(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:6])
}

func (l layout) hunk(f *patch.File, h patch.Hunk) hunkView {
	v := hunkView{Title: h.Section}
	cells := l.cells(f, h)
	if l.view != viewSplit {
		for i := range cells {
			v.Rows = append(v.Rows, row{Left: &cells[i], Notes: l.notes(f, &cells[i])})
		}
		return v
	}
	for i := 0; i < len(cells); {
		if cells[i].Kind == patch.Same {
			before := cells[i]
			before.Past, before.Href = true, ""
			v.Rows = append(v.Rows, row{Left: &before, Right: &cells[i], Notes: l.notes(f, &cells[i])})
			i++
			continue
		}
		n := i
		for n < len(cells) && cells[n].Kind != patch.Same {
			n++
		}
		v.Rows = append(v.Rows, l.beside(f, cells[i:n])...)
		i = n
	}
	return v
}

// beside puts old and new lines side by side.
func (l layout) beside(f *patch.File, cells []cell) []row {
	var before, after []*cell
	for i := range cells {
		if cells[i].Kind == patch.Less {
			before = append(before, &cells[i])
		} else {
			after = append(after, &cells[i])
		}
	}
	rows := make([]row, max(len(before), len(after)))
	for i := range rows {
		if i < len(before) {
			rows[i].Left = before[i]
			rows[i].Notes = append(rows[i].Notes, l.notes(f, before[i])...)
		}
		if i < len(after) {
			rows[i].Right = after[i]
			rows[i].Notes = append(rows[i].Notes, l.notes(f, after[i])...)
		}
	}
	return rows
}

// cells highlights a hunk: its old and its new lines are texts of their own.
func (l layout) cells(f *patch.File, h patch.Hunk) []cell {
	var before, after []string
	for _, x := range h.Lines {
		if x.Kind != patch.Plus {
			before = append(before, x.Text)
		}
		if x.Kind != patch.Less {
			after = append(after, x.Text)
		}
	}
	old, now := l.paint(f.Old, before), l.paint(f.New, after)
	cells := make([]cell, len(h.Lines))
	for i, x := range h.Lines {
		c := cell{Line: x, Class: map[patch.Kind]string{patch.Plus: "add", patch.Less: "del", patch.Same: "same"}[x.Kind]}
		if x.Kind != patch.Plus {
			c.Code, old = old[0], old[1:]
		}
		if x.Kind != patch.Less {
			c.Code, now = now[0], now[1:]
		}
		c.Key = placeKey(f.Path(), x)
		if l.review.Can {
			c.Href = withComment(l.here, c.Key)
		}
		cells[i] = c
	}
	return cells
}

func withComment(here, key string) string {
	sign := "?"
	if strings.Contains(here, "?") {
		sign = "&"
	}
	return here + sign + "comment=" + key + "#comment"
}

// placeKey names a line of a difference.
func placeKey(path string, l patch.Line) string {
	if l.Kind == patch.Less {
		return fmt.Sprintf("%s-o%d", fileKey(path), l.Old)
	}
	return fmt.Sprintf("%s-n%d", fileKey(path), l.New)
}

// notes are what stands below a line.
func (l layout) notes(f *patch.File, c *cell) []note {
	d, kept := l.review.take(c.Key)
	if !kept && (c.Key != l.comment || !l.review.Can) {
		return nil
	}
	if !kept {
		d.Comment = draft.Comment{Key: c.Key, Path: f.Path(), Line: c.Number(), Gone: c.Kind == patch.Less, Quote: clip(maxQuote, c.Text)}
	}
	return []note{{Draft: d, Open: c.Key == l.comment, Back: l.here, Form: l.review}}
}
