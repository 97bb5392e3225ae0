package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/regex"
)

// prefixes begin tokens of a fixed shape. Tokens with one of them are also found encoded, and wrapped over lines.
var prefixes = []string{
	"stw_", "stwk_", "sk-ant-", "sk-proj-", "sk-svcacct-", "sk-or-v1-", "AIza", "ya29.", "GOCSPX-",
	"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "glptt-", "xoxb-", "xoxp-", "xapp-",
	"AKIA", "ASIA", "sk_live_", "sk_test_", "rk_live_", "whsec_", "npm_", "pypi-AgE", "dop_v1_", "hvs.", "gsk_", "xai-", "pplx-",
	"shpat_", "lin_api_", "dckr_pat_", "figd_", "glsa_", "rubygems_", "AGE-SECRET-KEY-1", "eyJhbGci",
}

const keyPrefix = "-----BEGIN "

// encodedRules find such tokens and private keys in base64 and hexadecimal, whatever precedes them in the encoded text, and
// tokens that are wrapped over lines.
func encodedRules() []Rule {
	base64Words, hexWords := encodedWords()
	var quoted []string
	for _, p := range prefixes {
		quoted = append(quoted, regexp.QuoteMeta(p))
	}
	return []Rule{
		{Name: "encoded-secret", Keywords: base64Words, Cased: true, Extent: encodedExtent(holdsBase64), Lines: encodedReach,
			Pattern: encodedPattern(`[A-Za-z0-9+/_-]`, 8)},
		{Name: "encoded-secret", Keywords: hexWords, Extent: encodedExtent(holdsHex), Lines: encodedReach,
			Pattern: encodedPattern(`[0-9a-fA-F]`, 16)},
		{Name: "wrapped-token", Keywords: prefixes, Cased: true, Extent: wrappedExtent, Lines: 1 << 10,
			Pattern: `(?:` + strings.Join(quoted, "|") + `)` + tokenPart + `*(?:` + tokenBreak + `[ \t>|+]*` + tokenPart + `{4,}){1,8}`},
	}
}

const (
	tokenPart  = `[A-Za-z0-9_.=-]`
	tokenBreak = `[ \t]*(?:\r?\n|(?:\\+r)?\\+n|\\+r)` // line ends may be escaped, also more than once
)

const (
	encodedReach = 16 << 10 // how far after its first digits something encoded is followed
	leastEncoded = 32       // digits of a line that the next goes on with
)

// encodedWords are the beginnings of tokens and private keys, encoded in base64 and in hexadecimal.
func encodedWords() (base64Words, hexWords []string) {
	for _, p := range append(slices.Clone(prefixes), keyPrefix) {
		for shift := range 3 {
			for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
				form := base64Pattern("", enc, p, shift)
				base64Words = append(base64Words, string(form.head)+string(form.rest))
			}
		}
		hexWords = append(hexWords, hex.EncodeToString([]byte(p)))
	}
	return distinct(base64Words...), hexWords
}

// encodedPattern matches lines of digits. The last has at least so many, or stands alone.
func encodedPattern(digit string, least int) string {
	full := `(?:` + digit + `{` + strconv.Itoa(leastEncoded) + `,}` + tokenBreak + `[ \t]*)`
	return `(` + full + `+` + digit + `{1,` + strconv.Itoa(least-1) + `}={0,2})(?:[ \t]*(?:[\r\n"'\x60,;\\)\]}<]|$))|(` +
		full + `*` + digit + `{` + strconv.Itoa(least) + `,}={0,2})`
}

// encodedExtent is how much of the lines of digits is hidden. A short last line may not belong to them.
func encodedExtent(holds func([]byte) bool) func([]byte) int {
	return func(found []byte) int {
		if holds(found) {
			return len(found)
		}
		if gaps := breaks().FindAllIndex(found, -1); len(gaps) > 0 {
			if last := gaps[len(gaps)-1]; len(found)-last[1] < 16 && holds(found[:last[0]]) {
				return last[0]
			}
		}
		return 0
	}
}

// encodedBegin finds encodedWords in single lines.
var encodedBegin = sync.OnceValue(func() *automaton {
	base64Words, hexWords := encodedWords()
	var words [][]byte
	for _, w := range base64Words {
		words = append(words, []byte(w))
	}
	for _, w := range hexWords {
		words = append(words, []byte(w), []byte(strings.ToUpper(w)))
	}
	return newAutomaton(words, false)
})

