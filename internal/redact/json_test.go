package redact_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

func TestJSON(t *testing.T) {
	t.Parallel()
	r := redact.New(redact.Options{Secrets: []redact.Secret{
		{Name: "A", Value: "swordfish"}, {Name: "N", Value: "8675309"}, {Name: "L", Value: "two\nlines"}, {Name: "P", Value: "1234"}, {Name: "X", Value: `one","two`},
	}})
	for in, want := range map[string]string{
		`{"a": 1,  "b":[true,null,1.50]}`:                `{"a": 1,  "b":[true,null,1.50]}`,
		`{"t":"a sword\u0066ish <b>"}`:                   `{"t":"a [redacted:A] <b>"}`,
		`["two\nlines","two\\nlines"]`:                   `["[redacted:L]","[redacted:L]"]`,
		`{"swordfish":1,"sword\u0066ish":2,"x":3}`:       `{"[redacted:A]":1,"[redacted:A]#2":2,"x":3}`,
		`{"n":8675309,"m":[-8675309.5,86753]}`:           `{"n":"[redacted:N]","m":["[redacted:N]",86753]}`,
		`{"password":"k3yboardCat","note":"keyboard"}`:   `{"password":"[redacted:assignment]","note":"keyboard"}`,
		`{"Authorization":"Bearer abc.def-123"}`:         `{"Authorization":"Bearer [redacted:authorization]"}`,
		`{"p":"1234","q":1234}`:                          `{"p":"[redacted:P]","q":1234}`,
		`{"out":"{\"password\":\"k3yboardCat\"}","n":1}`: `{"out":"{\"password\":\"[redacted:assignment]\"}","n":1}`,
		`"swordfish"`:      `"[redacted:A]"`,
		`["one","two"]`:    `"[redacted:X]"`,
		` {"k":"\ud800"} `: ` {"k":"\ud800"} `,
	} {
		got, err := r.JSON(json.RawMessage(in))
		if err != nil || string(got) != want {
			t.Errorf("JSON(%s) = %s, %v, want %s", in, got, err, want)
		}
		again, err := r.JSON(got)
		if err != nil || string(again) != string(got) {
			t.Errorf("JSON twice: %s became %s, %v", got, again, err)
		}
	}
	for _, in := range []string{``, `{`, `{"a":swordfish}`, `{} x`} {
		if got, err := r.JSON(json.RawMessage(in)); !errors.Is(err, redact.ErrJSON) || got != nil {
			t.Errorf("JSON(%q) = %q, %v, want ErrJSON and nothing else", in, got, err)
		}
	}
}
