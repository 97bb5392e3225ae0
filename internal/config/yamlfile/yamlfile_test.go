package yamlfile

import (
	"testing"
	"time"
)

func TestSyntaxProblemsAreFoundAtTheirLine(t *testing.T) {
	const flow = "a: [1,\n  2,\n  3]\nb: \"x\n  y\"\nc: |\n  text\n  more\n"
	tests := []struct{ name, text, want string }{
		{"after brackets, quotes and blocks", flow + "d: x: y\ne: 1\n", `f:9:1: mapping values are not allowed in this context; a value that contains ": " must be quoted`},
		{"first line", "a: b: c\n", `f:1:1: mapping values are not allowed in this context; a value that contains ": " must be quoted`},
		{"open bracket", flow + "d: [1,\n  2\ne: 3\n", "f:9:1: did not find expected ',' or ']'"},
		{"wrong indent", "a:\n  b: 1\n c: 2\n", "f:3:2: did not find expected key"},
		{"unknown alias", flow + "d: *nobody\n", "f:9:1: unknown anchor 'nobody' referenced; a value that begins with * must be quoted"},
		{"percent", "a: 1\nb: %x\n", "f:2:1: found character that cannot start any token; a value that begins with % must be quoted"},
	}
	for _, test := range tests {
		_, report := Read("f", []byte(test.text))
		if err := report.Err(); err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

func TestAliasesAreFollowed(t *testing.T) {
	root, report := Read("f", []byte("a: &x [one, two]\nb: *x\n"))
	o, _ := root.Object("a", "b")
	b, _ := o.Get("b")
	if got, _ := AnyList.Read(b); report.Err() != nil || len(got) != 2 || got[1] != "two" {
		t.Errorf("%v %v", got, report.Err())
	}
}

func TestNearest(t *testing.T) {
	words := []string{"role", "roles", "phases", "id", "timeout"}
	for word, want := range map[string]string{"rol": "role", "phase": "phases", "tiemout": "timeout", "Role": "role", "xx": "", "gate": "", "di": "id"} {
		if got := Nearest(word, words); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
}

func TestFormatDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", 30 * time.Minute: "30m", 24 * time.Hour: "24h", 90 * time.Minute: "1h30m",
		time.Hour + time.Second: "1h0m1s", 90 * time.Second: "1m30s", 10 * time.Second: "10s", 20 * time.Minute: "20m", 10 * time.Hour: "10h"} {
		got := FormatDuration(d)
		if back, err := time.ParseDuration(got); got != want || err != nil || back != d {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

func TestOddValues(t *testing.T) {
	tests := map[string]string{
		"a: !secret x\n":   "f:1:4: a: expected text, got a value with the tag !secret; quote it: \"x\"",
		"a: 2024-01-01\n":  "f:1:4: a: expected text, got the date 2024-01-01; quote it: \"2024-01-01\"",
		"a: '  '\n":        "f:1:4: a: is empty",
		"? [x]\n: y\n":     "f:1:3: expected a single value, got a list",
		"a: 1\n\"a\": 2\n": "f:1:4: a: expected text, got the number 1; quote it: \"1\"\nf:2:1: a: is given twice, first in line 1",
		"a: ~\n":           "f:1:4: a: is empty; give it a value or remove the key",
		"a: [x]\n":         "f:1:4: a: expected text, got a list",
	}
	for text, want := range tests {
		root, report := Read("f", []byte(text))
		if o, ok := root.Object("a"); ok {
			if v, given := o.Get("a"); given {
				v.Text()
			}
		}
		if err := report.Err(); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
