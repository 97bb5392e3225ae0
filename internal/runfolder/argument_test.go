package runfolder

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestArgumentsAreBounded(t *testing.T) {
	many := make([]int, 5000)
	object := map[string]any{"command": strings.Repeat("ä", 5000), "n": 12345678901234567}
	for name, c := range map[string]struct {
		input any
		want  func(short string) bool
	}{
		"short":  {map[string]int{"a": 1}, func(s string) bool { return s == `{"a":1}` }},
		"spoken": {map[string]string{"command": "a && b <c"}, func(s string) bool { return s == `{"command":"a && b <c"}` }},
		"long":   {object, func(s string) bool { return strings.Contains(s, `"n":12345678901234567`) && strings.Contains(s, "…") }},
		"many":   {many, func(s string) bool { return strings.HasPrefix(s, `"[0,0`) }},
		"nested": {[]any{object, object, object, object, object, object, object, object}, func(s string) bool { return s != "" }},
	} {
		input, err := json.Marshal(c.input)
		if err != nil {
			t.Fatal(err)
		}
		short := ShortArguments(input)
		if !json.Valid(short) || len(short) > 3*maxArguments || !c.want(string(short)) {
			t.Errorf("%s: %d bytes: %.200s", name, len(short), short)
		}
	}
}
