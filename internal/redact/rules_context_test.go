package redact

import (
	"encoding/base64"
	"strings"
	"testing"
)

// contextTexts are what contextRules are to find, by rule: the secret stands between ⟨ and ⟩.
func contextTexts() map[string][]string {
	basic := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	texts := map[string][]string{
		"url-credentials": {"postgres://app:⟨q8Zr⟩@db", "redis://:⟨q8Zrt5Lk⟩@cache:6379/0", "ftp://a:⟨q8Zrt5Lk⟩@[::1]/", "git+ssh://a.b:⟨swordfish⟩@h"},
		"url-token":       {"https://⟨q8Zrt5Lkw2Vx7m9B⟩@host/", "http://⟨q8Zrt5Lkw2Vx7m9B⟩@[::1]"},
		"url-signature":   {"?sp=rl&sig=⟨q8Zrt5Lkw2Vx7m9Bd3Fg⟩ x"},
		"authorization": {"Authorization: Bearer ⟨abcdef⟩", "authorization=token ⟨abcdef⟩", `"Authorization": "Digest ⟨abcdef⟩"`, "Authorization: Negotiate ⟨abcdef⟩",
			"Authorization: ApiKey ⟨abcdef⟩", "Authorization: Bot ⟨abcdef⟩", "Authorization: ⟨q8Zrt5Lkw2⟩", "Authorization: Basic ⟨" + basic("jane:q8Zrt5Lk") + "⟩",
			"Authorization: Basic ⟨" + basic("4a00ff22-ccd7") + "⟩"},
		"bearer-token":    {"sent bearer ⟨q8Zrt5Lkw2Vx7m9B⟩ to it"},
		"netrc":           {"machine h login me password ⟨hunter⟩", "machine h\n  login me\n  password ⟨hunt⟩\n", "  password ⟨hunter2⟩\n"},
		"docker-auth":     {`{"auth": "⟨` + basic("me:sec") + `⟩"}`, `{\"auth\":\"⟨` + basic("me:secret") + `⟩\"}`},
		"client-key-data": {"client-key-data: ⟨q8Zrt5Lkw2Vx7m9B⟩", `"client-key-data":"⟨q8Zrt5Lkw2Vx7m9B⟩"`},
		"json-web-key":    {`{"kty":"EC","x":"1","d":"⟨q8Zrt5Lkw2Vx7m9Bd3Fg4h⟩"}`, `{"kty":"oct","k":"⟨q8Zrt5Lkw2Vx7m9Bd3Fg4h⟩"}`, "{\"kty\":\"EC\",\n\"d\": \"⟨q8Zrt5Lkw2Vx7m9Bd3Fg4h⟩\"}", `{\"kty\":\"EC\",\"d\":\"⟨q8Zrt5Lkw2Vx7m9Bd3Fg4h⟩\"}`},
		"password-hash": {"a:$apr1$salt$⟨q8Zrt5Lkw2Vx7m9Bd3Fg⟩:", "$1$salt$⟨q8Zrt5Lkw2Vx7m9Bd3Fg⟩", "$2a$10$⟨q8Zrt5Lkw2Vx7m9Bd3Fg⟩", "$2b$10$⟨q8Zrt5Lkw2Vx7m9Bd3Fg⟩",
			"$2y$10$⟨q8Zrt5Lkw2Vx7m9Bd3Fg⟩", "$5$salt$⟨q8Zrt5Lkw2Vx7m9Bd3Fg⟩", "$6$rounds=5000$salt$⟨q8Zrt5Lkw2Vx7m9Bd3Fg⟩", "$y$j9T$salt$⟨q8Zrt5Lkw2Vx7m9Bd3Fg⟩",
			"$argon2id$v=19$m=65536,t=2,p=1$salt$⟨q8Zrt5Lkw2Vx7m9Bd3Fg⟩"},
		"password-setting": {"requirepass ⟨foobar⟩\n", "masterauth \"⟨foobar⟩\"\n", "x\n+requirepass ⟨foobar⟩\n"},
		"command-line": {"x -passin pass:⟨q8Zrt5Lk⟩ y", "x -passout pass:⟨q8Zrt5Lk⟩ y", "x -pass pass:⟨q8Zrt5Lk⟩ y", "sshpass -p ⟨q8Zrt5Lk⟩ ssh", "aws configure set aws_secret_access_key ⟨q8Zrt5Lk⟩",
			"gcloud set auth_token ⟨q8Zrt5Lk⟩", "x set db_password ⟨q8Zrt5Lk⟩", "mysql -p⟨q8Zrt5Lk⟩ app", "mysqldump -u root -p⟨q8Zrt5Lk⟩ app", "mysqladmin -p⟨q8Zrt5Lk⟩ x",
			"mariadb -p⟨q8Zrt5Lk⟩ x", "docker login -u me -p ⟨q8Zrt5Lk⟩ r", "podman login -p ⟨q8Zrt5Lk⟩ r", "redis-cli -a ⟨q8Zrt5Lk⟩ ping", "curl -u me:⟨q8Zrt5Lk⟩ x", "curl --user me:⟨q8Zrt5Lk⟩ x",
			"wget --user 'me:⟨q8Zrt5Lk⟩' x", "http -a x -u me:⟨q8Zrt5Lk⟩ x"},
		"xml-password": {"<password>⟨foobar⟩</password>", "<passphrase>⟨foobar⟩</passphrase>", "<secretKey>⟨foobar⟩</secretKey>", "<apiKey>⟨foobar⟩</apiKey>"},
		"seed-phrase": {"mnemonic: ⟨" + strings.TrimSpace(strings.Repeat("able ", 12)) + "⟩.", "seed phrase = ⟨" + strings.TrimSpace(strings.Repeat("able ", 24)) + "⟩.",
			"recovery_phrase: \"⟨" + strings.TrimSpace(strings.Repeat("able ", 12)) + "⟩\"", "SECRET_PHRASE=⟨" + strings.TrimSpace(strings.Repeat("able ", 12)) + "⟩."},
		"assignment": {"define('DB_PASSWORD', '⟨q8Zrt5Lk⟩');", "define('AUTH_SALT', '⟨q8Zrt5Lk⟩');", "define('X_SECRET', '⟨q8Zrt5Lk⟩');", "define('X_TOKEN', '⟨q8Zrt5Lk⟩');", "define('X_KEY', '⟨q8Zrt5Lk⟩');"},
	}
	for _, port := range []string{"5432", "5433", "5439", "5444", "6432", "6543", "15432", "54322", "55432", "25060", "26257", "*"} {
		texts["pgpass"] = append(texts["pgpass"], "db.internal:"+port+":app:me:⟨q8Zr⟩", "+*:"+port+":*:me:⟨q8Zr⟩")
	}
	for _, flag := range []string{"--password", "--token", "--secret", "--api-key", "--apikey", "--passphrase", "--auth-token", "--access-token"} {
		texts["command-line"] = append(texts["command-line"], "x "+flag+" ⟨q8Zrt5Lk⟩ y", "x "+flag+" '⟨q8Zrt5Lk⟩' y")
	}
	for _, name := range []string{"password", "passwd", "DB_PASSWORD_1", "pwd", "passphrase", "clientSecret", "token", "credential", "credentials", "_auth", "SMTP_PASS", "psk",
		"api_key", "access-key", "privateKey", "account_key", "auth-key", "encryptionkey", "signing_key", "master_key", "APP_KEY", "presharedkey", "server_key"} {
		texts["assignment"] = append(texts["assignment"], name+"=⟨q8Zrt5Lk⟩", name+": ⟨q8Zrt5Lk⟩", name+" := \"⟨q8Zrt5Lk⟩\"", `\"`+name+`\": \"⟨q8Zrt5Lk⟩\"`, name+" => '⟨q8Zrt5Lk⟩',")
	}
	return texts
}

