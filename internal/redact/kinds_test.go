package redact_test

import (
	"crypto/sha256"
	"encoding/base64"
	"math/big"
	"math/rand/v2"
	"strings"
)

// occurrence is a kind of credential in a text as it is found in the wild. %s is the credential. Prefixes are put
// together from two parts, so that no other scanner takes them for real.
type occurrence struct {
	kind string
	make func(*rand.Rand) string
	text string
}

// token makes PREFIX followed by n characters.
func token(prefix string, n int, from string) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return prefix + draw(r, n, from) }
}

// shape makes a credential of parts: a letter stands for a class of characters, a number for how many.
func shape(parts ...any) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		var b strings.Builder
		for i := 0; i < len(parts); i++ {
			switch p := parts[i].(type) {
			case string:
				b.WriteString(p)
			case int:
				b.WriteString(draw(r, p, parts[i+1].(string)))
				i++
			}
		}
		return b.String()
	}
}

func encodedAs(encode func([]byte) string, make func(*rand.Rand) string) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return encode([]byte(make(r))) }
}

// wif makes the key of a wallet, with its checksum.
func wif(version byte, compressed bool) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		raw := []byte{version}
		for range 32 {
			raw = append(raw, byte(r.IntN(256)))
		}
		if compressed {
			raw = append(raw, 1)
		}
		once := sha256.Sum256(raw)
		twice := sha256.Sum256(once[:])
		return base58(append(raw, twice[:4]...))
	}
}

func base58(raw []byte) string {
	const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	n, base, rest := new(big.Int).SetBytes(raw), big.NewInt(58), new(big.Int)
	var out []byte
	for n.Sign() > 0 {
		n.DivMod(n, base, rest)
		out = append([]byte{digits[rest.Int64()]}, out...)
	}
	return string(out)
}

func mnemonic(r *rand.Rand) string {
	words := strings.Fields("abandon ability able about above absent absorb abstract absurd abuse access accident account accuse achieve acid " +
		"acoustic acquire across action actor actress actual adapt add addict address adjust admit adult advance advice")
	var out []string
	for range 12 {
		out = append(out, words[r.IntN(len(words))])
	}
	return strings.Join(out, " ")
}

func base64Of(b []byte) string  { return base64.StdEncoding.EncodeToString(b) }
func wrapped64(b []byte) string { return wrap(base64Of(b), 64, "\n") }

func occurrences() []occurrence {
	pass := token("", 16, alnum)
	return append(append(environmentKinds(pass), documentKinds(pass)...), append(lineKinds(pass), keyKinds()...)...)
}

