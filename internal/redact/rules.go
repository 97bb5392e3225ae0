package redact

import (
	"bytes"
	"slices"
	"strings"
)

// DefaultRules are Stellwerk's own rules, made for the credentials its users are likely to have around and for the
// texts agents write, and those of gitleaks for some two hundred services more.
func DefaultRules() *RuleSet {
	return NewRuleSet(slices.Concat(ownRules(), gitleaksRules()))
}

func ownRules() []Rule { return append(tokenRules(), contextRules()...) }

// tokenRules recognise credentials by their own shape.
func tokenRules() []Rule {
	return []Rule{
		{Name: "stellwerk-person-token", Keywords: []string{"stw_"}, Pattern: `stw_[0-9a-f]{64}`},
		{Name: "stellwerk-attempt-token", Keywords: []string{"stwk_"}, Pattern: `stwk_[A-Za-z0-9_-]{43}`},
		{Name: "anthropic-api-key", Keywords: []string{"sk-ant-"}, Pattern: `sk-ant-[A-Za-z0-9_-]{20,}`},
		{Name: "openai-api-key", Keywords: []string{"sk-"}, Check: random,
			Pattern: `\bsk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})`},
		{Name: "openrouter-api-key", Keywords: []string{"sk-or-"}, Pattern: `\bsk-or-(?:v1-)?[0-9a-f]{32,}`},
		{Name: "google-api-key", Keywords: []string{"aiza"}, Pattern: `\bAIza[0-9A-Za-z_-]{35,}`},
		{Name: "google-oauth", Keywords: []string{"ya29.", "gocspx-"}, Check: random,
			Pattern: `\b(?:ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[0-9A-Za-z_-]{24,})`},
		{Name: "github-token", Keywords: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"},
			Pattern: `(?:gh[pousr]_[A-Za-z0-9_]{36,}|github_pat_[A-Za-z0-9_]{22,})`},
		{Name: "gitlab-token", Keywords: []string{"glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glft-", "glsoat-", "glagent-", "glimt-", "gloas-", "gr1348941"},
			Pattern: `\b(?:gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|imt|oas)-[A-Za-z0-9_.-]{20,}|GR1348941[A-Za-z0-9_-]{20,})`},
		{Name: "slack-token", Keywords: []string{"xox", "xapp-", "xwfp-"}, Check: random,
			Pattern: `\b(?:xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,}|xwfp-[A-Za-z0-9-]{10,})`},
		{Name: "webhook-url", Keywords: []string{"hooks.slack.com/", "/api/webhooks/", ".webhook.office.com/"},
			Pattern: `(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks|\.webhook\.office\.com/webhookb2)/(?P<secret>[A-Za-z0-9/+@_-]{20,})`},
		{Name: "aws-access-key", Keywords: []string{"akia", "asia", "abia", "acca"}, Pattern: `\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b`},
		{Name: "stripe-key", Keywords: []string{"sk_", "rk_", "whsec_"},
			Pattern: `\b(?:[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,})`},
		{Name: "npm-token", Keywords: []string{"npm_"}, Pattern: `\bnpm_[A-Za-z0-9]{36,}`},
		{Name: "pypi-token", Keywords: []string{"pypi-age"}, Pattern: `\bpypi-AgE[A-Za-z0-9_-]{50,}`},
		{Name: "cloud-token", Keywords: []string{"dop_v1_", "doo_v1_", "dor_v1_", "dapi", "hvs.", "hvb.", "pul-", "tfp_", "nfp_", ".atlasv1."}, Check: random,
			Pattern: `\b(?:do[opr]_v1_[a-f0-9]{64}|dapi[a-f0-9]{32}(?:-[0-9])?|hv[sb]\.[A-Za-z0-9_-]{24,}|pul-[a-f0-9]{40}|[tn]fp_[A-Za-z0-9]{36,}|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,})`},
		{Name: "model-api-key", Keywords: []string{"hf_", "gsk_", "xai-", "pplx-", "r8_", "fw_"}, Check: random,
			Pattern: `\b(?:hf_[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,}|pplx-[A-Za-z0-9]{40,}|r8_[A-Za-z0-9]{36,}|fw_[A-Za-z0-9]{22,})`},
		{Name: "service-token", Keywords: []string{"sg.", "shpat_", "shpca_", "shppa_", "shpss_", "lin_api_", "dckr_pat_", "dckr_oat_", "ntn_", "secret_", "figd_", "phc_", "phx_", "glsa_", "sntrys_", "sntryu_", "rubygems_", "key-", "eaaa"}, Check: random,
			Pattern: `\b(?:SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{32,}|shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}|lin_api_[A-Za-z0-9]{32,}|dckr_[op]at_[A-Za-z0-9_-]{27,}|ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}|figd_[A-Za-z0-9_-]{38,}|ph[cx]_[A-Za-z0-9]{40,}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|sntry[su]_[A-Za-z0-9+/=_]{60,}|rubygems_[a-f0-9]{48}|key-[a-f0-9]{32})`},
		{Name: "telegram-token", Keywords: []string{":aa"}, Pattern: `\b[0-9]{8,10}:AA[A-Za-z0-9_-]{32,33}`},
		{Name: "twilio-key", Keywords: []string{"sk"}, Check: random, Pattern: `\bSK[0-9a-fA-F]{32}\b`},
		{Name: "age-key", Keywords: []string{"age-secret-key-"}, Pattern: `AGE-SECRET-KEY-1[0-9A-Z]{50,}`},
		{Name: "jwt", Keywords: []string{"eyj"}, Pattern: `\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?`},
		{Name: "private-key", Keywords: []string{pemOpen}, Pattern: pemPattern, Lines: pemReach},
	}
}

