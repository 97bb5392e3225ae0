package redact_test

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// leaks says whether out still shows a part of secret that would help: eight characters of its second half.
func leaks(out, secret string) bool {
	footer := "\n-----END RSA PRIV" + "ATE KEY-----"
	for i := len(secret) / 2; i+8 <= len(secret); i++ {
		part := secret[i : i+8]
		if !strings.HasPrefix(strings.TrimLeft(part, "=\\n\n"), "-----") && !strings.Contains(footer, part) && strings.Contains(out, part) {
			return true
		}
	}
	return strings.Contains(out, secret)
}

func TestRulesHideCorpus(t *testing.T) {
	t.Parallel()
	r := redact.New(redact.Options{})
	missed := map[string]int{}
	samples := corpus(7, 20)
	total := 0
	for _, s := range samples {
		if leaks(r.String(s.text), s.secret) {
			missed[s.kind]++
			total++
			if missed[s.kind] == 1 {
				t.Logf("missed %s: %q", s.kind, s.text)
			}
		}
	}
	t.Logf("hidden: %d of %d; missed by kind: %v", len(samples)-total, len(samples), missed)
	if total*200 > len(samples) {
		t.Errorf("%d of %d samples leak, at most one in two hundred may: %v", total, len(samples), missed)
	}
}

// TestHarmlessTextStays: what only looks like a credential.
func TestHarmlessTextStays(t *testing.T) {
	t.Parallel()
	r := redact.New(redact.Options{})
	for _, text := range []string{
		"postgres://user:password@localhost:5432/app",
		"postgres://postgres:your_password@localhost/app",
		"mysql://root:<password>@db/app, amqp://guest:${PASSWORD}@mq",
		"GIT_AUTHOR_DATE=2022-07-19T11:07:00-04:00",
		"ports: 127.0.0.1:5432:5432",
		`{"auth": "optional", "author": "somebody"}`,
		"docker run -p 8080:80 -u 1000:1000 nginx",
		"the mnemonic: a word that helps one remember",
		"const FS_KEY_TOKEN = 0xc0506617",
		"5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTj", // no wallet: its checksum is wrong
		`_, err := Parse("http://user^:passwo^rd@example.com/"), "http://jane:p%40ssword@google.com"`,
		"http://My%20User:My%20Pass@dummy.example/, https://gopher:go@example.org/",
		"machine oneline login user3 password pwd3",
		"Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("aladdin:opensesame")),
		"Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("aladdin:opensesame and more"))[5:], // no server can read it
		"Authorization: Basic invalid",
		`const _token_name = "EOFnameliteralopop=opop=:=<-*([{)]},;:....breakcase"`,
		`secretName: tls-2024, token_url = "https://id.example.org/v2", TOKEN_PREFIX = "@@Chunk:1"`,
		"tokens = 2*maxCompilerConcurrency",
		`cmd.Env = append(os.Environ(), "PWD="+cmd.Dir)`,
		`"encryptionKey": "encryptionKey1024"`,
		"PrivateKey:  testP256PrivateKey, Password: password16",
		"const secretValue = 0x53c237_53c237",
		"AWS_ACCESS_KEY_ID=AK" + "IAIOSFODNN7EXAMPLE",
		"m9AAAAD/QxBIi0kwix3IlAgADx+EAA" + "AAAAA5mRABAAB0C0mLTjCQiZkQAQAAgD22CQkAAHQmSIN6",
		"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJmVENDQVNPZ0F3SUJBZ0lSQU5Ca1JqbTRSZ0E",
	} {
		if got := r.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestSecretsBesideHarmlessTextGo: what is hidden although it resembles what TestHarmlessTextStays keeps.
func TestSecretsBesideHarmlessTextGo(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 1))
	r := redact.New(redact.Options{})
	key := draw(rng, 32, alnum)
	for _, text := range []string{
		"token = token_" + key, "password: password-" + key, "PrivateKey: key" + key, "secret = " + key + "*2", `"PASSWORD=` + key + `"`,
		"http://jane:" + key + "@example.org", "machine a login b password " + key, "Authorization: Basic " + key,
		"Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("jane:"+key)),
		"Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("4a00ff22-ccd7-11e3-99d5-000c2940e62c")), // a key that is no name and password
		"+EAA" + "A" + key, "x+EAA" + "A" + key, "AK" + "IA" + draw(rng, 16, upper+"234567"),
	} {
		if got := r.String(text); got == text {
			t.Errorf("%q stays", text)
		}
	}
}

// TestNoKindIsKept holds the corpus of kinds: no credential of it stays, in one text or streamed.
func TestNoKindIsKept(t *testing.T) {
	t.Parallel()
	all := occurrences()
	kinds := map[string]bool{}
	r := redact.New(redact.Options{})
	for i, o := range all {
		kinds[o.kind] = true
		for seed := range uint64(20) {
			secret := o.make(rand.New(rand.NewPCG(uint64(i), seed)))
			if strings.HasPrefix(o.text, "{") {
				secret = strings.ReplaceAll(secret, "\n", `\n`)
			}
			text := "first line\n" + strings.Replace(strings.ReplaceAll(o.text, "%%", "%"), "%s", secret, 1) + "\nlast line\n"
			if got := r.String(text); leaks(got, secret) {
				t.Errorf("%s is kept: %q", o.kind, got)
				break
			}
			if got := stream(t, r, text, 1+int(seed)*7); leaks(got, secret) {
				t.Errorf("%s is kept when it is streamed: %q", o.kind, got)
				break
			}
		}
	}
	if len(kinds) < 150 {
		t.Errorf("the corpus has %d kinds", len(kinds))
	}
	t.Logf("%d kinds", len(kinds))
}
