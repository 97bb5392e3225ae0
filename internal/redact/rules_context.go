package redact

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/big"
	"strings"
)

// contextRules recognise credentials by what stands around them.
func contextRules() []Rule {
	return []Rule{
		{Name: "url-credentials", Keywords: []string{"://"}, Check: notWord,
			Pattern: `[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>\\]*:(?P<secret>[^\s/@"'<>\\]+)@[A-Za-z0-9\[]`},
		{Name: "url-token", Keywords: []string{"://"}, Check: random,
			Pattern: `https?://(?P<secret>[A-Za-z0-9_.~%-]{16,})@[A-Za-z0-9\[]`},
		{Name: "url-signature", Keywords: []string{"&sig="}, Check: random, Pattern: `&sig=(?P<secret>[A-Za-z0-9%+/=_-]{20,})`},
		{Name: "authorization", Keywords: []string{"authorization"}, Check: header,
			Pattern: `(?i)authorization` + assign + `(?:(?P<scheme>basic|bearer|token|digest|negotiate|apikey|bot)[ \t]+)?(?P<secret>[^\s"'\\,;]{6,})`},
		{Name: "bearer-token", Keywords: []string{"bearer "}, Check: random, Pattern: `(?i)\bbearer[ \t]+(?P<secret>[A-Za-z0-9._~+/=-]{16,})`},
		{Name: "netrc", Keywords: []string{"password"}, Check: netrc, Lines: 512,
			Pattern: `(?m)(?P<login>\blogin\s+\S+\s+|^[ \t]*)password[ \t]+(?P<secret>\S{4,})[ \t]*$`},
		{Name: "pgpass", Keywords: pgpassPorts(), Check: notPlaceholder,
			Pattern: `(?:^|[\s"'+>])[A-Za-z0-9_.*-]+:(?:[0-9]{4,5}|\*):[A-Za-z0-9_.*-]+:[A-Za-z0-9_.*@-]+:(?P<secret>[^\s:"'<>/]{4,})(?:[\s"']|$)`},
		{Name: "docker-auth", Keywords: []string{`auth"`, `auth\`}, Check: basicCredentials,
			Pattern: `\bauth\\*"[ \t]*:[ \t]*\\*"(?P<secret>[A-Za-z0-9+/_-]{8,}={0,2})\\*"`},
		{Name: "client-key-data", Keywords: []string{"client-key-data"}, Check: notPlaceholder,
			Pattern: `client-key-data\\*["']?[ \t]*:[ \t]*\\*["']?(?P<secret>[A-Za-z0-9+/=_-]{16,})`},
		{Name: "json-web-key", Keywords: []string{`"kty"`, `\"kty\"`}, Lines: webKeyReach, Pattern: `"kty\\*"[^{}]*?` + webKeyMembers()},
		{Name: "json-web-key", Keywords: inQuotes(webKeyNames), Lines: webKeyReach, Pattern: webKeyMembers() + `\\*"[^{}]*"kty\\*"`},
		{Name: "password-hash", Keywords: []string{"$apr1$", "$1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$", "$argon2"},
			Pattern: `\$(?:apr1\$[^\s$:"']{1,8}|2[aby]\$[0-9]{2}|[156y]\$[^\s:"']{1,60}|argon2i?d?\$[^\s:"']{10,60})\$(?P<secret>[./A-Za-z0-9+]{20,})`},
		{Name: "password-setting", Keywords: []string{"requirepass", "masterauth"}, Check: notPlaceholder,
			Pattern: `(?m)^[ \t+]*(?:requirepass|masterauth)[ \t]+["']?(?P<secret>[^\s"']{6,})`},
		{Name: "command-line", Check: random,
			Keywords: []string{"--password ", "--token ", "--secret ", "--api-key ", "--apikey ", "--passphrase ", "--auth-token ", "--access-token ",
				"-passin pass:", "-passout pass:", "-pass pass:", "sshpass -p", "_key ", "_token ", "_password "},
			Pattern: `(?:--(?:password|token|secret|api-?key|passphrase|(?:auth|access)-token)|-pass(?:in|out)?|\bsshpass -p|\bset [a-z_.]*(?:key|token|password))[ \t]*(?:[ \t]|pass:)["']?(?P<secret>[^\s"'$<>(){}\\]{8,})`},
		{Name: "command-line", Keywords: []string{" -p", " -u", " -a ", "--user "}, Check: random,
			Pattern: `\b(?:mysql(?:dump|admin)?|mariadb|docker login|podman login|redis-cli|curl|wget|http)\b[^\n|;&]*? (?:-p[ \t]?|-a[ \t]+|(?:-u|--user)[ \t]+["']?[^\s:"']+:)["']?(?P<secret>[^\s"'$<>(){}\\@/]{8,})`},
		{Name: "xml-password", Keywords: []string{"<password>", "<passphrase>", "<secretkey>", "<apikey>"}, Check: notPlaceholder,
			Pattern: `(?i)<(?:password|passphrase|secretkey|apikey)>(?P<secret>[^<>\s${}]{6,})</`},
		{Name: "wallet-key", Keywords: []string{"xprv", "yprv", "zprv", "tprv", "uprv", "vprv"},
			Pattern: `\b[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{100,112}\b`},
		{Name: "seed-phrase", Keywords: []string{"mnemonic", "phrase"},
			Pattern: `(?i)(?:mnemonic|(?:seed|recovery|secret)[ _-]?phrase)[A-Za-z0-9_.-]{0,20}` + assign + `(?P<secret>[a-z]{3,8}(?:[ ,]+[a-z]{3,8}){11,23})\b`},
		{Name: "assignment", Check: assignment, Keywords: append([]string{"passw", "pwd", "passphrase", "secret", "token", "credential", "_auth", "_pass", "smtp", "psk"}, keyNames()...),
			Pattern: `(?i)(?P<name>passw(?:or)?d|passwd|pwd|passphrase|secret|token|(?:` + strings.Join(namedKeys, "|") + `)[_-]?key|credentials?|_auth\b|_pass|\bpsk)(?P<rest>[A-Za-z0-9_.-]{0,40})` +
				assign + `(?P<secret>[^\s"'` + "`" + `\\,;&|]{8,})`},
		{Name: "assignment", Check: random, Keywords: []string{"define("},
			Pattern: `(?i)define\(\s*["'][A-Z_]*(?:PASSWORD|SECRET|TOKEN|KEY|SALT)[A-Z_]*["']\s*,\s*["'](?P<secret>[^"'\n]{8,})["']`},
	}
}

// webKeyReach is how far from its kind the secrets of a JSON web key are looked for: an RSA key of 4096 bits fits.
const webKeyReach = 4096

// webKeyNames are the members of a JSON web key that are secret.
var webKeyNames = []string{"d", "k", "p", "q", "dp", "dq", "qi"}

// webKeyMembers matches the first of them up to the last one.
func webKeyMembers() string {
	return `\\*"(?:` + strings.Join(webKeyNames, "|") + `)\\*"[ \t]*:[ \t\n]*\\*"(?P<secret>[A-Za-z0-9_-]{22,}(?:[^{}]*[A-Za-z0-9_-]{22,})?)`
}

// inQuotes are names as JSON has them, and as JSON inside a JSON text has them.
func inQuotes(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, `"`+n+`"`, `\"`+n+`\"`)
	}
	return out
}