const (
	pemOpen  = "-----begin "
	pemReach = 32 << 10
	// pemPattern takes a whole block or, where its end is missing, the lines that look like a key. Line ends may be
	// real or written as escapes.
	pemPattern = `-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----` +
		`(?:(?:[^-]|-[^-])*?-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----` +
		`|(?:(?:\s|\\+[nrt])*(?:[A-Za-z-]+: [^\n\\]{1,100}|[A-Za-z0-9+/]{16,}={0,2}))*(?:(?:\s|\\+[nrt])*[A-Za-z0-9+/]{1,15}(?:={1,2}|\s*\z))?)`
)

// contextRules recognise credentials by what stands around them.
func contextRules() []Rule {
	return []Rule{
		{Name: "url-credentials", Keywords: []string{"://"}, Check: notPlaceholder,
			Pattern: `[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>\\]*:(?P<secret>[^\s/@"'<>\\]+)@[A-Za-z0-9\[]`},
		{Name: "url-token", Keywords: []string{"://"}, Check: random,
			Pattern: `https?://(?P<secret>[A-Za-z0-9_.~%-]{16,})@[A-Za-z0-9\[]`},
		{Name: "authorization", Keywords: []string{"authorization"}, Check: header,
			Pattern: `(?i)authorization` + assign + `(?:(?P<scheme>basic|bearer|token|digest|negotiate|apikey|bot)[ \t]+)?(?P<secret>[^\s"'\\,;]{6,})`},
		{Name: "bearer-token", Keywords: []string{"bearer "}, Check: random, Pattern: `(?i)\bbearer[ \t]+(?P<secret>[A-Za-z0-9._~+/=-]{16,})`},
		{Name: "netrc", Keywords: []string{"password"}, Check: netrc, Lines: 512,
			Pattern: `(?m)(?P<login>\blogin\s+\S+\s+|^[ \t]*)password[ \t]+(?P<secret>\S{4,})[ \t]*$`},
		{Name: "assignment", Check: assignment,
			Keywords: []string{"passw", "pwd", "passphrase", "secret", "token", "api_key", "api-key", "apikey", "access_key", "access-key", "accesskey",
				"private_key", "private-key", "account_key", "accountkey", "auth_key", "authkey", "encryption_key", "signing_key", "credential", "_auth"},
			Pattern: `(?i)(?:passw(?:or)?d|passwd|pwd|passphrase|secret|token|(?:api|access|private|account|auth|encryption|signing)[_-]?key|credentials?|_auth)[A-Za-z0-9_.-]{0,40}` +
				assign + `(?P<secret>[^\s"'` + "`" + `\\,;&|]{8,})`},
	}
}

func random(m Match) bool         { return isRandom(m.Secret) && !isPlaceholder(m.Secret) }
func notPlaceholder(m Match) bool { return !isPlaceholder(m.Secret) }

// header accepts what follows a known scheme; without one, the value must look random.
func header(m Match) bool {
	if len(m.Group("scheme")) > 0 {
		return !isPlaceholder(m.Secret)
	}
	return random(m)
}

// netrc accepts any password after a login; on a line of its own it must not be a word of prose.
func netrc(m Match) bool {
	if strings.TrimSpace(string(m.Group("login"))) != "" {
		return !isPlaceholder(m.Secret)
	}
	c := classesOf(m.Secret)
	return c.digits > 0 && c.letters() > 0 && !isPlaceholder(m.Secret)
}

func assignment(m Match) bool {
	if bytes.HasPrefix(m.Secret, []byte("/")) && bytes.Count(m.Secret, []byte("/")) > 1 {
		return false // a path: PWD=/home/me/project
	}
	return isAssigned(m.Secret, len(m.Group("quote")) > 0, string(m.Group("sign")))
}
