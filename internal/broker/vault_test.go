package broker

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// counting is a source with another credential each time.
type counting struct{ asked int }

func (c *counting) get(context.Context) (Credential, error) {
	c.asked++
	return Credential{APIKey, fmt.Sprintf("credential-%d", c.asked)}, nil
}

func TestManyRefusalsRenewACredentialOnce(t *testing.T) {
	source := &counting{}
	v := &vault{source: source.get}
	first, err := v.get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 3 { // requests that all went out with the first one
		second, renewed, err := v.renew(t.Context(), first)
		if err != nil || !renewed || second.Value != "credential-2" || source.asked != 2 {
			t.Errorf("got %s, %v, %v after %d questions", second.Value, renewed, err, source.asked)
		}
	}
	if got := v.scrubber().text("credential-1 credential-2 credential-3"); got != "[redacted] [redacted] credential-3" {
		t.Errorf("hidden are %s", got)
	}
}

func TestASecretIsHiddenAcrossPieces(t *testing.T) {
	const secret = "sk-ant-secret"
	text := "a " + secret + " b" + secret + secret[:5] + " " + secret[:len(secret)-1]
	want := strings.ReplaceAll(text, secret, hidden)
	for first := range len(text) {
		for second := first; second < len(text); second++ {
			s := scrubbing{scrubber: scrubber{secrets: []string{secret}}}
			var got []byte
			for _, piece := range []string{text[:first], text[first:second], text[second:]} {
				got = append(got, s.next([]byte(piece))...)
			}
			if got = append(got, s.rest()...); string(got) != want {
				t.Fatalf("cut at %d and %d: %s", first, second, got)
			}
		}
	}
}
