package redact

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isPasswordWord recognises placeholders for passwords in documentation and tests: user:password@localhost, pwd2, p%40ssword.
// It takes everything of up to three characters for one.
func isPasswordWord(value []byte) bool {
	text := string(value)
	if plain, err := url.PathUnescape(text); err == nil {
		text = plain
	}
	if utf8.RuneCountInString(text) < leastPassword {
		return true
	}
	word := strings.ToLower(strings.ReplaceAll(text, "@", "a"))
	if end := strings.TrimRightFunc(word, unicode.IsDigit); len(word)-len(end) <= 4 {
		word = end
	}
	word = strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, word)
	for _, owner := range []string{"your", "my", "the", "db", "user"} {
		word = strings.TrimPrefix(word, owner)
	}
	switch word {
	case "", "password", "passwd", "pass", "pwd", "pw", "secret", "token", "username", "name", "key", "string", "foo", "bar", "redacted", "placeholder",
		"opensesame", "changeme", "example":
		return true
	}
	return false
}

// leastPassword is the least length of a password in a URL. Shorter ones hide nothing.
const leastPassword = 4

// namesOther recognises by the rest of a name that its value is not the secret itself: secretName, token_url.
func namesOther(rest []byte) bool {
	rest = bytes.ToLower(rest)
	others := []string{"name", "names", "type", "file", "path", "url", "uri", "prefix"}
	return slices.ContainsFunc(others, func(what string) bool { return bytes.HasSuffix(rest, []byte(what)) })
}

// isNamesake recognises a value that contains its own name: PrivateKey: testP256PrivateKey. The rest of it is too short for a
// secret.
func isNamesake(value, name []byte) bool {
	value, name = bytes.ToLower(value), bytes.ToLower(name)
	i := bytes.Index(value, name)
	if i < 0 || !isDotted(value) {
		return false
	}
	left := append(bytes.Clone(value[:i]), value[i+len(name):]...)
	return len(left) <= 12 && classesOf(left).digitRuns <= 1
}

// isExpression recognises a computation: numbers and names without digits, joined by operators. After a quote, it is what a
// string is joined with: "PWD="+cmd.Dir.
func isExpression(value []byte, quoted bool) bool {
	if quoted && value[0] != '+' {
		return false
	}
	operands := bytes.FieldsFunc(bytes.TrimRight(value, ")"), func(r rune) bool { return strings.ContainsRune("+*/%", r) })
	named := false
	for _, operand := range operands {
		c := classesOf(operand)
		isName := c.digits == 0 && isDotted(operand) && c.letters() > 3
		if !isName && c.digits < len(operand) {
			return false
		}
		named = named || isName
	}
	return named && (quoted || len(operands) > 1)
}

// basicCredentials accepts the base64 of a name and a password.
func basicCredentials(m Match) bool {
	text := decodeText(m.Secret)
	name, password, found := bytes.Cut(text, []byte(":"))
	return found && len(name) > 0 && len(password) > 0
}

// isBasic judges what follows "Basic" in a header: it accepts the base64 of a name and a password that is not a placeholder.
// Anything else must look random, and not be text in base64 that was cut at its beginning.
func isBasic(value []byte) bool {
	if text := decodeText(value); text != nil {
		if _, password, found := bytes.Cut(text, []byte(":")); found {
			return !isPasswordWord(password)
		}
		return isRandom(text)
	}
	for shift := 1; shift < 4 && shift+16 <= len(value); shift++ {
		whole := value[shift:]
		if decodeText(whole[:len(whole)/4*4]) != nil {
			return false
		}
	}
	return isRandom(value)
}

// decodeText decodes base64 to printable text; nil if value is something else.
func decodeText(value []byte) []byte {
	digits := plainDigits.Replace(strings.TrimRight(string(value), "="))
	text, err := base64.RawStdEncoding.DecodeString(digits)
	if err != nil || len(text) == 0 || bytes.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
		return nil
	}
	return text
}

// isWithinBase64 reports whether text ends inside something long in base64, in which short beginnings of tokens turn up by
// chance. A single plus may be that of a diff.
func isWithinBase64(text []byte) bool {
	const least = 16
	if len(text) <= least || text[len(text)-1] != '+' {
		return false
	}
	for _, c := range text[len(text)-1-least : len(text)-1] {
		if !isAlnum(c) && c != '+' && c != '/' {
			return false
		}
	}
	return true
}
