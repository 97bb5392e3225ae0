package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// prefixes begin tokens of a fixed shape. Tokens with one of them are also found encoded, and wrapped over lines.
var prefixes = []string{
	"stw_", "stwk_", "sk-ant-", "sk-proj-", "sk-svcacct-", "sk-or-v1-", "AIza", "ya29.", "GOCSPX-",
	"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "glptt-", "xoxb-", "xoxp-", "xapp-",
	"AKIA", "ASIA", "sk_live_", "sk_test_", "rk_live_", "whsec_", "npm_", "pypi-AgE", "dop_v1_", "hvs.", "gsk_", "xai-", "pplx-",
	"shpat_", "lin_api_", "dckr_pat_", "figd_", "glsa_", "rubygems_", "AGE-SECRET-KEY-1", "eyJhbGci",
}

const keyPrefix = "-----BEGIN "

// encodedRules find such tokens and private keys in base64 and hexadecimal, whatever stands before them in what was
// encoded, and tokens that are wrapped over lines.
func encodedRules() []Rule {
	var base64Words, hexWords, quoted []string
	for _, p := range append(slices.Clone(prefixes), keyPrefix) {
		for shift := range 3 {
			for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
				form := base64Pattern("", enc, p, shift)
				base64Words = append(base64Words, string(form.head)+string(form.rest))
			}
		}
		hexWords = append(hexWords, hex.EncodeToString([]byte(p)))
	}
	for _, p := range prefixes {
		quoted = append(quoted, regexp.QuoteMeta(p))
	}
	return []Rule{
		{Name: "encoded-secret", Keywords: distinct(base64Words...), Cased: true, Check: holdsBase64, Lines: 16 << 10,
			Pattern: `(?:[A-Za-z0-9+/_-]{32,}[ \t]*(?:\r?\n|\\+[nr])[ \t]*)*[A-Za-z0-9+/_-]{8,}={0,2}`},
		{Name: "encoded-secret", Keywords: hexWords, Check: holdsHex, Lines: 16 << 10,
			Pattern: `(?:[0-9a-fA-F]{32,}[ \t]*(?:\r?\n|\\+[nr])[ \t]*)*[0-9a-fA-F]{16,}`},
		{Name: "wrapped-token", Keywords: prefixes, Cased: true, Extent: wrappedExtent, Lines: 1 << 10,
			Pattern: `(?:` + strings.Join(quoted, "|") + `)` + tokenPart + `*(?:` + tokenBreak + `[ \t>|+]*` + tokenPart + `{4,}){1,8}`},
	}
}

const (
	tokenPart  = `[A-Za-z0-9_.=-]`
	tokenBreak = `[ \t]*(?:\r?\n|\\+n)`
)

// tokens are the rules for what may stand in an encoding.
var tokens = sync.OnceValue(func() *RuleSet { return NewRuleSet(tokenRules()) })

// holdsSecret says whether text, undone from an encoding, has a token or a private key in it.
func holdsSecret(text []byte) bool {
	if bytes.Contains(text, []byte(keyPrefix)) {
		if m, ok := newMarkReader(text).after(0); ok && !m.isEnd {
			return true
		}
	}
	return len(tokens().find(text, nil, &budget{left: baseWork})) > 0
}

// holdsBase64 tries all alignments, because digits of something else may stand right before the encoding.
func holdsBase64(m Match) bool {
	digits := make([]byte, 0, len(m.Secret))
	for i := 0; i < len(m.Secret); i++ {
		switch c := m.Secret[i]; {
		case c == '-':
			digits = append(digits, '+')
		case c == '_':
			digits = append(digits, '/')
		case c == '\\':
			i++ // and the letter of the escape
		case isBase64(c):
			digits = append(digits, c)
		}
	}
	decoded := make([]byte, base64.RawStdEncoding.DecodedLen(len(digits)))
	for shift := range min(4, len(digits)) {
		whole := digits[shift:]
		n, err := base64.RawStdEncoding.Decode(decoded, whole[:len(whole)/4*4])
		if err == nil && holdsSecret(appendRest(decoded[:n], whole)) {
			return true
		}
	}
	return false
}

// appendRest adds what the digits after the last full group of four stand for.
func appendRest(decoded, digits []byte) []byte {
	rest := digits[len(digits)/4*4:]
	last, err := base64.RawStdEncoding.DecodeString(string(rest))
	if err != nil {
		return decoded
	}
	return append(decoded, last...)
}

func holdsHex(m Match) bool {
	digits := make([]byte, 0, len(m.Secret))
	for i := 0; i < len(m.Secret); i++ {
		switch c := m.Secret[i]; {
		case c == '\\':
			i++
		case isAlnum(c):
			digits = append(digits, c)
		}
	}
	decoded := make([]byte, len(digits)/2)
	for shift := range 2 {
		whole := digits[shift:]
		if n, err := hex.Decode(decoded, whole[:len(whole)/2*2]); err == nil && holdsSecret(decoded[:n]) {
			return true
		}
	}
	return false
}

var breaks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(tokenBreak + `[ \t>|+]*`) })

// wrappedExtent is how much of found, a token and the beginnings of the lines after it, is a token that was wrapped: up
// to where it is whole, and on where a line is full and the next looks drawn too. A token in one line is not its matter.
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

// isWhole says whether a token's rule takes all of it.
func isWhole(token []byte) bool {
	for _, s := range tokens().find(token, nil, &budget{left: baseWork}) {
		if s.start == 0 && s.end == len(token) {
			return true
		}
	}
	return false
}

// hasOpenToken says whether line ends in what may be the beginning of a token that goes on in the next.
func hasOpenToken(line []byte) bool {
	start := len(line)
	for start > 0 && isToken(line[start-1]) {
		start--
	}
	for _, p := range prefixes {
		if bytes.Contains(line[start:], []byte(p)) {
			return true
		}
	}
	return false
}
