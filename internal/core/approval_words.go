package core

import (
	"slices"
	"strings"
)

// approvals are whole messages that approve, by language; the first of each is
// the one that people are told of. Each says by itself that the work is good as
// it is. "Ok" alone does not: it also answers a question.
func approvals() map[string][]string {
	return map[string][]string{
		"en": {"approve", "approved", "I approve", "yes, approve", "approve it", "yes, I approve", "ok, approve", "yes, push", "LGTM"},
		"de": {"ok, weiter", "okay, weiter", "ja, weiter", "ja, pushen", "passt, weiter", "sieht gut aus, weiter", "freigabe", "freigegeben", "freigeben", "ich gebe frei", "ja, freigeben", "genehmigt"},
		"es": {"ok, adelante", "sí, adelante", "apruebo", "aprobado", "lo apruebo"},
		"fr": {"ok, on continue", "j'approuve", "j’approuve", "approuvé", "validé"},
		"it": {"ok, avanti", "sì, avanti", "approvo", "approvato"},
		"ja": {"承認", "承認します", "承認。", "承認します。"},
		"nl": {"ok, ga verder", "akkoord, ga verder", "goedgekeurd", "ik keur het goed"},
		"pl": {"ok, dalej", "zatwierdzam", "zatwierdzone"},
		"pt": {"ok, pode seguir", "aprovo", "aprovado"},
		"zh": {"批准", "我批准", "批准。"},
	}
}

// isApproval reports a message, as bareWords makes it, that approves in some
// language.
func isApproval(bare string) bool {
	for _, words := range approvals() {
		if slices.ContainsFunc(words, func(word string) bool { return bareWords(word) == bare }) {
			return true
		}
	}
	return false
}

// ApprovalWords are the messages with which a person approves, for them to read:
// in English and in the language of a locale such as de_DE.UTF-8.
func ApprovalWords(locale string) []string {
	words := []string{approvals()["en"][0]}
	language, _, _ := strings.Cut(strings.ToLower(locale), "_")
	language, _, _ = strings.Cut(language, ".")
	if other := approvals()[language]; language != "en" && len(other) > 0 {
		words = append(words, other[0])
	}
	return words
}