// namedKeys are the first words of names of secret keys.
var namedKeys = []string{"api", "access", "private", "account", "auth", "encryption", "signing", "master", "app", "preshared", "server"}

// keyNames are those names in every spelling.
func keyNames() []string {
	var out []string
	for _, name := range namedKeys {
		out = append(out, name+"_key", name+"-key", name+"key")
	}
	return out
}

func random(m Match) bool         { return isRandom(m.Secret) && !isPlaceholder(m.Secret) }
func notPlaceholder(m Match) bool { return !isPlaceholder(m.Secret) }
func notWord(m Match) bool        { return !isPlaceholder(m.Secret) && !isPasswordWord(m.Secret) }

// pgpassPorts are the ports of PostgreSQL and its relatives: the default, those of a second server, a pooler, a container or
// a provider. Four fields between colons are too common to accept any number.
func pgpassPorts() []string {
	ports := []string{":*:", ":6432:", ":6433:", ":6543:", ":6544:", ":15432:", ":15433:", ":25432:", ":35432:", ":45432:", ":55432:", ":65432:", ":25060:", ":25061:", ":26257:"}
	for last := range 10 {
		ports = append(ports, fmt.Sprintf(":543%d:", last), fmt.Sprintf(":544%d:", last), fmt.Sprintf(":5432%d:", last))
	}
	return ports
}

