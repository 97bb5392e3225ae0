package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// How much room names and branches of a drawing take.
const (
	idColumns = 28
	treeDepth = 6 // what hangs deeper is drawn beside its parent, with an arrow
)

// Outline draws the work of a run: each piece below one that it waits for, with
// arrows to the others.
func (v View) Outline(o api.Outline) []string {
	lines := []string{v.fit(v.Style.Strong(terminal.Line(o.Run)) + "  " + v.Style.Faint(outlined(o)))}
	var drawn [][]row
	width := 0 // of the names, in all waves alike
	for _, group := range groups(o) {
		var rows []row
		for _, n := range hung(group) {
			rows = v.branch(rows, n, "", "")
		}
		for _, r := range rows {
			if w := terminal.Width(r.head); w <= idColumns { // a longer one sticks out, and the others stay narrow
				width = max(width, w)
			}
		}
		drawn = append(drawn, rows)
	}
	for _, rows := range drawn {
		if wave := rows[0].piece.Wave; wave > 0 {
			lines = append(lines, fmt.Sprintf("wave %d", wave))
		}
		lines = append(lines, v.tree(rows, width)...)
	}
	return lines
}

// outlined is the headline of a drawing.
func outlined(o api.Outline) string {
	n := len(o.Pieces)
	switch {
	case o.Kind == playbook.KindPhases:
		return cmp.Or(wording.Count(n, "phase"), "no phases")
	case o.Kind != playbook.KindWaves && n == 0:
		return "no plan yet"
	case o.Kind != playbook.KindWaves:
		return wording.Count(n, "step")
	case n == 0:
		return "nothing was delegated yet"
	case o.Open:
		return fmt.Sprintf("%s, wave %d is open", wording.Count(n, "delegation"), o.Wave)
	}
	return fmt.Sprintf("%s, wave %d is over", wording.Count(n, "delegation"), o.Wave)
}

// groups are the pieces by wave; phases, of which each waits for the one before,
// are drawn as a list.
func groups(o api.Outline) [][]api.Piece {
	var all [][]api.Piece
	for _, p := range o.Pieces {
		if o.Kind == playbook.KindPhases {
			p.After = nil
		}
		if n := len(all); n > 0 && all[n-1][0].Wave == p.Wave {
			all[n-1] = append(all[n-1], p)
			continue
		}
		all = append(all, []api.Piece{p})
	}
	return all
}

// node is a piece in a drawing.
type node struct {
	api.Piece
	depth    int
	parent   string
	children []*node
}

// hung hangs each piece below the deepest one of the group that it waits for. People
// and agents write plans: a piece that waits for a later one, or itself, is a root.
func hung(group []api.Piece) []*node {
	var roots []*node
	seen := map[string]*node{}
	for _, p := range group {
		n := &node{Piece: p}
		var parent *node
		for _, id := range p.After {
			if dep := seen[id]; dep != nil && (parent == nil || dep.depth >= parent.depth) {
				parent = dep
			}
		}
		seen[p.ID] = n
		switch {
		case parent == nil:
			roots = append(roots, n)
			continue
		case parent.depth < treeDepth:
			n.depth, n.parent = parent.depth+1, parent.ID
			parent.children = append(parent.children, n)
		default:
			roots = append(roots, n)
		}
	}
	return roots
}

// tree draws a group.
func (v View) tree(rows []row, width int) []string {
	var lines []string
	for _, r := range rows {
		s := v.pieceSignal(r.piece)
		after := ""
		if others := slices.DeleteFunc(slices.Clone(r.piece.After), func(id string) bool { return id == r.below }); len(others) > 0 {
			after = v.Style.Glyph("← ", "<- ") + terminal.Line(strings.Join(others, ", ")) + "  "
		}
		about := after + v.Style.Faint(terminal.Line(r.piece.Role)) + titled(r.piece)
		line := fmt.Sprintf("  %s  %s  %s", terminal.Pad(r.head, width), s.paint(terminal.Pad(s.words, 9)), about)
		lines = append(lines, strings.TrimRight(v.fit(line), " "))
		for _, why := range whys(r.piece) {
			lines = append(lines, v.hang("      "+r.indent, v.Style.Faint, why)...)
		}
	}
	return lines
}

func titled(p api.Piece) string {
	title := terminal.Line(p.Title)
	if p.Role != "" && title != "" {
		return ": " + title
	}
	return title
}

// row is a line of a drawing: branches and name, and the piece that it hangs below.
type row struct {
	piece        api.Piece
	head, indent string
	below        string
}

func (v View) branch(rows []row, n *node, joint, indent string) []row {
	s := v.pieceSignal(n.Piece)
	rows = append(rows, row{piece: n.Piece, head: joint + s.String() + " " + terminal.Line(n.ID), indent: indent, below: n.parent})
	for i, child := range n.children {
		joint, below := v.Style.Glyph("├─ ", "|- "), v.Style.Glyph("│  ", "|  ")
		if i == len(n.children)-1 {
			joint, below = v.Style.Glyph("└─ ", "`- "), "   "
		}
		rows = v.branch(rows, child, indent+joint, indent+below)
	}
	return rows
}

// Dot is the work of a run as a graph for Graphviz.
func Dot(o api.Outline) []string {
	lines := []string{"digraph " + quoted(o.Run) + " {", "  rankdir=LR;", `  node [shape=box, fontname="sans-serif"];`}
	for _, group := range groups(o) {
		indent, wave := "  ", group[0].Wave
		if wave > 0 {
			lines = append(lines, fmt.Sprintf("  subgraph cluster_%d {", wave), fmt.Sprintf("    label=%s;", quoted(fmt.Sprintf("wave %d", wave))))
			indent = "    "
		}
		for _, p := range group {
			lines = append(lines, fmt.Sprintf("%s%s [label=%s];", indent, quoted(p.ID), quoted(p.ID, p.Title, standing(p))))
		}
		if wave > 0 {
			lines = append(lines, "  }")
		}
	}
	for _, p := range o.Pieces {
		for _, dep := range p.After {
			lines = append(lines, fmt.Sprintf("  %s -> %s;", quoted(dep), quoted(p.ID)))
		}
	}
	return append(lines, "}")
}

// standing is the state of a piece in plain words.
func standing(p api.Piece) string {
	return strings.TrimPrefix(terminal.Line(p.Role)+": ", ": ") + View{}.pieceSignal(p).words
}

// quoted is a text of a graph; its lines are those that are not empty.
func quoted(texts ...string) string {
	var parts []string
	for _, t := range texts {
		if t = terminal.Line(t); t != "" {
			parts = append(parts, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(t))
		}
	}
	return `"` + strings.Join(parts, `\n`) + `"`
}