// environmentKinds are of environment and configuration files.
func environmentKinds(pass func(*rand.Rand) string) []occurrence {
	return []occurrence{
		{"Anthropic", token("sk-"+"ant-api03-", 95, url64), "ANTHROPIC_API_KEY=%s\n"},
		{"Anthropic admin", token("sk-"+"ant-admin01-", 95, url64), "export ANTHROPIC_ADMIN_KEY='%s'\n"},
		{"OpenAI", shape("sk"+"-", 20, alnum, "T3Blbk"+"FJ", 20, alnum), "OPENAI_API_KEY=%s\n"},
		{"OpenAI project", token("sk-"+"proj-", 120, url64), "OPENAI_API_KEY=\"%s\"\n"},
		{"OpenAI service account", token("sk-"+"svcacct-", 120, url64), "  OPENAI_API_KEY: %s\n"},
		{"OpenRouter", token("sk-"+"or-v1-", 64, hexa), "OPENROUTER_KEY=%s\n"},
		{"Groq", token("gs"+"k_", 52, alnum), "GROQ_API_KEY=%s\n"},
		{"xAI", token("xa"+"i-", 80, alnum), "XAI_API_KEY=%s\n"},
		{"Perplexity", token("pp"+"lx-", 48, alnum), "PPLX=%s\n"},
		{"Replicate", token("r8"+"_", 37, alnum), "REPLICATE_API_TOKEN=%s\n"},
		{"Hugging Face", token("h"+"f_", 34, lower+upper), "HF_TOKEN=%s\n"},
		{"Cohere", token("", 40, alnum), "COHERE_API_KEY=%s\n"},
		{"Mistral", token("", 32, alnum), "MISTRAL_API_KEY=%s\n"},
		{"DeepSeek", token("sk"+"-", 32, hexa), "DEEPSEEK_API_KEY=%s\n"},
		{"Fireworks", token("fw"+"_", 24, alnum), "FIREWORKS=%s\n"},
		{"Google API", token("AI"+"za", 35, url64), "GEMINI_API_KEY=%s\n"},
		{"Google OAuth secret", token("GOC"+"SPX-", 28, url64), "client_secret=%s\n"},
		{"Google access token", token("ya"+"29.", 120, url64), "GOOGLE_OAUTH_ACCESS_TOKEN=%s\n"},
		{"AWS access key", token("AK"+"IA", 16, upper+"234567"), "AWS_ACCESS_KEY_ID=%s\n"},
		{"AWS temporary key", token("AS"+"IA", 16, upper+"234567"), "aws_access_key_id = %s\n"},
		{"AWS secret", token("", 40, alnum+"/+"), "[default]\naws_secret_access_key = %s\nregion = eu-central-1\n"},
		{"AWS session token", token("IQoJb3JpZ2luX2VjE", 300, alnum+"/+"), "aws_session_token=%s\n"},
		{"Azure storage", shape(86, alnum+"/+", "=="), "AZURE_STORAGE_CONNECTION_STRING=DefaultEndpointsProtocol=https;AccountName=x;AccountKey=%s;EndpointSuffix=core.windows.net\n"},
		{"Azure client secret", shape(3, alnum, "8Q~", 34, alnum+"_"), "AZURE_CLIENT_SECRET=%s\n"},
		{"Azure SAS", token("", 43, alnum), "https://x.blob.core.windows.net/c?sv=2024-01-01&se=2026-01-01&sr=c&sp=rl&sig=%s%%3D\n"},
		{"Azure service bus", shape(43, alnum+"/+", "="), "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=%s\n"},
		{"DigitalOcean", token("do"+"p_v1_", 64, hexa), "DIGITALOCEAN_TOKEN=%s\n"},
		{"Cloudflare token", token("", 40, url64), "CLOUDFLARE_API_TOKEN=%s\n"},
		{"Cloudflare global key", token("", 37, hexa), "CF_API_KEY=%s\n"},
		{"Heroku", shape("HRKU"+"-", 8, hexa, "-", 4, hexa, "-", 4, hexa, "-", 4, hexa, "-", 12, hexa), "HEROKU_API_KEY=%s\n"},
		{"Hetzner", token("", 64, alnum), "HCLOUD_TOKEN=%s\n"},
		{"Fly", token("Fly"+"V1 fm2_", 200, alnum+"+/"), "FLY_API_TOKEN=\"%s\"\n"},
		{"Vercel", token("", 24, alnum), "VERCEL_TOKEN=%s\n"},
		{"Netlify", token("nf"+"p_", 40, alnum), "NETLIFY_AUTH_TOKEN=%s\n"},
		{"Terraform Cloud", shape(14, alnum, ".at"+"lasv1.", 67, alnum), "token = \"%s\"\n"},
		{"Pulumi", token("pu"+"l-", 40, hexa), "PULUMI_ACCESS_TOKEN=%s\n"},
		{"Vault", token("hv"+"s.", 90, url64), "VAULT_TOKEN=%s\n"},
		{"Vault batch", token("hv"+"b.", 130, url64), "export VAULT_TOKEN=%s\n"},
		{"Doppler", token("dp"+".pt.", 43, alnum), "DOPPLER_TOKEN=%s\n"},
		{"1Password service account", token("ops_"+"eyJ", 250, alnum), "OP_SERVICE_ACCOUNT_TOKEN=%s\n"},
		{"Infisical", shape("st"+".", 24, hexa, ".", 32, hexa, ".", 32, hexa), "INFISICAL_TOKEN=%s\n"},
		{"Databricks", token("da"+"pi", 32, hexa), "DATABRICKS_TOKEN=%s\n"},
		{"Snowflake password", pass, "SNOWFLAKE_PASSWORD=%s\n"},
		{"PlanetScale", token("psc"+"ale_tkn_", 43, url64), "PLANETSCALE_TOKEN=%s\n"},
		{"Supabase", token("sb"+"p_", 40, hexa), "SUPABASE_ACCESS_TOKEN=%s\n"},
		{"Django secret key", token("", 50, lower+digits+"!@#$%^&*(-_=+)"), "SECRET_KEY = 'django-insecure-%s'\n"},
		{"Rails master key", token("", 32, hexa), "RAILS_MASTER_KEY=%s\n"},
		{"Laravel app key", shape(43, alnum+"/+", "="), "APP_KEY=base64:%s\n"},
		{"JWT signing secret", token("", 64, hexa), "JWT_SECRET=%s\n"},
		{"Session secret", token("", 32, alnum), "SESSION_SECRET=%s\n"},
		{"encryption key", shape(43, alnum+"/+", "="), "ENCRYPTION_KEY=%s\n"},
		{"NextAuth", shape(43, alnum+"/+", "="), "NEXTAUTH_SECRET=%s\n"},
		{"SMTP password", pass, "SMTP_PASS=%s\n"},
		{"MySQL root", pass, "MYSQL_ROOT_PASSWORD=%s\n"},
		{"Redis password", pass, "requirepass %s\n"},
		{"pgpass", pass, "db.internal:5432:app:app_user:%s\n"},
		{"pgpass any", pass, "*:*:*:postgres:%s\n"},
		{"netrc", pass, "machine git.example.com\n  login build\n  password %s\n"},
		{"my.cnf", pass, "[client]\nuser=root\npassword=%s\n"},
		{"npmrc", token("np"+"m_", 36, alnum), "//registry.example.com/:_authToken=%s\n"},
		{"npmrc legacy", encodedAs(base64Of, shape("build:", 16, alnum)), "_auth=%s\n"},
		{"pypirc", token("py"+"pi-AgEIcHlwaS5vcmc", 120, url64), "[pypi]\nusername = __token__\npassword = %s\n"},
		{"cargo", token("ci"+"o", 32, alnum), "[registry]\ntoken = \"%s\"\n"},
		{"RubyGems", token("ruby"+"gems_", 48, hexa), ":rubygems_api_key: %s\n"},
		{"NuGet", token("oy"+"2", 43, lower+digits), "NUGET_API_KEY=%s\n"},
		{"git credentials", pass, "https://build:%s@git.example.com\n"},
		{"WireGuard", shape(43, alnum+"/+", "="), "[Interface]\nPrivateKey = %s\n"},
		{"WireGuard preshared", shape(43, alnum+"/+", "="), "[Peer]\nPresharedKey = %s\n"},
		{"wpa_supplicant", pass, "network={\n  ssid=\"home\"\n  psk=\"%s\"\n}\n"},
		{"htpasswd", shape("$apr1$", 8, alnum, "$", 22, alnum), "admin:%s\n"},
		{"shadow", shape("$6$", 16, alnum, "$", 86, alnum), "root:%s:19000:0:99999:7:::\n"},
		{"Docker Swarm join", shape("SWM"+"TKN-1-", 50, lower+digits, "-", 25, lower+digits), "docker swarm join --token %s 10.0.0.1:2377\n"},
		{"kubeadm", shape(6, lower+digits, ".", 16, lower+digits), "kubeadm join 10.0.0.1:6443 --token %s\n"},
	}
}
