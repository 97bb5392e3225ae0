package wording_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func TestOwner(t *testing.T) {
	for want, o := range map[string][4]string{
		"worked on by the engine of ada on attic; publishes as ada there: github at https://github.com with GITHUB_TOKEN; model calls are paid with ANTHROPIC_API_KEY there":   {"attic", "ada", "github at https://github.com with GITHUB_TOKEN", "ANTHROPIC_API_KEY"},
		"worked on by the engine of ada on attic; publishes as git does for ada there; model calls are paid by what agents find there: that engine has no credential for them": {"attic", "ada", "", ""},
		"worked on by the engine on attic": {"attic", "", "", ""},
	} {
		if got := strings.Join(wording.Owner(o[0], o[1], o[2], o[3]), "; "); got != want {
			t.Errorf("%q\nnot %q", got, want)
		}
	}
}
