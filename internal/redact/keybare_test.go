package redact_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// bareKeys are the DER forms of private keys, made here, and the file of one of OpenSSH.
func bareKeys(t *testing.T) map[string][]byte {
	t.Helper()
	must := func(der []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	big, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rest := make([]byte, 373)
	if _, err := rand.Read(rest); err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{
		"rsa pkcs8": must(x509.MarshalPKCS8PrivateKey(big)), "rsa pkcs1": x509.MarshalPKCS1PrivateKey(big),
		"ed25519": must(x509.MarshalPKCS8PrivateKey(ed)), "openssh": append([]byte("openssh-key-v1\x00"), rest...),
	}
	for _, curve := range []elliptic.Curve{elliptic.P224(), elliptic.P256(), elliptic.P384(), elliptic.P521()} {
		key, err := ecdsa.GenerateKey(curve, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		name := curve.Params().Name
		out[name+" pkcs8"], out[name+" sec1"] = must(x509.MarshalPKCS8PrivateKey(key)), must(x509.MarshalECPrivateKey(key))
	}
	return out
}

func wrapped(digits string, width int) []string {
	var lines []string
	for line := range slices.Chunk([]byte(digits), width) {
		lines = append(lines, string(line))
	}
	return lines
}

// TestBareKeysAreHidden: the body of a private key without the lines that begin and end it.
func TestBareKeysAreHidden(t *testing.T) {
	t.Parallel()
	r := redact.New(redact.Options{})
	for name, der := range bareKeys(t) {
		digits := base64.StdEncoding.EncodeToString(der)
		for _, width := range []int{64, 70, 76, len(digits)} {
			lines := wrapped(digits, width)
			plain := strings.Join(lines, "\n")
			escaped, err := json.Marshal(map[string]string{"content": "see " + plain + "\nafter it", "more": strings.Repeat("other text ", 400)})
			if err != nil {
				t.Fatal(err)
			}
			var numbered strings.Builder
			for i, line := range lines {
				fmt.Fprintf(&numbered, "%6d\t%s\n", i+1, line)
			}
			for form, text := range map[string]string{
				"plain": "first line\n" + plain + "\nlast line\n", "difference": "+" + strings.Join(lines, "\n+") + "\n", "assigned": "KEY=" + plain + "\n",
				"json": string(escaped) + "\n", "program": "key := \"" + strings.Join(lines, "\" +\n\t\"") + "\"\n", "numbered": numbered.String(),
			} {
				for _, got := range []string{r.String(text), stream(t, r, text, 1000)} {
					flat := strings.NewReplacer("\n", "", "+", "").Replace(got)
					for _, line := range lines {
						if line = strings.ReplaceAll(line, "+", ""); len(line) >= 16 && strings.Contains(flat, line[len(line)-16:]) {
							t.Fatalf("%s in lines of %d, %s: %q stays in %q", name, width, form, line, got)
						}
					}
					if tail := digits[len(digits)-6:]; strings.Contains(got, tail) {
						t.Errorf("%s in lines of %d, %s: its last digits %q stay in %q", name, width, form, tail, got)
					}
					if form == "plain" && (!strings.HasPrefix(got, "first line\n") || !strings.HasSuffix(got, "\nlast line\n")) {
						t.Errorf("%s in lines of %d: %q", name, width, got)
					}
				}
			}
		}
	}
}

// TestPublicBodiesStay: certificates and public keys begin much like private keys.
func TestPublicBodiesStay(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	r := redact.New(redact.Options{})
	for _, der := range [][]byte{certificate, public} {
		text := strings.Join(wrapped(base64.StdEncoding.EncodeToString(der), 64), "\n") + "\n"
		if got := r.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
		before := strings.Join(wrapped(base64.StdEncoding.EncodeToString(private), 64), "\n") + "\n"
		if got := r.Bytes([]byte(before + text)); !bytes.HasSuffix(got, []byte(text)) {
			t.Errorf("behind a private key: %q became %q", text, got)
		}
	}
}
