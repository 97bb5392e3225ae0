package cockpit

import (
	"net/url"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	mdtext "github.com/yuin/goldmark/text"
)

// harmless reduces a parsed text to what may be shown: HTML and images become their
// words, links lead to other sites only, and headings rank below those of the page
// around them. The renderer escapes the rest.
type harmless struct{}

// Transform implements parser.ASTTransformer.
func (harmless) Transform(doc *ast.Document, reader mdtext.Reader, _ parser.Context) {
	source := reader.Source()
	var nodes []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function below does not fail
		if entering {
			nodes = append(nodes, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range nodes {
		if n.Parent() != nil {
			reduce(n, source)
		}
	}
}

func reduce(n ast.Node, source []byte) {
	switch n := n.(type) {
	case *ast.Heading:
		n.Level = min(n.Level+2, 6)
	case *ast.Image:
		unwrap(n)
	case *ast.Link:
		if leadsOut(string(n.Destination)) {
			careful(n)
		} else {
			unwrap(n)
		}
	case *ast.AutoLink:
		if leadsOut(string(n.URL(source))) || n.AutoLinkType == ast.AutoLinkEmail {
			careful(n)
		} else {
			say(n, n.Label(source))
		}
	case *ast.RawHTML:
		say(n, n.Segments.Value(source))
	case *ast.HTMLBlock:
		words := n.Lines().Value(source)
		if n.HasClosure() {
			words = append(words, n.ClosureLine.Value(source)...)
		}
		p := ast.NewParagraph()
		p.AppendChild(p, ast.NewString(words))
		n.Parent().ReplaceChild(n.Parent(), n, p)
	case *extast.TaskCheckBox:
		box := "☐ "
		if n.IsChecked {
			box = "☑ "
		}
		say(n, []byte(box))
	}
}

// say replaces a piece by words.
func say(n ast.Node, words []byte) { n.Parent().ReplaceChild(n.Parent(), n, ast.NewString(words)) }

// unwrap replaces a piece by what it holds.
func unwrap(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = n.FirstChild() {
		n.Parent().InsertBefore(n.Parent(), n, c)
	}
	n.Parent().RemoveChild(n.Parent(), n)
}

// leadsOut reports an address of another site.
func leadsOut(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return true
	}
	return false
}

// careful keeps a link from telling the other site who reads, and opens it in another
// tab.
func careful(n ast.Node) {
	n.SetAttributeString("rel", []byte("nofollow noreferrer noopener"))
	n.SetAttributeString("target", []byte("_blank"))
}
