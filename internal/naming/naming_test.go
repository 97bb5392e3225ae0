package naming

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestTitlesOfAnyScriptGiveBranchNames(t *testing.T) {
	id := uuid.MustParse("01902f3e-0000-7000-8000-000000abcdef")
	for title, want := range map[string]string{
		"Greet the reader":            "greet-the-reader",
		"Grüße, Straße & Ölförderung": "gruesse-strasse-oelfoerderung",
		"déjà vu à l'été":             "deja-vu-a-l-ete",
		"Łódź, Ærø, İstanbul, Đặng":   "lodz-aero-istanbul-dang",
		"e\u0301te\u0301":             "ete",
		"ｆｕｌｌ ｗｉｄｔｈ １２":               "full-width-12",
		"検索フィールドを追加する":                "検索フィールドを追加する",
		"ﾛｸﾞｲﾝ":                       "ログイン",
		"добавить поле поиска":        "добавить-поле-поиска",
		"खोज फ़ील्ड":                  "खोज-फ़ील्ड",
		"로그인 추가":                      "로그인-추가",
		"Fix .lock. a..b @{u} ~^:?*[": "fix-lock-a-b-u",
		"\u202egnp.exe\u200b ok":      "gnp-exe-ok",
		"✨🚀\ufe0f":                    "run-abcdef",
		"\u3164\u115f":                "run-abcdef",
		strings.Repeat("word ", 30):   "word-word-word-word-word-word-word-word",
		strings.Repeat("字", 60):       strings.Repeat("字", 26),
	} {
		if got := strings.TrimPrefix(Branch("", title, id), "feature/"); got != want {
			t.Errorf("%q gives %q, want %q", title, got, want)
		}
	}
	if got := Branch("#42", "✨", id); got != "feature/issue-42" {
		t.Error(got)
	}
	if got := Alias("検索フィールドを追加する機能", id); got != "検索フィールドを追加する機-abcdef" {
		t.Error(got)
	}
}

func TestAnyTitleGivesNamesThatGitTakes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		title, id := rapid.String().Draw(t, "title"), uuid.New()
		branch := Branch(rapid.String().Draw(t, "issue"), title, id)
		if err := CheckBranch(branch); err != nil || !utf8.ValidString(branch) || len(branch) > 200 {
			t.Fatalf("%q: %v", branch, err)
		}
		if name := Project("/srv/" + title); !core.ProjectName(name+"-1000") || !utf8.ValidString(name) {
			t.Fatalf("%q cannot be a project", name)
		}
	})
}
