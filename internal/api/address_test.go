package api_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

func TestOwnPage(t *testing.T) {
	t.Parallel()
	for address, own := range map[string]bool{
		"/": true, "/inbox?from=50#r1": true, "/runs/a%2fb": true,
		"": false, "inbox": false, "//evil.example": false, "///evil.example": false, "/\\evil.example": false, "\\\\evil.example": false,
		"https://evil.example": false, "javascript:alert(1)": false, "/%2f/evil.example": false, "/%2fevil.example": false,
		"/\t/evil.example": false, "/\n/evil.example": false, "/%zz": false,
	} {
		if got := api.OwnPage(address); got != own {
			t.Errorf("%q: %v", address, got)
		}
	}
}