// header accepts what follows a known scheme; without one, the value must look random.
func header(m Match) bool {
	switch scheme := m.Group("scheme"); {
	case len(scheme) == 0:
		return random(m)
	case bytes.EqualFold(scheme, []byte("basic")):
		return !isPlaceholder(m.Secret) && isBasic(m.Secret)
	default:
		return !isPlaceholder(m.Secret)
	}
}

// netrc accepts any password after a login; on a line of its own it must not look like a word of prose.
func netrc(m Match) bool {
	if strings.TrimSpace(string(m.Group("login"))) != "" {
		return notWord(m)
	}
	c := classesOf(m.Secret)
	return c.digits > 0 && c.letters() > 0 && !isPlaceholder(m.Secret)
}

func assignment(m Match) bool {
	if bytes.HasPrefix(m.Secret, []byte("/")) && bytes.Count(m.Secret, []byte("/")) > 1 && !isDense(m.Secret) {
		return false // a path: PWD=/home/me/project
	}
	if namesOther(m.Group("rest")) || isNamesake(m.Secret, m.Group("name")) {
		return false
	}
	return isAssigned(m.Secret, len(m.Group("quote")) > 0, string(m.Group("sign")))
}

// isDense tells base64 with slashes in it from a path.
func isDense(value []byte) bool {
	c := classesOf(value)
	return len(value) >= 32 && c.digits >= 3 && c.upper >= 4 && c.lower >= 4 && entropy(value) >= 4.2
}

const base58Digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// walletKey lengths: a private key of Bitcoin and its kin, in base 58 with a checksum.
const (
	leastWallet = 51
	mostWallet  = 52
)

// findWallets appends to spans the private keys of wallets. They have no prefix, but a length and a checksum.
func findWallets(text []byte, spans []span) []span {
	for at := 0; at+leastWallet <= len(text); {
		last := at + leastWallet - 1
		start := last
		for start >= at && isBase58[text[start]] {
			start--
		}
		if start >= at { // no run of that length begins before this byte
			at = start + 1
			continue
		}
		end := last + 1
		for end < len(text) && end-at <= mostWallet && (isBase58[text[end]] || isToken(text[end])) {
			end++
		}
		if n := end - at; (n == leastWallet || n == mostWallet) && (at == 0 || !isToken(text[at-1]) || text[at-1] == '=') && isWallet(text[at:end]) {
			spans = append(spans, span{start: at, end: end, name: "wallet-key", rank: keyRank})
		}
		for end < len(text) && isBase58[text[end]] {
			end++
		}
		at = end + 1
	}
	return spans
}

var isBase58 = func() (set [256]bool) {
	for _, c := range []byte(base58Digits) {
		set[c] = true
	}
	return set
}()

func isWallet(digits []byte) bool {
	if bytes.IndexByte([]byte("5KL9c"), digits[0]) < 0 {
		return false
	}
	n, base := new(big.Int), big.NewInt(58)
	for _, c := range digits {
		n.Mul(n, base).Add(n, big.NewInt(int64(strings.IndexByte(base58Digits, c))))
	}
	raw := n.Bytes()
	if len(raw) != 37 && len(raw) != 38 {
		return false
	}
	once := sha256.Sum256(raw[:len(raw)-4])
	twice := sha256.Sum256(once[:])
	return bytes.Equal(twice[:4], raw[len(raw)-4:])
}
