package main

import (
	"io/fs"
	"slices"
	"testing"
)

func TestBrokenLinksAreNamed(t *testing.T) {
	files := map[string]string{
		"README.md":      "# Top\n\n[a](docs/a.md) [b](docs/b.md) [own](#top) [not](#bottom) [web](https://example.com/x)\n",
		"docs/a.md":      "# `metrics.jsonl`, and more\n\n## Twice\n\n## Twice\n\n| see |\n|---|\n| [up](../README.md#top) [no](../README.md#nowhere) |\n\n```sh\n[code](none.md)\n```\n",
		"docs/c.md":      "[one](a.md#metricsjsonl-and-more) [two](a.md#twice-1) [three](a.md#twice-2)\n\n![x](x.png) ![y](y.png)\n",
		"docs/x.png":     "",
		"docs/elsewhere": "",
	}
	c := newChecker(func(name string) ([]byte, error) {
		content, ok := files[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(content), nil
	})
	for _, name := range []string{"README.md", "docs/a.md", "docs/c.md"} {
		c.check(name)
	}
	want := []string{
		"README.md:3: docs/b.md: there is no such page",
		"README.md:3: #bottom: the page has no such heading",
		"docs/a.md:9: ../README.md#nowhere: the page has no such heading",
		"docs/c.md:1: a.md#twice-2: the page has no such heading",
		"docs/c.md:3: y.png: there is no such file",
	}
	if !slices.Equal(c.broken, want) {
		t.Errorf("got %q\nwant %q", c.broken, want)
	}
}