// encodedStart is the start of the line in which something encoded begins that may go on in the line at b[at:].
func encodedStart(b []byte, at int) int {
	for start := at; start > max(0, at-encodedReach); {
		end := start - 1
		start = lineStart(b, end)
		line := bytes.TrimRight(b[start:end], "\r \t")
		digits := len(line)
		for digits > 0 && isBase64(line[digits-1]) {
			digits--
		}
		if len(line)-digits < leastEncoded {
			break
		}
		begins := false
		encodedBegin().scan(line[digits:], func(int, int) { begins = true })
		if begins {
			return start
		}
		if len(bytes.TrimLeft(line[:digits], " \t")) > 0 {
			break
		}
	}
	return at
}

// tokens are the rules for decoded text.
var tokens = sync.OnceValue(func() *RuleSet { return NewRuleSet(tokenRules()) })

// holdsSecret reports whether decoded text has a token or a private key in it.
func holdsSecret(text []byte) bool {
	if bytes.Contains(text, []byte(keyPrefix)) {
		if m, ok := newMarkReader(text).after(0); ok && !m.isEnd {
			return true
		}
	}
	return len(tokens().find(text, nil, &budget{left: baseWork})) > 0
}

// digitsOf is the base64 digits of text, without line ends, escaped or not, and everything else.
func digitsOf(text []byte) []byte {
	digits := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			for i < len(text) && text[i] == '\\' {
				i++
			}
			continue // behind the letter of the escape
		}
		if isBase64(text[i]) {
			digits = append(digits, text[i])
		}
	}
	return digits
}

// plainDigits are those of base64 for URLs as the ordinary one has them.
var plainDigits = strings.NewReplacer("-", "+", "_", "/")

// holdsBase64 tries all alignments, because other digits may come right before the encoding.
func holdsBase64(found []byte) bool {
	digits := plainDigits.Replace(string(digitsOf(found)))
	for shift := range min(4, len(digits)) {
		whole := digits[shift:]
		if len(whole)%4 == 1 { // a single digit stands for no byte
			whole = whole[:len(whole)-1]
		}
		text, err := base64.RawStdEncoding.DecodeString(whole)
		if err == nil && holdsSecret(text) {
			return true
		}
	}
	return false
}

func holdsHex(found []byte) bool {
	digits := digitsOf(found)
	decoded := make([]byte, len(digits)/2)
	for shift := range 2 {
		whole := digits[shift:]
		if n, err := hex.Decode(decoded, whole[:len(whole)/2*2]); err == nil && holdsSecret(decoded[:n]) {
			return true
		}
	}
	return false
}

var breaks = regex.Of(tokenBreak + `[ \t>|+]*`)

// wrappedExtent is how much of found, a token and the beginnings of the lines after it, is a token that was wrapped: up to
// where it is whole, and further if a line is full and the next looks random too. It is 0 for a token in one line.
func wrappedExtent(found []byte) int {
	gaps := breaks().FindAllIndex(found, -1)
	if len(gaps) == 0 {
		return 0
	}
	joined := slices.Clone(found[:gaps[0][0]])
	for i, gap := range gaps {
		end := len(found)
		if i+1 < len(gaps) {
			end = gaps[i+1][0]
		}
		part := found[gap[1]:end]
		whole := isWhole(joined)
		if whole && (len(joined) < 32 || len(part) < 8 || !isRandom(part)) {
			if i == 0 {
				return 0
			}
			return gap[0]
		}
		joined = append(joined, part...)
	}
	if isWhole(joined) && isRandom(joined) {
		return len(found)
	}
	return 0
}

// isWhole reports whether a token's rule takes all of it.
func isWhole(token []byte) bool {
	for _, s := range tokens().find(token, nil, &budget{left: baseWork}) {
		if s.start == 0 && s.end == len(token) {
			return true
		}
	}
	return false
}

// hasOpenToken reports whether line may end in the beginning of a token that goes on in the next.
func hasOpenToken(line []byte) bool {
	start := len(line)
	for start > 0 && isToken(line[start-1]) {
		start--
	}
	return slices.ContainsFunc(prefixes, func(p string) bool { return bytes.Contains(line[start:], []byte(p)) })
}