// TestEachContextOfASecret: what stands before a secret stays, what follows it stays, and it goes.
func TestEachContextOfASecret(t *testing.T) {
	t.Parallel()
	texts := contextTexts()
	texts["wallet-key"] = []string{"xprv⟨⟩"} // has a test of its own
	r := New(Options{Rules: NewRuleSet(contextRules())})
	for _, rule := range contextRules() {
		if len(texts[rule.Name]) == 0 {
			t.Errorf("no text for %s is known", rule.Name)
		}
	}
	delete(texts, "wallet-key")
	for name, all := range texts {
		for _, text := range all {
			in, want := shown(text, name)
			if got := r.String(in); got != want {
				t.Errorf("%q became %q, not %q", in, got, want)
			}
		}
	}
}

// TestWhatIsNoSecretInItsContext: too short, a word, a variable, or the value of another name.
func TestWhatIsNoSecretInItsContext(t *testing.T) {
	t.Parallel()
	basic := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	r := New(Options{Rules: NewRuleSet(contextRules())})
	texts := []string{
		"http://a:q8Z@h", "http://a:q8Zr@/", "http://a:q8/Zrt5@h", "https://q8Zrt5Lkw2Vx7m9@host", "https://averylongusername@host", "x&sig=q8Zrt5Lkw2Vx7m9Bd3F",
		"Authorization: Bearer abcde", "Authorization: required", "Authorization: Bearer $TOKEN1", "Authorization: Basic $TOKEN1", "bearer q8Zrt5Lkw2Vx7m9", "bearer abcdefghijklmnopqrst",
		"login me password abc", "login me password $PASS1", "password hunter", "password 123456", "login me password secret",
		"db:5432:app:me:q8Z", "db:5432:app:me:$PASS", "db:5432:q8Zrt5", `{"auth": "` + basic("no colon in it") + `"}`, `{"auth": "` + basic("me:") + `"}`, `{"auth": "` + basic(":secret") + `"}`,
		"client-key-data: q8Zrt5Lkw2Vx7m9", "client-key-data: <your base64 key>", `{"kty":"EC","d":"q8Zrt5Lkw2Vx7m9Bd3Fg4"}`, `{"kty":"EC"},{"d":"q8Zrt5Lkw2Vx7m9Bd3Fg4h"}`,
		"$1$salt$q8Zrt5Lkw2Vx7m9Bd3F", "requirepass fooba\n", "requirepass ${PASS}\n", "the requirepass setting\n", "x --password q8Zrt5L y", "x --password password y", "mysql -pq8Zrt5L x", "grep -pq8Zrt5Lk x",
		"<password>fooba</password>", "<password>${pass1}</password>", "mnemonic: " + strings.TrimSpace(strings.Repeat("able ", 11)), "define('DB_NAME', 'q8Zrt5Lk');", "define('DB_PASSWORD', 'q8Zrt5L');",
		"password=q8Zrt5L", "PWD=/home/me/project1", "token = abcdefgh", "token: 12345678", "token = maxTokens2", "password: os.Getenv1",
	}
	for _, rest := range []string{"name", "Names", "_type", "File", "_path", "_URL", "Uri", "_prefix"} {
		texts = append(texts, "token"+rest+"=q8Zrt5Lk")
	}
	for _, value := range []string{"$q8Zrt5Lk", "{{q8Zrt5Lk}}", "<q8Zrt5Lk>", "%(q8Zrt5Lk)s", "%sq8Zrt5Lk", "%vq8Zrt5Lk", "***q8Zrt5Lk", "xxxq8Zrt5Lk", "XXXq8Zrt5Lk", "...q8Zrt5Lk", "11111111", "q8Zrt5LkEXAMPLE", "q8Zrt5LkEXAMPLEKEY"} {
		texts = append(texts, "password="+value, "http://a:"+value+"@h")
	}
	for _, word := range []string{"password", "passwd", "pass", "pwd", "secret", "token", "username", "name", "redacted", "placeholder", "opensesame", "changeme", "example",
		"PASSWORD", "password123", "pass1234", "p@ssword", "p%40ssword", "my-password", "your_password", "the_secret", "dbpass", "userpass", "1234", "---!"} {
		texts = append(texts, "http://a:"+word+"@h", "machine h login me password "+word)
	}
	for _, text := range texts {
		if got := r.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	for _, text := range []string{ // and hardly more than that
		"http://a:password12345@h", "http://a:passwords@h", "http://a:q$8Z@h", "password=q8Zrt$5Lk", "password=EXAMPLEq8Zrt5Lk", "tokennamed=q8Zrt5Lk", "password=/q8Zrt5Lkw2",
		"login me password secrets", "token = q8Zr2t5Lk9w2Vx7m", "http://a:12345@h", "http://a:1234q@h",
	} {
		if got := r.String(text); got == text {
			t.Errorf("%q stays", text)
		}
	}
}
