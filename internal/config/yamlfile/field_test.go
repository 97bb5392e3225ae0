package yamlfile_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
)

type signal struct {
	Name   string
	Aspect string
	Tracks []string
	Lit    bool
	Lamps  map[string]string
	Pole   struct{ Metres int }
}

func fields(s *signal) yamlfile.Fields {
	return yamlfile.Fields{
		yamlfile.At("name", "What it is called.", &s.Name, yamlfile.AnyText).Need("name it"),
		yamlfile.At("aspect", "", &s.Aspect, yamlfile.OneOf("clear", "danger")),
		yamlfile.At("tracks", "", &s.Tracks, yamlfile.AnyList),
		yamlfile.At("lit", "", &s.Lit, yamlfile.Flag),
		yamlfile.At("lamps", "", &s.Lamps, yamlfile.MapOf(yamlfile.AnyText.Schema, yamlfile.Value.Scalar, yamlfile.AnyText)),
		yamlfile.Group("pole", "", yamlfile.Fields{
			yamlfile.At("metres", "", &s.Pole.Metres, yamlfile.Number(1, 20)),
		}, nil).InOneLine().Or(yamlfile.At("", "", &s.Pole.Metres, yamlfile.Number(1, 20)), false),
	}
}

const written = `name: home
aspect: danger
tracks: [a, b]
lit: true
lamps:
  lower: green
  upper: red
pole: {metres: 7}
`

func read(t *testing.T, text string) (signal, error) {
	t.Helper()
	root, report := yamlfile.Read("s.yaml", []byte(text))
	s, _ := yamlfile.ObjectOf(fields, nil).Read(root)
	return s, report.Err()
}

func TestFieldsReadWhatTheyWrite(t *testing.T) {
	for text, want := range map[string]string{
		written:                  written,
		"pole: 3\nname: x\n":     "name: x\npole: {metres: 3}\n",
		"tracks: one\nname: x\n": "name: x\ntracks: [one]\n",
		"lit: false\nname: x\n":  "name: x\n",
	} {
		s, err := read(t, text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := yaml.Marshal(fields(&s).Node())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, strings.ReplaceAll(string(got), "    ", "  ")); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestFieldsReportEverything(t *testing.T) {
	_, err := read(t, "aspect: cleer\ntracks: [a, 1]\nlit: 1\npole: {metres: 0, metre: 1}\n")
	want := []string{
		"s.yaml:1:1: name is missing; name it",
		`s.yaml:1:9: aspect: "cleer" is not known here; did you mean "clear"?`,
		`s.yaml:2:13: tracks[1]: expected text, got the number 1; quote it: "1"`,
		"s.yaml:3:6: lit: expected true or false, got the number 1",
		"s.yaml:4:16: pole.metres: 0 is not a whole number between 1 and 20",
		`s.yaml:4:19: pole.metre: unknown key; did you mean "metres"?`,
	}
	if diff := cmp.Diff(strings.Join(want, "\n"), err.Error()); diff != "" {
		t.Error(diff)
	}
}

func TestFieldsDescribeThemselves(t *testing.T) {
	got, err := json.Marshal(fields(&signal{})[:2].Schema(yamlfile.Schema{"title": "signal"}))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"additionalProperties":false,"properties":{"aspect":{"enum":["clear","danger"]},` +
		`"name":{"description":"What it is called.","pattern":"\\S","type":"string"}},"required":["name"],"title":"signal","type":"object"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}
