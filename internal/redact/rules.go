package redact

import "slices"

// DefaultRules are Stellwerk's own rules, made for the credentials its users are likely to have and for the texts agents
// write, and those of gitleaks for some two hundred more services.
func DefaultRules() *RuleSet {
	set := NewRuleSet(slices.Concat(ownRules(), gitleaksRules()))
	set.hasKeys = true
	return set
}

func ownRules() []Rule { return slices.Concat(tokenRules(), contextRules(), encodedRules()) }

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
		{Name: "aws-access-key", Keywords: []string{"akia", "asia", "abia", "acca"}, Check: notPlaceholder, Pattern: `\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b`},
		{Name: "stripe-key", Keywords: []string{"sk_", "rk_", "whsec_"},
			Pattern: `\b(?:[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,})`},
		{Name: "npm-token", Keywords: []string{"npm_"}, Pattern: `\bnpm_[A-Za-z0-9]{36,}`},
		{Name: "pypi-token", Keywords: []string{"pypi-age"}, Pattern: `\bpypi-AgE[A-Za-z0-9_-]{50,}`},
		{Name: "cloud-token", Keywords: []string{"dop_v1_", "doo_v1_", "dor_v1_", "dapi", "hvs.", "hvb.", "pul-", "tfp_", "nfp_", ".atlasv1."}, Check: random,
			Pattern: `\b(?:do[opr]_v1_[a-f0-9]{64}|dapi[a-f0-9]{32}(?:-[0-9])?|hv[sb]\.[A-Za-z0-9_-]{24,}|pul-[a-f0-9]{40}|[tn]fp_[A-Za-z0-9]{36,}|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,})`},
		{Name: "model-api-key", Keywords: []string{"hf_", "gsk_", "xai-", "pplx-", "r8_", "fw_"}, Check: random,
			Pattern: `\b(?:hf_[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,}|pplx-[A-Za-z0-9]{40,}|r8_[A-Za-z0-9]{36,}|fw_[A-Za-z0-9]{22,})`},
		{Name: "service-token", Keywords: []string{"sg.", "shpat_", "shpca_", "shppa_", "shpss_", "lin_api_", "dckr_pat_", "dckr_oat_", "ntn_", "secret_", "figd_", "phc_", "phx_", "glsa_", "sntrys_", "sntryu_", "rubygems_", "key-", "sq0csp-", "sq0atp-", "access_token$", "swmtkn-1-", "sbp_", "nrak-", "pmak-"}, Check: random,
			Pattern: `\b(?:SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{32,}|shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}|lin_api_[A-Za-z0-9]{32,}|dckr_[op]at_[A-Za-z0-9_-]{27,}|ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}|figd_[A-Za-z0-9_-]{38,}|ph[cx]_[A-Za-z0-9]{40,}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|sntry[su]_[A-Za-z0-9+/=_]{60,}|rubygems_[a-f0-9]{48}|key-[a-f0-9]{32}|sq0(?:csp|atp)-[A-Za-z0-9_-]{22,}|access_token\$production\$[a-z0-9]{10,}\$[a-f0-9]{32}|SWMTKN-1-[a-z0-9]{40,}-[a-z0-9]{20,}|sbp_[a-f0-9]{40}|NRAK-[A-Z0-9]{27}|PMAK-[a-f0-9]{24}-[a-f0-9]{34})`},
		{Name: "telegram-token", Keywords: []string{":aa"}, Pattern: `(?:\b|bot)(?P<secret>[0-9]{8,10}:AA[A-Za-z0-9_-]{32,})`},
		{Name: "twilio-key", Keywords: []string{"sk"}, Check: random, Pattern: `\bSK[0-9a-fA-F]{32}\b`},
		{Name: "age-key", Keywords: []string{"age-secret-key-"}, Pattern: `AGE-SECRET-KEY-1[0-9A-Z]{50,}`},
		{Name: "jwt", Keywords: []string{"eyj"}, Pattern: `\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?`},
	}
}
