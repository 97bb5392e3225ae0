package scenario

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

type sample struct {
	name    string
	count   int
	price   float64
	on      bool
	wait    time.Duration
	pattern *regexp.Regexp
	list    []string
	any     json.RawMessage
	headers map[string]string
}

func (s *sample) fields() Fields {
	return Fields{
		"name": String(&s.name), "count": Int(&s.count), "price": Float(&s.price), "on": Bool(&s.on),
		"wait": Duration(&s.wait), "pattern": Regexp(&s.pattern), "list": List(s.addItem),
		"any": JSON(&s.any), "headers": StringMap(&s.headers),
	}
}

func (s *sample) addItem(node *yaml.Node) error {
	s.list = append(s.list, "")
	return String(&s.list[len(s.list)-1])(node)
}

func TestReadStoresEveryKind(t *testing.T) {
	var s sample
	err := Read("s.yaml", []byte(`
name: &n hello
count: 3
price: 0.5
on: true
wait: 250ms
pattern: "^a+$"
list: [x, *n]
any: {deep: [1, two, null]}
headers: {a: b}
`), s.fields().Decode)
	if err != nil {
		t.Fatal(err)
	}
	if s.name != "hello" || s.count != 3 || s.price != 0.5 || !s.on || s.wait != 250*time.Millisecond {
		t.Errorf("scalars: %+v", s)
	}
	if !s.pattern.MatchString("aaa") || strings.Join(s.list, " ") != "x hello" || s.headers["a"] != "b" {
		t.Errorf("others: %+v", s)
	}
	if string(s.any) != `{"deep":[1,"two",null]}` {
		t.Errorf("any: %s", s.any)
	}
}

func TestReadNamesThePlaceOfAMistake(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "s.yaml:1:1: the file is empty",
		"name: a\nnames: b":          `s.yaml:2:1: unknown key "names"`,
		"name: a\nname: b":           `s.yaml:2:1: key "name" is given twice`,
		"name: [a]":                  "s.yaml:1:7: expected a string",
		"count: many":                "s.yaml:1:8: expected a whole number",
		"count: -1":                  "s.yaml:1:8: expected a whole number",
		"price: x":                   "s.yaml:1:8: expected a number",
		"on: perhaps":                "s.yaml:1:5: expected true or false",
		"on: true\nwait: long":       "s.yaml:2:7: expected a length of time",
		"pattern: '('":               "s.yaml:1:10: not a regular expression",
		"list: a":                    "s.yaml:1:7: expected a list",
		"headers: [1]":               "s.yaml:1:10: expected a mapping of strings",
		"- a":                        "s.yaml:1:1: expected a mapping",
		"name: a\n---\nname: b":      "s.yaml:2:1: the file holds more than one document",
		"name: a\n  bad: [":          "s.yaml:2:3: mapping values are not allowed",
		"any: {1: {2: .nan}}":        "s.yaml:1:6: not expressible in JSON",
		"name: a\nlist:\n  - {x: 1}": "s.yaml:3:5: expected a string",
	} {
		var s sample
		err := Read("s.yaml", []byte(text), s.fields().Decode)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q gave %v, want %q", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("name: &a [*a]"))
	f.Add([]byte("any: {? [1]: 2}\nlist: [*x]"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		var s sample
		_ = Read("f.yaml", data, s.fields().Decode)
	})
}
