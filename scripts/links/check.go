package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// checker follows links from page to page. A page is parsed once.
type checker struct {
	read   func(name string) ([]byte, error)
	pages  map[string]*page
	broken []string
}

type page struct {
	headings map[string]bool
	links    []link
}

type link struct {
	line   int
	target string
}

func newChecker(read func(string) ([]byte, error)) *checker {
	return &checker{read: read, pages: map[string]*page{}}
}

// check notes every link of a page that leads nowhere.
func (c *checker) check(name string) {
	from, err := c.page(name)
	if err != nil {
		c.broken = append(c.broken, fmt.Sprintf("%s: %v", name, err))
		return
	}
	for _, l := range from.links {
		if reason := c.follow(name, l.target); reason != "" {
			c.broken = append(c.broken, fmt.Sprintf("%s:%d: %s: %s", name, l.line, l.target, reason))
		}
	}
}

// follow returns why a link leads nowhere, and nothing for one that does not.
func (c *checker) follow(name, target string) string {
	u, err := url.Parse(target)
	switch {
	case err != nil:
		return err.Error()
	case u.IsAbs() || u.Host != "":
		return ""
	}
	file := name
	if u.Path != "" {
		file = path.Join(path.Dir(name), u.Path)
	}
	if path.Ext(file) != ".md" {
		if _, err := c.read(file); errors.Is(err, fs.ErrNotExist) {
			return "there is no such file"
		}
		return "" // a folder cannot be read, and is there
	}
	to, err := c.page(file)
	switch {
	case err != nil:
		return "there is no such page"
	case u.Fragment != "" && !to.headings[u.Fragment]:
		return "the page has no such heading"
	}
	return ""
}

func (c *checker) page(name string) (*page, error) {
	if p, known := c.pages[name]; known {
		return p, nil
	}
	source, err := c.read(name)
	if err != nil {
		return nil, err
	}
	p := parse(source)
	c.pages[name] = p
	return p, nil
}

func parse(source []byte) *page {
	p := &page{headings: map[string]bool{}}
	seen := map[string]int{}
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	line := 1
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
			line = 1 + bytes.Count(source[:n.Lines().At(0).Start], []byte("\n"))
		}
		switch n := n.(type) {
		case *ast.Heading:
			p.headings[anchor(words(n, source), seen)] = true
		case *ast.Link:
			p.links = append(p.links, link{line, string(n.Destination)})
		case *ast.Image:
			p.links = append(p.links, link{line, string(n.Destination)})
		}
		return ast.WalkContinue, nil
	})
	return p
}

// words is the text of a heading without its markup.
func words(n ast.Node, source []byte) string {
	var b strings.Builder
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		switch t := child.(type) {
		case *ast.Text:
			b.Write(t.Segment.Value(source))
		case *ast.String:
			b.Write(t.Value)
		default:
			b.WriteString(words(child, source))
		}
	}
	return b.String()
}

// anchor is what forges make of a heading: lower case, hyphens for spaces, no punctuation, numbered if it repeats.
func anchor(heading string, seen map[string]int) string {
	id := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
	n := seen[id]
	seen[id]++
	if n > 0 {
		return fmt.Sprintf("%s-%d", id, n)
	}
	return id
}
