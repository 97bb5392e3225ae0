package core_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestMeaningOf(t *testing.T) {
	for text, want := range map[string]core.Meaning{
		"approve":                            core.MeansApprove,
		" Approved! ":                        core.MeansApprove,
		"Yes, approve.":                      core.MeansApprove,
		"LGTM":                               core.MeansApprove,
		"freigegeben":                        core.MeansApprove,
		"/stellwerk:approve":                 core.MeansApprove,
		"/stellwerk:approve not yet":         "",
		"/stellwerk:skip":                    core.MeansSkip,
		"skip this phase":                    core.MeansSkip,
		"/stellwerk:cancel":                  core.MeansCancel,
		"discard the run":                    core.MeansCancel,
		"":                                   "",
		"ok":                                 "",
		"do not approve":                     "",
		"don't approve":                      "",
		"Approve?":                           "",
		"approve nothing":                    "",
		"not approved":                       "",
		"I approve of the plan, but not yet": "",
		"approve, but rename the function":   "",
		"never /stellwerk:approve":           "",
		"/stellwerk:approved":                "",
		"/stellwerk:feedback approve":        "",
		"nicht freigegeben":                  "",
		"<task-notification>approve</task-notification>": "",
		"approve\x00": "",
		"аpprove":     "", // the first letter is Cyrillic
	} {
		if got := core.MeaningOf(text); got != want {
			t.Errorf("%q means %q, want %q", text, got, want)
		}
	}
}

func TestApprovalsInOtherLanguages(t *testing.T) {
	for text, want := range map[string]core.Meaning{
		"ok, weiter":                core.MeansApprove,
		"Ja, pushen!":               core.MeansApprove,
		"Ja, nicht pushen":          "",
		"OK, weiter!":               core.MeansApprove,
		"Sieht gut aus, weiter.":    core.MeansApprove,
		"J'approuve":                core.MeansApprove,
		"承認します。":                    core.MeansApprove,
		"weiter":                    "",
		"ok, weiter?":               "",
		"ok, aber weiter":           "",
		"nicht ok, weiter":          "",
		"ok, weiter, aber ohne XML": "",
		"ok weiter so nicht":        "",
		"passt nicht, weiter":       "",
		"freigabe?":                 "",
		"承認しません":                    "",
		"不批准":                       "",
		"je n'approuve pas":         "",
	} {
		if got := core.MeaningOf(text); got != want {
			t.Errorf("%q means %q, want %q", text, got, want)
		}
	}
}

func TestApprovalsInAPersonsOwnWords(t *testing.T) {
	own := []string{"Jo, mach", "ship it"}
	for text, want := range map[string]core.Meaning{
		"jo mach!": core.MeansApprove, "Ship it": core.MeansApprove,
		"ship it later": "", "do not ship it": "", "jo": "", "": "", ".": "",
	} {
		if got := core.MeaningOf(text, own...); got != want {
			t.Errorf("%q means %q, want %q", text, got, want)
		}
		if text != "" && want != "" && core.MeaningOf(text) != "" {
			t.Errorf("%q approves without being set", text)
		}
	}
}

func TestApprovalWordsThatPeopleAreToldOf(t *testing.T) {
	for locale, want := range map[string]string{
		"de_DE.UTF-8": "approve ok, weiter", "de": "approve ok, weiter", "en_GB.UTF-8": "approve", "C.UTF-8": "approve", "": "approve", "eo": "approve",
	} {
		words := core.ApprovalWords(locale)
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%q: %s, want %s", locale, got, want)
		}
	}
	for _, language := range []string{"en", "de", "es", "fr", "it", "ja", "nl", "pl", "pt", "zh"} {
		for _, word := range core.ApprovalWords(language) {
			if core.MeaningOf(word) != core.MeansApprove {
				t.Errorf("people are told of %q, and it approves nothing", word)
			}
		}
	}
}

func FuzzAnObjectionIsNoApproval(f *testing.F) {
	for _, seed := range []string{"wait", "stop", "hold on, the tests", "no"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, objection := range []string{"not " + text, text + " not", "do not " + text, "but " + text, text + " but wait"} {
			if core.MeaningOf(objection) == core.MeansApprove {
				t.Errorf("%q is taken for an approval", objection)
			}
		}
	})
}
