package redact_test

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
)

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
	alnum  = lower + upper + digits
	hexa   = digits + "abcdef"
	url64  = alnum + "-_"
)

// draw returns n random characters, at least one of them a digit: made-up credentials are put together at run time, so
// that the repository holds none.
func draw(rng *rand.Rand, n int, from string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = from[rng.IntN(len(from))]
	}
	if i := strings.IndexAny(from, digits); i >= 0 {
		b[n/2] = from[i+rng.IntN(6)]
	}
	return string(b)
}

// sample is a text with a secret in it.
type sample struct{ kind, text, secret string }

type kind struct {
	name string
	make func(*rand.Rand) string
}

// tokenKinds are credentials that have a shape of their own.
func tokenKinds() []kind {
	pre := func(name, prefix string, n int, from string) kind {
		return kind{name, func(rng *rand.Rand) string { return prefix + draw(rng, n, from) }}
	}
	return []kind{
		pre("attempt token", "st"+"wk_", 43, url64),
		pre("anthropic", "sk-"+"ant-api03-", 95, url64),
		pre("openai project", "sk-"+"proj-", 120, url64),
		{"openai classic", func(r *rand.Rand) string {
			return "sk" + "-" + draw(r, 20, alnum) + "T3Blbk" + "FJ" + draw(r, 20, alnum)
		}},
		pre("openrouter", "sk-"+"or-v1-", 64, hexa),
		pre("google api", "AI"+"za", 35, url64),
		pre("google oauth", "ya"+"29.", 120, url64),
		pre("github classic", "gh"+"p_", 36, alnum),
		pre("github app", "gh"+"s_", 36, alnum),
		{"github fine-grained", func(r *rand.Rand) string { return "github" + "_pat_" + draw(r, 22, alnum) + "_" + draw(r, 59, alnum) }},
		pre("gitlab personal", "gl"+"pat-", 20, url64),
		pre("gitlab runner", "gl"+"rt-", 20, url64),
		{"slack bot", func(r *rand.Rand) string {
			return "xo" + "xb-" + draw(r, 12, digits) + "-" + draw(r, 12, digits) + "-" + draw(r, 24, alnum)
		}},
		{"slack webhook", func(r *rand.Rand) string {
			return "https://hooks.sla" + "ck.com/services/T" + draw(r, 8, upper+digits) + "/B" + draw(r, 10, upper+digits) + "/" + draw(r, 24, alnum)
		}},
		pre("aws access key", "AK"+"IA", 16, upper+"234567"),
		pre("stripe live", "sk"+"_live_", 24, alnum),
		pre("npm", "np"+"m_", 36, alnum),
		pre("hugging face", "h"+"f_", 34, lower+upper),
		pre("digital ocean", "do"+"p_v1_", 64, hexa),
		{"sendgrid", func(r *rand.Rand) string { return "S" + "G." + draw(r, 22, url64) + "." + draw(r, 43, url64) }},
		pre("shopify", "shp"+"at_", 32, hexa),
		{"telegram", func(r *rand.Rand) string { return draw(r, 9, "123456789") + ":A" + "A" + draw(r, 33, url64) }},
		pre("databricks", "da"+"pi", 32, hexa),
		pre("docker", "dckr"+"_pat_", 27, url64),
		pre("linear", "lin"+"_api_", 40, alnum),
		pre("age", "AGE-SECRET"+"-KEY-1", 58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
		{"jwt", func(r *rand.Rand) string {
			return "ey" + "J" + draw(r, 33, url64) + ".ey" + "J" + draw(r, 80, url64) + "." + draw(r, 43, url64)
		}},
		{"private key", pemBlock},
	}
}

func pemBlock(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("-----BEGIN RSA PRIV" + "ATE KEY-----\n")
	for range 12 {
		b.WriteString(draw(r, 64, alnum+"+/") + "\n")
	}
	b.WriteString(draw(r, 22, alnum+"+/") + "==\n-----END RSA PRIV" + "ATE KEY-----")
	return b.String()
}

// places are the texts in which a credential with a shape of its own turns up. %s is the credential.
func places() []string {
	return []string{
		"%s", "the key is %s, please rotate it", "export SERVICE=%s\n", `{"type":"text","text":"found %s in the file"}`,
		`client := New("%s")`, "+  value: %s\n", "curl -H 'x-header: %s' https://api.example.com/v1", "| key | %s |",
	}
}

// contextSamples are credentials that only their surroundings give away.
func contextSamples(rng *rand.Rand) []sample {
	value := func(n int) string { return draw(rng, n, alnum) }
	password := value(14)
	aws := draw(rng, 40, alnum+"/+")
	basic := base64.StdEncoding.EncodeToString([]byte("deploy:" + password))
	var out []sample
	add := func(kind, secret, before, after string) {
		out = append(out, sample{kind, before + secret + after, secret})
	}
	add("password env", password, "DB_PASSWORD=", "\n")
	add("password yaml", password, "  password: ", "\n")
	add("password quoted", password, `password = "`, `"`)
	add("password json", password, `{"user":"app","password":"`, `","port":5432}`)
	add("password escaped json", password, `"text":"{\"password\":\"`, `\"}"`)
	add("password dsn", password, "postgres://app:", "@db.internal:5432/app?sslmode=disable")
	add("password flag", password, "mysql --password=", " -h db")
	add("aws secret", aws, "aws_secret_access_key = ", "\n")
	add("aws secret env", aws, "AWS_SECRET_ACCESS_KEY=", "\n")
	add("basic url", password, "git clone https://build:", "@git.example.com/a/b.git")
	add("token url", value(40), "https://", "@git.example.com/a/b.git")
	add("basic header", basic, "Authorization: Basic ", "\r\n")
	add("bearer header", value(32), "> Authorization: Bearer ", "\n")
	add("bearer json", value(32), `"Authorization": "Bearer `, `"`)
	add("api key header", value(32), "X-Api-Key: ", "\n")
	add("netrc line", password, "machine git.example.com login build password ", "\n")
	add("netrc lines", password, "machine git.example.com\n  login build\n  password ", "\n")
	add("npmrc", value(36), "//registry.example.com/:_authToken=", "\n")
	add("client secret", value(40), `client_secret: '`, `'`)
	add("secret key go", value(32), `secretKey := "`, `"`)
	add("api key query", value(32), "GET /v1/items?api_key=", "&page=2 HTTP/1.1")
	add("azure account key", base64.StdEncoding.EncodeToString([]byte(value(64))), "AccountName=store;AccountKey=", ";EndpointSuffix=core")
	return out
}

// corpus makes n variants of every kind of credential.
func corpus(seed uint64, n int) []sample {
	rng := rand.New(rand.NewPCG(seed, 1))
	var out []sample
	for range n {
		for _, k := range tokenKinds() {
			for _, place := range places() {
				secret := k.make(rng)
				if strings.HasPrefix(place, "{") {
					secret = strings.ReplaceAll(secret, "\n", `\n`)
				}
				out = append(out, sample{k.name, strings.Replace(place, "%s", secret, 1), secret})
			}
		}
		out = append(out, contextSamples(rng)...)
	}
	return out
}
