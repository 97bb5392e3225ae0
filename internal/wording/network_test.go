package wording_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func TestARefusedHostComesWithHowToAllowIt(t *testing.T) {
	for _, none := range []*core.Traffic{nil, {Allowed: 3}, {Unrouted: 2}} {
		if said := wording.Allowing(none); said != "" {
			t.Errorf("nothing was refused by %+v: %q", none, said)
		}
	}
	said := wording.Allowing(&core.Traffic{Refused: 1, Turned: []string{"api.example.com:443"}})
	for _, part := range []string{"`network` in the playbook", "`network.allow` in your settings", "start a new run", "`stellwerk effects RUN --tool network`"} {
		if !strings.Contains(said, part) {
			t.Errorf("%q does not say %s", said, part)
		}
	}
}

func TestAConnectionIsOneLine(t *testing.T) {
	for input, want := range map[string]string{
		`{"host":"api.example.com","port":443,"protocol":"connect","sent":0,"received":0}`: "api.example.com:443 (connect)",
		`{"host":"2001:db8::7","port":80,"protocol":"http","sent":99,"received":2048}`:     "[2001:db8::7]:80 (http), 99 B sent, 2.0 KiB received",
		`{"host":"of something else","n":1}`:                                               `{"host":"of something else","n":1}`,
	} {
		if got := wording.Arguments(json.RawMessage(input)); got != want {
			t.Errorf("%s is said as %q, not %q", input, got, want)
		}
	}
}
