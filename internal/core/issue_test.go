package core

import "testing"

func TestIssueNumber(t *testing.T) {
	for issue, want := range map[string]string{
		"": "", "42": "42", "#42": "42", "SHOP-7": "SHOP-7",
		"https://github.com/o/r/issues/42":                   "42",
		"https://github.com/o/r/issues/42/":                  "42",
		"https://github.com/o/r/issues/42#issuecomment-9":    "42",
		"https://git.example.org/o/r/-/issues/42?tab=design": "42",
		"http://tickets.example.org/browse/SHOP-7":           "SHOP-7",
	} {
		if got := IssueNumber(issue); got != want {
			t.Errorf("%q is %q, not %q", issue, got, want)
		}
	}
}
