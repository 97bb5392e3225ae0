package redact

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A shape is a credential as its issuer writes it. {20+u} stands for at least 20 characters of a class, {64=h} for exactly
// 64. What is hidden of it stands between ⟨ and ⟩, or is all of it.
var shapeGroup = regexp.MustCompile(`\{([0-9]+)([+=])([a-zA-Z])\}`)

var shapeClasses = map[string]string{
	"a": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "u": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_",
	"b": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/", "h": "0123456789abcdef", "d": "123456789",
	"l": "abcdefghijklmnopqrstuvwxyz0123456789", "N": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "K": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
}

// spell writes a shape out; more is added to the length of the group with the given index.
func spell(shape string, group, more int) string {
	rng := rand.New(rand.NewPCG(7, uint64(len(shape))))
	i := -1
	return shapeGroup.ReplaceAllStringFunc(shape, func(text string) string {
		parts := shapeGroup.FindStringSubmatch(text)
		n, _ := strconv.Atoi(parts[1])
		if i++; i == group {
			n += more
		}
		from := shapeClasses[parts[3]]
		out := make([]byte, n)
		for at := range out {
			out[at] = from[rng.IntN(len(from))]
		}
		if n > 1 { // looks drawn, whatever was drawn
			out[0], out[1] = from[0], from[len(from)-1]
		}
		return string(out)
	})
}

// shown is what becomes of a text whose secret stands between ⟨ and ⟩.
func shown(text, name string) (in, want string) {
	before, rest, _ := strings.Cut(text, "⟨")
	secret, after, _ := strings.Cut(rest, "⟩")
	return before + secret + after, before + markerOpen + name + markerClose + after
}

// tokenShapes are what tokenRules are to know. A shape with a ^ before it is none inside a word.
var tokenShapes = map[string][]string{
	"stellwerk-person-token":  {"stw_{64=h}"},
	"stellwerk-attempt-token": {"stwk_{43=u}"},
	"anthropic-api-key":       {"sk-ant-{20+u}"},
	"openai-api-key":          {"^sk-proj-{20+u}", "^sk-svcacct-{20+u}", "^sk-admin-{20+u}", "^sk-None-{20+u}", "^sk-{32+a}"},
	"openrouter-api-key":      {"^sk-or-{32+h}", "^sk-or-v1-{32+h}"},
	"google-api-key":          {"^AIza{35+u}"},
	"google-oauth":            {"^ya29.{20+u}", "^GOCSPX-{24+u}"},
	"github-token":            {"ghp_{36+a}", "gho_{36+a}", "ghu_{36+a}", "ghs_{36+a}", "ghr_{36+a}", "github_pat_{22+a}"},
	"gitlab-token": {"^glpat-{20+u}", "^glptt-{20+u}", "^gldt-{20+u}", "^glrt-{20+u}", "^glcbt-{20+u}", "^glft-{20+u}", "^glsoat-{20+u}",
		"^glagent-{20+u}", "^glimt-{20+u}", "^gloas-{20+u}", "^GR1348941{20+u}"},
	"slack-token": {"^xoxb-{10+a}", "^xoxp-{10+a}", "xoxe.xoxp-{10+a}", "^xapp-1-{10+a}", "^xwfp-{10+a}"},
	"webhook-url": {"https://hooks.slack.com/services/⟨{20+a}⟩", "https://hooks.slack.com/workflows/⟨{20+a}⟩", "https://hooks.slack.com/triggers/⟨{20+a}⟩",
		"https://discord.com/api/webhooks/⟨{20+a}⟩", "https://discordapp.com/api/webhooks/⟨{20+a}⟩", "https://x.webhook.office.com/webhookb2/⟨{20+a}⟩"},
	"aws-access-key": {"^AKIA{16=K}", "^ASIA{16=K}", "^ABIA{16=K}", "^ACCA{16=K}"},
	"stripe-key":     {"^sk_live_{10+a}", "^sk_test_{10+a}", "^sk_prod_{10+a}", "^rk_live_{10+a}", "^rk_test_{10+a}", "^rk_prod_{10+a}", "^whsec_{24+b}"},
	"npm-token":      {"^npm_{36+a}"},
	"pypi-token":     {"^pypi-AgE{50+u}"},
	"cloud-token": {"^dop_v1_{64=h}", "^doo_v1_{64=h}", "^dor_v1_{64=h}", "^dapi{32=h}", "^dapi{32=h}-3", "^hvs.{24+u}", "^hvb.{24+u}", "^pul-{40=h}",
		"^tfp_{36+a}", "^nfp_{36+a}", "^{14=a}.atlasv1.{60+u}"},
	"model-api-key": {"^hf_{30+a}", "^gsk_{40+a}", "^xai-{40+a}", "^pplx-{40+a}", "^r8_{36+a}", "^fw_{22+a}"},
	"service-token": {"^SG.{16+u}.{32+u}", "^shpat_{32=h}", "^shpca_{32=h}", "^shppa_{32=h}", "^shpss_{32=h}", "^lin_api_{32+a}", "^dckr_pat_{27+u}",
		"^dckr_oat_{27+u}", "^ntn_{40+a}", "^secret_{43=a}", "^figd_{38+u}", "^phc_{40+a}", "^phx_{40+a}", "^glsa_{32=a}_{8=h}", "^sntrys_{60+b}",
		"^sntryu_{60+b}", "^rubygems_{48=h}", "^key-{32=h}", "^sq0csp-{22+u}", "^sq0atp-{22+u}", "^access_token$production${10+l}${32=h}",
		"^SWMTKN-1-{40+l}-{20+l}", "^sbp_{40=h}", "^NRAK-{27=N}", "^PMAK-{24=h}-{34=h}"},
	"telegram-token": {"^⟨{8=d}:AA{32+u}⟩", "bot⟨{8=d}:AA{32+u}⟩"},
	"twilio-key":     {"^SK{32=h}"},
	"age-key":        {"AGE-SECRET-KEY-1{50+N}"},
	"jwt":            {"^eyJ{8+u}.eyJ{8+u}", "^eyJ{8+u}.eyJ{8+u}.{12+u}"},
}

// TestEachKindOfToken: the shortest of each kind is hidden as a whole and a longer one, too, where there are such. One
// character less is no token, and neither is the same in the middle of a word.
func TestEachKindOfToken(t *testing.T) {
	t.Parallel()
	r := New(Options{Rules: NewRuleSet(tokenRules())})
	for _, rule := range tokenRules() {
		if len(tokenShapes[rule.Name]) == 0 {
			t.Errorf("no shape of %s is known", rule.Name)
		}
	}
	check := func(text, want string) {
		if got := r.String(text); got != want {
			t.Errorf("%q became %q, not %q", text, got, want)
		}
	}
	for name, shapes := range tokenShapes {
		for _, shape := range shapes {
			shape, isBounded := strings.CutPrefix(shape, "^")
			if !strings.Contains(shape, "⟨") {
				shape = "⟨" + shape + "⟩"
			}
			in, want := shown("a "+spell(shape, -1, 0)+" b", name)
			check(in, want)
			if isBounded {
				in, _ := shown("aX"+spell(shape, -1, 0)+" b", name)
				check(in, in)
			}
			for i, group := range shapeGroup.FindAllStringSubmatch(shape, -1) {
				if group[2] == "+" {
					check(shown("a "+spell(shape, i, 5)+" b", name))
				}
				if strings.HasSuffix(shape, ".{12+u}⟩") && i == 2 { // the signature of a JWT may have any length
					continue
				}
				in, _ := shown("a "+spell(shape, i, -1)+" b", name)
				check(in, in)
			}
		}
	}
}
