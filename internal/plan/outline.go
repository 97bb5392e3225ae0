package plan

import (
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	markdown "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// outline says which lines of a text cannot be part of a plan's form, because for Markdown they are inside a block: code,
// HTML, a quotation, or a list item. The line that begins a block is not inside it.
type outline struct {
	covered []bool // by line; the first is 0
	html    []bool // lines inside HTML that ends at the next empty line
	opened  int    // line of the block that the text leaves open, counted from 1
	closing string // the line that would close it; "" if none is open
}

// newOutline reads a text whose lines end in LF. It watches which blocks goldmark opens and continues in each line, because
// the tree has no lines for blocks without content.
func newOutline(source string) *outline {
	lines := 1 + strings.Count(source, "\n")
	o := &outline{covered: make([]bool, lines), html: make([]bool, lines)}
	var blocks []util.PrioritizedValue
	for _, p := range parser.DefaultBlockParsers() {
		if block, ok := p.Value.(parser.BlockParser); ok {
			blocks = append(blocks, util.Prioritized(watched{block, o}, p.Priority))
		}
	}
	parser.NewParser(parser.WithBlockParsers(blocks...)).Parse(markdown.NewReader([]byte(source)))
	return o
}

// watched is a block parser that notes its blocks in an outline.
type watched struct {
	parser.BlockParser
	*outline
}

// mostNested bounds how many blocks are inside each other, because goldmark goes over a line once for each of them.
const mostNested = 64

func (w watched) Open(parent ast.Node, reader markdown.Reader, pc parser.Context) (ast.Node, parser.State) {
	if len(pc.OpenedBlocks()) >= mostNested && parent.Kind() != ast.KindList && w.Trigger() != nil {
		return nil, parser.NoChildren // what is left is text
	}
	number, _ := reader.Position()
	line, _ := reader.PeekLine()
	node, state := w.BlockParser.Open(parent, reader, pc)
	if parent.Kind() != ast.KindDocument {
		return node, state
	}
	switch block := node.(type) {
	case *ast.CodeBlock:
		w.covered[number] = true
	case *ast.FencedCodeBlock:
		fence := unindented(string(line))
		w.opened, w.closing = number+1, fence[:run(fence)]
	case *ast.HTMLBlock:
		w.opened, w.closing = number+1, endOfHTML(block, strings.ToLower(string(line)))
	}
	return node, state
}

func (w watched) Continue(node ast.Node, reader markdown.Reader, pc parser.Context) parser.State {
	number, _ := reader.Position()
	state := w.BlockParser.Continue(node, reader, pc)
	within := state&parser.Continue != 0
	if !within {
		w.closing = ""
	}
	switch block := node.(type) {
	case *ast.Paragraph:
		block.Lines().SetSliced(0, 1) // the rest would be searched for emphasis and the like
	case *ast.HTMLBlock:
		w.covered[number] = w.covered[number] || within || block.HasClosure()
		w.html[number] = within && block.HTMLBlockType >= ast.HTMLBlockType6
	case *ast.ListItem, *ast.Blockquote, *ast.CodeBlock, *ast.FencedCodeBlock:
		w.covered[number] = w.covered[number] || within
	}
	return state
}

// endOfHTML is what ends a block of HTML that begins with this line, in lower case; "" if the line itself or an empty line
// ends it.
func endOfHTML(block *ast.HTMLBlock, line string) string {
	end := map[ast.HTMLBlockType]string{
		ast.HTMLBlockType2: "-->",
		ast.HTMLBlockType3: "?>",
		ast.HTMLBlockType4: ">",
		ast.HTMLBlockType5: "]]>",
	}[block.HTMLBlockType]
	if block.HTMLBlockType == ast.HTMLBlockType1 {
		end = "</" + strings.FieldsFunc(line, func(c rune) bool { return !unicode.IsLetter(c) })[0] + ">"
	}
	if strings.Contains(line, end) {
		return ""
	}
	return end
}
