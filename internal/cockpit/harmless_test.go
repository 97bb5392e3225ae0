package cockpit

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// FuzzMarkdown holds that a text of anybody becomes harmless elements and
// nothing else.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"# Head\n\n**bold** ~~gone~~ `code` [site](https://example.org \"title\")",
		"<script>alert(1)</script>\n\n<div onclick=x>y</div> <b>z</b>",
		"[a](javascript:alert(1)) [b](//evil.example) [c](/runs/x) ![i](https://example.org/x.png) [![k](data:x)](java\tscript:x)",
		"| a | b |\n|:--|--:|\n| 1 | <img src=x> |\n\n- [x] done\n- [ ] open\n\nhttps://example.org/a?b=\"c\" <mailto:a@example.org> <vbscript:x>",
		"```\"><script>\nx\n```\n\n[ref]: javascript:x\n[ref] <!-- x --> <?php ?> <![CDATA[x]]>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		root, err := html.Parse(strings.NewReader("<body>" + string(markdown(text))))
		if err != nil {
			t.Fatal(err)
		}
		check(t, root)
	})
}

func outward(address string) bool {
	return slices.ContainsFunc([]string{"http://", "https://", "mailto:"}, func(scheme string) bool {
		return strings.HasPrefix(strings.ToLower(address), scheme)
	})
}

// check holds that a tree has only elements and attributes that can do nothing.
func check(t *testing.T, n *html.Node) {
	t.Helper()
	allowed := strings.Fields("html head body p br hr em strong del code pre blockquote ul ol li table thead tbody tr th td a h3 h4 h5 h6")
	switch n.Type {
	case html.ElementNode:
		if !slices.Contains(allowed, n.Data) {
			t.Errorf("there is a %q", n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case n.Data == "a" && a.Key == "href" && outward(a.Val):
			case n.Data == "a" && (a.Key == "rel" || a.Key == "target" || a.Key == "title"):
			case n.Data == "code" && a.Key == "class" && strings.HasPrefix(a.Val, "language-"):
			case n.Data == "pre" && a.Key == "tabindex", n.Data == "ol" && a.Key == "start":
			default:
				t.Errorf("%s has %s=%q", n.Data, a.Key, a.Val)
			}
		}
	case html.CommentNode:
		t.Errorf("there is a comment %q", n.Data)
	case html.ErrorNode, html.TextNode, html.DocumentNode, html.DoctypeNode, html.RawNode:
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		check(t, c)
	}
}
