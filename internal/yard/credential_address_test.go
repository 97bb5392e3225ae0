package yard

import "testing"

// TestWithoutCredential: what agents are told of a repository's address holds
// nobody's password.
func TestWithoutCredential(t *testing.T) {
	for address, want := range map[string]string{
		"/srv/shop.git":                         "/srv/shop.git",
		"https://example.org/shop.git":          "https://example.org/shop.git",
		"https://ada:pass@example.org/shop.git": "https://example.org/shop.git",
		"https://token@example.org/shop.git":    "https://example.org/shop.git",
		"ssh://git:pass@example.org:22/shop":    "ssh://git@example.org:22/shop",
		"git@example.org:shop.git":              "git@example.org:shop.git",
		"https://ada:pa%ss@example.org/shop":    "https://example.org/shop",
	} {
		if got := WithoutCredential(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
