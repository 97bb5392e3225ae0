package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// bodyLines are the lines of a key but for the first and the last.
func bodyLines(key string) []string {
	lines := strings.Split(key, "\n")
	return lines[1 : len(lines)-1]
}

// eachLine changes every line of a key.
func eachLine(key string, change func(i int, line string) string) string {
	lines := strings.Split(key, "\n")
	for i := range lines {
		lines[i] = change(i, lines[i])
	}
	return strings.Join(lines, "\n")
}

// keyForms are ways in which programs print a key.
func keyForms(t testing.TB, key string) map[string]string {
	lines := strings.Split(key, "\n")
	n := len(lines)
	before := func(text string) string {
		return eachLine(key, func(_ int, line string) string { return text + line })
	}
	return map[string]string{
		"as it is": key, "indented": before("      "), "quoted": before("> "), "added": before("+"), "taken away": before("-"),
		"with names":   before("deploy/key.pem:"),
		"with times":   before("2026-03-04T05:06:07.000Z stdout F "),
		"numbered":     eachLine(key, func(i int, line string) string { return fmt.Sprintf("%6d\t%s", i+1, line) }),
		"with arrows":  eachLine(key, func(i int, line string) string { return fmt.Sprintf("%5d→%s", i+1, line) }),
		"grep -n":      eachLine(key, func(i int, line string) string { return fmt.Sprintf("%d:%s", i+1, line) }),
		"Go":           eachLine(key, func(_ int, line string) string { return "\t\"" + line + `\n" +` }),
		"array":        eachLine(key, func(_ int, line string) string { return "  '" + line + "'," }),
		"CRLF":         strings.ReplaceAll(key, "\n", "\r\n"),
		"spaces":       strings.ReplaceAll(key, "\n", " "),
		"JSON":         `{"key":"` + quoted(t, key) + `"}`,
		"JSON in JSON": `{"text":"{\"key\":\"` + quoted(t, quoted(t, key)) + `\"}"}`,
		"escaped /":    `{"key":"` + strings.ReplaceAll(quoted(t, key), "/", `\/`) + `"}`,
		"environment":  `PRIVATE_KEY="` + strings.ReplaceAll(key, "\n", `\n`) + `"`,
		"with headers": lines[0] + "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF\n\n" + strings.Join(lines[1:], "\n"),
		"PGP": strings.ReplaceAll(lines[0], "RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK") + "\nVersion: GnuPG v2\n\n" + strings.Join(lines[1:n-1], "\n") +
			"\n=aBcD\n" + strings.ReplaceAll(lines[n-1], "RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"),
		"interrupted":    strings.Join(lines[:4], "\n") + "\ntime=now level=info msg=working\n" + strings.Join(lines[4:], "\n"),
		"without an end": strings.Join(lines[:n-1], "\n") + "\nand so on\n",
		"its end alone":  strings.Join(lines[3:], "\n"),
		"PuTTY":          "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 13\n" + strings.Join(lines[1:n-1], "\n") + "\nPrivate-MAC: 00",
		"base64":         base64.StdEncoding.EncodeToString([]byte(key)),
		"base64 wrapped": wrap(base64.StdEncoding.EncodeToString([]byte(key)), 76, "\n"),
		"kubeconfig":     "    client-key-data: " + base64.StdEncoding.EncodeToString([]byte(key)) + "\n",
		"hexadecimal":    hex.EncodeToString([]byte(key)),
		"an odd digit":   "7" + hex.EncodeToString([]byte(key)),
	}
}

// shows names a line of the key, or of an encoding of it, that text has.
func shows(text, key string) string {
	plain := strings.NewReplacer(`\\/`, "/", `\/`, "/").Replace(text)
	for _, line := range bodyLines(key) {
		if strings.Contains(plain, line) {
			return line
		}
	}
	for _, code := range []string{base64.StdEncoding.EncodeToString([]byte(key)), hex.EncodeToString([]byte(key))} {
		for i := 0; i+40 <= len(code); i += 40 {
			if strings.Contains(strings.ReplaceAll(text, "\n", ""), code[i:i+40]) {
				return code[i : i+40]
			}
		}
	}
	return ""
}

func TestPrivateKeysAreHidden(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(8, 8))
	r := redact.New(redact.Options{})
	for name, form := range keyForms(t, pemBlock(rng)) {
		key := pemBlock(rand.New(rand.NewPCG(8, 8)))
		text := "before it\n" + form + "\nafter it\n"
		whole := r.String(text)
		if line := shows(whole, key); line != "" {
			t.Errorf("%s: %q is shown in\n%s", name, line, whole)
		}
		if !strings.HasPrefix(whole, "before it\n") || !strings.HasSuffix(whole, "\nafter it\n") {
			t.Errorf("%s: what stands around it is gone:\n%s", name, whole)
		}
		if again := r.String(whole); again != whole {
			t.Errorf("%s: redacted twice it is\n%s", name, again)
		}
		for _, size := range []int{1, 7, 64, 65, 1000, 1 << 20} {
			if got := stream(t, r, text, size); got != whole {
				t.Errorf("%s: in pieces of %d it is\n%s\nand whole\n%s", name, size, got, whole)
				break
			}
		}
	}
}

func TestThreadFollowsAKey(t *testing.T) {
	t.Parallel()
	key := pemBlock(rand.New(rand.NewPCG(9, 9)))
	thread := redact.New(redact.Options{}).Thread()
	for i, line := range append(strings.Split(key, "\n"), "done") {
		got := thread.String(line)
		if strings.HasPrefix(line, "-----") || line == "done" {
			if got != line {
				t.Errorf("%q became %q", line, got)
			}
		} else if got != "[redacted:private-key]" {
			t.Errorf("line %d became %q", i, got)
		}
	}
	after := "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo0MTIzNDU2Nzg5"
	if got := thread.String(after); got != after {
		t.Errorf("after the key, %q became %q", after, got)
	}
}

// TestKeysThatAreNone: what speaks of keys, and what is public, stays.
func TestKeysThatAreNone(t *testing.T) {
	t.Parallel()
	r := redact.New(redact.Options{})
	public := strings.ReplaceAll(pemBlock(rand.New(rand.NewPCG(9, 9))), "RSA PRIV"+"ATE KEY", "CERTIFICATE")
	for _, text := range []string{
		`if strings.Contains(s, "-----BEGIN RSA PRIV` + `ATE KEY-----") { return errors.New("this is a private key: give the public one") }`,
		"-----BEGIN PRIV" + "ATE KEY-----\n...\n-----END PRIV" + "ATE KEY-----\n",
		public,
		"certificate-authority-data: " + base64.StdEncoding.EncodeToString([]byte(public)),
	} {
		if got := r.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
