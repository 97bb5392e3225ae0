package playbook

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"go.yaml.in/yaml/v3"
)

// mapping builds a YAML map in a chosen order; empty values are left out.
type mapping struct{ node *yaml.Node }

func newMap() mapping { return mapping{&yaml.Node{Kind: yaml.MappingNode}} }

// flow lays the map out in one line.
func (m mapping) flow() mapping { m.node.Style = yaml.FlowStyle; return m }

func (m mapping) put(key string, value *yaml.Node) {
	m.node.Content = append(m.node.Content, scalar(key), value)
}

func (m mapping) text(key, value string) {
	if value != "" {
		m.put(key, scalar(value))
	}
}

func (m mapping) number(key string, n int) {
	if n != 0 {
		m.put(key, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(n)})
	}
}

func (m mapping) duration(key string, d time.Duration) {
	if d != 0 {
		m.text(key, yamlfile.FormatDuration(d))
	}
}

func (m mapping) flag(key string, on bool) {
	if on {
		m.put(key, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	}
}

func (m mapping) texts(key string, values []string) {
	m.list(key, len(values), func(i int) *yaml.Node { return scalar(values[i]) })
}

func (m mapping) list(key string, n int, item func(int) *yaml.Node) {
	if n == 0 {
		return
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for i := range n {
		list.Content = append(list.Content, item(i))
	}
	m.put(key, list)
}

func (m mapping) textMap(key string, values map[string]string) {
	if len(values) == 0 {
		return
	}
	inner := newMap()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		inner.put(name, scalar(values[name]))
	}
	m.put(key, inner.node)
}

func (m mapping) tiers(tiers core.Tiers) {
	if len(tiers) == 0 {
		return
	}
	inner := newMap().flow()
	for _, tier := range core.KnownTiers() {
		inner.text(string(tier), tiers[tier])
	}
	m.put("tiers", inner.node)
}

// scalar is text, as a block where it has lines that a block keeps as they are.
func scalar(text string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if !strings.Contains(text, "\n") {
		return node
	}
	node.Style = yaml.DoubleQuotedStyle
	odd := func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
	if text[0] != ' ' && text[0] != '\n' && strings.IndexFunc(text, odd) < 0 {
		node.Style = yaml.LiteralStyle
	}
	return node
}
