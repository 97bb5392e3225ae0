package redact_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// TestSecretsInVeryLongLines: a line that is passed on in pieces has secrets at every place of a border, and what tells
// that they are secrets stands before it.
func TestSecretsInVeryLongLines(t *testing.T) {
	t.Parallel()
	r := redact.New(redact.Options{})
	for name, form := range map[string]string{
		"json": `{"password": "%s", "n": 1}, `, "settings": `API_KEY=%s; `, "address": `https://me:%s@example.org/a `, "header": `Authorization: Bearer %s, `,
		"command": `mysql -u root -p%s app; `, "long names": `{"the_password_of_somebody_else_1234567890": "%s"}, `,
	} {
		rng := rand.New(rand.NewPCG(5, 6))
		var text strings.Builder
		var secrets []string
		for text.Len() < 140_000 {
			secret := draw(rng, 24, alnum)
			secrets = append(secrets, secret)
			text.WriteString(strings.Replace(form, "%s", secret, 1) + strings.Repeat("x ", rng.IntN(12)))
		}
		for _, size := range []int{5003} {
			got := stream(t, r, text.String(), size)
			shown := 0
			for _, secret := range secrets {
				if strings.Contains(got, secret[8:16]) {
					shown++
				}
			}
			if shown > 0 {
				t.Errorf("%s: %d of %d are shown in pieces of %d", name, shown, len(secrets), size)
			}
		}
	}
}
